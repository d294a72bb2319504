"""wiki config: the settings in force."""

from __future__ import annotations

import click

from llmwiki.app.settings import confinement, own_config, set_users
from llmwiki.core.config import Config
from llmwiki.core.errors import InputError, StateError
from llmwiki.core.options import BY_KEY
from llmwiki.core.text import nearest
from llmwiki.interfaces.cli.context import notice_once, open_wiki, say, say_as, say_err
from llmwiki.interfaces.cli.options import AS_JSON


@click.command()
@click.argument("key", required=False, metavar="[KEY]")
@click.argument("value", required=False, metavar="[VALUE]")
@AS_JSON
@click.pass_context
def command(ctx: click.Context, key: str | None, value: str | None, as_json: bool) -> int:
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
        config = _settings(ctx)
        if as_json:
            return say_as("config", config, confinement=confinement())
        for name, setting in sorted(config.settings.items()):
            shown = "" if setting.value == "" else f" {setting.value}"
            say(f"{setting.origin:<14} {name} ={shown}")
        for wall in confinement():
            say_err(f"wiki: readers of documents are confined by {wall}")
        return 0
    if value is not None:
        place, written = set_users(key, value)
        say(f"{key} = {written}  ({place})")
        held = _settings(ctx).settings[key]
        if held.value != written:
            say_err(f"wiki: here {held.value} counts, from {held.origin}")
        return 0
    found = _settings(ctx).settings.get(key)
    if found is None:
        near = nearest(key, BY_KEY)
        hint = f"Did you mean {near[0]}?" if near else "`wiki config` lists all."
        raise InputError("there is no such setting", where=key, fix=hint)
    say(str(found.value))
    return 0


def _settings(ctx: click.Context) -> Config:
    """The settings in force in the wiki here, or without one."""
    try:
        return open_wiki(ctx).config()
    except StateError:
        return own_config(notice_once())
