"""wiki schema: the shape of what commands print as JSON."""

from __future__ import annotations

import click

from llmwiki.app.schemas import COMMANDS, schema
from llmwiki.cli.context import say, say_json


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
def command(name: str | None) -> int:
    """Print the JSON Schema of what a command prints with --json; without a NAME, list them.

    NAME is what stands in `"schema": "llmwiki.NAME/1"`. Within a version no key goes or changes
    its meaning.

    \b
    Example:
      wiki schema status
    """
    if name is not None:
        say_json(schema(name))
        return 0
    for each, printed_by in COMMANDS.items():
        say(f"{each:<12} {printed_by}")
    return 0
