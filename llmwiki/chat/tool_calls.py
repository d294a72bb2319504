"""The calls of tools that the answers of one turn ask for: judged, asked for, made.

Each call gets a result, whatever becomes of it, so that a request stays whole.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from llmwiki.chat.messages import EntryBlock, Origin
from llmwiki.chat.model_calls import ModelSide
from llmwiki.chat.tools.tool_context import (
    ToolContext,
    bounded,
    meaning,
    shown_call,
)
from llmwiki.chat.turn_events import AskedCall, ChatEvent, Consent, ToolCalled
from llmwiki.core.errors import WikiError
from llmwiki.core.secrets import redacted
from llmwiki.core.tool_declaration import Effect, Tool, ToolAnswer

if TYPE_CHECKING:
    from llmwiki.models.messages import ToolUse

MAX_REPEATS = 2
"""How often one call is made with the same input in one turn."""
_SAID_NO = "the person said no"
_ALWAYS = "this is asked each time"
_TAINTED = "text of others is in the conversation"

_PLANNED: frozenset[Effect] = frozenset(("write", "note"))
"""Effects of calls that a person is asked of together."""

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


def verdict(effect: Effect, *, tainted: bool, can_ask: bool, agreed: bool = False) -> Verdict:
    """What becomes of a call. `agreed`: the person has said yes to writes of this run beforehand;
    it covers pages and notes, and nothing that later conversations follow. Where nobody can be
    asked, what must be asked is refused."""
    found = POLICY[effect][tainted]
    if found == "ask" and effect in ("write", "note") and agreed:
        return "allow"
    return "refuse" if found == "ask" and not can_ask else found


@dataclass
class TurnCalls:
    """The calls of one turn."""

    talk: ModelSide
    number: int
    """Of the turn."""
    why_barred: Callable[[str], str] = lambda _tool: ""
    """Why a tool may not be used now; empty where it may."""
    made: list[ToolCalled] = field(default_factory=list)
    """What became of each call, in order."""
    _seen: Counter[str] = field(default_factory=Counter)
    _planned: dict[str, bool] = field(default_factory=dict)
    """What the person said to the calls of one answer that they were asked of together, by id."""

    def results(
        self, uses: Sequence[ToolUse], tools: Sequence[Tool], *, is_last: bool
    ) -> Generator[ChatEvent, None, list[EntryBlock]]:
        """The results of all calls of one answer, one after the other, none left out."""
        offered = {tool.name: tool for tool in tools}
        found: list[EntryBlock] = []
        said_no = False
        if not is_last:
            self._planned = self._plan(uses, offered)
        for use in uses:
            tool = offered.get(use.name)
            why = "the turn has no steps left" if is_last else self._why_not(use, tool)
            if use.wrong:
                said = f"{use.wrong}; nothing was done"
                output = ToolAnswer(said, "the call cannot be read", is_error=True)
            elif why or tool is None:
                output = _refused(why)
            else:
                output, asked_no = self._run(tool, use, said_no)
                said_no |= asked_no
            called = _called(use, output)
            self.made.append(called)
            if output.commit:
                self.talk.file.note_landed(self.number, output.commit)
            yield called
            text = bounded(tool, output) if tool else output.text
            origin = cast("Origin", tool.origin) if tool and not output.is_error else "tool"
            found.append(
                EntryBlock("tool_result", text, origin, id=use.id, is_error=output.is_error)
            )
        return found

    def _why_not(self, use: ToolUse, tool: Tool | None) -> str:
        """Why a call is not so much as looked at; empty where it is."""
        key = meaning(use.name, use.input)
        self._seen[key] += 1
        if self.talk.switch.event.is_set():
            return "interrupted before it ran"
        if tool is None:
            return f"there is no tool {use.name!r}"
        if self._seen[key] > MAX_REPEATS:
            return "this call was made before; its result stands above"
        return self.why_barred(tool.name)

    def _plan(self, uses: Sequence[ToolUse], offered: Mapping[str, Tool]) -> dict[str, bool]:
        """Asks once for several writes of one answer; what was said to each, by the id of the
        call. A call that cannot be made is not among them, and is told so in its turn."""
        asked: list[tuple[str, str, str]] = []
        for use in uses:
            tool = offered.get(use.name)
            if tool is None or use.wrong or self.why_barred(use.name):
                continue
            with suppress(WikiError):
                given = tool.checked(use.input)
                effect = self._effect(tool, given)
                if effect in _PLANNED and self._verdict(tool, effect) == "ask":
                    asked.append((use.id, use.name, self._preview(tool, use, given)))
        if len(asked) < 2 or self.talk.ask is None:
            return {}
        shown = "\n\n".join(f"{name}:\n{each}" for _, name, each in asked)
        agreed = bool(self.talk.ask(AskedCall(f"{len(asked)} writes", redacted(shown), _TAINTED)))
        return {ident: agreed for ident, _, _ in asked}

    def _run(self, tool: Tool, use: ToolUse, said_no: bool) -> tuple[ToolAnswer, bool]:
        """One call, if it may be made; whether the person said no."""
        try:
            given = tool.checked(use.input)
            asks_for = meaning(use.name, use.input)
            effect = self._effect(tool, given)
            decided = self._verdict(tool, effect)
            if asks_for in self.talk.refused:
                return _refused(f"{_SAID_NO}, and is not asked again before they write"), False
            if decided == "ask" and use.id not in self._planned and said_no:
                return _refused("the person has just said no; nothing was done"), True
            if decided == "refuse":
                return _refused("nobody can be asked whether this may be done"), False
            if decided == "ask" and not self._agreed(tool, use, given, effect):
                self.talk.refused.add(asks_for)
                return _refused(f"{_SAID_NO}; nothing was done"), True
            return tool.run(replace(self._at, was_asked=decided == "ask"), **given), False
        except WikiError as failure:
            return ToolAnswer(str(failure), failure.what, is_error=True), False
        except KeyboardInterrupt:
            # A landing that a signal ended before its commit raises this, whoever handles signals.
            self.talk.switch.event.set()
            said = "interrupted; it is not known whether it ran"
            return ToolAnswer(said, "interrupted", is_error=True), False

    @property
    def _at(self) -> ToolContext:
        return ToolContext(
            self.talk.wiki,
            session=self.talk.file.id,
            turn=self.number,
            messages=self.talk.file.messages,
            stop=self.talk.switch.event,
            undone=self.talk.file.undone,
            agreed=self.talk.agreed,
        )

    def _effect(self, tool: Tool, given: Mapping[str, Any]) -> Effect:
        return tool.effect_of(self._at, **given) if tool.effect_of else tool.effect

    def _verdict(self, tool: Tool, effect: Effect) -> Verdict:
        if tool.name in self.talk.lasting and effect in LASTING:
            return "allow"
        return verdict(
            effect,
            tainted=self.talk.is_tainted,
            can_ask=self.talk.ask is not None,
            agreed=self.talk.agreed,
        )

    def _preview(self, tool: Tool, use: ToolUse, given: Mapping[str, Any]) -> str:
        return tool.preview(self._at, **given) if tool.preview else _in_full(use)

    def _agreed(self, tool: Tool, use: ToolUse, given: Mapping[str, Any], effect: Effect) -> bool:
        """What the person says to a call, now or with others of its answer."""
        if use.id in self._planned:
            return self._planned[use.id]
        shown = self._preview(tool, use, given)
        is_usual = POLICY[effect][False] == "ask"
        assert self.talk.ask is not None
        why = _ALWAYS if is_usual else _TAINTED
        said = self.talk.ask(AskedCall(tool.name, redacted(shown), why, effect in LASTING))
        if said == Consent.ALWAYS and effect in LASTING:
            self.talk.lasting.add(tool.name)
        return bool(said)


def _refused(why: str) -> ToolAnswer:
    return ToolAnswer(f"refused: {why}", why, is_error=True)


def _called(use: ToolUse, output: ToolAnswer) -> ToolCalled:
    status = "done"
    if output.is_error:
        status = "refused" if output.text.startswith("refused: ") else "failed"
    call = shown_call(use.name, use.input)
    return ToolCalled(use.name, call, status, redacted(output.brief), output.commit)


def _in_full(use: ToolUse) -> str:
    return json.dumps(dict(use.input), ensure_ascii=False, indent=2)
