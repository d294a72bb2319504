"""The state of a wiki, its pages, its log and what changes it directly, as JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.app.to_json.landed import landed_json

if TYPE_CHECKING:
    from llmwiki.app.adopt import AdoptResult
    from llmwiki.app.cost import CostReport, ModelCost
    from llmwiki.app.log import OperationLog
    from llmwiki.app.shapes import operations as shapes
    from llmwiki.history.undo import UndoResult
    from llmwiki.ingest.status import WikiStatus
    from llmwiki.memory.land import OperationOutcome
    from llmwiki.pages.page import Page
    from llmwiki.repo.log import Commit


def status_json(found: WikiStatus) -> shapes.StatusJson:
    """What the wiki holds, and what is unfinished."""
    return {
        "schema": "llmwiki.status/1",
        "pages": dict(found.pages),
        "claims": found.claims,
        "struck": found.struck,
        "sources": {
            "ingested": list(found.ingested),
            "without_claims": list(found.without_claims),
            "to_read_again": list(found.to_read_again),
            "new": list(found.new),
            "changed": list(found.changed),
            "missing": list(found.missing),
            "retracted": list(found.retracted),
            "unread": list(found.unread),
            "mailboxes": list(found.mailboxes),
        },
        "jobs": list(found.jobs),
        "reviews": list(found.reviews),
        "dirty": list(found.dirty),
        "unfinished": found.unfinished or None,
        "in_progress": found.in_progress or None,
        "unmerged": list(found.unmerged),
        "last": found.last or None,
        "clone": found.clone or None,
    }


def show_json(page: Page) -> shapes.ShowJson:
    """One page."""
    return {
        "schema": "llmwiki.show/1",
        "path": page.path,
        "type": page.type,
        "title": page.title,
        "description": page.description,
        "aliases": list(page.aliases),
        "claims": [
            {
                "id": claim.id,
                "text": claim.text,
                "successor": claim.successor,
                "attributes": [list(a) for a in claim.attributes],
                "evidence": [
                    {
                        "source": e.source,
                        "lines": [e.first, e.last],
                        "place": e.place or None,
                        "quote": e.quote,
                    }
                    for e in claim.evidence
                ],
            }
            for claim in page.claims
        ],
    }


def log_json(found: OperationLog) -> shapes.LogJson:
    """Operations, newest first."""
    return {
        "schema": "llmwiki.log/1",
        "complete": not found.lacking,
        "operations": [_log_row(each) for each in found.operations],
    }


def _log_row(commit: Commit) -> shapes.LogRowJson:
    return {
        "id": commit.operation or "",
        "commit": commit.oid,
        "kind": commit.kind or "",
        "title": commit.subject.partition(": ")[2],
        "date": commit.date.isoformat(),
        "author": commit.author,
        "batch": commit.batch,
        "source": commit.value("Wiki-Source"),
        "model": commit.value("Wiki-Model"),
        "undoes": list(commit.values("Wiki-Undoes")),
    }


def cost_json(found: CostReport) -> shapes.CostJson:
    """What models took."""
    return {
        "schema": "llmwiki.cost/1",
        "complete": not found.lacking,
        "total": _model_cost(found.total),
        "days": [_model_cost(each) for each in found.days],
        "models": [_model_cost(each) for each in found.models],
        "sources": [_model_cost(each) for each in found.sources],
    }


def _model_cost(row: ModelCost) -> shapes.ModelCostJson:
    return {
        "name": row.name,
        "operations": row.operations,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "cost_usd": round(row.usd, 6),
        "unpriced": row.unpriced,
    }


def undo_json(done: UndoResult, *, dry_run: bool) -> shapes.UndoJson:
    """What was taken back."""
    return {
        "schema": "llmwiki.undo/1",
        **landed_json(done.outcome),
        "undone": [ident for c in done.operations for ident in c.ids],
        "pages_changed": [d.path for d in done.outcome.differences],
        "conflicts": [{"page": p, "kept": c.kept} for p, c in done.conflicts],
        "notes": [
            {
                "page": each.path,
                "claim": each.claim.id,
                "note": "n-" + each.claim.id.removeprefix("c-"),
            }
            for each in done.notes
        ],
        "dry_run": dry_run,
    }


def adopt_json(done: AdoptResult) -> shapes.AdoptJson:
    """Notes that were made a wiki, or what a dry run found."""
    found = done.survey
    return {
        "schema": "llmwiki.adopt/1",
        **landed_json(done.outcome),
        "root": str(done.root),
        "found": {
            "form": found.form,
            "folder": found.folder,
            "pages": found.pages,
            "links": found.links,
            "names_without_page": found.nowhere,
            "pages_without_type": found.untyped,
            "pages_without_description": found.undescribed,
            "kept": list(found.kept),
            "has_carriage_returns": found.has_carriage_returns,
        },
        "files": list(done.files),
        "dry_run": done.outcome is None,
    }


def upgrade_json(outcome: OperationOutcome, *, dry_run: bool) -> shapes.UpgradeJson:
    """A wiki brought into the format of this version."""
    return {
        "schema": "llmwiki.upgrade/1",
        **landed_json(outcome),
        "pages_changed": [d.path for d in outcome.differences],
        "dry_run": dry_run,
    }


def remember_json(outcome: OperationOutcome) -> shapes.RememberJson:
    """A note that was added."""
    return {"schema": "llmwiki.remember/1", **landed_json(outcome)}


def overview_json(outcome: OperationOutcome) -> shapes.OverviewJson:
    """An opening that was rewritten."""
    return {"schema": "llmwiki.overview/1", **landed_json(outcome)}
