"""Which pages a name may mean: exact, folded and as an acronym."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from llmwiki.core.acronyms import acronyms_of
from llmwiki.core.naming import folded_key
from llmwiki.core.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable


_FIRST = re.compile(r"[^\W_]+")


class Lookup(Protocol):
    """The names of all pages, asked three ways. Paths come sorted; none found is an empty tuple."""

    def by_title(self, name: str) -> tuple[str, ...]:
        """Pages with this title or alias; case, width and typography do not count."""

    def by_key(self, key: str) -> tuple[str, ...]:
        """Pages with a title or alias of this `folded_key`."""

    def by_acronym(self, acronym: str) -> tuple[str, ...]:
        """Pages with a title or alias whose initials spell this, in lower case."""

    def names_of(self, path: str) -> tuple[str, ...]:
        """The title of a page and its aliases, in this order; empty for an unknown page."""

    def titles(self) -> Iterable[tuple[str, str]]:
        """(path, title) of every page, sorted by path."""


class Names:
    """A `Lookup` in memory.

    Adding and removing cost as much as the page has aliases. The keys of a page are worked out
    when the first question needs them: most runs ask for exact names alone.
    """

    def __init__(self, pages: Iterable[tuple[str, str, Iterable[str]]] = ()) -> None:
        self._names: dict[str, tuple[str, ...]] = {}
        self._titles: dict[str, set[str]] = {}
        self._openings: Counter[str] = Counter()
        self._keys: dict[str, set[str]] = {}
        self._acronyms: dict[str, set[str]] = {}
        self._pending: dict[str, None] = {}
        for path, title, aliases in pages:
            self.add(path, title, aliases)

    def add(self, path: str, title: str, aliases: Iterable[str] = ()) -> None:
        """Enter a page; what was known of that path is replaced."""
        self.remove(path)
        self._names[path] = names = tuple(dict.fromkeys((title, *aliases)))
        for name in names:
            folded = fold(name)
            self._titles.setdefault(folded, set()).add(path)
            self._openings[_opening(folded)] += 1
        self._pending[path] = None

    def remove(self, path: str) -> None:
        """Forget a page; an unknown one is no error."""
        names = self._names.pop(path, ())
        for name in names:
            folded = fold(name)
            _discard(self._titles, folded, path)
            self._openings[_opening(folded)] -= 1
        if path in self._pending:
            del self._pending[path]
            return
        for name in names:
            _discard(self._keys, folded_key(name), path)
            for acronym in acronyms_of(name):
                _discard(self._acronyms, acronym, path)

    def by_title(self, name: str) -> tuple[str, ...]:
        """See Lookup."""
        return tuple(sorted(self._titles.get(fold(name), ())))

    def opens(self, word: str) -> bool:
        """Whether any name may begin with this folded word: a quick no before `by_title`."""
        return self._openings[_opening(word)] > 0

    def has_title(self, folded: str) -> bool:
        """Whether a page bears this name; it is folded already."""
        return folded in self._titles

    def by_key(self, key: str) -> tuple[str, ...]:
        """See Lookup."""
        self._work_out()
        return tuple(sorted(self._keys.get(key, ()))) if key else ()

    def by_acronym(self, acronym: str) -> tuple[str, ...]:
        """See Lookup."""
        self._work_out()
        return tuple(sorted(self._acronyms.get(acronym, ()))) if acronym else ()

    def names_of(self, path: str) -> tuple[str, ...]:
        """See Lookup."""
        return self._names.get(path, ())

    def titles(self) -> tuple[tuple[str, str], ...]:
        """See Lookup."""
        return tuple((path, names[0]) for path, names in sorted(self._names.items()))

    def _work_out(self) -> None:
        for path in self._pending:
            for name in self._names[path]:
                self._keys.setdefault(folded_key(name), set()).add(path)
                for acronym in acronyms_of(name):
                    self._acronyms.setdefault(acronym, set()).add(path)
        self._pending.clear()


def _opening(folded: str) -> str:
    """The first letters or digits of a folded name."""
    found = _FIRST.search(folded)
    return found[0] if found else ""


def _discard(index: dict[str, set[str]], key: str, path: str) -> None:
    paths = index.get(key)
    if paths is not None:
        paths.discard(path)
        if not paths:
            del index[key]
