"""`wiki search WORDS` and `wiki context QUESTION` as they are mostly called: without options.

They are answered without loading what parses options, a third of their time. Whatever is out of the
ordinary, an error or a notice, is left to the whole command, which is then run from its beginning.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import WikiError
from llmwiki.interfaces.cli.safe_text import clean

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki


class _OutOfTheOrdinary(Exception):
    """Something is to be told that only the whole command tells."""


def answered(arguments: Sequence[str]) -> bool:
    """Whether the command was one of these, and its answer is printed."""
    name, *words = arguments or [""]
    answer = {"search": _search, "context": _context}.get(name)
    has_options = any(word.startswith("-") for word in words)
    if answer is None or not words or has_options or "_WIKI_COMPLETE" in os.environ:
        return False
    from llmwiki.app.wiki import Wiki
    from llmwiki.core.callbacks import Callbacks

    try:
        wiki = Wiki.open(Path.cwd(), Callbacks(notice=_refuse, step=_refuse))
        text, notes = answer(wiki, " ".join(words))
    except (WikiError, OSError, _OutOfTheOrdinary):
        return False
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
        sys.stderr.write("".join(f"wiki: {clean(note)}\n" for note in notes))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True


def _refuse(*_told: object) -> None:
    raise _OutOfTheOrdinary


def _search(wiki: Wiki, words: str) -> tuple[str, Iterable[str]]:
    from llmwiki.interfaces.cli.print_hits import hit_text

    found = wiki.search(words)
    if not found.rows:
        raise _OutOfTheOrdinary
    hits = (hit_text(at, row, found) for at, row in enumerate(found.rows, start=1))
    return "\n".join(hits), found.notes


def _context(wiki: Wiki, question: str) -> tuple[str, Iterable[str]]:
    from llmwiki.interfaces.cli.print_hits import limit_lines

    found = wiki.context(question).context
    if not found.shown:
        raise _OutOfTheOrdinary
    return clean(found.text.rstrip("\n")), limit_lines(found)
