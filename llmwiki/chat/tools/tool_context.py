"""What a call in a conversation may use, and how calls and answers are shown and compared."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llmwiki.app.wiki_tools import ToolCaller
from llmwiki.chat.token_budgets import shortened, tokens_in
from llmwiki.core.secrets import redacted
from llmwiki.core.text import fold
from llmwiki.core.tool_declaration import Tool, ToolAnswer

if TYPE_CHECKING:
    from llmwiki.chat.visible_history import Messages

_REASONS = {"remember": ("words", "kind", "key", "value"), "skill_change": ("quotes", "since_turn")}
"""Parameters of a tool that change nothing of what a call asks for."""


@dataclass(frozen=True, slots=True)
class ToolContext(ToolCaller):
    """What a call may use."""

    session: str = ""
    turn: int = 0
    messages: Messages = ()
    """All of the conversation, also what is hidden."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set where the person ends the turn: what takes long ends then."""
    undone: Collection[int] = ()
    """The turns whose commits were taken back."""
    agreed: bool = False
    """Whether the person has agreed to writes of this run beforehand."""
    was_asked: bool = False
    """Whether the person has said yes to this call."""


def declared_tokens(tools: Collection[Tool]) -> int:
    """Tokens of the declarations of tools: an estimate."""
    return tokens_in([json.dumps([[each.name, each.description, each.schema] for each in tools])])


def bounded(tool: Tool, output: ToolAnswer) -> str:
    """The text of an answer as a model is shown it: without secrets, cut in its middle."""
    text = output.text if output.is_fenced else redacted(output.text)
    return shortened(text, tool.most)


def redacted_input(given: Mapping[str, Any]) -> dict[str, Any]:
    """An input as it is kept and shown: without secrets in its words or behind its names."""
    try:
        plain: dict[str, Any] = json.loads(
            redacted(json.dumps(_redacted(given), ensure_ascii=False))
        )
    except ValueError:
        return dict(_redacted(given))
    return plain


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Mapping):
        return {redacted(name): _redacted(each) for name, each in value.items()}
    return [_redacted(each) for each in value] if isinstance(value, list) else value


def meaning(name: str, given: Mapping[str, Any]) -> str:
    """What a call asks for, however it is written: case, blanks, the stop at its end, and what only
    says why are left out."""
    said = {
        key: _plain(value) if isinstance(value, str) else value
        for key, value in given.items()
        if key not in _REASONS.get(name, ())
    }
    return redacted(json.dumps([name, said], sort_keys=True))


def _plain(text: str) -> str:
    return fold(text).rstrip(".!。 ")


def shown_call(name: str, given: Mapping[str, Any], most: int = 80) -> str:
    """A call in one line, for the person."""
    parts = [
        json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
        for value in redacted_input(given).values()
    ]
    text = " ".join(" · ".join(parts).split())
    return f"{name} {text[: most - 1]}…" if len(text) > most else f"{name} {text}".rstrip()
