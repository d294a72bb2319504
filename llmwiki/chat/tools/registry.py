"""A tool: what it takes, what it does to the world, how long its answer may be."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llmwiki.chat.entries import Origin
from llmwiki.chat.sections import shortened
from llmwiki.chat.trust import Effect
from llmwiki.chat.window import tokens_in
from llmwiki.core.secrets import redacted
from llmwiki.core.text import fold, sha256_hex
from llmwiki.core.tool_arguments import checked_arguments, input_schema

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki
    from llmwiki.chat.history import Messages

MAX_OUTPUT = 16_000
"""Characters of one answer of a tool."""
MAX_INPUT = 200_000
"""Characters of the input of one call."""


_REASONS = {"remember": ("words", "kind", "key", "value"), "skill_change": ("quotes", "since_turn")}
"""Parameters of a tool that change nothing of what a call asks for."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a call may use."""

    wiki: Wiki
    session: str
    turn: int
    messages: Messages
    """All of the conversation, also what is hidden."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set where the person ends the turn: what takes long ends then."""
    undone: Collection[int] = ()
    """The turns whose commits were taken back."""
    agreed: bool = False
    """Whether the person has agreed to writes of this run beforehand."""
    was_asked: bool = False
    """Whether the person has said yes to this call."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a call gave."""

    text: str
    brief: str = ""
    """One line for the person."""
    commit: str = ""
    """That it made."""
    is_error: bool = False
    said: str = ""
    """What the person is told by it."""
    is_fenced: bool = False
    """Whether `text` is fenced: what is data in it was redacted before."""


@dataclass(frozen=True, slots=True)
class ChatTool:
    """One tool."""

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]]
    """By name: JSON schemas of type string, integer, boolean or array."""
    run: Callable[[ToolContext, Mapping[str, Any]], ToolOutput]
    """Raises WikiError for what it cannot do; its input has passed `checked`."""
    required: tuple[str, ...] = ()
    effect: Effect = "read"
    origin: Origin = "tool"
    """Of what it gives."""
    preview: Callable[[ToolContext, Mapping[str, Any]], str] | None = None
    """What a person is shown before they are asked; None: the input. Raises WikiError for what
    cannot be done, so that nobody is asked about it."""
    most: int = MAX_OUTPUT
    check: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    """Checks the input in place of the schema; raises InputError."""
    effect_of: Callable[[ToolContext, Mapping[str, Any]], Effect] | None = None
    """The effect of a checked input, where it depends on that."""

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of its input."""
        return input_schema(self.parameters, self.required)

    @property
    def tokens(self) -> int:
        """Of its declaration: an estimate."""
        return tokens_in([json.dumps([self.name, self.description, self.schema])])


def checked(tool: ChatTool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The input of a call as its schema wants it. Raises InputError, in words for the model."""
    if tool.check is not None:
        return tool.check(given)
    return checked_arguments(tool.name, tool.parameters, tool.required, given, most=MAX_INPUT)


def bounded(tool: ChatTool, output: ToolOutput) -> str:
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


def call_key(name: str, given: Mapping[str, Any]) -> str:
    """What makes two calls the same."""
    return sha256_hex(json.dumps([name, dict(given)], sort_keys=True).encode("utf-8", "replace"))


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


def _tell(_at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    return ToolOutput("shown to the person", "shown", said=given["text"])


MESSAGE_TOOL = ChatTool(
    "message",
    "Tell the person something at once, before the turn ends, such as what takes long.",
    {"text": {"type": "string"}},
    _tell,
    ("text",),
    effect="message",
)
"""The one way to a person beside the answer; there are no other channels."""
