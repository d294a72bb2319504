"""The commands of a conversation: a table of names, meanings and functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.chat import acts_between_turns
from llmwiki.chat.attachments import AttachedFile
from llmwiki.chat.citations import opened
from llmwiki.chat.learn_from_chat import learn
from llmwiki.chat.open_session import attached, forked
from llmwiki.chat.routes import commanded
from llmwiki.chat.session_search import FoundTurn
from llmwiki.chat.transcript import sessions
from llmwiki.core.errors import InputError
from llmwiki.core.text import counted, nearest
from llmwiki.interfaces.cli.command_context import say, say_err
from llmwiki.interfaces.cli.commands.chat.print_turn import say_citation

if TYPE_CHECKING:
    from llmwiki import FoundSkill
    from llmwiki.chat.turn import Conversation

COMMANDS: dict[str, str] = {
    "help": "What can be typed",
    "new": "Begin a new session",
    "sessions": "List the sessions, the newest first",
    "resume": "ID: go on with a session",
    "fork": "Go on in a copy of this session",
    "attach": "FILE: send a file along with the next message",
    "rewind": "N: take back turn N and all behind it",
    "restore": "[ACT]: bring back what an act hides; alone, list the acts",
    "condense": "Put a summary in the place of older messages",
    "prompt": "Show the prompt and its sizes; `/prompt all`: the whole next request",
    "open": "N: what citation N of the last answer leads to; alone, list them",
    "memory": "[review | accept ID | drop ID]: what the wiki's memory holds, and what waits",
    "skills": "[NAME]: list the skills that are in use; one of them in full; /NAME calls it",
    "learn": "[WHAT]: let the agent make a skill of what was done here",
    "remember": "TEXT: note something, in one commit",
    "search": "WORDS: find pages, and turns of conversations",
    "tools": "List what the model may ask for",
    "model": "[NAME]: show the model, or go on with another",
    "undo": "Take back what the last turn that wrote has written; again: the one before it",
    "redo": "Bring back what the last /undo took back",
    "cost": "Tokens and cost so far",
    "quit": "End the conversation",
}


def is_command(line: str) -> bool:
    """Whether a line is a command and no message; one that names a route is a message."""
    return line.startswith("/") and commanded(line) is None


def is_known_command(line: str) -> bool:
    """Whether a line begins with the name of one of the commands."""
    head = line.split(maxsplit=1)[0] if line.strip() else ""
    return head.startswith("/") and head[1:] in COMMANDS


def skill_state(skill: FoundSkill, *, is_known: bool) -> str:
    """What becomes of a skill in a conversation, whose model was told of it or not."""
    if skill.hidden_by:
        return f"not used: {skill.hidden_by} goes first"
    if skill.wrong:
        return f"not used: {skill.wrong}"
    if not skill.file.model_may:
        return f"when you type /{skill.name}"
    if skill.file.paths:
        return f"with files such as {skill.file.paths[0]}"
    return "in use" if is_known else "in use from /new on"


@dataclass(frozen=True, slots=True)
class SwitchTo:
    """Where to go on."""

    session: str
    """Empty: a new one."""
    model: str = ""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command came to."""

    ends: bool = False
    """Whether this session is left."""
    switch: SwitchTo | None = None
    """Where to, when it is left; None: nowhere."""


_STAYS = CommandResult()


