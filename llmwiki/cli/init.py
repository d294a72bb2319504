"""wiki init: make a wiki here, or complete one."""

from __future__ import annotations

import click

from llmwiki.cli.context import callbacks, here, say
from llmwiki.cli.options import ALLOW_DETACHED


@click.command()
@click.argument("directory", required=False, metavar="[DIR]")
@click.option("--nested", is_flag=True, help="Make a wiki although DIR lies in one already.")
@ALLOW_DETACHED
@click.pass_context
def command(ctx: click.Context, directory: str | None, nested: bool, allow_detached: bool) -> int:
    """Make a wiki in DIR (here, if none is named), in one commit.

    Makes the git repository too where there is none. Adds what a wiki lacks; in files that you
    have already (CLAUDE.md, AGENTS.md, GEMINI.md, .gitattributes) it writes only a block between
    marks. Installs a pre-commit guard, which refuses false quotes, and sets the merge driver in
    this clone's git configuration. Run again, it changes nothing.

    \b
    Examples:
      wiki init
      wiki init ~/notes
    """
    from llmwiki.app.init import init

    place = here(ctx) / directory if directory else here(ctx)
    done = init(place, callbacks(), allow_detached=allow_detached, nested=nested)
    if done.outcome.commit:
        files = f"{len(done.written)} files besides wiki/"
        say(f"{done.outcome.commit[:10]}  made a wiki in {place}: {files}")
        say("Next: put documents into raw/ and run `wiki ingest raw/`.")
    else:
        say(f"The wiki in {place} is complete{'' if done.sets_driver else '; nothing to do'}.")
    if done.sets_driver:
        say("Set the merge driver of this clone: git merges pages claim by claim.")
    return 0
