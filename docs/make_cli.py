"""Writes docs/cli.md from the help texts of the commands.

usage: python docs/make_cli.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from llmwiki.cli.app import cli

WIDTH = 80
"""Columns, whatever terminal this runs in."""

PLACE = Path(__file__).with_name("cli.md")

_HEAD = """# Commands

Every command with its options, as `--help` prints them. This file is made by
`python docs/make_cli.py`; a test compares it with the program.

## Exit codes

| code | meaning |
| --- | --- |
| 0 | done |
| 1 | findings, or no match on request |
| 2 | wrong usage, an unsupported or broken input |
| 3 | the state of the repository refuses: edits in the way, a merge in progress, a hook |
| 4 | the model's provider or the network |
| 5 | the model answered, and the answer cannot be used |
| 6 | another operation holds the wiki |
| 7 | a policy or limit refuses: path, secret, cost, size |
| 70 | an internal error |
| 130, 143, 129 | ended by a signal |

With several sources: 0 only if nothing failed, else the code of the first failure, or 7 where a
rule refused one; `--json` has all.
"""


def commands(
    command: click.Command = cli, name: str = "wiki", parent: click.Context | None = None
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """A command and every command below it: full name, command, context; in the order of help."""
    context = click.Context(
        command,
        parent,
        info_name=name,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        color=False,
        help_option_names=cli.context_settings["help_option_names"],
    )
    full = f"{parent.command_path} {name}" if parent else name
    yield full, command, context
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                yield from commands(found, child, context)


def render() -> str:
    """The whole of docs/cli.md."""
    parts = [_HEAD]
    for name, command, context in commands():
        text = click.unstyle(command.get_help(context)).strip()
        lines = "\n".join(line.rstrip() for line in text.splitlines())
        parts.append(f"## `{name}`\n\n```text\n{lines}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PLACE.write_text(render(), "utf-8")
