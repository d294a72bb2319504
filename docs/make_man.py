"""Writes docs/wiki.1, the manual page of `wiki`, from the help texts of the commands.

usage: python docs/make_man.py, then man docs/wiki.1
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parent))

from make_cli import CODES, commands

from llmwiki.version import __version__

PLACE = Path(__file__).with_name("wiki.1")
_FILES = (
    (".llmwiki.toml", "The settings that a wiki's repository holds."),
    ("~/.config/llmwiki/config.toml", "Your own settings, on Linux."),
)


def render() -> str:
    """The whole page, in the man macros of roff."""
    rows = [
        '.\\" Made by docs/make_man.py.',
        f'.TH WIKI 1 "" "llmwiki {__version__}" "User Commands"',
        ".SH NAME",
        "wiki \\- a wiki that a language model maintains, inside a git repository",
    ]
    for number, (name, command, context) in enumerate(commands()):
        if number == 1:
            rows.append(".SH COMMANDS")
        heading = ".SH SYNOPSIS" if number == 0 else f".SS {_roff(name)}"
        usage = " ".join(command.collect_usage_pieces(context))
        rows += [heading, f".B {_roff(name)}", _roff(usage)]
        rows += [".SH DESCRIPTION"] if number == 0 else []
        rows += _text(command.help or "")
        rows += [".SH OPTIONS"] if number == 0 else []
        rows += _options(command, context)
    rows += [".SH EXIT STATUS", *_list(CODES), ".SH FILES", *_list(_FILES)]
    return "\n".join(rows) + "\n"


def _text(text: str) -> Iterator[str]:
    """Paragraphs; those that stand as they are begin with a line `\\b`."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = paragraph.strip("\n").splitlines()
        yield ".PP"
        if lines[0].strip() == "\b":
            yield ".nf"
            yield from (_roff(line.rstrip()) for line in lines[1:])
            yield ".fi"
        else:
            yield _roff(" ".join(line.strip() for line in lines))


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    records = (param.get_help_record(context) for param in command.get_params(context))
    for record in records:
        if record is not None and record[1]:
            yield from _list([record])


def _list(rows: tuple[tuple[str, str], ...] | list[tuple[str, str]]) -> Iterator[str]:
    for name, text in rows:
        yield from (".TP", f"\\fB{_roff(name)}\\fR", _roff(" ".join(text.split())))


def _roff(text: str) -> str:
    """Text that roff prints as it is: no requests at the start, no escapes, no UTF-8."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    plain = plain.replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    shown = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in plain)
    return f"\\&{shown}" if shown.startswith((".", " ")) else shown


if __name__ == "__main__":
    PLACE.write_text(render(), "utf-8")
