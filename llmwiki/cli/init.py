"""wiki init: make a wiki here, or complete one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.cli.context import here, landing_options, load_config, say, tell
from llmwiki.core.errors import InputError, StateError

if TYPE_CHECKING:
    from llmwiki.repo.repository import Repository


@click.command()
@click.argument("directory", required=False, metavar="[DIR]")
@click.option("--allow-detached", is_flag=True, help="Commit although no branch is checked out.")
@click.pass_context
def command(ctx: click.Context, directory: str | None, allow_detached: bool) -> int:
    """Make a wiki in DIR (here, if none is named), in one commit.

    Makes the git repository too where there is none. Adds what a wiki lacks; in files that you
    have already (CLAUDE.md, AGENTS.md, GEMINI.md, .gitattributes) it writes only a block between
    marks. Installs a pre-commit guard, and sets the merge driver in this clone's git
    configuration. Run again, it changes nothing.
    """
    from llmwiki.edit.starting import start
    from llmwiki.memory.state import WikiState
    from llmwiki.repo.create import make_repository
    from llmwiki.repo.repository import Repository

    place = here(ctx) / directory if directory else here(ctx)
    if place.exists() and not place.is_dir():
        raise InputError("is not a folder", where=str(place))
    if _inside_git_directory(place):
        raise InputError("lies inside a git directory", where=str(place))
    make_repository(place)
    with Repository.at(place) as repo:
        config = load_config(repo)
        outcome, written = start(
            repo,
            WikiState(repo),
            terms=landing_options(config, allow_detached),
        )
        is_set, note = _prepare_clone(repo)
    if outcome.commit:
        say(f"{outcome.commit[:10]}  made a wiki in {place}: {len(written)} files besides wiki/")
        say("Next: put documents into raw/ and run `wiki ingest raw/`.")
    else:
        say(f"The wiki in {place} is complete{'' if is_set else '; nothing to do'}.")
    if is_set:
        say("Set the merge driver of this clone: git merges pages claim by claim.")
    if note:
        tell(f"wiki: {note}")
    return 0


def _prepare_clone(repo: Repository) -> tuple[bool, str]:
    """What each clone needs once, beside the commit: whether the merge driver was set now, and what
    could not be done, in words."""
    from llmwiki.store.guard import install_guard
    from llmwiki.store.merge_driver import install_merge_driver

    is_set = False
    try:
        is_set = install_merge_driver(repo)
        report = install_guard(repo)
    except StateError as error:
        return is_set, f"the commit guard was not installed. {error}"
    return is_set, "" if report.installed else f"the commit guard was not installed. {report.note}"


def _inside_git_directory(place: Path) -> bool:
    return ".git" in place.absolute().parts
