"""How much of a statement a text says in one place: what tells a page on the subject of the text
from one that shares its everyday words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from llmwiki.language.tokens import terms

FLOOR = 1_500
"""Likeness from which a statement is about what the text is about. Of pages of unrelated documents
one in 500 reaches it, of those of one document two in three (measured)."""
TOUCHES = 500
"""Likeness below which the two share a word or two by chance. Where the words of the page's title
stand in the text too, it lets in one in 400 and three in four."""
_PLACE = 400
"""Characters from which a place ends at the next end of a line."""
_FEW = 4
"""Places of a text so short that no word of it is an everyday one."""


class TextLikeness:
    """Likeness to the places of one text: paragraphs, or so many lines of a long one."""

    def __init__(self, text: str) -> None:
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        count = 0
        for count, place in enumerate(_places(text), start=1):
            for term in _telling(place):
                self._places[term].append(count)
        self._most = max(_FEW, count // 2)

    def of(self, statement: str) -> int:
        """The terms that the statement has in common with the place that has most of them, squared
        and divided by all its terms; in thousandths.

        A term of more than half of all places does not count.
        """
        asked = [self._places.get(term, []) for term in _telling(statement)]
        telling = [places for places in asked if len(places) <= self._most]
        shared = Counter(place for places in telling for place in places)
        return 1_000 * max(shared.values(), default=0) ** 2 // max(len(telling), 1)

    def names(self, name: str) -> bool:
        """Whether all words of a name stand in the text, wherever."""
        telling = _telling(name)
        return bool(telling) and all(term in self._places for term in telling)


def _telling(text: str) -> list[str]:
    return [term for term in terms(text) if len(term) > 1]


def _places(text: str) -> Iterator[str]:
    held, size = list[str](), 0
    for line in (*text.split("\n"), ""):
        if held and (size >= _PLACE or not line.strip()):
            yield "\n".join(held)
            held, size = [], 0
        if line.strip():
            held.append(line)
            size += len(line)
