"""What most pages have of a kind: link targets and tags, counted by difference over a base."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llmwiki.index.base import Base, storable


class KeyRanking:
    """The keys below one prefix by how many pages have them.

    Counts that differ from the base's are held here; the cost of a question grows with what is
    asked for, not with the wiki.
    """

    def __init__(self, base: Base, prefix: str) -> None:
        self._base = base
        self._prefix = prefix
        self._counts: dict[str, int] = {}
        """The present count of every key that was ever counted here."""
        self._by_count: dict[int, set[str]] = {}
        self._rows: Sequence[tuple[str, int]] = ()
        self._asked = 0

    def know(self, names: Iterable[str]) -> None:
        """Asks the base for the counts of names (without the prefix), before they are counted."""
        unknown = sorted({self._prefix + name for name in names} - self._counts.keys())
        if unknown:
            known = self._base.counts(storable(unknown))
            for key in unknown:
                self._put(key, known.get(key, 0))

    def counts_of(self, names: Iterable[str]) -> dict[str, int]:
        """How many pages have each of the names."""
        asked = list(names)
        self.know(asked)
        return {name: self._counts[self._prefix + name] for name in asked}

    def count(self, names: Iterable[str], sign: int) -> None:
        """Counts one page's names in, or with -1 out. Raises KeyError for names not known."""
        for key in [self._prefix + name for name in names]:
            count = self._counts[key]
            self._by_count[count].discard(key)
            if not self._by_count[count]:
                del self._by_count[count]
            self._put(key, count + sign)

    def _put(self, key: str, count: int) -> None:
        self._counts[key] = count
        self._by_count.setdefault(count, set()).add(key)

    def top(self, least: int) -> list[tuple[str, int]]:
        """The names with most pages: by falling count, then by name; none with no page.

        At least `least` where there are as many, and all that tie with the last.
        """
        below = self._below(least)
        bar = below[least - 1][1] if len(below) >= least else 1
        rows = list(below)
        for count in sorted(self._by_count, reverse=True):
            if count < bar:
                break
            rows += [(key, count) for key in self._by_count[count]]
        rows.sort(key=lambda row: (-row[1], row[0]))
        last = rows[least - 1][1] if len(rows) >= least else 1
        return [(key[len(self._prefix) :], count) for key, count in rows if count >= last]

    def _below(self, least: int) -> list[tuple[str, int]]:
        """At least `least` rows of the base whose counts are still right, or all there are."""
        while True:
            rows = [row for row in self._rows if row[0] not in self._counts]
            if len(rows) >= least or self._asked > len(self._rows):
                return rows
            self._asked = max(2 * self._asked, 4 * least)
            self._rows = self._base.top(self._prefix, self._asked)
