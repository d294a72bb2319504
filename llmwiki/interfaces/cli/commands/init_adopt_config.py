"""wiki init, adopt, config: make a wiki here, or of the notes that exist already; its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from llmwiki.app.change_settings import confinement, own_config, set_users
from llmwiki.core.errors import InputError, StateError
from llmwiki.core.settings_table import BY_KEY
from llmwiki.core.text import counted, nearest
from llmwiki.interfaces.cli.command_context import (
    callbacks,
    here,
    notice_once,
    open_wiki,
    say,
    say_err,
    told,
    wants_json,
)
from llmwiki.interfaces.cli.command_options import ALLOW_DETACHED, AS_JSON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llmwiki.app.init_and_adopt import AdoptResult
    from llmwiki.core.settings_precedence import Config


@click.command()
@click.argument("directory", required=False, metavar="[DIR]")
@click.option("--nested", is_flag=True, help="Make a wiki although DIR lies in one already.")
@ALLOW_DETACHED
@click.option("-q", "--quiet", is_flag=True, help="Say nothing where it worked.")
def command(directory: str | None, nested: bool, allow_detached: bool, quiet: bool) -> int:
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
    from llmwiki.app.init_and_adopt import init

    place = here() / directory if directory else here()
    done = init(place, callbacks(quiet=quiet), allow_detached=allow_detached, nested=nested)
    if quiet:
        return 0
    if done.outcome.commit:
        files = f"{len(done.written)} files besides wiki/"
        say(f"{done.outcome.commit[:10]}  made a wiki in {place}: {files}")
        say("Next: put documents into raw/ and run `wiki ingest raw/`.")
    else:
        say(f"The wiki in {place} is complete{'' if done.sets_driver else '; nothing to do'}.")
    if done.sets_driver:
        say("In this clone git merges pages claim by claim: its merge driver is set.")
    return 0


@click.command()
@click.argument("directory", required=False, metavar="[DIR]")
@click.option("--dry-run", is_flag=True, help="Say what was found and would change; write nothing.")
@ALLOW_DETACHED
@AS_JSON
def adopt_notes(directory: str | None, dry_run: bool, allow_detached: bool) -> int:
    """Make a wiki of the notes in DIR (here, if none is named), in one commit.

    For an Obsidian vault, a folder of notes, or a wiki that another tool wrote. None of its pages
    is changed, then or later: they are read, and what `wiki ingest` writes stands below wiki/.
    Written are the settings (.llmwiki.toml) and a block in .gitattributes; the pre-commit guard
    and the merge driver are set in this clone. Reading needs none of it: `wiki lint`, `search`,
    `graph` and their like work before.

    \b
    Examples:
      wiki adopt --dry-run
      wiki -C notes adopt
    """
    from llmwiki.app.init_and_adopt import adopt

    place = here() / directory if directory else here()
    done = adopt(place, callbacks(), dry_run=dry_run, allow_detached=allow_detached)
    return told("adopt", done, _adopted(done))


def _adopted(done: AdoptResult) -> Iterator[str]:
    found = done.survey
    where = f"{found.folder}/" if found.folder else "all folders but raw/ and hidden ones"
    yield f"Found     {found.form} in {done.root}"
    yield f"Pages     {found.pages:,} in {where}"
    yield f"Links     {found.links:,} between them; {counted(found.nowhere, 'name')} without a page"
    yield (
        f"Missing   {counted(found.untyped, 'page')} without a type,"
        f" {found.undescribed:,} without a description (nothing asks for them)"
    )
    if found.kept:
        yield f"Kept      {', '.join(found.kept)}: they stay as they are, also later"
    if found.has_carriage_returns:
        yield "Kept      Windows line ends: .gitattributes is not written"
    if done.outcome is None:
        yield f"Would write {', '.join(done.files)}, and no page."
    else:
        yield f"{(done.outcome.commit or '')[:10]}  wrote {', '.join(done.files)}, and no page"
        yield "Next: `wiki lint`, or put documents into raw/ and run `wiki ingest raw/`."


# --- settings ------------------------------------------------------------------------------


@click.command()
@click.argument("key", required=False, metavar="[KEY]")
@click.argument("value", required=False, metavar="[VALUE]")
@AS_JSON
def config(key: str | None, value: str | None) -> int:
    """List the settings with where each comes from; print that of KEY; or set it to VALUE.

    Where several places set one, the first of these counts: a flag, a variable LLMWIKI_…,
    .llmwiki.toml, your own configuration file, the default. What touches money or safety is never
    taken from .llmwiki.toml.

    VALUE is written into your own file, and holds in all your wikis. What a team shares (branch,
    review, lint.…) stands in .llmwiki.toml of the wiki, which goes first: edit and commit that.

    Behind the list stands on stderr what confines the processes that read documents here.

    \b
    Examples:
      wiki config
      wiki config model.id
      wiki config model.id claude-sonnet-5
    """
    if key is None:
        held, walls = _settings(), confinement()
        told("config", held, _setting_lines(held), confinement=walls)
        for wall in () if wants_json() else walls:
            say_err(f"wiki: readers of documents are confined by {wall}")
        return 0
    if value is not None:
        place, written = set_users(key, value)
        say(f"{key} = {written}  ({place})")
        counts = _settings().settings[key]
        if counts.value != written:
            say_err(f"wiki: here {counts.value} counts, from {counts.origin}")
        return 0
    found = _settings().settings.get(key)
    if found is None:
        near = nearest(key, BY_KEY)
        hint = f"Did you mean {near[0]}?" if near else "`wiki config` lists all."
        raise InputError("there is no such setting", where=key, fix=hint)
    say(str(found.value))
    return 0


def _setting_lines(held: Config) -> Iterator[str]:
    for name, setting in sorted(held.settings.items()):
        shown = "" if setting.value == "" else f" {setting.value}"
        yield f"{setting.origin:<14} {name} ={shown}"


def _settings() -> Config:
    """The settings in force in the wiki here, or without one."""
    try:
        return open_wiki().config()
    except StateError:
        return own_config(notice_once())
