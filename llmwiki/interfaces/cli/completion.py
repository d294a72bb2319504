"""Completion in bash, zsh and fish: click's scripts, and what `wiki` answers when they ask."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

if TYPE_CHECKING:
    _Completion = ShellComplete
else:
    _Completion = object

VARIABLE = "_WIKI_COMPLETE"
_PLAIN = re.compile(r"[\w%+,./-]")


class _Words(_Completion):
    """Offers files where no word of ours fits."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """What fits; files where nothing does, as where a word before it is none that there is."""
        try:
            found = super().get_completions(args, incomplete)
        except click.ClickException:
            found = []
        words = [item for item in found if item.type == "plain"]
        return words or [CompletionItem(incomplete, type="file")]


class _Bash(_Words, BashComplete):
    """bash takes a word as it is to stand in the line, and its script reads backslashes."""

    def format_completion(self, item: CompletionItem[str]) -> str:
        """The word, quoted behind the quote with which what is typed begins."""
        words = os.environ["COMP_WORDS"].split("\n")
        begun = words[int(os.environ["COMP_CWORD"])][:1]
        value = quoted(item.value, begun) if item.type == "plain" else item.value
        return f"{item.type},{value}".replace("\\", "\\\\")


class _Zsh(_Words, ZshComplete):
    pass


class _Fish(_Words, FishComplete):
    pass


_CLASSES = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def register() -> None:
    """Puts these in the place of the classes that click brings along."""
    for name, kind in _CLASSES.items():
        add_completion_class(kind, name)


def script(shell: str, program: str) -> str:
    """The script for `bash`, `zsh` or `fish`, which completes what is typed behind `program`."""
    made = _CLASSES[shell](click.Command(program), {}, program, VARIABLE)
    # Past the check of the version of a bash that may not be the one which reads the script.
    return ShellComplete.source(made)


def quoted(value: str, quote: str) -> str:
    """A word as bash reads it, behind a `quote` that stands there already or none."""
    if quote == '"':
        return re.sub(r"([\\\"$`])", r"\\\1", value)
    if quote == "'":
        return value.replace("'", "'\\''")
    return "".join(char if _PLAIN.match(char) else f"\\{char}" for char in value)
