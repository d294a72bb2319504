"""Which page names which in its text, without a link.

The index holds the capitalised names of each text. A title or an alias that stands among them, the
longest at each place, is a mention, unless it stands on so many pages that it says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.graph.links import holds
from llmwiki.index.corpus import RUN, TITLE
from llmwiki.language.tokens import STOP_WORDS

if TYPE_CHECKING:
    from array import array

    from llmwiki.index.corpus import Corpus

SHARE = 0.03
"""Of all pages; a name that stands on more leads nowhere. As retrieval's recipe has it."""
LEAST = 60
"""Pages on which a name may stand in however small a wiki; as there."""
BEARERS = 3
"""Pages of one name beyond which it means none of them."""
HEAVIEST = 0.5
"""Weight of the rarest mention: a link says more."""


class Mention(NamedTuple):
    """One page's text holds a name of another page."""

    source: int
    target: int
    name: str
    """Folded words joined by blanks."""
    weight: float
    """By how rare the name is and how many pages have it; at most `HEAVIEST`."""


def mentions_of(
    index: Corpus,
    place_of: Mapping[int, int],
    leads: Sequence[Sequence[int]],
    further: Iterable[tuple[str, int]] = (),
) -> list[Mention]:
    """Every mention between pages that no link joins, by source, target and name.

    `further` are names that stand in the source of a page.
    """
    bearers: dict[str, tuple[int, ...]] = {}
    for name, docs in index.below(TITLE):
        bearers[name] = (*bearers.get(name, ()), *_places(docs, place_of))
    opens = {name.partition(" ")[0] for name in bearers}
    holders: dict[str, set[int]] = {}
    on_pages = ((spoken, tuple(_places(docs, place_of))) for spoken, docs in index.below(RUN))
    for spoken, places in chain(on_pages, ((spoken, (place,)) for spoken, place in further)):
        words = spoken.split(" ")
        if not opens.isdisjoint(words):
            for name in _named(words, bearers):
                holders.setdefault(name, set()).update(places)
    most = max(LEAST, int(SHARE * len(leads)))
    found = []
    for name, sources in holders.items():
        targets = bearers[name]
        if len(sources) > most or not 0 < len(targets) <= BEARERS:
            continue
        weight = _weight(len(leads), len(sources), len(targets))
        found += [
            Mention(source, target, name, weight)
            for source in sources.difference(targets)
            for target in targets
            if not holds(leads[source], target) and not holds(leads[target], source)
        ]
    return sorted(found)


def _places(docs: array[int], place_of: Mapping[int, int]) -> Iterable[int]:
    return (place_of[doc] for doc in docs if doc in place_of)


def _named(words: list[str], names: Collection[str]) -> Iterable[str]:
    """The titles in a name, from left to right the longest at each place."""
    start = 0
    while start < len(words):
        step = 1
        for size in range(len(words) - start, 0, -1):
            name = " ".join(words[start : start + size])
            if name in names and (size > 1 or _names_alone(name)):
                yield name
                step = size
                break
        start += step


def _names_alone(word: str) -> bool:
    return word not in STOP_WORDS and not word.isdigit() and len(word) > 2


def _weight(pages: int, holders: int, bearers: int) -> float:
    rarity = math.log(1 + pages / holders) / math.log(1 + pages)
    return max(round(HEAVIEST * rarity / bearers, 3), 0.001)
