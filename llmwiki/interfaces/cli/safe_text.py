"""Text of others made safe to print, wrapped and cut; and whether what is printed is coloured."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

WIDTH = 80
"""Columns of what is wrapped."""


def clean(text: str) -> str:
    """Text of others, safe to print: control and bidirectional characters become blanks."""
    from llmwiki.core.text import UNSAFE

    return UNSAFE.sub(" ", text)


def wrapped(text: str, first: str, below: str) -> list[str]:
    """A text as lines of `WIDTH` columns, behind `first` and then `below`."""
    import textwrap

    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=below,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def first_of(rows: Sequence[str], most: int, indent: str = "") -> list[str]:
    """The first rows behind an indent, and how many more there are."""
    lines = [f"{indent}{row}" for row in rows[:most]]
    more = len(rows) - most
    return [*lines, f"{indent}and {more} more (see --json)"] if more > 0 else lines


def is_coloured() -> bool:
    """Whether a terminal that knows colours is there; NO_COLOR and FORCE_COLOR count if not empty
    (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
