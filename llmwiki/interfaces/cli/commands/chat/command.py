"""wiki chat: a conversation in a terminal, or one turn of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from llmwiki.core.errors import InputError
from llmwiki.interfaces.cli.command_context import (
    callbacks,
    here,
    is_terminal,
    open_wiki,
    say_as,
    say_err,
    wants_json,
)
from llmwiki.interfaces.cli.command_options import AS_JSON, YES, max_cost, option

if TYPE_CHECKING:
    from llmwiki.chat.attachments import AttachedFile
    from llmwiki.chat.messages import Origin
    from llmwiki.chat.turn import Conversation
    from llmwiki.chat.turn_events import TurnEnded

MAX_STDIN = 1_000_000
"""Bytes of a message that standard input gives."""
REFUSED = 7
"""The exit code where a call was refused and no answer came of the turn."""


@click.command()
@click.argument("message", nargs=-1, metavar="[MESSAGE]")
@option(
    "--session",
    default="",
    metavar="ID",
    excludes=("--continue",),
    help="Go on with this session.",
)
@click.option("--continue", "goes_on", is_flag=True, help="Go on with the last session.")
@click.option(
    "--mode",
    type=click.Choice(["full", "minimal", "none"]),
    default="full",
    show_default=True,
    help="How much of the prompt's sections the model is shown.",
)
@click.option("--model", help="Model to talk with; `offline` to be shown quotes of the wiki.")
@click.option("--no-memory", is_flag=True, help="Leave out notes and passages of the wiki.")
@click.option("--attach", multiple=True, metavar="FILE", help="Send a file along; repeatable.")
@max_cost()
@YES
@click.option(
    "--allow-writes",
    is_flag=True,
    help="Let the agent change pages and note facts unasked; not skills, not preferences.",
)
@AS_JSON
def command(
    message: tuple[str, ...],
    session: str,
    goes_on: bool,
    attach: tuple[str, ...],
    yes: bool,
    **given: Any,
) -> int:
    """Talk with an agent that knows the wiki.

    With MESSAGE one turn is taken and the answer printed; `-` reads the message from standard
    input, which is one message however many lines it has. Without either, where standard input is
    no terminal, each of its lines is a turn. Else a conversation begins: /help lists what can be
    typed, Ctrl-C stops an answer, Ctrl-D ends the conversation. What is said is kept below the git
    directory and never committed; what the agent writes in the wiki is one commit each, and /undo
    takes it back. Without a key the wiki is quoted.

    Exit code 7: a call was refused and no answer came of the turn.

    \b
    Examples:
      wiki chat
      wiki chat "What do we know of caching?"
      wiki chat --continue "And what is still open?"
    """
    # Loading the agent takes four times as long as its help.
    from llmwiki.chat.open_session import LAST, ChatOptions, attached, conversation
    from llmwiki.interfaces.cli.commands.chat.ask_and_interrupt import gentle_interrupts

    is_open = not message and sys.stdin.isatty()
    is_piped = not is_open and (not message or list(message) == ["-"])
    messages = [] if is_open else _typed(message, is_piped=is_piped)
    options = ChatOptions(session=LAST if goes_on else session, **given)
    wiki = open_wiki(yes=yes)
    if is_open and (wants_json() or attach):
        raise InputError("--json and --attach go with a message", fix="Within: /attach FILE.")
    files = [attached(name, here()) for name in attach]
    if is_open:
        from llmwiki.interfaces.cli.commands.chat.terminal import converse

        return converse(wiki, options, callbacks(yes=yes))
    with conversation(wiki, options, callbacks(yes=yes)) as talk, gentle_interrupts(talk):
        # Of what a pipe or a file brings nobody knows who wrote it.
        origin: Origin = "pasted" if is_piped and not sys.stdin.isatty() else "typed"
        codes = []
        for typed in messages:
            codes.append(_one_turn(talk, typed, files, origin))
            files = []
        if not wants_json() and is_terminal():
            say_err(f"wiki: session {talk.file.id}; `wiki chat --continue` goes on with it")
    return next(filter(None, codes), 0)


def _typed(message: tuple[str, ...], *, is_piped: bool) -> list[str]:
    """The message of the command line, or of standard input; without one, a message for each line
    of standard input."""
    typed = " ".join(message)
    if is_piped:
        typed = sys.stdin.buffer.read(MAX_STDIN).decode("utf-8", "replace")
    given = [typed] if message else typed.splitlines()
    messages = [each.strip() for each in given if each.strip()]
    if not messages:
        raise InputError("there is no message", fix='Such as: wiki chat "What is a claim?"')
    if any(each.startswith("/") for each in messages):
        from llmwiki.interfaces.cli.commands.chat.slash_commands import is_known_command

        if named := next(filter(is_known_command, messages), ""):
            raise InputError(
                "commands work in a conversation in a terminal only",
                where=named.split(maxsplit=1)[0],
                fix="Start one with `wiki chat`, and type it there.",
            )
    return messages


def _one_turn(talk: Conversation, typed: str, files: Sequence[AttachedFile], origin: Origin) -> int:
    from llmwiki.chat.turn_events import TurnEnded
    from llmwiki.interfaces.cli.commands.chat.learned import flush
    from llmwiki.interfaces.cli.commands.chat.print_turn import TurnPrinter

    as_json = wants_json()
    printer = TurnPrinter(is_mute=as_json, is_live=False)
    ended = None
    if talk.client is None and not as_json:
        say_err("wiki: no model: the wiki is quoted, this is no conversation")
    for event in talk.take(typed, files, origin=origin):
        printer.hear(event)
        ended = event
    assert isinstance(ended, TurnEnded)
    code = _code(ended)
    if not ended.error:
        flush(talk)
    if as_json:
        say_as("chat", ended, session=talk.file.id, exit_code=code)
    elif ended.error:
        raise ended.error
    return code


def _code(ended: TurnEnded) -> int:
    if ended.error:
        return ended.error.exit_code
    if ended.stop == "interrupted":
        return 130
    if ended.stop == "refusal":
        return 5
    is_refused = any(call.status == "refused" for call in ended.calls)
    return REFUSED if is_refused and not ended.answer.strip() else 0
