"""The names of all pages of a state, found by key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from llmwiki.core.page_kinds import NAMED
from llmwiki.core.text import fold
from llmwiki.index.corpus import Corpus
from llmwiki.index.keys import ACRONYM, NAME, OPENING, SPELLING
from llmwiki.index.lookup import opening

T = TypeVar("T")


class Ask(Protocol):
    """Puts a question to the index there is. It may be asked twice, where the index fails."""

    def __call__(self, question: Callable[[Corpus], T]) -> T:
        """The answer."""


class FirstPaths:
    """Where things of one kind are: the page, the first by path, that has them."""

    def __init__(self, ask: Ask, prefix: str) -> None:
        self._ask = ask
        self._prefix = prefix

    def get(self, name: str) -> str | None:
        """The page that has it; None where none has."""
        return self.among((name,)).get(name)

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def among(self, names: Iterable[str]) -> dict[str, str]:
        """Those of the names that any page has, to that page."""
        keys = [self._prefix + name for name in names]
        found = self._ask(lambda index: index.paths(keys))
        return {key[len(self._prefix) :]: paths[0] for key, paths in found.items()}


class StateNames:
    """A `Lookup` over the titles and aliases of subjects and of documents."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

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
        facts = self._ask(lambda index: index.facts((path,))).get(path)
        if facts is None or facts.type not in NAMED:
            return ()
        return tuple(dict.fromkeys((facts.title, *facts.aliases)))

    def opens(self, words: Iterable[str]) -> set[str]:
        """The folded words that a name may begin with: a quick no before `titled`."""
        openings = {word: OPENING + opening(word) for word in words}
        found = self._ask(lambda index: index.present(openings.values()))
        return {word for word, key in openings.items() if key in found}

    def titled(self, folded: Iterable[str]) -> set[str]:
        """Those of the folded names that a page has as title or alias."""
        keys = [NAME + name for name in folded]
        return {key[len(NAME) :] for key in self._ask(lambda index: index.present(keys))}

    def _by(self, keys: Sequence[str]) -> tuple[str, ...]:
        found = self._ask(lambda index: index.paths(keys))
        return tuple(sorted({path for paths in found.values() for path in paths}))
