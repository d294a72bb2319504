"""Which page links to which, from what the index holds of single pages."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.index.facts import is_catalogue
from llmwiki.pages.link_targets import is_attachment, name_in, resolver_of

if TYPE_CHECKING:
    from llmwiki.index.corpus import Card


class Links(NamedTuple):
    """All links of a wiki; pages by their places."""

    leads: list[array[int]]
    """For each page those it links to, rising, itself excepted."""
    missing: dict[str, tuple[int, ...]]
    """Folded names of wikilinks that lead to no page, to the pages they stand on; links to other
    files are left out."""


def links_of(pages: Sequence[Card], own: Iterable[tuple[str, str]] = ()) -> Links:
    """Every link between some pages, which are all of a wiki; `own` are those of their sources."""
    place_of = {page.path: place for place, page in enumerate(pages)}
    resolver = resolver_of((page.path, page.called) for page in pages)
    leads: list[array[int]] = []
    missing: dict[str, list[int]] = {}
    of_source: dict[int, set[int]] = {}
    for start, end in own:
        if start in place_of and end in place_of:
            of_source.setdefault(place_of[start], set()).add(place_of[end])
    for place, page in enumerate(pages):
        row = of_source.get(place, set())
        for key in page.links:
            target = resolver.lead(key, page.path)
            if target is not None:
                row.add(place_of[target])
            elif "//" not in key and not _is_elsewhere(name_in(key)):
                held = missing.setdefault(name_in(key), [])
                if place not in held[-1:]:
                    held.append(place)
        leads.append(array("I", sorted(row - {place})))
    return Links(leads, {name: tuple(held) for name, held in sorted(missing.items())})


def holds(row: Sequence[int], place: int) -> bool:
    """Whether a rising row of places holds one: of thousands as quickly as of ten."""
    at = bisect_left(row, place)
    return at < len(row) and row[at] == place


def _is_elsewhere(name: str) -> bool:
    """Whether a name means a file that is no page of the wiki: catalogue, picture, document."""
    if any(is_catalogue(f"wiki/{folder}{name}.md") for folder in ("", "part/", "daily/")):
        return True
    return is_attachment(name)
