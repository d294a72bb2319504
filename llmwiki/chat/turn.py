"""A conversation and its turns: recall → prompt → model ⇄ tools → transcript.

A turn is a generator of events and prints nothing. Each message is in the transcript before the
next step begins, so that an end at any moment loses at most the message that was being written.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from llmwiki.chat import attachments, recall, routes
from llmwiki.chat.citations import NumberedCitations
from llmwiki.chat.messages import EntryBlock, Origin, said_blocks, text_block
from llmwiki.chat.model_calls import ModelSide
from llmwiki.chat.profile import ProjectionRules, Routing
from llmwiki.chat.prompt import SystemPrompt, spoken_day
from llmwiki.chat.session_search import SessionSearch
from llmwiki.chat.skills import (
    CHANGE_TOOL,
    REVIEW,
    REVIEW_STEPS,
    called,
    called_text,
    fitting_files,
    reviews_due,
    why_refused,
)
from llmwiki.chat.tool_calls import TurnCalls
from llmwiki.chat.transcript import SessionFile, fork, new_id
from llmwiki.chat.turn_events import (
    ChatEvent,
    ChatNotice,
    StepDone,
    ToolCalled,
    TurnEnded,
)
from llmwiki.core.errors import ModelOutputError, WikiError
from llmwiki.core.secrets import redacted
from llmwiki.core.settings_precedence import OFFLINE
from llmwiki.core.text import fence
from llmwiki.models.messages import Delta, Restarted, TextBlock

if TYPE_CHECKING:
    from llmwiki.app.for_agents.recall import Recall
    from llmwiki.changes.find_skills import FoundSkill
    from llmwiki.chat.attachments import AttachedFile

MAX_SAID = 5
"""Turns of earlier conversations that are recalled for a message."""
MAX_STEPS = 25
"""Answers of the model in one turn."""


@dataclass(kw_only=True)
class Conversation(ModelSide):
    """One session that goes on, in one thread."""

    sessions: SessionSearch
    recalls: bool = True
    taken_back: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    """(turn, commits that undid what it wrote) of each undo that may be redone, in order."""
    acted: list[str] = field(default_factory=list)
    """What the person did since the last turn that the model has to know, as it is told."""
    heard: int = 0
    """The last turn that was read here for what it taught."""
    routing: Routing = "one"
    projection: ProjectionRules = field(default_factory=ProjectionRules)
    """Which tools may be used when."""
    worker: SystemPrompt | None = None
    """Of the routes that have tools, where the usual one has none."""
    skills: tuple[FoundSkill, ...] = ()
    """Of the repository, as they were when the conversation was opened."""
    day: str = ""
    """The day that the model was told last, as `spoken_day` says it."""
    noted: str = ""
    """The notes of the memory that stand in the prompt."""
    idle: int = 0
    """Seconds without a key before what was said is read for the memory; 0: never."""
    steps: int = MAX_STEPS
    """Answers of the model in one turn at most."""
    is_prepared: bool = False
    """Whether what the first turn needs is loaded, or is being loaded."""

    # --- what is there -------------------------------------------------------------------

    @property
    def typed(self) -> tuple[tuple[int, str], ...]:
        """The turns and the words that were typed in them, of what is visible."""
        return tuple(
            (message.turn, "\n".join(b.text for b in message.blocks if b.origin == "typed"))
            for message in self.shown
            if message.role == "user" and not message.kind and not message.results
        )

    # --- a turn --------------------------------------------------------------------------

    def take(
        self,
        typed: str,
        files: Sequence[AttachedFile] = (),
        pasted: Sequence[str] = (),
        *,
        origin: Origin = "typed",
    ) -> Iterator[ChatEvent]:
        """One turn: what was typed, files sent along with it, and all that comes of them. The last
        event is `TurnEnded`.

        `pasted` are the pieces of what was typed that were pasted: text of others. `origin` says
        who else wrote the message.
        """
        self.switch.event.clear()
        self.has_shrunk = self._was_misread = False
        if origin == "typed":
            # A person who writes again may ask for what they said no to before.
            self.refused.clear()
        number = self.file.turn + 1
        words = redacted(typed)
        blocks = said_blocks(words, [redacted(piece) for piece in pasted])
        if origin != "typed":
            blocks = [text_block(words, origin)]
        calls = TurnCalls(self, number)
        used = self.client.usage if self.client else None
        try:
            if words != typed:
                yield ChatNotice("what looks like a key or a password was taken out")
            choice = self._routed(words)
            policy = routes.ROUTES[choice.route]
            skill = called(choice.text, self.skills)
            calls.why_barred = lambda tool: (
                self.projection.why_not(tool, choice.route)
                or (why_refused(skill[0], tool) if skill else "")
            )
            self._active = self.worker if policy.has_tools and self.worker else self.prompt
            if policy.hint:
                blocks.append(text_block(f"[{choice.route}] {policy.hint}", "program"))
            today = spoken_day(self.now())
            if self.day and self.day != today:
                self.day = today
                blocks.append(text_block(f"[It is {today} now.]", "program"))
            blocks += [text_block(each, "program") for each in self.acted]
            self.acted.clear()
            blocks += self._skill_blocks(skill, files)
            blocks += self._file_blocks(choice.text, files) if files else ()
            found = self._recalled(choice.text)
            if found is not None:
                blocks.append(text_block(found.text, "recall"))
            self._add("user", blocks, number)
            stop = yield from self._answered(choice.text, number, calls)
            error = None
        except WikiError as failure:
            stop, error = "error", failure
            if any(call.commit for call in calls.made):
                failure.fix = failure.fix.replace("; nothing was written", "")
        said = [m.text for m in self.shown if m.turn == number and m.role == "assistant"]
        answer = said[-1] if said else ""
        cited = NumberedCitations(lambda: self.shown_text)
        cited.numbered(answer)
        usage = self.client.usage - used if self.client and used else TurnEnded(0, "", "").usage
        yield TurnEnded(
            number,
            answer,
            stop,
            tuple(cited.handles),
            tuple(cited.unknown),
            tuple(calls.made),
            usage,
            self.client.cost(usage) if self.client else 0.0,
            self.client.settings.model if self.client else OFFLINE,
            error,
        )

    def _skill_blocks(
        self, skill: tuple[FoundSkill, str] | None, files: Sequence[AttachedFile]
    ) -> Iterator[EntryBlock]:
        """What a message says of skills: the one that it calls, and those that are for its files
        alone."""
        if skill is not None:
            yield text_block(called_text(*skill, self.file.id), "program")
        for name, path in fitting_files(self.skills, [file.path for file in files]):
            yield text_block(f"The skill {name} is for files such as {path}.", "program")

    def _file_blocks(self, typed: str, files: Sequence[AttachedFile]) -> list[EntryBlock]:
        """Files as a message has them, and what is meant by them. The transcript names pictures;
        their bytes are kept here alone."""
        names = [file.path for file in files]
        blocks: list[EntryBlock] = []
        for file in files:
            for number, picture in enumerate(file.pictures, 1):
                ident = f"{file.sha[:32]}-{number}"
                self.pictures[ident] = picture
                label = f", {picture.label}" if picture.label else ""
                size = {"width": picture.width, "height": picture.height}
                name = redacted(f"[picture {file.path}{label}]")
                blocks.append(EntryBlock("picture", name, "file", ident, file.path, size))
        told = [text_block(redacted(attachments.listing(files)), "file")]
        told += blocks[: attachments.MOST_PICTURES]
        if typed.strip() and attachments.goal(typed, names) == attachments.DEFAULT:
            return told
        meant = attachments.policy(typed, names, is_japanese=attachments.writes_japanese(typed))
        return [*told, text_block(meant, "program")]

    def _recalled(self, typed: str) -> Recall | None:
        if not self.recalls or recall.names_nothing(typed):
            return None
        turns = frozenset(message.turn for message in self.shown)
        said = self.sessions.find(typed, limit=MAX_SAID, shown=turns, unasked=True)
        said = recall.aged(said, self.now())
        names = recall.named_before(typed, self.shown)
        found = recall.recall(self.wiki, f"{typed}\n{names}".strip(), self.shown_text, said)
        if found is not None:
            self.wiki.memory.note_use(found.handles, typed, found.coverage)
        return found

    @property
    def shown_text(self) -> str:
        """All text that others wrote and that is visible to the model."""
        texts = [
            block.text
            for message in self.shown
            for block in message.blocks
            if block.origin not in ("agent", "typed")
        ]
        return "\n".join([*texts, self.noted])

    def _answered(
        self, typed: str, number: int, calls: TurnCalls
    ) -> Generator[ChatEvent, None, str]:
        """The steps of a turn; why it ended."""
        if self.client is None:
            return (yield from self._quoted(typed, number, calls))
        for step in range(1, self.steps + 1):
            said = self.window.shrunk(self.prompt, is_tainted=self.is_tainted)
            if said:
                self.has_shrunk = True
                yield ChatNotice(said)
            reply = yield from self._reply(number)
            if reply is None:
                return "interrupted"
            if reply.stop_reason == "refusal":
                return self._hide_refusal(number)
            if not reply.tool_uses:
                task = routes.delegated(reply.text) if self._hands_on else None
                if task is not None:
                    return (yield from self._handed_on(task, number, calls))
                yield StepDone()
                return reply.stop_reason
            yield StepDone()
            is_last = step == self.steps
            results = yield from calls.results(reply.tool_uses, self.active.tools, is_last=is_last)
            self._add("user", results, number)
            if is_last:
                yield ChatNotice(f"the turn ended after {self.steps} steps")
                return "limit"
            if self.switch.event.is_set():
                return "interrupted"
        return "limit"

    def _quoted(self, typed: str, number: int, calls: TurnCalls) -> Generator[ChatEvent, None, str]:
        from llmwiki.chat.without_model import quoted

        told, blocks = quoted(
            self.wiki,
            self.file,
            typed,
            number,
            is_pasted=any(b.origin == "pasted" for b in self.shown[-1].blocks),
        )
        if isinstance(told, ToolCalled):
            calls.made.append(told)
        # Its citations count as shown by the time they are printed.
        self._add("assistant", blocks, number)
        yield told
        yield StepDone()
        return "offline"

    @property
    def reviews_due(self) -> int:
        """How often so far it was worth it to look back for skills, by the calls of tools."""
        calls = sum(len(message.uses) for message in self.file.messages)
        return reviews_due(calls)[0] if self.client else 0

    def calls_skill(self, typed: str) -> bool:
        """Whether a message calls a skill by its name."""
        return called(typed, self.skills) is not None

    # --- routes --------------------------------------------------------------------------

    @property
    def _hands_on(self) -> bool:
        return self.worker is not None and self._active is self.prompt

    def _routed(self, typed: str) -> routes.RouteChoice:
        """The route that a message takes."""
        named = routes.commanded(typed)
        if self.routing == "one" or self.client is None:
            return named or routes.RouteChoice(routes.CHAT, "fallback", text=typed)
        is_open = named is None and routes.by_rules(typed) is None
        classified = self._classified(typed) if self.routing == "classify" and is_open else None
        return routes.decide(typed, classified)

    def _classified(self, typed: str) -> Mapping[str, Any] | None:
        """The model's opinion of the route of a message; None where it has none."""
        assert self.client is not None
        with suppress(ModelOutputError):
            return self.client.structured(
                [TextBlock(routes.CLASSIFIER_RULES)],
                [TextBlock(fence("message", typed))],
                routes.CLASSIFIER_SCHEMA,
                "route",
                stop=self.switch.event,
            ).data
        return None

    def _handed_on(
        self, task: routes.DelegatedTask, number: int, calls: TurnCalls
    ) -> Generator[ChatEvent, None, str]:
        """A task done on another route, in a session of its own, and the answer made of it."""
        yield Restarted(f"handed on to {task.route}")
        result = yield from self._worked(task, number, calls)
        told = text_block(f"{routes.RESULT_HEAD}\n{fence('result', result)}", "tool")
        self._add("user", [told], number)
        if self.switch.event.is_set():
            return "interrupted"
        reply = yield from self._reply(number)
        if reply is None:
            return "interrupted"
        if routes.delegated(reply.text) is not None:
            # Nothing is handed on twice: what there is must do.
            yield Restarted("the result is given as it is")
            yield Delta(result)
            self._add("assistant", [text_block(result, "agent")], number)
        yield StepDone()
        return reply.stop_reason

    def review_skills(self, about: str = "") -> Iterator[ChatEvent]:
        """What was done so far, looked at in a copy of this session for what is worth a skill; the
        events of that turn. Its commits are those of this session's last turn."""
        now = self.now()
        ident = new_id(now, os.urandom(16))
        asked = REVIEW.format(about=f" ({about})" if about else "", tool=CHANGE_TOOL)
        with fork(self.file.files, self.file.id, ident, now) as file:
            prompt = self.worker or self.prompt
            reader = self._beside(file, prompt, steps=REVIEW_STEPS, recalls=False)
            for event in reader.take(asked, origin="program"):
                if isinstance(event, ToolCalled) and event.commit:
                    self.file.note_landed(max(self.file.turn, 1), event.commit)
                yield event

    def _worked(
        self, task: routes.DelegatedTask, number: int, calls: TurnCalls
    ) -> Generator[ChatEvent, None, str]:
        """What comes of a task; its commits are this turn's."""
        assert self.worker is not None
        now = self.now()
        ident = new_id(now, os.urandom(16))
        with SessionFile.create(self.file.files, ident, now, parent=self.file.id) as file:
            worker = self._beside(file, self.worker, skills=(), is_handed_taint=self.is_tainted)
            # The model wrote the task: nothing in it is a word of the person.
            for event in worker.take(f"/{task.route.lower()} {task.task}", origin="agent"):
                if isinstance(event, ToolCalled):
                    calls.made.append(event)
                    if event.commit:
                        self.file.note_landed(number, event.commit)
                if isinstance(event, ToolCalled | ChatNotice):
                    yield event
                if isinstance(event, TurnEnded):
                    if event.error:
                        raise event.error
                    return event.answer or f"[no result: {event.stop}]"
        raise AssertionError

    def _beside(self, file: SessionFile, prompt: SystemPrompt, **more: Any) -> Conversation:
        """This conversation in another session, on one route: what a person has allowed, refused
        and may take back is shared."""
        window = replace(self.window, file=file, counted=0)
        return replace(
            self,
            file=file,
            prompt=prompt,
            worker=None,
            routing="one",
            window=window,
            _active=None,
            **more,
        )

    def prepare(self) -> None:
        """Loads what the first turn needs, in another thread, while the person types; once."""
        if self.is_prepared:
            return
        self.is_prepared = True
        threading.Thread(target=self._prepared, name="prepare", daemon=True).start()

    def _prepared(self) -> None:
        # What is wrong is told by the turn that needs it.
        with suppress(WikiError, OSError):
            if self.recalls:
                self.wiki.context("wiki", budget=0)
            if self.client is not None:
                self.client.sdk()

    # --- acts of the person --------------------------------------------------------------

    def condense(self) -> str:
        """Puts a summary in the place of the older messages; what was done, in one line."""
        return self.window.condense(is_tainted=self.is_tainted)
