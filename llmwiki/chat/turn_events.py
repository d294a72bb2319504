"""What a turn tells whoever shows it, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from llmwiki.core.errors import WikiError
from llmwiki.models.messages import Delta, Restarted
from llmwiki.models.tokens_and_cost import Usage


@dataclass(frozen=True, slots=True)
class StepDone:
    """An answer, or the part of it before a call of tools, is whole."""


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """What became of one call of a tool."""

    name: str
    call: str
    """The call in one line."""
    status: str
    """`done`, `failed`, `refused`."""
    brief: str
    """What it gave or why it was refused, in one line."""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class ChatNotice:
    """A sentence for the person."""

    text: str


class Consent(IntEnum):
    """What a person says to a call."""

    NO = 0
    YES = 1
    ALWAYS = 2
    """Yes, and to each further call of this tool in this session."""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that a person must agree to."""

    name: str
    shown: str
    """All of it: the input, or what it would change."""
    why: str
    may_last: bool = False
    """Whether `Consent.ALWAYS` counts."""


Ask = Callable[[AskedCall], int]
"""Asks a person; the answer is a `Consent`."""

_ENDINGS = {
    "max_tokens": "the answer is cut; type `go on`",
    "refusal": "the model refused; the exchange is hidden from it",
    "interrupted": "stopped",
}


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over."""

    turn: int
    answer: str
    stop: str
    """`end_turn`, `max_tokens`, `refusal`, `interrupted`, `limit`, `error`, `offline`."""
    cited: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    """Citations that lead to nothing that was shown."""
    calls: tuple[ToolCalled, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """US dollars; None: the price is not known."""
    model: str = ""
    error: WikiError | None = None

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a person should know of how it ended, a sentence each."""
        unknown = [f"[?] {each} leads to nothing that was shown" for each in self.unknown]
        said = _ENDINGS.get(self.stop, "")
        if self.stop in ("end_turn", "stop_sequence") and not self.answer.strip():
            said = "the model gave an empty answer"
        return (*unknown, said) if said else tuple(unknown)

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits that its tools made, in order."""
        return tuple(call.commit for call in self.calls if call.commit)


ChatEvent = Delta | Restarted | StepDone | ToolCalled | ChatNotice | TurnEnded

__all__ = ["Delta", "Restarted"]
