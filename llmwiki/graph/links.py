"""Which page links to which, from what the index holds of single pages."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.index.corpus import FILE, LINK
from llmwiki.index.facts import is_catalogue
from llmwiki.index.full_scan import below

if TYPE_CHECKING:
    from llmwiki.index.reader import Reader

_ATTACHMENT = re.compile(
    r"\.(?:avif|bmp|gif|jpe?g|png|svg|webp|tiff?|pdf|docx?|xlsx?|pptx?|odt|csv|json|txt|html?"
    r"|mp[34]|m4a|wav|ogg|flac|webm|mov|mkv|zip|canvas|base)\Z"
)
"""Files that a link may lead to and that are no pages, by their ending."""


class Links(NamedTuple):
    """All wikilinks of a wiki; pages by their places."""

    leads: list[array[int]]
    """For each page those it links to, rising, itself excepted."""
    missing: dict[str, tuple[int, ...]]
    """Folded names that no page bears, to the pages that link there."""


def links_of(index: Reader, paths: Sequence[str], place_of: Mapping[int, int]) -> Links:
    """Every link of the pages at `paths`; `place_of` gives the place of a page's number.

    Where several pages bear the name of a link it leads to the one of the shortest path, then the
    first: as Obsidian resolves it.
    """
    target_of = _bearers(index, paths, place_of)
    leads: list[list[int]] = [[] for _ in paths]
    missing: dict[str, list[int]] = {}
    for name, docs in below(index, LINK):
        target = target_of.get(name)
        if target is None and name.endswith(".md"):
            target = target_of.get(name.removesuffix(".md"))
        if target is None:
            if not _is_elsewhere(name):
                held = missing.setdefault(name, [])
                held.extend(place_of[doc] for doc in docs if doc in place_of)
            continue
        for doc in docs:
            source = place_of.get(doc)
            if source is not None and source != target:
                leads[source].append(target)
    return Links(
        [array("I", sorted(set(row))) for row in leads],
        {name: tuple(sorted(held)) for name, held in sorted(missing.items()) if held},
    )


def _bearers(index: Reader, paths: Sequence[str], place_of: Mapping[int, int]) -> dict[str, int]:
    """Folded file names to the page that a link of that name leads to."""
    found: dict[str, int] = {}
    for name, docs in below(index, FILE):
        for doc in docs:
            if (place := place_of.get(doc)) is not None:
                known = found.get(name)
                if known is None or _nearness(paths[place]) < _nearness(paths[known]):
                    found[name] = place
    return found


def holds(row: Sequence[int], place: int) -> bool:
    """Whether a rising row of places holds one: of thousands as quickly as of ten."""
    at = bisect_left(row, place)
    return at < len(row) and row[at] == place


def _nearness(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _is_elsewhere(name: str) -> bool:
    """Whether a name means a file that is no page of the wiki: catalogue, picture, document."""
    stem = name.removesuffix(".md")
    if is_catalogue(f"wiki/{stem}.md") or is_catalogue(f"wiki/part/{stem}.md"):
        return True
    return _ATTACHMENT.search(name) is not None
