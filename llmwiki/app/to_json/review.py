"""Branches that wait for review as JSON objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from llmwiki.app.shapes import review as shapes
from llmwiki.app.to_json.landed import landed_json

if TYPE_CHECKING:
    from llmwiki.history.review import ReviewOutcome
    from llmwiki.history.review_branch import Review, ReviewItem
    from llmwiki.pages.change_items import ChangeItem
    from llmwiki.repo.log import Commit


def reviews_json(found: Sequence[Review]) -> shapes.ReviewsJson:
    """What waits for review."""
    return {"schema": "llmwiki.reviews/1", "reviews": [_waiting(review) for review in found]}


def _waiting(review: Review) -> shapes.WaitingReviewJson:
    newest = review.commits[-1] if review.commits else None
    return {
        "id": review.id,
        "branch": review.branch,
        "title": review.title,
        "authors": list(dict.fromkeys(commit.author for commit in review.commits)),
        "date": newest.date.strftime("%Y-%m-%d") if newest else None,
        "claims": sum(1 for each in review.items if each.item.claim is not None),
        "items": len(review.items),
        "pages": sorted({each.item.path for each in review.items if each.item.path}),
        "hindered": sum(1 for each in review.items if each.hindrance),
    }


def review_json(review: Review) -> shapes.ReviewJson:
    """One branch that waits for review."""
    return {
        "schema": "llmwiki.review/1",
        "id": review.id,
        "branch": review.branch,
        "title": review.title,
        "tip": review.tip,
        "head": review.head,
        "base": review.base,
        "operations": [_operation(commit) for commit in review.commits],
        "whole": review.whole or None,
        "items": [_item(review, each) for each in review.items],
        "files": sorted(review.files),
        "others": list(review.others),
        "joins": dict(sorted(review.joins.items())),
    }


def _operation(commit: Commit) -> shapes.ReviewedOperationJson:
    return {
        "id": commit.operation or "",
        "kind": commit.kind or "",
        "title": commit.subject.partition(": ")[2] or commit.subject,
        "author": commit.author,
        "date": commit.date.strftime("%Y-%m-%d"),
        "commit": commit.oid,
        "sources": list(commit.sources),
        "model": commit.value("Wiki-Model"),
    }


def _item(review: Review, each: ReviewItem) -> shapes.ReviewItemJson:
    item = each.item
    return {
        "id": item.id,
        "kind": item.kind,
        "page": item.path,
        "text": item.text,
        "before": item.before.text if item.before and item.kind == "reworded" else None,
        "page_before": review.homes.get(item.id) if item.kind == "moved" else None,
        "quotes": _quotes(item),
        "effects": [
            {"what": e.what, "claim": e.claim, "page": e.path, "text": e.text} for e in item.effects
        ],
        "hindrance": each.hindrance or None,
    }


def _quotes(item: ChangeItem) -> list[shapes.ReviewQuoteJson]:
    had = {e.identity for e in item.before.evidence} if item.before else set()
    return [
        {
            "source": e.source,
            "lines": [e.first, e.last],
            "place": e.place or None,
            "quote": e.quote,
            "is_new": e.identity not in had,
        }
        for e in (item.claim.evidence if item.claim else ())
    ]


def decision_json(
    done: ReviewOutcome,
    decision: Literal["accepted", "rejected", "dropped"],
    *,
    dry_run: bool = False,
) -> shapes.ReviewDecisionJson:
    """What became of a decision."""
    return {
        "schema": "llmwiki.review-decision/1",
        **landed_json(done.outcome),
        "review": done.review.id,
        "decision": decision,
        "dry_run": dry_run,
        "items": [each.id for each in done.items],
        "left": done.left,
        "updated": done.updated or None,
        "dropped": done.dropped,
        "returned": list(done.returned),
    }
