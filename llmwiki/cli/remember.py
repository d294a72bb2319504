"""wiki remember: one note, one commit."""

from __future__ import annotations

import click

from llmwiki.cli.context import clock, load_config, opened, say, say_json


@click.command()
@click.argument("text", metavar="TEXT")
@click.option(
    "--kind",
    type=click.Choice(["fact", "preference", "decision", "event", "procedure"]),
    default="fact",
    show_default=True,
)
@click.option(
    "--by", "told_by", type=click.Choice(["person", "agent"]), default="person", show_default=True
)
@click.option("--session", default="", help="Where it was said.")
@click.option("--allow-detached", is_flag=True, help="Write although HEAD is on no branch.")
@click.option("--json", "as_json", is_flag=True, help="Say the result as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    text: str,
    kind: str,
    told_by: str,
    session: str,
    allow_detached: bool,
    as_json: bool,
) -> int:
    """Note one thing on wiki/memory.md, in one commit; what is there already is not repeated."""
    from llmwiki import __version__
    from llmwiki.edit.remember import remember
    from llmwiki.memory.state import State

    with opened(ctx) as repo:
        config = load_config(repo)
        outcome = remember(
            repo,
            State(repo),
            text,
            kind=kind,
            told_by=told_by,
            session=session,
            by=f"llmwiki/{__version__}",
            now=clock,
            wait=config.number("lock.wait"),
            allow_detached=allow_detached,
        )
    if as_json:
        say_json(
            {"schema": "llmwiki.remember/1", "id": outcome.id or None, "commit": outcome.commit}
        )
    elif outcome.commit:
        say(f"{outcome.commit[:10]}  remembered on wiki/memory.md")
    else:
        say("That is remembered already.")
    return 0
