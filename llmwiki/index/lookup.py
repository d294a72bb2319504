"""Which pages a name may mean: exact, folded and as an acronym."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from llmwiki.core.page_kinds import NAMED
from llmwiki.core.text import fold
from llmwiki.index.corpus import ACRONYM, NAME, OPENING, SPELLING
from llmwiki.index.keys import keys_of_name, opening

if TYPE_CHECKING:
    from llmwiki.index.corpus import Corpus


class Lookup:
    """The titles and aliases of subjects and of documents: those of an index, and of pages that
    are entered here, which hide what the index has at their paths.

    Paths come sorted, each once; none found is an empty tuple.
    """

    def __init__(
        self,
        base: Callable[[], Corpus] | None = None,
        pages: Iterable[tuple[str, str, Iterable[str]]] = (),
    ) -> None:
        """`base` gives the index as it is then; without it there are the pages alone: (path, title,
        aliases)."""
        self._base = base
        self._names: dict[str, tuple[str, ...]] = {}
        self._keys: dict[str, set[str]] = {}
        for path, title, aliases in pages:
            self.add(path, title, aliases)

    def revised(self) -> Lookup:
        """The same, for pages to be entered; this one stays as it is."""
        rows = ((path, names[0], names[1:]) for path, names in self._names.items())
        return Lookup(self._base, rows)

    def add(self, path: str, title: str, aliases: Iterable[str] = ()) -> None:
        """Enter a page; what was known of that path is hidden."""
        for name in self._names.get(path, ()):
            for key in keys_of_name(name):
                self._keys[key].discard(path)
        self._names[path] = names = tuple(dict.fromkeys((title, *aliases)))
        for name in names:
            for key in keys_of_name(name):
                self._keys.setdefault(key, set()).add(path)

    def by_title(self, *names: str) -> tuple[str, ...]:
        """Pages with any of these as title or alias; case, width and typography do not count."""
        return self._by([NAME + fold(name) for name in names])

    def by_key(self, *keys: str) -> tuple[str, ...]:
        """Pages with a title or alias of any of these `folded_key`s; an empty one finds nothing."""
        return self._by([SPELLING + key for key in keys if key])

    def by_acronym(self, acronym: str) -> tuple[str, ...]:
        """Pages with a title or alias whose initials spell this, in lower case."""
        return self._by([ACRONYM + acronym]) if acronym else ()

    def names_of(self, path: str) -> tuple[str, ...]:
        """The title of a page and its aliases, in this order; empty for an unknown page."""
        if path in self._names or self._base is None:
            return self._names.get(path, ())
        facts = self._base().facts((path,)).get(path)
        if facts is None or facts.type not in NAMED:
            return ()
        return tuple(dict.fromkeys((facts.title, *facts.aliases)))

    def opens(self, words: Iterable[str]) -> set[str]:
        """The folded words that a name may begin with: a quick no before `titled`."""
        openings = {word: OPENING + opening(word) for word in words}
        found = self._standing(openings.values())
        return {word for word, key in openings.items() if key in found}

    def titled(self, folded: Iterable[str]) -> set[str]:
        """Those of the folded names that a page has as title or alias."""
        found = self._standing(NAME + name for name in folded)
        if self._names and self._base is not None:
            # What an entered page had before, no page may have now.
            return {key[len(NAME) :] for key in found if self._by([key])}
        return {key[len(NAME) :] for key in found}

    def _standing(self, keys: Iterable[str]) -> set[str]:
        asked = list(keys)
        found = {key for key in asked if self._keys.get(key)}
        return found if self._base is None else found | self._base().present(asked)

    def _by(self, keys: list[str]) -> tuple[str, ...]:
        found = {path for key in keys for path in self._keys.get(key, ())}
        if self._base is not None:
            below = self._base().paths(keys)
            found.update(p for paths in below.values() for p in paths if p not in self._names)
        return tuple(sorted(found))
