"""What memory asks of an indexed wiki: the facts of its committed pages, found by key."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from llmwiki.index.facts import PageFacts
    from llmwiki.index.keys import LedgerRow
    from llmwiki.pages.catalogue import Entry

DAMAGE = sqlite3.DatabaseError
"""What a base raises where its file proves damaged, or unreadable, while it is asked."""


class Sums(NamedTuple):
    """Counts over all pages, kept by difference."""

    pages: int = 0
    claims: int = 0
    """Claims by the pages they stand on, struck ones included."""
    struck: int = 0


def storable(names: Iterable[str]) -> list[str]:
    """Those of the names that are text: the name of a file may be bytes that are no UTF-8."""
    return [name for name in names if name.isascii() or _is_text(name)]


def _is_text(name: str) -> bool:
    return name.encode("utf-8", "replace").decode() == name


class Base(Protocol):
    """All pages (`facts.is_page`) at one commit, by the keys of `index.keys.keys_of`.

    The answers do not change while it is open, whoever refreshes the index meanwhile. It need not
    stand at the commit that was asked for: whoever reads it adds the difference. Every question
    takes many keys or paths at once; what is unknown is left out of the answer. An index holds
    text: ask with `storable` keys and paths alone. Any question may raise DAMAGE.
    """

    @property
    def commit(self) -> str | None:
        """The commit whose pages it holds; None: no page at all."""

    @property
    def strays(self) -> Mapping[str, str | None]:
        """Uncommitted changes known to the index: path to the blob id in `commit`.

        None where `commit` has no such page. Every answer below is of the work tree's bytes. A
        page whose path is not `storable` is among them, for no index holds it.
        """

    @property
    def sums(self) -> Sums:
        """The counts over all pages."""

    def paths(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Each key to the paths of the pages that have it, sorted."""

    def together(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The paths of the pages that have all of some keys, WORD among them, sorted."""

    def present(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that any page has; quicker than `paths`, for thousands of keys."""

    def counts(self, keys: Iterable[str]) -> dict[str, int]:
        """How many pages have each key, exactly; asked for keys below LINK and TAG."""

    def tally(self, prefix: str) -> dict[str, int]:
        """Every key below a prefix with its exact count; asked for TYPE and SHARD."""

    def top(self, prefix: str, least: int) -> Sequence[tuple[str, int]]:
        """The keys that most pages have, with their counts: by falling count, then by key.

        At least `least` of them, where there are as many, and all that tie with the last; asked
        for LINK and TAG.
        """

    def facts(self, paths: Iterable[str]) -> dict[str, PageFacts]:
        """The facts of pages, as `facts_of` gives them."""

    def entries(self, paths: Iterable[str]) -> dict[str, Entry]:
        """The pages as the catalogue lists them (`keys.entry_of`); cheaper than their facts."""

    def ledgers(self) -> Iterator[LedgerRow]:
        """The row of every page of the type `source`, by path, streamed; cheaper than facts."""

    def all_entries(self) -> Iterator[Entry]:
        """Every page as the catalogue lists it, by path, streamed."""

    def oids(self, paths: Iterable[str]) -> dict[str, str]:
        """Git's blob id of each page's bytes."""

    def close(self) -> None:
        """Gives back what it holds open. Idempotent; nothing may be asked of it afterwards."""


class EmptyBase:
    """The base of a wiki without pages, and of one that has no index."""

    commit: str | None = None
    strays: Mapping[str, str | None] = {}
    sums = Sums()

    def paths(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """No key: no page has one."""
        del keys
        return {}

    def together(self, keys: Iterable[str]) -> tuple[str, ...]:
        """No page."""
        del keys
        return ()

    def present(self, keys: Iterable[str]) -> set[str]:
        """None of the keys."""
        del keys
        return set()

    def counts(self, keys: Iterable[str]) -> dict[str, int]:
        """No key, as none has a page."""
        del keys
        return {}

    def tally(self, prefix: str) -> dict[str, int]:
        """No key."""
        del prefix
        return {}

    def top(self, prefix: str, least: int) -> Sequence[tuple[str, int]]:
        """No key."""
        del prefix, least
        return ()

    def facts(self, paths: Iterable[str]) -> dict[str, PageFacts]:
        """No page."""
        del paths
        return {}

    def entries(self, paths: Iterable[str]) -> dict[str, Entry]:
        """No page."""
        del paths
        return {}

    def ledgers(self) -> Iterator[LedgerRow]:
        """No page."""
        return iter(())

    def all_entries(self) -> Iterator[Entry]:
        """No page."""
        return iter(())

    def oids(self, paths: Iterable[str]) -> dict[str, str]:
        """No page."""
        del paths
        return {}

    def close(self) -> None:
        """Nothing is open."""
