"""What became of an operation, as a JSON object that others hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.shapes import landed as shapes
    from llmwiki.memory.land import OperationOutcome


def landed_json(outcome: OperationOutcome | None) -> shapes.LandedJson:
    """What became of an operation: the fields that every command's JSON has for it."""
    if outcome is None:
        return {"id": None, "commit": None, "pending": [], "kept": []}
    return {
        "id": outcome.id or None,
        "commit": outcome.commit,
        "pending": list(outcome.pending),
        "kept": list(outcome.kept),
    }
