"""Knowledge that is taken out, replaced, or may have to be, as JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.app.to_json.landed import landed_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.app.shapes import retraction as shapes
    from llmwiki.history.retract import RetractResult
    from llmwiki.history.supersede import SupersedeResult
    from llmwiki.history.taint import TaintReport


def retract_json(done: RetractResult, *, dry_run: bool) -> shapes.RetractJson:
    """A source that was taken out, or would be."""
    return {
        "schema": "llmwiki.retract/1",
        **landed_json(done.outcome),
        "source": done.source,
        "page": done.page,
        "dry_run": dry_run,
        "quotes": done.quotes,
        "gone": [
            {
                "id": each.claim.id,
                "page": each.path,
                "text": each.claim.text,
                "note": "n-" + each.claim.id.removeprefix("c-") if each.is_note else None,
            }
            for each in done.gone
        ],
        "other_evidence": [
            {"id": claim.id, "page": path, "text": claim.text} for path, claim in done.kept
        ],
        "revived": list(done.revived),
        "relations": done.relations,
        "aliases": _on_pages(done.aliases),
        "renewed": _on_pages(done.renewed),
        "left": _on_pages(done.left),
        "answers": _on_pages(done.answers),
        "marked": list(done.marked),
        "emptied": list(done.emptied),
        "remains": [{"page": each.path, "words": each.words} for each in done.remains],
        "pages_changed": [d.path for d in done.outcome.differences],
    }


def _on_pages(rows: Sequence[tuple[str, str]]) -> list[shapes.OnPageJson]:
    return [{"page": path, "what": what} for path, what in rows]


def supersede_json(done: SupersedeResult, *, dry_run: bool) -> shapes.SupersedeJson:
    """A claim that was struck for another."""
    return {
        "schema": "llmwiki.supersede/1",
        **landed_json(done.outcome),
        "old": {"id": done.old.id, "page": done.old_page, "text": done.old.text},
        "new": {"id": done.new.id, "page": done.new_page, "text": done.new.text},
        "led_on": list(done.led_on),
        "dry_run": dry_run,
    }


def taint_json(report: TaintReport) -> shapes.TaintJson:
    """What rests on a source, an operation or a model."""
    return {
        "schema": "llmwiki.taint/1",
        "name": report.name,
        "kind": report.kind,
        "operations": [each.operation or "" for each in report.operations],
        "pages": list(report.pages),
        "items": [
            {
                "depth": item.depth,
                "id": item.id,
                "page": item.page,
                "text": item.text,
                "how": item.how,
                "alone": item.is_alone,
                "via": list(item.via),
            }
            for item in report.items
        ],
    }
