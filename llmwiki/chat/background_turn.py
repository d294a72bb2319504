"""A turn that runs in a thread of its own: who asked for it looks in, answers and stops it.

A face that cannot wait in one place, such as a page of a browser, holds a conversation this way. It
is the same conversation: opened for one turn, as `wiki chat --continue MESSAGE` opens it, and
closed behind it, so that another process can go on with the session.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Literal, NamedTuple

from llmwiki.chat.events import AskedCall, ChatEvent, ChatNotice, StepDone, ToolCalled, TurnEnded
from llmwiki.chat.learning import is_due, learn, learned_lines
from llmwiki.chat.router import commanded
from llmwiki.chat.session import ChatOptions, conversation
from llmwiki.core.callbacks import Callbacks
from llmwiki.core.errors import InputError, InternalError, StateError, WikiError
from llmwiki.models.messages import Delta, Restarted

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki
    from llmwiki.chat.turn import Conversation

ANSWER_SECONDS = 600
"""Seconds that a question waits for its answer; then it is no."""
RUNNING = 4
"""Turns that run at one time."""
TOLD = 200
"""Turns that ended of which is kept how."""

NewsKind = Literal["text", "again", "step", "call", "note"]


class TurnNews(NamedTuple):
    """What a turn tells while it runs: a piece of the answer (`text`), that the answer begins anew
    (`again`) or is whole (`step`), a call of a tool, a sentence for the person (`note`)."""

    kind: NewsKind
    text: str = ""


class OpenQuestion(NamedTuple):
    """A call that waits for a person's yes."""

    id: str
    """By which it is answered: an answer to another question does not count for this one."""
    call: AskedCall


