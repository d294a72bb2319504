"""Diffs and stories of claims as the JSON objects that commands print."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from llmwiki.app.shapes import history as shapes
    from llmwiki.app.why import TracedClaim, WhyResult
    from llmwiki.history.diff import MemoryDiff
    from llmwiki.history.digest import MemoryDigest
    from llmwiki.history.page_log import PageStep
    from llmwiki.history.why import StoryStep
    from llmwiki.pages.events import MemoryEvent
    from llmwiki.pages.page import Evidence


def diff_json(told: MemoryDiff) -> shapes.DiffJson:
    """What differs between two states."""
    return {
        "schema": "llmwiki.diff/1",
        "before": told.before,
        "after": told.after,
        "before_commit": told.before_commit,
        "after_commit": told.after_commit,
        "pages": told.pages,
        "counts": dict(Counter(event.kind for event in told.found.events)),
        "quiet": dict(told.found.quiet),
        "events": [event_json(event, told.sources) for event in told.found.events],
    }


def event_json(event: MemoryEvent, sources: Mapping[str, str]) -> shapes.EventJson:
    """One event."""
    found: shapes.EventJson = {"kind": event.kind, "path": event.path, "title": event.title}
    if event.claim:
        found["claim"] = event.claim
    if event.text:
        found["text"] = event.text
    if event.name:
        found["name"] = event.name
    if event.before:
        found["before"] = event.before
    if event.after:
        found["after"] = event.after
    held = event.facts.evidence if event.facts is not None else ()
    evidence = (event.evidence,) if event.evidence is not None else held
    if evidence:
        found["evidence"] = quotes_json(evidence, sources)
    return found


def quotes_json(evidence: Iterable[Evidence], sources: Mapping[str, str]) -> list[shapes.QuoteJson]:
    """Pieces of evidence; `sources` gives the file of a source's id."""
    return [
        {
            "source": each.source,
            "path": sources.get(each.source, ""),
            "quote": each.quote,
            "lines": each.span,
        }
        for each in evidence
    ]


def why_json(found: WhyResult) -> shapes.WhyJson:
    """Where claims come from and what became of them."""
    return {
        "schema": "llmwiki.why/1",
        "asked": found.asked,
        "exit_code": 1 if found.candidates else 0,
        "claims": [_traced(each) for each in found.claims],
        "candidates": [
            {"id": each.id, "path": each.path, "text": each.text} for each in found.candidates
        ],
        "unread": found.unread,
        "more": found.more,
    }


def _traced(traced: TracedClaim) -> shapes.TracedClaimJson:
    files = {quote.evidence.source: quote.path for quote in traced.quotes}
    return {
        "id": traced.claim.id,
        "text": traced.claim.text,
        "path": traced.path,
        "title": traced.title,
        "stands": traced.stands,
        "successor": traced.claim.successor,
        "evidence": [
            {
                "source": each.evidence.source,
                "path": each.path,
                "quote": each.evidence.quote,
                "lines": each.evidence.span,
                "sha256": each.sha256,
            }
            for each in traced.quotes
        ],
        "story": [_step(step, files) for step in traced.story.steps],
        "lacking": traced.story.lacking,
    }


def _step(step: StoryStep, files: Mapping[str, str]) -> shapes.StoryStepJson:
    commit = step.commit
    return {
        "commit": commit.oid,
        "date": commit.date.isoformat(),
        "author": commit.author,
        "email": commit.email,
        "operation": commit.operation,
        "kind": commit.kind,
        "model": commit.value("Wiki-Model"),
        "title": commit.subject,
        "path": step.path,
        "events": [event_json(event, files) for event in step.events],
    }


def page_log_json(steps: Iterable[PageStep]) -> shapes.PageLogJson:
    """The commits that changed a page."""
    return {
        "schema": "llmwiki.page-log/1",
        "commits": [
            {
                "commit": step.commit.oid,
                "date": step.commit.date.isoformat(),
                "author": step.commit.author,
                "operation": step.commit.operation,
                "kind": step.commit.kind,
                "title": step.commit.subject,
                "path": step.path,
                "events": [event_json(e, step.told.sources) for e in step.told.found.events],
                "quiet": dict(step.told.found.quiet),
            }
            for step in steps
        ],
    }


def digest_json(digest: MemoryDigest) -> shapes.DigestJson:
    """What memory learned since a day."""
    told = digest.told
    return {
        "schema": "llmwiki.digest/1",
        "since": digest.since.isoformat(),
        "complete": not digest.lacking,
        "operations": dict(digest.operations),
        "reviews": list(digest.reviews),
        "counts": dict(Counter(event.kind for event in told.found.events)),
        "events": [event_json(event, told.sources) for event in told.found.events],
    }
