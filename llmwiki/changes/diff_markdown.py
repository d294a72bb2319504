"""A difference of memory as Markdown: the comment of a pull request or merge request.

A table for each page: what happened, and the proof, with a link to its lines where the forge is
known. Everything that documents or people wrote stands in code, where no forge acts on it:
mentions, references, links, HTML. Where it gets too long, whole rows are left out, those that want
no look first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from llmwiki.changes.diff import MemoryDiff
from llmwiki.changes.diff_lines import DiffLine, PageLines, QuoteLine, lines_by_page
from llmwiki.core.text import counted, cut, normalise
from llmwiki.pages.difference.change_words import Said, Words, count_words

MARKER = "<!-- llmwiki:diff v1 -->"
"""The first line, by which a later run finds the comment that it renews."""
LIMIT = 65_000
"""UTF-16 units at most; GitHub takes 65,536 characters."""
LONGEST_TEXT = 400
"""Characters of one text."""
_RESERVED = 60
"""Units that saying how much is left out may take."""
_DIRECTION = re.compile("[\u061c\u200e\u200f]")
_TICKS = re.compile("`+")
_WEIGHT = {"!": 0, "-": 1, "~": 2, "→": 3, "+": 3}
"""By its mark, which lines are left out last."""


def diff_markdown(told: MemoryDiff, limit: int = LIMIT) -> str:
    """The Markdown of a difference, of at most `limit` UTF-16 units, its marker first."""
    names = f"{in_code(told.before)} → {in_code(told.after)}"
    counts = ", ".join(count_words(told.changes)) or "nothing is said otherwise"
    head = f"{MARKER}\n### Memory: {counts}\n\n{names}, {counted(told.pages, 'page')} changed\n"
    pages = list(lines_by_page(told))
    rows = {(p, n): _row(line) for p, page in enumerate(pages) for n, line in enumerate(page.lines)}
    room = limit - _units(head) - _RESERVED
    kept: set[tuple[int, int]] = set()
    opened: set[int] = set()
    for key in sorted(rows, key=lambda key: (_WEIGHT[pages[key[0]].lines[key[1]].mark], key)):
        page = pages[key[0]]
        needed = _units(rows[key]) + (0 if key[0] in opened else _units(_opening(page)))
        if needed > room:
            break
        room -= needed
        kept.add(key)
        opened.add(key[0])
    parts = [head]
    for number, page in enumerate(pages):
        if number in opened:
            shown = (rows[number, n] for n in range(len(page.lines)) if (number, n) in kept)
            parts += [_opening(page), *shown]
    if len(rows) > len(kept):
        parts.append(f"\n… and {counted(len(rows) - len(kept), 'row')} more\n")
    return "".join(parts)


def _opening(page: PageLines) -> str:
    return f"\n| | {_cell(in_code(page.title))} | proof |\n|---|---|---|\n"


def _row(line: DiffLine) -> str:
    shown = [shown_words(line.words, in_code)]
    if line.rewording is not None:
        before, after = line.rewording
        shown += [f"{mark} {in_code(text)}" for mark, text in (("−", before), ("+", after)) if text]
    shown += [shown_words(words, in_code) for words in line.details]
    ident = f" {in_code('^' + line.claim)}" if line.claim else ""
    proof = "<br>".join(_proof(quote) for quote in line.quotes)
    return f"| {line.mark} | {_cell('<br>'.join(shown) + ident)} | {_cell(proof)} |\n"


def _proof(quote: QuoteLine) -> str:
    name = quote.place.path.rpartition("/")[2]
    where = in_code(f"{name} {quote.place.span}".rstrip())
    linked = f"[{where}]({quote.place.url})" if quote.place.url else where
    return f"{in_code(f'“{quote.quote}”')} {linked}" if quote.quote else linked


def shown_words(words: Words, safe: Callable[[str], str]) -> str:
    """Words of a line; what documents and people said in them goes through `safe`."""
    return "".join(safe(word.text) if isinstance(word, Said) else word for word in words)


def _cell(text: str) -> str:
    """A text in a cell of a table, where a bar ends the cell even in code."""
    return text.replace("|", "\\|")


def in_code(text: str) -> str:
    """Any text as a code span on one line, in which a forge acts on nothing."""
    line = cut(normalise(_DIRECTION.sub("", text)), LONGEST_TEXT) or "?"
    fence = "`" * (max(_runs(line), default=0) + 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _runs(text: str) -> Iterator[int]:
    return (len(run) for run in _TICKS.findall(text))


def _units(text: str) -> int:
    """The length of a text in UTF-16 units, as forges count it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
