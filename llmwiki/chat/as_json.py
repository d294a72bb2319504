"""A turn as the JSON that `wiki chat --json` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.chat.events import TurnEnded

if TYPE_CHECKING:
    from llmwiki.app.shapes.asking import ChatCallJson, ChatJson


def chat_json(ended: TurnEnded, session: str, exit_code: int) -> ChatJson:
    """What a turn came to."""
    calls: list[ChatCallJson] = [
        {
            "name": each.name,
            "call": each.call,
            "status": each.status,
            "result": each.brief,
            "commit": each.commit or None,
        }
        for each in ended.calls
    ]
    return {
        "schema": "llmwiki.chat/1",
        "session": session,
        "turn": ended.turn,
        "answer": ended.answer,
        "stop": ended.stop,
        "citations": list(ended.cited),
        "unknown_citations": list(ended.unknown),
        "calls": calls,
        "model": ended.model,
        "tokens": ended.usage.total,
        "cost_usd": ended.cost,
        "error": " ".join(str(ended.error).split()) if ended.error else None,
        "exit_code": exit_code,
    }
