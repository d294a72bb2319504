"""What became of pages and their claims, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.shapes import page_moves as shapes
    from llmwiki.edit.page_moves import PageMoveResult


def rename_json(done: PageMoveResult, *, dry_run: bool) -> shapes.RenameJson:
    """A page that got another title."""
    return {"schema": "llmwiki.rename/1", **_moved(done, dry_run)}


def merge_json(done: PageMoveResult, *, dry_run: bool) -> shapes.MergeJson:
    """Two pages that became one."""
    return {"schema": "llmwiki.merge/1", **_moved(done, dry_run)}


def split_json(done: PageMoveResult, *, dry_run: bool) -> shapes.SplitJson:
    """Claims that got a page of their own."""
    return {"schema": "llmwiki.split/1", **_moved(done, dry_run)}


def _moved(done: PageMoveResult, dry_run: bool) -> shapes.PageMoveJson:
    outcome = done.outcome
    return {
        "commit": outcome.commit,
        "id": outcome.id or None,
        "pending": list(outcome.pending),
        "kept": list(outcome.kept),
        "source": done.source,
        "page": done.page,
        "pages_created": list(outcome.pages_created),
        "pages_changed": list(outcome.pages_changed),
        "claims_moved": list(done.claims),
        "claims_joined": [
            {"gone": gone, "stays": stays} for gone, stays in sorted(done.joins.items())
        ],
        "links_left": [{"path": one.path, "line": one.line, "why": one.why} for one in done.left],
        "notes": list(done.notes),
        "dry_run": dry_run,
    }
