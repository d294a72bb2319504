"""The model's side of a session: what it is shown, and one answer of it, in the transcript."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from llmwiki.chat import visible_history
from llmwiki.chat.api_turns import turns
from llmwiki.chat.condense import Room
from llmwiki.chat.messages import EntryBlock, Message, text_block
from llmwiki.chat.prompt import SystemPrompt
from llmwiki.chat.tools.tool_context import redacted_input
from llmwiki.chat.transcript import SessionFile
from llmwiki.chat.turn_events import Ask, ChatEvent, ChatNotice
from llmwiki.core.errors import ModelOutputError, PolicyError, ProviderError, WikiError
from llmwiki.core.secrets import redacted
from llmwiki.models.messages import Delta, OfferedTool, Reply, Restarted, TextBlock, ToolUse, Turn
from llmwiki.models.tokens_and_cost import CostError

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki
    from llmwiki.core.document import Picture
    from llmwiki.models.client import Client

ENDINGS = ("max_tokens", "refusal")


@dataclass
class StopSwitch:
    """By which a turn is ended from outside."""

    event: threading.Event = field(default_factory=threading.Event)
    """Set to end the turn at the next safe moment."""
    is_waiting: bool = False
    """Whether the turn waits for the model: a KeyboardInterrupt ends it cleanly then, and only
    then."""


@dataclass(kw_only=True)
class ModelSide:
    """A session as the model sees it."""

    wiki: Wiki
    file: SessionFile
    prompt: SystemPrompt
    window: Room
    now: Callable[[], float]
    ask: Ask | None = None
    """Asks the person; None: nobody can be asked."""
    agreed: bool = False
    """Whether the person has agreed to writes of this run beforehand."""
    refused: set[str] = field(default_factory=set)
    """What the person has said no to since they last wrote; the same in the sessions that
    this one begins."""
    lasting: set[str] = field(default_factory=set)
    """Tools that the person has allowed for the rest of the session; shared as `refused` is."""
    is_handed_taint: bool = False
    """Whether what it is asked was written where text of others was visible."""
    switch: StopSwitch = field(default_factory=StopSwitch)
    _active: SystemPrompt | None = None
    """The prompt of the turn that runs, where it is not `prompt`."""
    has_shrunk: bool = False
    """Whether the last turn hid older messages."""
    pictures: dict[str, Picture] = field(default_factory=dict)
    """Those at hand, by the id of their blocks."""
    _has_tools: bool = True
    _has_pictures: bool = True
    _was_misread: bool = False
    """Whether a call of this turn could not be read."""

    @property
    def client(self) -> Client | None:
        """Who calls the model; None: there is none, and the wiki is quoted."""
        return self.window.client

    @property
    def shown(self) -> visible_history.Messages:
        """The messages that the model is shown."""
        return self.window.shown

    @property
    def is_tainted(self) -> bool:
        """Whether text of others is visible."""
        return (
            self.prompt.has_notes or self.is_handed_taint or visible_history.is_tainted(self.shown)
        )

    @property
    def active(self) -> SystemPrompt:
        """The prompt of the turn that runs, or of the next one."""
        return self._active or self.prompt

    @property
    def request(self) -> list[Turn]:
        """The turns of the next request, as it would be sent."""
        return turns(
            self.shown,
            with_tools=self._has_tools and bool(self.active.tools),
            pictures=self.pictures if self._has_pictures else {},
        )

    @property
    def offered(self) -> list[OfferedTool]:
        """The tools as a request declares them."""
        tools = self.active.tools if self._has_tools else ()
        return [OfferedTool(tool.name, tool.description, tool.schema) for tool in tools]

    def _add(
        self, role: str, blocks: Sequence[EntryBlock], turn: int, *, stop: str = ""
    ) -> Message:
        assert role in ("user", "assistant")
        message = Message(
            id="",
            role="user" if role == "user" else "assistant",
            blocks=tuple(blocks),
            turn=turn,
            ts=int(self.now() * 1000),
            is_tainted=role == "assistant" and self.is_tainted,
            stop=stop,
            model=self.client.settings.model if self.client and role == "assistant" else "",
        )
        return self.file.add(message)

    def _reply(self, number: int) -> Generator[ChatEvent, None, Reply | None]:
        """One answer of the model, in the transcript; None: the person stopped it."""
        retries = self.window.rules.retries
        for attempt in range(retries + 1):
            try:
                return (yield from self._streamed(number))
            except CostError:
                raise
            except (PolicyError, ModelOutputError) as failure:
                if attempt == retries or not _is_too_long(failure):
                    raise
                if not self.window.drop():
                    raise
                self.has_shrunk = True
                yield Restarted("it does not fit the window")
                yield ChatNotice("the oldest messages were hidden: the request did not fit")
        raise AssertionError

    def _streamed(self, number: int) -> Generator[ChatEvent, None, Reply | None]:
        from llmwiki.models.client import ToolsRefused
        from llmwiki.models.stream import CallStopped

        assert self.client is not None
        pieces: list[str] = []
        stream = self.client.text(
            self.active.blocks,
            self.request,
            tools=self.offered,
            endings=ENDINGS,
            stop=self.switch.event,
        )
        try:
            while True:
                try:
                    self.switch.is_waiting = True
                    event = next(stream)
                finally:
                    self.switch.is_waiting = False
                if isinstance(event, Reply):
                    self._demand_calls(event)
                    reply = _with_own_ids(event, self.file.messages)
                    self._take(reply, number)
                    return reply
                if isinstance(event, Delta):
                    pieces.append(event.text)
                else:
                    pieces.clear()
                yield event
        except ToolsRefused:
            self._has_tools = False
            yield ChatNotice("the server takes no tools; it is asked without")
            return (yield from self._streamed(number))
        except (KeyboardInterrupt, CallStopped):
            self._keep_partial("".join(pieces), number)
            return None
        except ProviderError as failure:
            if not (self._has_pictures and self.pictures and "sees no pictures" in failure.what):
                raise
            self._has_pictures = False
            yield ChatNotice("the model sees no pictures; it is told their names")
            return (yield from self._streamed(number))
        finally:
            stream.close()  # type: ignore[attr-defined]

    def _demand_calls(self, reply: Reply) -> None:
        """Raises ModelOutputError where calls cannot be read, for the second time in a turn: the
        first time the model is told so."""
        wrong = next((use.wrong for use in reply.tool_uses if use.wrong), "")
        if wrong and self._was_misread:
            raise ModelOutputError(
                f"the model's answer cannot be used: {' '.join(wrong.split())}",
                where=reply.model,
                fix="Ask again, or choose another --model.",
            )
        self._was_misread |= bool(wrong)

    def _take(self, reply: Reply, number: int) -> None:
        """Writes an answer down."""
        blocks: list[EntryBlock] = []
        for block in reply.blocks:
            if isinstance(block, ToolUse):
                given = redacted_input(block.input)
                blocks.append(EntryBlock("tool_use", id=block.id, name=block.name, input=given))
            elif block.text.strip():
                blocks.append(text_block(redacted(block.text), "agent"))
        self._add("assistant", blocks, number, stop=reply.stop_reason)
        self.window.counted = reply.usage.total

    def _keep_partial(self, text: str, number: int) -> None:
        """What was written before the person stopped the answer."""
        if text.strip():
            blocks = [text_block(redacted(text), "agent")]
            self._add("assistant", blocks, number, stop="interrupted")

    def _hide_refusal(self, number: int) -> str:
        """Hides the exchange: a model that sees it refuses what comes behind it, too."""
        gone = tuple(m.id for m in self.shown if m.turn == number)

        def hide(ident: str) -> visible_history.HiddenMessages:
            added = Message(id=ident, role="system", kind="hide", act=ident)
            return visible_history.HiddenMessages((added,), "", gone)

        self.window.hide(hide)
        return "refusal"


def _is_too_long(failure: WikiError) -> bool:
    said = failure.what
    return "too large" in said or "context window" in said or "tokens (estimate)" in said


def _with_own_ids(reply: Reply, messages: Sequence[Message]) -> Reply:
    """The reply, each of its calls under an id that no call before has: some servers count their
    calls anew in each answer, or give two of them one id."""
    taken = {use.id for message in messages for use in message.uses}
    blocks: list[TextBlock | ToolUse] = []
    for number, block in enumerate(reply.blocks):
        given = block
        if isinstance(block, ToolUse) and block.id in taken:
            given = replace(block, id=f"{block.id}-{len(messages)}-{number}")
        if isinstance(given, ToolUse):
            taken.add(given.id)
        blocks.append(given)
    return replace(reply, blocks=tuple(blocks))
