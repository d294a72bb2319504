"""A difference of memory as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from llmwiki.app.diff import counts, pages, word_diff
from llmwiki.cli.context import WIDTH
from llmwiki.core.text import counted, cut, normalise

if TYPE_CHECKING:
    from llmwiki import DiffLine, MemoryDiff

_INDENT = "    "
_BELOW = "        "
_LONGEST = 1_200
"""Characters of one text that are shown."""


def diff_text(told: MemoryDiff) -> str:
    """What changed: counts, then page by page."""
    if not told.pages:
        return f"{told.before} → {told.after}: memory is the same"
    head = f"{told.before} → {told.after}: {counted(told.pages, 'page')} changed"
    rows = [head, counts(told) or "nothing is said otherwise: links, marks or order"]
    for page in pages(told):
        heading = f"{normalise(page.title)}  {normalise(page.path)}".rstrip()
        rows += ["", heading, *(row for line in page.lines for row in _line(line))]
    return "\n".join(rows)


def _line(line: DiffLine) -> Iterator[str]:
    if line.rewording is not None and not line.claim:
        yield from _wrapped(f"  {line.mark} ", f"{line.spoken}: {_rewording(line)}")
    elif line.rewording is not None:
        yield from _wrapped(f"  {line.mark} ", f"{_rewording(line)}  ^{line.claim}")
    else:
        ident = f"  ^{line.claim}" if line.claim else ""
        yield from _wrapped(f"  {line.mark} ", f"{line.spoken}{ident}")
    for quote in line.spoken_below:
        yield from _wrapped(_BELOW, quote)


def _rewording(line: DiffLine) -> str:
    before, after = (cut(normalise(text), _LONGEST) for text in line.rewording or ("", ""))
    shown = []
    for piece in word_diff(before, after):
        edge = {"=": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}[piece.mark]
        shown.append(edge.format(piece.text))
    return "".join(shown)


def _wrapped(first: str, text: str) -> Sequence[str]:
    below = _BELOW if first == _BELOW else _INDENT
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=below,
        break_long_words=False, break_on_hyphens=False, drop_whitespace=True,
    ) or [first.rstrip()]  # fmt: skip
