"""How rules say what they found: places, bounds, and texts cut for a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, tee

from llmwiki.core.text import listed
from llmwiki.lint.finding import Finding, Severity


def placed(text: str, offsets: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(line, column) of each offset, both from 1; offsets must ascend."""
    line, begins, counted = 1, -1, 0
    for offset in offsets:
        line += text.count("\n", counted, offset)
        # Never from further back than the last one: a page may be one line.
        begins = max(begins, text.rfind("\n", counted, offset))
        counted = offset
        yield line, offset - begins


def matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], int, int]]:
    """Each match of a pattern with its line and column."""
    found, again = tee(pattern.finditer(text))
    places = placed(text, (match.start() for match in again))
    for match, (line, column) in zip(found, places, strict=True):
        yield match, line, column


def named(paths: Sequence[str], most: int = 3) -> str:
    """A few paths in words: `a`, `b` and 2 more."""
    return _listed(paths[:most], len(paths) - most)


def others(paths: Sequence[str], own: str, *, is_one: bool = True) -> str:
    """The paths but one's own, in words; `is_one`: one's own is among them, once."""
    shown = list(islice((path for path in paths if path != own), 3))
    return _listed(shown, len(paths) - is_one - len(shown))


def _listed(paths: Sequence[str], more: int) -> str:
    shown = [f"`{path}`" for path in paths]
    if more > 0:
        shown.append(f"{more} more")
    return listed(shown) if shown else ""


def short(text: str, most: int = 60) -> str:
    """The beginning of a text on one line, for a message."""
    plain = " ".join(text[: most * 4].split())
    return plain if len(plain) <= most else plain[:most].rstrip() + "…"


def milder(hits: Iterable[Finding], severity: Severity) -> Iterator[Finding]:
    """Hits that are less bad than their rule says."""
    return (hit._replace(severity=severity) for hit in hits)
