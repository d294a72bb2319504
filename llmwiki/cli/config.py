"""wiki config: the settings in force."""

from __future__ import annotations

import click

from llmwiki.app.as_json import config_json, confinement_json
from llmwiki.app.settings import load_config
from llmwiki.cli.context import notice_once, open_wiki, say, say_json
from llmwiki.core.errors import StateError


@click.group()
def command() -> None:
    """The settings in force, and where they come from."""


@command.command("list")
@click.option("--show-origin", is_flag=True, help="Say where each value comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.pass_context
def list_settings(ctx: click.Context, show_origin: bool, as_json: bool) -> int:
    """List every setting and its value.

    Where several places set one, the first of these counts: a flag, a variable LLMWIKI_…,
    .llmwiki.toml, your own configuration file, the default. What touches money or safety is never
    taken from .llmwiki.toml.
    """
    try:
        config = open_wiki(ctx).config()
    except StateError:
        config = load_config(None, notice_once())
    if as_json:
        say_json(config_json(config))
        return 0
    for key, setting in sorted(config.settings.items()):
        origin = f"{setting.origin:<14} " if show_origin else ""
        value = "" if setting.value == "" else f" {setting.value}"
        say(f"{origin}{key} ={value}")
    return 0


@command.command("confinement")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def confinement(as_json: bool) -> int:
    """Say what confines the processes that read documents, on this machine.

    bubblewrap is used where it is installed and allowed to work, Landlock where the kernel has
    it; limits of memory and time always.
    """
    from llmwiki.app.confinement import walls_in_force

    walls = walls_in_force()
    if as_json:
        say_json(confinement_json(walls))
        return 0
    for wall in walls:
        say(wall)
    return 0
