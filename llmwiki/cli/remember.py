"""wiki remember: one note, one commit."""

from __future__ import annotations

from typing import Any

import click

from llmwiki.cli.context import open_wiki, say, say_as
from llmwiki.cli.options import ALLOW_DETACHED, ALLOW_SECRET, AS_JSON
from llmwiki.core.errors import InputError
from llmwiki.core.note_kinds import NOTE_KINDS, SPEAKERS


@click.command()
@click.argument("text", metavar="TEXT")
@click.option(
    "--kind",
    type=click.Choice(NOTE_KINDS),
    default="fact",
    show_default=True,
    help="What kind of note it is.",
)
@click.option(
    "--by",
    "told_by",
    type=click.Choice(SPEAKERS),
    default="person",
    show_default=True,
    help="Who says it.",
)
@click.option(
    "--key",
    metavar="KEY=VALUE",
    default="",
    help="What it is about, and what holds: the earlier note of this key is struck.",
)
@click.option("--session", default="", help="Name of the conversation it comes from.")
@ALLOW_SECRET
@ALLOW_DETACHED
@AS_JSON
@click.pass_context
def command(ctx: click.Context, /, text: str, key: str, as_json: bool, **options: Any) -> int:
    """Add a note to the wiki's memory, in one commit.

    A note needs no source: it is what a person or an agent said. A person's preferences and
    procedures stand on wiki/memory.md, which every conversation begins with, all else on the page
    of its day. The same words twice are one note. A note that holds what looks like a key or a
    password is refused (exit code 7).

    \b
    Examples:
      wiki remember "The club meets on Tuesdays."
      wiki remember "The club meets on Fridays." --key meeting=Fridays
      wiki remember "Sell the old dinghy" --kind decision --by agent
    """
    about, sign, value = key.partition("=")
    if key and not (about.strip() and sign and value.strip()):
        raise InputError(
            f"--key is {key[:40]!r}; it names no value", fix="Such as: --key day=Tuesday"
        )
    outcome = open_wiki(ctx).remember(text, key=about, value=value, **options)
    if as_json:
        say_as("remember", outcome)
    elif outcome.commit:
        pages = ", ".join((*outcome.pages_created, *outcome.pages_changed))
        say(f"{outcome.commit[:10]}  remembered on {pages}")
    else:
        say("That is remembered already.")
    return 0