class BackgroundTurn:
    """One turn, from its thread and for those who look at it."""

    def __init__(self, typed: str, pasted: Sequence[str], can_ask: bool) -> None:
        self.typed = typed
        self.pasted = tuple(pasted)
        self.session = ""
        """Its id, once the session is open."""
        self.number = 0
        self.question: OpenQuestion | None = None
        self.failure: WikiError | None = None
        self.is_over = False
        self._can_ask = can_ask
        self._news: list[TurnNews] = []
        self._talk: Conversation | None = None
        self._answer = False
        self._is_stopped = False
        self._changed = threading.Condition()

    # --- for those who look at it --------------------------------------------------------

    def news(self, start: int = 0) -> tuple[TurnNews, ...]:
        """What was told from a number on."""
        return tuple(self._news[start:])

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences for the person."""
        return tuple(each.text for each in self._news if each.kind == "note")

    def wait(self, seconds: float) -> None:
        """Until it is over or asks something, for so long at most."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_over or self.question is not None, seconds)

    def wait_opened(self) -> None:
        """Until its session is open. Raises the error that kept it from that."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_over or bool(self.session))
        if not self.session:
            assert self.failure is not None
            raise self.failure

    def answer(self, question: str, *, yes: bool) -> None:
        """Answers the question of that id. Raises InputError where it does not wait any more."""
        with self._changed:
            if self.question is None or self.question.id != question:
                raise InputError("this question does not wait any more")
            self._answer, self.question = yes, None
            self._changed.notify_all()

    def stop(self) -> None:
        """Ends it at the next safe moment; what it asks is answered with no."""
        with self._changed:
            self._is_stopped = True
            if self._talk is not None:
                self._talk.switch.event.set()
            self._answer, self.question = False, None
            self._changed.notify_all()

    # --- its thread ----------------------------------------------------------------------

    def run(self, wiki: Wiki, options: ChatOptions, tell: Callbacks) -> None:
        """Takes the turn."""
        is_whole = False
        heard = tell._replace(notice=lambda text: self._tell("note", text))
        try:
            with conversation(wiki, options, heard, self._ask if self._can_ask else None) as talk:
                self._demand_message(talk)
                self._opened(talk)
                for event in talk.take(self.typed, (), self.pasted):
                    self._hear(event)
                if self.failure is None:
                    self._learn(talk)
                is_whole = True
        except WikiError as failure:
            self.failure, is_whole = failure, True
        finally:
            if not is_whole:
                # What broke it is told where the server was started.
                self.failure = InternalError("the turn broke off by a fault of this program")
            with self._changed:
                self.is_over, self.question, self._talk = True, None, None
                self._changed.notify_all()

    def _demand_message(self, talk: Conversation) -> None:
        word = self.typed.split(maxsplit=1)[0]
        is_command = self.typed.startswith("/") and word[1:].isalpha()
        if is_command and commanded(self.typed) is None and not talk.calls_skill(self.typed):
            raise InputError(
                "commands work in a conversation in a terminal only",
                where=word[:40],
                fix=f"Type it in `wiki chat --session {talk.file.id}`, or put a blank before it.",
            )

    def _opened(self, talk: Conversation) -> None:
        with self._changed:
            self._talk, self.number, self.session = talk, talk.file.turn + 1, talk.file.id
            self._changed.notify_all()

    def _learn(self, talk: Conversation) -> None:
        try:
            report = learn(talk, by_model=is_due(talk))
        except WikiError as error:
            self._tell("note", f"nothing was learned: {error}")
            return
        for line in learned_lines(report):
            self._tell("note", line)

    def _tell(self, kind: NewsKind, text: str = "") -> None:
        self._news.append(TurnNews(kind, text))

    def _hear(self, event: ChatEvent) -> None:
        if self._is_stopped and self._talk is not None:
            # A turn that begins puts its switch back.
            self._talk.switch.event.set()
        match event:
            case Delta():
                self._tell("text", event.text)
            case Restarted():
                self._tell("again")
            case StepDone():
                self._tell("step")
            case ToolCalled():
                self._tell("call", f"{event.call} → {event.brief}".rstrip(" →"))
            case ChatNotice():
                self._tell("note", event.text)
            case TurnEnded():
                self.failure = event.error
                for line in event.remarks:
                    self._tell("note", line)

    def _ask(self, call: AskedCall) -> bool:
        with self._changed:
            if self._is_stopped:
                return False
            self._answer, self.question = False, OpenQuestion(token_urlsafe(12), call)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.question is None, ANSWER_SECONDS)
            self.question = None
            return self._answer


class BackgroundTurns:
    """The turns of one face: those that run, and how the last of each session ended."""

    def __init__(self, wiki: Wiki, tell: Callbacks, *, can_ask: bool) -> None:
        """`can_ask`: whether a person is there who can be asked."""
        self._wiki, self._tell, self._can_ask = wiki, tell, can_ask
        self._lock = threading.Lock()
        self._turns: dict[str, BackgroundTurn] = {}

    def of(self, session: str) -> BackgroundTurn | None:
        """The last turn of a session that was taken here."""
        return self._turns.get(session)

    def begin(self, options: ChatOptions, typed: str, pasted: Sequence[str]) -> BackgroundTurn:
        """Begins a turn; its session is open.

        Raises InputError for a session that there is not, StateError where it is open elsewhere, or
        too many turns run, and what opening a conversation raises.
        """
        turn = BackgroundTurn(typed, pasted, self._can_ask)
        with self._lock:
            running = [each for each in self._turns.values() if not each.is_over]
            if any(each.session == options.session for each in running):
                raise StateError(
                    "an answer is being written in this session",
                    where=options.session,
                    fix="Wait for its end, or stop it.",
                )
            if len(running) >= RUNNING:
                raise StateError(
                    f"{RUNNING} answers are being written", fix="Wait for one, or stop one."
                )
            place = (self._wiki, options, self._tell)
            threading.Thread(target=turn.run, args=place, name="turn", daemon=True).start()
            turn.wait_opened()
            self._turns.pop(turn.session, None)
            self._turns[turn.session] = turn
            over = [key for key, each in self._turns.items() if each.is_over]
            for key in over[:-TOLD]:
                del self._turns[key]
        return turn

    def end(self, seconds: float) -> None:
        """Stops all of them, and waits for so long that they come to their end."""
        running = [each for each in self._turns.values() if not each.is_over]
        for each in running:
            each.stop()
        for each in running:
            each.wait(seconds / len(running))
