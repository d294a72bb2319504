"""Which pages a name may mean: exact, folded and as an acronym."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from llmwiki.core.text import fold
from llmwiki.language.acronyms import acronyms_of
from llmwiki.language.naming import folded_key

_FIRST = re.compile(r"[^\W_]+")


def opening(folded: str) -> str:
    """The first letters or digits of a folded name; may be empty."""
    found = _FIRST.search(folded)
    return found[0] if found else ""


class Lookup(Protocol):
    """The names of all pages. Paths come sorted, each once; none found is an empty tuple."""

    def by_title(self, *names: str) -> tuple[str, ...]:
        """Pages with any of these as title or alias; case, width and typography do not count."""

    def by_key(self, *keys: str) -> tuple[str, ...]:
        """Pages with a title or alias of any of these `folded_key`s; an empty one finds nothing."""

    def by_acronym(self, acronym: str) -> tuple[str, ...]:
        """Pages with a title or alias whose initials spell this, in lower case."""

    def names_of(self, path: str) -> tuple[str, ...]:
        """The title of a page and its aliases, in this order; empty for an unknown page."""

    def opens(self, words: Iterable[str]) -> set[str]:
        """The folded words that a name may begin with: a quick no before `titled`."""

    def titled(self, folded: Iterable[str]) -> set[str]:
        """Those of the folded names that a page has as title or alias."""


class MemoryLookup:
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

    def __contains__(self, path: str) -> bool:
        return path in self._names

    def add(self, path: str, title: str, aliases: Iterable[str] = ()) -> None:
        """Enter a page; what was known of that path is replaced."""
        self.remove(path)
        self._names[path] = names = tuple(dict.fromkeys((title, *aliases)))
        for name in names:
            folded = fold(name)
            self._titles.setdefault(folded, set()).add(path)
            self._openings[opening(folded)] += 1
        self._pending[path] = None

    def remove(self, path: str) -> None:
        """Forget a page; an unknown one is no error."""
        names = self._names.pop(path, ())
        for name in names:
            folded = fold(name)
            _discard(self._titles, folded, path)
            self._openings[opening(folded)] -= 1
        if path in self._pending:
            del self._pending[path]
            return
        for name in names:
            _discard(self._keys, folded_key(name), path)
            for acronym in acronyms_of(name):
                _discard(self._acronyms, acronym, path)

    def by_title(self, *names: str) -> tuple[str, ...]:
        """Pages with any of these as title or alias; case, width and typography do not count."""
        return _together(self._titles.get(fold(name), ()) for name in names)

    def by_key(self, *keys: str) -> tuple[str, ...]:
        """Pages with a title or alias of any of these `folded_key`s; an empty one finds nothing."""
        self._work_out()
        return _together(self._keys.get(key, ()) for key in keys if key)

    def by_acronym(self, acronym: str) -> tuple[str, ...]:
        """Pages with a title or alias whose initials spell this, in lower case."""
        self._work_out()
        return tuple(sorted(self._acronyms.get(acronym, ()))) if acronym else ()

    def names_of(self, path: str) -> tuple[str, ...]:
        """The title of a page and its aliases, in this order; empty for an unknown page."""
        return self._names.get(path, ())

    def opens(self, words: Iterable[str]) -> set[str]:
        """The folded words that a name may begin with: a quick no before `titled`."""
        return {word for word in words if self._openings[opening(word)] > 0}

    def titled(self, folded: Iterable[str]) -> set[str]:
        """Those of the folded names that a page has as title or alias."""
        return {name for name in folded if name in self._titles}

    def _work_out(self) -> None:
        for path in self._pending:
            for name in self._names[path]:
                self._keys.setdefault(folded_key(name), set()).add(path)
                for acronym in acronyms_of(name):
                    self._acronyms.setdefault(acronym, set()).add(path)
        self._pending.clear()


class RevisedLookup:
    """A `Lookup` with some pages entered anew; the one below stays as it is."""

    def __init__(self, below: Lookup) -> None:
        self._below = below
        self._own = MemoryLookup()

    def add(self, path: str, title: str, aliases: Iterable[str] = ()) -> None:
        """Enter a page; what was known of that path is hidden."""
        self._own.add(path, title, aliases)

    def by_title(self, *names: str) -> tuple[str, ...]:
        """Pages with any of these as title or alias; case, width and typography do not count."""
        return self._over(self._below.by_title(*names), self._own.by_title(*names))

    def by_key(self, *keys: str) -> tuple[str, ...]:
        """Pages with a title or alias of any of these `folded_key`s; an empty one finds nothing."""
        return self._over(self._below.by_key(*keys), self._own.by_key(*keys))

    def by_acronym(self, acronym: str) -> tuple[str, ...]:
        """Pages with a title or alias whose initials spell this, in lower case."""
        return self._over(self._below.by_acronym(acronym), self._own.by_acronym(acronym))

    def names_of(self, path: str) -> tuple[str, ...]:
        """The title of a page and its aliases, in this order; empty for an unknown page."""
        return self._own.names_of(path) or self._below.names_of(path)

    def opens(self, words: Iterable[str]) -> set[str]:
        """The folded words that a name may begin with: a quick no before `titled`."""
        asked = set(words)
        return self._below.opens(asked) | self._own.opens(asked)

    def titled(self, folded: Iterable[str]) -> set[str]:
        """Those of the folded names that a page has as title or alias."""
        return {name for name in folded if self.by_title(name)}

    def _over(self, below: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
        if not own and not any(path in self._own for path in below):
            return below
        return _together(([path for path in below if path not in self._own], own))


def _together(found: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({path for paths in found for path in paths}))


def _discard(index: dict[str, set[str]], key: str, path: str) -> None:
    paths = index.get(key)
    if paths is not None:
        paths.discard(path)
        if not paths:
            del index[key]
