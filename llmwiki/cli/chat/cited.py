"""A citation of an answer as a terminal shows it: its number, what it says, a link to its page."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from llmwiki.chat.citations import opened
from llmwiki.cli.cleaning import clean
from llmwiki.cli.context import say
from llmwiki.core.errors import WikiError
from llmwiki.core.text import cut

if TYPE_CHECKING:
    from pathlib import Path

    from llmwiki.app.wiki import Wiki

WIDTH = 100
"""Characters of a line about a citation."""
_KNOWN = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby")


def say_citation(wiki: Wiki, number: int, handle: str) -> None:
    """Prints a citation in one line; in a terminal that has links, its number leads to the page."""
    try:
        found = opened(wiki, handle)
        title, path = found.title, found.path
    except WikiError as error:
        title, path = error.what, None
    line = clean(cut(f"{handle}  {' '.join(title.split())}", WIDTH))
    if path is None or not has_links():
        say(f"[{number}] {line}")
        return
    click.echo(f"{_linked(path, f'[{number}]')} {line}")


def _linked(path: Path, text: str) -> str:
    """A text that leads to a file of the wiki: OSC 8 of terminals. The address is percent-encoded,
    so that no name of a file ends it."""
    return f"\x1b]8;;{path.absolute().as_uri()}\x1b\\{text}\x1b]8;;\x1b\\"


def has_links() -> bool:
    """Whether standard output is a terminal that is known to show links."""
    held = os.environ
    if not sys.stdout.isatty() or held.get("TERM") == "dumb" or "TMUX" in held:
        return False
    if held.get("TERM_PROGRAM") in _KNOWN or "WT_SESSION" in held or "KONSOLE_VERSION" in held:
        return True
    if held.get("TERM", "") in ("xterm-kitty", "alacritty", "foot", "xterm-ghostty"):
        return True
    vte = held.get("VTE_VERSION", "")
    return vte.isdecimal() and int(vte) >= 5000
