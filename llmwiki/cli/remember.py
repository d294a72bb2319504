"""wiki remember: one note, one commit."""

from __future__ import annotations

import click

from llmwiki.app.as_json import remember_json
from llmwiki.app.remember import NOTE_KINDS, SPEAKERS
from llmwiki.cli.context import open_wiki, say, say_json


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
@click.option("--session", default="", help="Name of the conversation it comes from.")
@click.option(
    "--allow-secret",
    multiple=True,
    metavar="HASH",
    help="Accept a finding of the secret scan; the refusal prints its hash.",
)
@click.option("--allow-detached", is_flag=True, help="Commit although no branch is checked out.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    text: str,
    kind: str,
    told_by: str,
    session: str,
    allow_secret: tuple[str, ...],
    allow_detached: bool,
    as_json: bool,
) -> int:
    """Add a note to wiki/memory.md, in one commit.

    A note needs no source: it is what a person or an agent said. The same words twice are one
    note. A note that holds what looks like a key or a password is refused (exit code 7).
    """
    outcome = open_wiki(ctx).remember(
        text,
        kind=kind,
        told_by=told_by,
        session=session,
        allow_secret=allow_secret,
        allow_detached=allow_detached,
    )
    if as_json:
        say_json(remember_json(outcome))
    elif outcome.commit:
        say(f"{outcome.commit[:10]}  remembered on wiki/memory.md")
    else:
        say("That is remembered already.")
    return 0
