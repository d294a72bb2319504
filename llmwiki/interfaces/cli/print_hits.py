"""What is printed of what was found; loads nothing that parses options."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from llmwiki.core.text import counted, cut, normalise
from llmwiki.interfaces.cli.safe_text import WIDTH, clean, is_coloured

if TYPE_CHECKING:
    from llmwiki import Context, SearchResult, SearchRow

_INDENT = 4
_SHOWN_LINES = 5
_WRAPPED = 30
"""Characters that lines lose where words are wrapped."""
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
ONE = 1_000_000
"""Scores are whole numbers of millionths."""


def decimal(millionths: int) -> str:
    """A score with three places, cut and not rounded, so that no float is involved."""
    sign = "-" if millionths < 0 else ""
    whole, rest = divmod(abs(millionths), ONE)
    return f"{sign}{whole}.{rest // 1000:03d}"


def _score_lines(row: SearchRow) -> list[str]:
    """Which parts a page's score has, and by which titles and links it was reached."""
    parts = [f"{name} {decimal(value)}" for name, value in row.parts.items() if value]
    return [f"{decimal(row.score)} = {' + '.join(parts) or '0'}", *row.reasons]


def hit_text(number: int, row: SearchRow, found: SearchResult, *, explain: bool = False) -> str:
    """One page, safe to print; with `explain` what each part of its score gave."""
    lines = [*_lines(number, row, found), *(map(clean, _score_lines(row)) if explain else ())]
    return f"\n{' ' * _INDENT}".join(lines)


def _lines(number: int, row: SearchRow, found: SearchResult) -> Iterator[str]:
    """What is printed of a page, safe to print; all but the first line are to be indented."""
    tail = f"  {row.type or 'page'}"
    room = WIDTH - _INDENT - len(tail)
    yield clean(f"{number:2}".ljust(_INDENT) + f"{cut(row.shown_title, room):{room}}{tail}")
    where = normalise(row.place)
    _, sign, ident = row.handle.partition("#^")
    if sign:
        has_room = _INDENT + len(f"{where}  {row.handle}") <= WIDTH
        where += f"  {row.handle if has_room else ident.rstrip(']')}"
    yield clean(where)
    text = found.excerpt(row, _SHOWN_LINES * (WIDTH - _INDENT) - _WRAPPED)
    for line in textwrap.wrap(text, WIDTH - _INDENT, break_on_hyphens=False):
        pieces = found.pieces(clean(line)) if is_coloured() else ((clean(line), False),)
        yield "".join(f"{_BOLD}{text}{_PLAIN}" if held else text for text, held in pieces)
    if row.passage.struck:
        yield "struck: this no longer holds"
    if row.updated_by:
        yield clean(f"updated by {' and '.join(row.updated_by)}")


def limit_lines(context: Context) -> Iterator[str]:
    """What is not shown of a context, and where little was found."""
    if context.is_faint:
        missing = ", ".join(term.text for term in context.terms if term.text in context.nowhere)
        nowhere = f"; nowhere in the wiki: {missing}" if missing else ""
        yield f"no passage holds much of what is asked: it may not be in the wiki{nowhere}"
    if context.left_out:
        yield f"{counted(context.left_out, 'passage')} found no room: --budget"
    if context.more:
        yield f"{context.more} more score far below the best: --more"
