"""wiki config: the settings in force."""

from __future__ import annotations

import click

from llmwiki.app.settings import own_config
from llmwiki.core.config import Config
from llmwiki.core.errors import InputError, StateError
from llmwiki.core.options import BY_KEY
from llmwiki.core.text import nearest
from llmwiki.interfaces.cli.command_group import CommandGroup
from llmwiki.interfaces.cli.context import notice_once, open_wiki, say, say_as, say_err
from llmwiki.interfaces.cli.options import AS_JSON


@click.group(cls=CommandGroup)
def command() -> None:
    """The settings in force, and where they come from.

    They are written in files: your own, and .llmwiki.toml of the wiki. `wiki config list
    --show-origin` names the one that each value comes from.

    \b
    Examples:
      wiki config list --show-origin
      wiki config get model.id
      wiki config set model.id claude-sonnet-5
    """


@command.command("list")
@click.option("--show-origin", is_flag=True, help="Say where each value comes from.")
@AS_JSON
@click.pass_context
def list_settings(ctx: click.Context, show_origin: bool, as_json: bool) -> int:
    """List every setting and its value.

    Where several places set one, the first of these counts: a flag, a variable LLMWIKI_…,
    .llmwiki.toml, your own configuration file, the default. What touches money or safety is never
    taken from .llmwiki.toml.

    \b
    Example:
      wiki config list --show-origin
    """
    config = _settings(ctx)
    if as_json:
        return say_as("config", config)
    for key, setting in sorted(config.settings.items()):
        origin = f"{setting.origin:<14} " if show_origin else ""
        value = "" if setting.value == "" else f" {setting.value}"
        say(f"{origin}{key} ={value}")
    return 0


@command.command("get")
@click.argument("key", metavar="KEY")
@click.pass_context
def get_setting(ctx: click.Context, key: str) -> int:
    """Print the value of one setting, such as model.id.

    \b
    Example:
      wiki config get lint.fail_on
    """
    setting = _settings(ctx).settings.get(key)
    if setting is None:
        near = nearest(key, BY_KEY)
        hint = f"Did you mean {near[0]}?" if near else "`wiki config list` lists all."
        raise InputError("there is no such setting", where=key, fix=hint)
    say(str(setting.value))
    return 0


@command.command("set")
@click.argument("key", metavar="KEY")
@click.argument("value", metavar="VALUE")
@click.pass_context
def set_setting(ctx: click.Context, key: str, value: str) -> int:
    """Write a setting into your own configuration file; it holds in all your wikis.

    What a team shares (branch, review, lint.…) stands in .llmwiki.toml of the wiki, which goes
    first: edit and commit that.

    \b
    Examples:
      wiki config set model.id claude-sonnet-5
      wiki config set ingest.max_cost 2
    """
    from llmwiki.app.settings import set_users

    place, written = set_users(key, value)
    say(f"{key} = {written}  ({place})")
    held = _settings(ctx).settings[key]
    if held.value != written:
        say_err(f"wiki: here {held.value} counts, from {held.origin}")
    return 0


@command.command("confinement")
@AS_JSON
def confinement(as_json: bool) -> int:
    """Say what confines the processes that read documents, on this machine.

    Landlock and a filter of system calls where the kernel has them; limits of memory and time
    always.

    \b
    Example:
      wiki config confinement
    """
    from llmwiki.app.settings import confinement as walls_of

    walls = walls_of()
    if as_json:
        return say_as("confinement", in_force=walls)
    for wall in walls:
        say(wall)
    return 0


def _settings(ctx: click.Context) -> Config:
    """The settings in force in the wiki here, or without one."""
    try:
        return open_wiki(ctx).config()
    except StateError:
        return own_config(notice_once())
