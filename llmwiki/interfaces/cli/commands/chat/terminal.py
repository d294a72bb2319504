"""A conversation on a terminal: lines in, answers out, until the person ends it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.chat.citations import NumberedCitations
from llmwiki.chat.open_session import ChatOptions, conversation
from llmwiki.core.errors import WikiError
from llmwiki.interfaces.cli.command_context import say_err
from llmwiki.interfaces.cli.commands.chat.ask_and_interrupt import (
    ask_person,
    echo,
    gentle_interrupts,
    typed_ahead,
)
from llmwiki.interfaces.cli.commands.chat.learned import flush, look_back
from llmwiki.interfaces.cli.commands.chat.print_turn import TurnPrinter, say_citation
from llmwiki.interfaces.cli.commands.chat.slash_commands import (
    SlashCommands,
    SwitchTo,
    is_command,
    is_known_command,
)
from llmwiki.interfaces.cli.commands.chat.typed_line import TypedLines

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki
    from llmwiki.chat.attachments import AttachedFile
    from llmwiki.chat.turn import Conversation
    from llmwiki.core.callbacks import Callbacks


def converse(wiki: Wiki, options: ChatOptions, told: Callbacks) -> int:
    """Holds a conversation; the exit code. /new, /resume and /fork go on in another session."""
    lines = TypedLines(wiki)
    wanted, before = options, None
    while True:
        try:
            with conversation(wiki, wanted, told, ask_person(lines.keep)) as talk:
                _greet(talk)
                before = replace(wanted, session=talk.file.id)
                switch = _talk(talk, lines)
                flush(talk, lines.keep)
        except WikiError as error:
            # Where it cannot go on, as with a model that is not there, it stays where it was.
            if before is None or before == wanted:
                raise
            say_err(f"wiki: {error}")
            wanted = before
            continue
        if switch is None:
            return 0
        wanted = replace(before, session=switch.session, model=switch.model or before.model)


def _greet(talk: Conversation) -> None:
    if talk.client is None:
        say_err("wiki: no model: I find and quote; I do not converse. /help lists the commands.")
    elif talk.file.turn:
        say_err(f"wiki: session {talk.file.id}, turn {talk.file.turn}. /help lists the commands.")
    else:
        say_err(f"wiki: {talk.client.settings.model}. /help lists the commands.")


def _talk(talk: Conversation, lines: TypedLines) -> SwitchTo | None:
    """Turns until the end; where to go on, or None."""
    commands = SlashCommands(talk)
    while True:
        line = lines.read(talk, partial(look_back, talk))
        if line is None:
            return None
        if not line.strip():
            continue
        try:
            with gentle_interrupts(talk):
                if is_command(line) and (is_known_command(line) or not talk.calls_skill(line)):
                    done = commands.run(line)
                    if done.ends:
                        return done.switch
                else:
                    commands.cited = _turn(talk, line, commands.files(), lines)
        except WikiError as error:
            say_err(f"wiki: {error}")
        except KeyboardInterrupt:
            # Raised by a landing that Ctrl-C ended before its commit, as /remember and /undo make.
            say_err("wiki: stopped")


def _turn(talk: Conversation, line: str, files: list[AttachedFile], lines: TypedLines) -> list[str]:
    """One turn; the citations of the answer, by their numbers, which are listed behind it."""
    citations, due = NumberedCitations(lambda: talk.shown_text), talk.reviews_due
    printer = TurnPrinter(citations=citations)
    with echo(is_on=False):
        for event in talk.take(line, files, lines.pasted()):
            printer.hear(event)
            error = getattr(event, "error", None)
            if isinstance(error, WikiError):
                say_err(f"wiki: {error}")
        for number, handle in enumerate(citations.handles, 1):
            say_citation(talk.wiki, number, handle)
    if talk.reviews_due > due:
        say_err("wiki: /learn lets the agent make a skill of what worked here")
    lines.keep(typed_ahead())
    return citations.handles
