"""What a turn may do by itself, what a person is asked, and what is refused. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from llmwiki.chat.entries import FOREIGN, Message
from llmwiki.core.tool import Effect

Verdict = Literal["allow", "ask", "refuse"]

POLICY: Mapping[Effect, tuple[Verdict, Verdict]] = {
    "read": ("allow", "allow"),
    "told": ("allow", "allow"),
    "write": ("allow", "ask"),
    "note": ("ask", "ask"),
    "rule": ("ask", "ask"),
    "send": ("ask", "ask"),
    "sandbox": ("allow", "ask"),
    "web": ("allow", "ask"),
    "visit": ("ask", "ask"),
    "exec": ("ask", "ask"),
    "hardware": ("ask", "ask"),
}
"""For each effect what holds while all that is visible was typed or written by the agent, and what
holds as soon as text of others is visible."""

LASTING: frozenset[Effect] = frozenset(("write", "sandbox", "web", "visit"))
"""Effects that a person may allow a tool for the rest of a session. What later conversations
follow, a note in other words than the person's, what can change the machine, and what reaches a
device is asked each time."""


def is_tainted(shown: Sequence[Message]) -> bool:
    """Whether text of others is visible, or an answer that was written while it was."""
    return any(
        message.is_tainted or any(block.origin in FOREIGN for block in message.blocks)
        for message in shown
    )


def verdict(effect: Effect, *, tainted: bool, can_ask: bool, agreed: bool = False) -> Verdict:
    """What becomes of a call. `agreed`: the person has said yes to writes of this run beforehand;
    it covers pages and notes, and nothing that later conversations follow. Where nobody can be
    asked, what must be asked is refused."""
    found = POLICY[effect][tainted]
    if found == "ask" and effect in ("write", "note") and agreed:
        return "allow"
    return "refuse" if found == "ask" and not can_ask else found
