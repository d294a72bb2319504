"""Writes docs/cli.md from the help texts of the commands.

usage: python docs/make_cli.py
"""

from __future__ import annotations

import copy
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from llmwiki.interfaces.cli.command_table import cli

WIDTH = 80
"""Columns, whatever terminal this runs in."""

PLACE = Path(__file__).with_name("cli.md")

CODES = (
    ("0", "done"),
    ("1", "findings, or no match on request"),
    ("2", "wrong usage, an unsupported or broken input"),
    ("3", "the state of the repository refuses: edits in the way, a merge in progress, a hook"),
    ("4", "the model's provider or the network"),
    ("5", "the model answered, and the answer cannot be used"),
    ("6", "another operation holds the wiki"),
    ("7", "a policy or limit refuses: path, secret, cost, size"),
    ("70", "an internal error"),
    ("130, 143, 129", "ended by a signal"),
)
"""Exit codes and their meanings."""

MANY = 3
"""An option that so many commands describe in the same words stands at the top, once."""

_HEAD = """# Commands

What each command is for, how it is called, and its options; those of many commands stand
[here](#options-of-many-commands), once. `wiki help COMMAND` (or `man docs/wiki.1`) says more, with
examples. This file is made by `python docs/make_cli.py`; a test compares it with the program.

## Exit codes

{codes}

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
    listed = list(commands())
    counts = Counter(
        record for _name, command, context in listed for record in _records(command, context)
    )
    common = {record for record, count in counts.items() if count >= MANY}
    codes = [("code", "meaning"), ("---", "---"), *CODES]
    head = _HEAD.format(codes="\n".join(f"| {code} | {meaning} |" for code, meaning in codes))
    parts = [head, "## Options of many commands\n", _table(common)]
    for name, command, context in listed:
        parts.append(f"## `{name}`\n\n```text\n{_help(command, context, common)}\n```\n")
    return "\n".join(parts)


Record = tuple[str, str]
"""How an option is written, and what `--help` says of it."""


def _records(command: click.Command, context: click.Context) -> list[Record]:
    params = (each for each in command.get_params(context) if isinstance(each, click.Option))
    found = (each.get_help_record(context) for each in params)
    return [record for record in found if record is not None]


def _table(records: set[Record]) -> str:
    rows = [f"| `{option}` | {says} |" for option, says in sorted(records, key=_by_name)]
    return "\n".join(["| option | meaning |", "| --- | --- |", *rows, ""])


def _by_name(record: Record) -> tuple[str, Record]:
    return record[0].split(", ")[-1], record


def _help(command: click.Command, context: click.Context, common: set[Record]) -> str:
    """What `--help` prints as far as its first paragraph, and of the options that are described at
    the top the names alone.

    The commands of a group have headings of their own, but for `wiki`, whose list is an overview.
    """
    shown = copy.copy(command)
    is_first = context.parent is None
    if is_first:
        shown.epilog = None
    else:
        told = [each for each in command.params if each.get_help_record(context) not in common]
        shown.params, shown.add_help_option = told, False
        shown.help = (command.help or "").partition("\n\n")[0]
    text = click.unstyle(shown.get_help(context)).strip()
    lines = [line.rstrip() for line in text.splitlines()]
    if isinstance(command, click.Group) and not is_first and "Commands:" in lines:
        lines = lines[: lines.index("Commands:") - 1]
    also = [record[0].split(", ")[-1] for record in _records(command, context) if record in common]
    also = [name for name in also if name != "--help"]
    if also and not is_first:
        lines += ["", *textwrap.wrap(f"Also: {', '.join(also)}", WIDTH, subsequent_indent="  ")]
    return "\n".join(lines)


if __name__ == "__main__":
    PLACE.write_text(render(), "utf-8")
