"""Which pages follow the formats of this program, and where in a text something stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, tee

from llmwiki.core.page_kinds import KIND_OF_FOLDER, KINDS, MEMORY
from llmwiki.core.text import listed
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.view import PageView
from llmwiki.pages.page import read_generated

MOST = 50
"""Findings of one rule on one page, or in one file, that are told one by one."""


def home_type(view: PageView) -> str:
    """The type of the pages of this page's folder; empty where a person chose the place.

    In a foreign vault only pages that have one of our types belong into our folders.
    """
    if view.is_foreign and view.type not in KINDS:
        return ""
    return "memory" if view.path == MEMORY else KIND_OF_FOLDER.get(view.folder, "")


def kind_of(view: PageView) -> str:
    """What kind of page it is: its type where that is one of ours, else by its folder."""
    return view.type if view.type in KINDS else home_type(view)


def is_signed(view: PageView) -> bool:
    """Whether its frontmatter has what only this program writes."""
    marks = read_generated(view.values.get("generated"))
    is_marked = bool(marks.prose or marks.about) or marks.by.startswith("llmwiki")
    return is_marked or bool(view.head.sources)


def is_ours(view: PageView) -> bool:
    """Whether a page is meant to follow our formats: by its place, or by what signs it.

    The files of a skill follow another standard.
    """
    if view.is_foreign:
        return _may_be_signed(view)
    return view.folder != "skills" and (bool(home_type(view)) or _may_be_signed(view))


def _may_be_signed(view: PageView) -> bool:
    keys = view.front_lines
    return ("sources" in keys or "generated" in keys) and not view.broken and is_signed(view)


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


def bounded(hits: Iterable[RuleHit]) -> Iterator[RuleHit]:
    """The first hits, and one that says how many more there are."""
    each = iter(hits)
    yield from islice(each, MOST)
    first = next(each, None)
    if first is not None:
        more = 1 + sum(1 for _hit in each)
        yield first._replace(
            column=0, message=f"… and {more} more of this kind", mend="", about="more", claims=()
        )


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
