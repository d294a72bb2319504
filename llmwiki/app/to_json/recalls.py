"""What coding agents were given, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.recall_log import RecallRecord
    from llmwiki.app.shapes import recalls as shapes


def recalls_json(records: Sequence[RecallRecord], limit: int) -> shapes.RecallsJson:
    """The first `limit` of the records, which are newest first."""
    return {
        "schema": "llmwiki.recalls/1",
        "exit_code": 0,
        "recalls": [
            {
                "at": each.at,
                "session": each.session,
                "occasion": each.occasion,
                "tokens": each.tokens,
                "handles": list(each.handles),
            }
            for each in records[:limit]
        ],
        "kept": len(records),
        "tokens": sum(each.tokens for each in records),
    }