class SlashCommands:
    """The commands, for one conversation."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk
        self._files: list[AttachedFile] = []
        self.cited = acts_between_turns.cited_last(talk)
        """The citations of the last answer, by their numbers."""

    def files(self) -> list[AttachedFile]:
        """The files for the next message; they are taken."""
        files, self._files = self._files, []
        return files

    def run(self, line: str) -> CommandResult:
        """Runs a command. Raises InputError for one that there is not, and what it raises."""
        name, _, rest = line[1:].strip().partition(" ")
        if name not in COMMANDS:
            near = nearest(name, COMMANDS)
            hint = f"Did you mean /{near[0]}?" if near else "/help lists the commands."
            raise InputError(f"there is no command /{name}", fix=hint)
        method: Callable[[str], CommandResult | None] = getattr(self, f"_{name}")
        return method(rest.strip()) or _STAYS

    def _help(self, _rest: str) -> None:
        width = max(map(len, COMMANDS))
        say("\n".join(f"/{name:{width}}  {meaning}" for name, meaning in COMMANDS.items()))
        say("/plan, /code, /analyze, /ops, /research, /chat TEXT: a turn on a route")
        say("Esc Enter begins a new line; Tab completes; Ctrl-C stops an answer; Ctrl-D ends.")

    def _new(self, _rest: str) -> CommandResult:
        return CommandResult(True, SwitchTo(""))

    def _quit(self, _rest: str) -> CommandResult:
        return CommandResult(True)

    def _sessions(self, _rest: str) -> None:
        for row in sessions(self._talk.file.files)[:30]:
            day = datetime.fromtimestamp(row.created / 1000, UTC).strftime("%Y-%m-%d")
            mark = "*" if row.id == self._talk.file.id else " "
            say(f"{mark} {row.id}  {day}  {counted(row.turns, 'turn'):>10}  {row.title}")

    def _resume(self, rest: str) -> CommandResult:
        ids = [row.id for row in sessions(self._talk.file.files)]
        found = [ident for ident in ids if rest and ident.startswith(rest)]
        if len(found) != 1:
            raise InputError(
                "name one session" if rest else "which session?", fix="/sessions lists them."
            )
        return _STAYS if found[0] == self._talk.file.id else CommandResult(True, SwitchTo(found[0]))

    def _fork(self, _rest: str) -> CommandResult:
        with forked(self._talk.file.files, self._talk.file.id) as child:
            say_err(f"wiki: session {child.id} is a copy of {self._talk.file.id}")
            return CommandResult(True, SwitchTo(child.id))

    def _attach(self, rest: str) -> None:
        self._files.append(attached(rest, Path.cwd()))
        shown = "" if self._files[-1].text is not None else ", by its name only"
        if self._files[-1].pictures:
            shown = ", as a picture where the model takes pictures"
        say_err(f"wiki: {rest} goes along with the next message{shown}")

    def _rewind(self, rest: str) -> None:
        if not rest.isdecimal():
            for turn, text in self._talk.typed:
                say(f"{turn:4}  {' '.join(text.split())[:70]}")
            raise InputError("which turn?", fix="Such as: /rewind 3")
        act = acts_between_turns.rewind(self._talk, int(rest))
        if not act:
            raise InputError(f"there is no turn {rest}")
        say_err(f"wiki: turn {rest} and all behind it are hidden; /restore {act} brings them back")

    def _restore(self, rest: str) -> None:
        acts = {m.act: m.kind for m in self._talk.file.messages if m.act and m.kind != "words"}
        if not rest:
            kinds = {"summary": "condensed", "marker": "truncated", "hide": "hidden"}
            say("\n".join(f"{act}  {kinds[kind]}" for act, kind in acts.items()) or "nothing")
            return
        if not self._talk.file.restore(rest):
            raise InputError("there is no such act", where=rest, fix="/restore lists them.")
        say_err(f"wiki: {len(self._talk.shown)} messages are visible now")

    def _condense(self, _rest: str) -> None:
        learn(self._talk, by_model=True, notice=lambda said: say_err(f"wiki: {said}"))
        say_err(f"wiki: {self._talk.condense()}")

    def _prompt(self, rest: str) -> None:
        talk = self._talk
        if rest:
            say(acts_between_turns.request_json(talk))
            return
        for section in talk.prompt.sections:
            say(f"--- {section.name}, {section.place} ({section.source})\n{section.text}\n")
        sizes = acts_between_turns.sizes(talk)
        for name, source, tokens in sizes:
            say_err(f"{tokens:8}  {name} ({source})")
        whole = sum(tokens for *_, tokens in sizes)
        told = f"{whole:8}  tokens of the next request, an estimate, of {talk.window.size}"
        counted = talk.window.counted
        say_err(
            f"{told}; of the last one with its answer the server counted {counted}"
            if counted
            else told
        )

    def _open(self, rest: str) -> None:
        wiki = self._talk.wiki
        if not rest:
            if not self.cited:
                say_err("wiki: the last answer cites nothing")
            for number, handle in enumerate(self.cited, 1):
                say_citation(wiki, number, handle)
            return
        number = int(rest) if rest.isdecimal() and len(rest) < 4 else 0
        if not 0 < number <= len(self.cited):
            raise InputError(
                f"the last answer has no citation {rest[:20]}", fix="/open lists them."
            )
        handle = self.cited[number - 1]
        say(f"{handle}\n{opened(wiki, handle)}")

    def _memory(self, rest: str) -> None:
        from llmwiki.interfaces.cli.commands.memory import pending_lines

        what, *ids = rest.split()[:20] or [""]
        memory = self._talk.wiki.memory
        waiting = [*pending_lines(memory.pending())]
        if what == "":
            rows = [
                *(f"- {note.text}" for note in memory.notes()),
                *pending_lines(memory.pending()),
            ]
            say(
                "\n".join(rows) or "the wiki's memory holds nothing; /remember TEXT notes something"
            )
        elif what == "review":
            say("\n".join(waiting) or "nothing waits for your yes")
        elif what in ("accept", "drop") and ids:
            done = memory.decide(**{what: ids})
            said = "agreed to" if what == "accept" else "let go of"
            self._talk.acted.append(f"[The person {said} the waiting {', '.join(ids)}.]")
            for turn in done:
                if turn.outcome.commit:
                    self._talk.file.note_landed(self._talk.file.turn, turn.outcome.commit)
                    say_err(f"wiki: learned in {turn.outcome.commit[:10]}; /undo takes it back")
        else:
            raise InputError(
                "/memory takes nothing, review, accept ID or drop ID", fix="Such as: /memory review"
            )

    def _skills(self, rest: str) -> None:
        if rest:
            say(self._talk.wiki.skill(rest).text.rstrip())
            return
        from llmwiki.chat.skills import offered

        known = {skill.folder for skill in offered(self._talk.skills)}
        rows = [row for row in self._talk.wiki.skills() if row.origin != "built-in"]
        for row in rows:
            state = skill_state(row, is_known=row.folder in known)
            say(f"{row.name}  ({row.path})  {state}")
            if row.is_used:
                say(f"    {row.file.description}")
        if not rows:
            say_err("wiki: no skill lies in raw/skills/ or wiki/skills/; /learn makes one")

    def _learn(self, rest: str) -> None:
        from llmwiki.interfaces.cli.commands.chat.print_turn import TurnPrinter

        if self._talk.client is None:
            raise InputError("there is no model that could look back")
        printer = TurnPrinter()
        for event in self._talk.review_skills(rest):
            printer.hear(event)

    def _remember(self, rest: str) -> None:
        from llmwiki.chat.without_model import note

        done = note(self._talk.wiki, self._talk.file, rest)
        say_err(f"wiki: {done.brief}" + ("; /undo takes it back" if done.commit else ""))

    def _search(self, rest: str) -> None:
        found, notes = acts_between_turns.search(self._talk, rest)
        for row in found:
            if isinstance(row, FoundTurn):
                place = f"turn {row.turn} of {row.session}, {row.speaker}"
            else:
                place = f"{row.title}  {row.place}"
            say(f"{place}\n    {row.text}")
        for missing in notes:
            say_err(f"wiki: {missing}")

    def _tools(self, _rest: str) -> None:
        for tool in self._talk.prompt.tools:
            say(f"{tool.name:14} {tool.effect:6} {tool.description}")

    def _model(self, rest: str) -> CommandResult | None:
        if rest:
            return CommandResult(True, SwitchTo(self._talk.file.id, rest))
        say(self._talk.client.settings.model if self._talk.client else "none: the wiki is quoted")
        return None

    def _undo(self, _rest: str) -> None:
        gone = acts_between_turns.undo(self._talk)
        for commit in gone:
            say_err(f"wiki: {commit[:10]} is taken back")
        if not gone:
            say_err("wiki: no turn of this session has written anything that stands")

    def _redo(self, _rest: str) -> None:
        back = acts_between_turns.redo(self._talk)
        for commit in back:
            say_err(f"wiki: it is there again, in {commit[:10]}")
        if not back:
            say_err("wiki: nothing was taken back in this conversation")

    def _cost(self, _rest: str) -> None:
        client = self._talk.client
        if client is None:
            say("0 tokens")
            return
        cost = client.cost(client.usage)
        shown = "the price is not known" if cost is None else f"USD {cost:.4f} (estimate)"
        say(f"{client.usage.total} tokens, {shown}")
