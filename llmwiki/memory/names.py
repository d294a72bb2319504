"""The names of all pages of a state, found by key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llmwiki.core.page_kinds import NAMED
from llmwiki.core.text import fold
from llmwiki.index.keys import ACRONYM, NAME, OPENING, SPELLING
from llmwiki.index.lookup import opening
from llmwiki.memory.overlay import Ask, Overlay

_KEPT_WORDS = 1 << 15


class StateNames:
    """A `Lookup` over the titles and aliases of subjects and of documents."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._opens: dict[str, bool] = {}
        """Openings of which the index has a name, or has none."""

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
        facts = self._ask(lambda view: view.facts((path,))).get(path)
        if facts is None or facts.type not in NAMED:
            return ()
        return tuple(dict.fromkeys((facts.title, *facts.aliases)))

    def opens(self, words: Iterable[str]) -> set[str]:
        """The folded words that a name may begin with: a quick no before `titled`."""
        openings = {word: OPENING + opening(word) for word in words}
        found = self._ask(lambda view: self._found(view, set(openings.values())))
        return {word for word, key in openings.items() if key in found}

    def _found(self, view: Overlay, keys: set[str]) -> set[str]:
        own = {key for key in keys if view.has_own(key)}
        unknown = (keys - own) - self._opens.keys()
        if unknown:
            if len(self._opens) > _KEPT_WORDS:
                self._opens.clear()
                unknown = keys - own
            present = view.present(unknown)
            self._opens.update((key, key in present) for key in unknown)
        return own.union(key for key in keys - own if self._opens[key])

    def titled(self, folded: Iterable[str]) -> set[str]:
        """Those of the folded names that a page has as title or alias."""
        keys = {NAME + name for name in folded}
        # Most runs of words are no name: those are told apart before any page is named.
        found = self._ask(lambda view: view.paths(sorted(view.present(keys))))
        return {key[len(NAME) :] for key in found}

    def _by(self, keys: Sequence[str]) -> tuple[str, ...]:
        found = self._ask(lambda view: view.paths(keys))
        return tuple(sorted({path for paths in found.values() for path in paths}))
