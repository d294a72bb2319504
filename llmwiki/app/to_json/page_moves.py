"""What became of pages and their claims, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.app.to_json.landed import landed_json

if TYPE_CHECKING:
    from llmwiki.app.shapes import page_moves as shapes
    from llmwiki.edit.page_moves import PageMoveResult


def move_json(done: PageMoveResult, *, dry_run: bool) -> shapes.PageMoveJson:
    """All but the schema, which the command names."""
    outcome = done.outcome
    return {
        **landed_json(outcome),
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
