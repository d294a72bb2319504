"""What was read of an index, kept for the next question: bounded, and of one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import TypeVar, cast

from llmwiki.index.corpus import TITLE, Card, Postings, T

MOST_POSTINGS = 1_000_000
"""Of five bytes each."""
MOST_KEYS = 60_000
MOST_CARDS = 2_000
"""Of some kilobytes each."""
MOST_PATHS = 10_000

K = TypeVar("K")
V = TypeVar("V")


class KeptAnswers:
    """Postings, cards and paths that were asked for; of too many all are let go.

    All titles are known beforehand: most words of a text that may be one are none.
    """

    def __init__(self, titles: Set[str] | None = None) -> None:
        """`titles` are all keys below TITLE; None: they are not known."""
        self._titles = titles
        self._made: dict[Callable[[], object], object] = {}
        self._postings: dict[str, Postings | None] = {}
        self._held = 0
        self._cards: dict[int, Card | None] = {}
        self._paths: dict[int, str | None] = {}

    def postings_of(
        self, keys: Sequence[str], ask: Callable[[Iterable[str]], dict[str, Postings]]
    ) -> dict[str, Postings]:
        """Of each key that stands anywhere its postings; `ask` reads those not kept."""
        if self._held > MOST_POSTINGS:
            self._postings.clear()
            self._held = 0
        titles = self._titles
        if titles is not None:
            keys = [key for key in keys if key[: len(TITLE)] != TITLE or key in titles]

        def read(missing: Iterable[str]) -> dict[str, Postings]:
            new = ask(missing)
            self._held += sum(map(len, new.values()))
            return new

        return _kept(self._postings, keys, read, MOST_KEYS)

    def kept(self, make: Callable[[], T]) -> T:
        """What `make` gave the first time."""
        if make not in self._made:
            self._made[make] = make()
        return cast("T", self._made[make])

    def cards_of(
        self, docs: Sequence[int], ask: Callable[[Iterable[int]], dict[int, Card]]
    ) -> dict[int, Card]:
        """The cards of pages; `ask` reads those not kept."""
        return _kept(self._cards, docs, ask, MOST_CARDS)

    def paths_of(
        self, docs: Sequence[int], ask: Callable[[Iterable[int]], dict[int, str]]
    ) -> dict[int, str]:
        """The paths of pages; `ask` reads those not kept."""
        return _kept(self._paths, docs, ask, MOST_PATHS)


def _kept(
    known: dict[K, V | None], keys: Sequence[K], ask: Callable[[Iterable[K]], dict[K, V]], most: int
) -> dict[K, V]:
    if len(known) > most:
        known.clear()
    missing = [key for key in keys if key not in known]
    if missing:
        known.update(dict.fromkeys(missing))
        known.update(ask(missing))
    return {key: found for key in keys if (found := known[key]) is not None}
