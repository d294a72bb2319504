"""The facts of all pages: those of an indexed commit, and over them the pages that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from llmwiki.index.base import Base, Sums, storable
from llmwiki.index.corpus import LINK, PLACED
from llmwiki.index.facts import PageFacts
from llmwiki.index.keys import (
    SHARD,
    TAG,
    TYPE,
    LedgerRow,
    entry_of,
    keys_of,
    ledger_row,
    shard_key,
    shard_of,
)
from llmwiki.memory.ranking import KeyRanking
from llmwiki.pages.catalogue import Entry

_KEPT_ANSWERS = 1 << 15
_KEPT_FACTS = 1 << 11


@dataclass(frozen=True, slots=True)
class HeldPage:
    """One page as it is known: its facts and git's blob id of its bytes."""

    facts: PageFacts
    oid: str


class Overlay:
    """A view of all pages. What is put here hides what the base holds at that path.

    Cost and memory grow with what was put and asked, not with the wiki.
    """

    def __init__(self, base: Base) -> None:
        self.base = base
        self.links = KeyRanking(base, LINK)
        self.tags = KeyRanking(base, TAG)
        self._over: dict[str, HeldPage | None] = {}
        """None: there is no such page, whatever the base says."""
        self._pages: dict[str, str | set[str]] = {}
        """Key to the page put here that has it, or to the pages: most keys have one."""
        self._sums = base.sums
        self._types = Counter(_bare(base.tally(TYPE), TYPE))
        self._shards = Counter(_bare(base.tally(SHARD), SHARD))
        self._listed: dict[str, dict[str, Entry]] = {}
        """Shards that were asked for: key to their entries by path, kept by difference."""
        self._answers: dict[str, tuple[str, ...]] = {}
        self._facts: dict[str, PageFacts] = {}

    def __len__(self) -> int:
        return len(self._over)

    # --- putting --------------------------------------------------------------------------

    def put(self, pages: Mapping[str, HeldPage | None]) -> None:
        """The pages as they shall be seen; None: gone."""
        before = self.facts(pages)
        self._know([*before.values(), *(held.facts for held in pages.values() if held)])
        for path in sorted(pages):
            held = pages[path]
            self._count(before.get(path), held.facts if held else None)
            self._unkey(path)
            self._over[path] = held
            if held is not None:
                for key in _asked_for(held.facts):
                    self._enter(key, path)

    def over(self) -> Mapping[str, HeldPage | None]:
        """All that was put here, by path."""
        return self._over

    def _know(self, pages: Iterable[PageFacts]) -> None:
        """Ask the base all that counting these pages needs: the base may fail, counting may not."""
        pages = list(pages)
        self.links.know({link for facts in pages for link in facts.linked_names})
        self.tags.know({tag for facts in pages for tag in facts.tags})

    def _unkey(self, path: str) -> None:
        held = self._over.get(path)
        for key in _asked_for(held.facts) if held else ():
            pages = self._pages[key]
            if isinstance(pages, set) and len(pages) > 1:
                pages.discard(path)
            else:
                del self._pages[key]

    def _enter(self, key: str, path: str) -> None:
        pages = self._pages.setdefault(key, path)
        if isinstance(pages, set):
            pages.add(path)
        elif pages != path:
            self._pages[key] = {pages, path}

    def _count(self, old: PageFacts | None, new: PageFacts | None) -> None:
        for facts, sign in ((old, -1), (new, 1)):
            if facts is None:
                continue
            entry = entry_of(facts)
            shard = shard_key(entry.shard)
            self._sums = self._sums._replace(
                pages=self._sums.pages + sign,
                claims=self._sums.claims + sign * len(facts.claims),
                struck=self._sums.struck + sign * facts.struck,
            )
            self._types[facts.type] += sign
            self._shards[shard] += sign
            if shard in self._listed:
                if sign > 0:
                    self._listed[shard][entry.path] = entry
                else:
                    self._listed[shard].pop(entry.path, None)
        links = (old.linked_names if old else frozenset(), new.linked_names if new else frozenset())
        self.links.count(links[0] - links[1], -1)
        self.links.count(links[1] - links[0], 1)
        tags = (frozenset(old.tags if old else ()), frozenset(new.tags if new else ()))
        self.tags.count(tags[0] - tags[1], -1)
        self.tags.count(tags[1] - tags[0], 1)

    # --- asking ---------------------------------------------------------------------------

    def paths(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Each key to the pages that have it, sorted; keys without pages are left out.

        Not to be asked for links and tags, which are only counted.
        """
        asked = dict.fromkeys(keys)
        unknown = [key for key in asked if key not in self._answers]
        if unknown:
            if len(self._answers) + len(unknown) > _KEPT_ANSWERS:
                self._answers.clear()
                unknown = list(asked)
            found = self.base.paths(storable(unknown))
            self._answers.update((key, found.get(key, ())) for key in unknown)
        answer: dict[str, tuple[str, ...]] = {}
        for key in asked:
            paths = self._answers[key]
            own = self._pages.get(key, ())
            if own or any(path in self._over for path in paths):
                kept = {path for path in paths if path not in self._over}
                paths = tuple(sorted(kept.union((own,) if isinstance(own, str) else own)))
            if paths:
                answer[key] = paths
        return answer

    def linking(self, name: str) -> tuple[str, ...]:
        """The pages that link to the file of that name (a `name_key`), by path."""
        key = LINK + name
        below = self.base.paths(storable((key,))).get(key, ())
        own = (
            path for path, held in self._over.items() if held and name in held.facts.linked_names
        )
        return tuple(sorted({*own, *(path for path in below if path not in self._over)}))

    def first(self, key: str) -> str | None:
        """The first page, by path, that has the key."""
        return next(iter(self.paths((key,)).get(key, ())), None)

    def present(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that a page has, or that a page of the base had: a quick no."""
        asked = set(keys)
        own = {key for key in asked if key in self._pages}
        return own | self.base.present(storable(asked - own))

    def has_own(self, key: str) -> bool:
        """Whether a page that was put here has the key."""
        return key in self._pages

    def facts(self, paths: Iterable[str]) -> dict[str, PageFacts]:
        """The facts of those of the pages that there are."""
        found: dict[str, PageFacts] = {}
        below: list[str] = []
        for path in paths:
            if path in self._over:
                held = self._over[path]
                if held is not None:
                    found[path] = held.facts
            elif path in self._facts:
                found[path] = self._facts[path]
            else:
                below.append(path)
        if below:
            read = self.base.facts(storable(below))
            if len(self._facts) + len(read) > _KEPT_FACTS:
                self._facts.clear()
            self._facts.update(read)
            found.update(read)
        return found

    def entries(self, paths: Iterable[str]) -> dict[str, Entry]:
        """Those of the pages that there are, as the catalogue lists them."""
        found: dict[str, Entry] = {}
        below: list[str] = []
        for path in paths:
            if path not in self._over:
                below.append(path)
            elif (held := self._over[path]) is not None:
                found[path] = entry_of(held.facts)
        if below:
            found.update(self.base.entries(storable(below)))
        return found

    def all_entries(self) -> Iterator[Entry]:
        """Every page as the catalogue lists it; streamed, in no particular order."""
        for entry in self.base.all_entries():
            if entry.path not in self._over:
                yield entry
        for held in self._over.values():
            if held is not None:
                yield entry_of(held.facts)

    def ledgers(self) -> list[LedgerRow]:
        """The row of every page of the type `source`, by path."""
        below = [row for row in self.base.ledgers() if row.path not in self._over]
        own = (held.facts for held in self._over.values() if held)
        return sorted([*below, *(ledger_row(f) for f in own if f.type == "source")])

    def oid(self, path: str) -> str | None:
        """Git's blob id of a page's bytes; None where there is no such page."""
        if path in self._over:
            held = self._over[path]
            return held.oid if held else None
        return self.base.oids(storable((path,))).get(path)

    def held(self, path: str) -> HeldPage | None:
        """The page as it is known; None where there is none."""
        if path in self._over:
            return self._over[path]
        facts, oid = self.facts((path,)).get(path), self.oid(path)
        return HeldPage(facts, oid) if facts is not None and oid is not None else None

    # --- counts and lists -----------------------------------------------------------------

    @property
    def sums(self) -> Sums:
        """The counts over all pages."""
        return self._sums

    def types(self) -> dict[str, int]:
        """How many pages there are of each type, by type."""
        return {kind: count for kind, count in sorted(self._types.items()) if count}

    def shards(self) -> dict[tuple[str, str], int]:
        """How many pages each part of the catalogue lists."""
        return {shard_of(key): count for key, count in self._shards.items() if count}

    def listed(self, shards: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[Entry]]:
        """The entries of parts of the catalogue, in no particular order."""
        wanted = {shard_key(shard): shard for shard in shards}
        unknown = [key for key in wanted if key not in self._listed]
        if unknown:
            paths = self.paths(SHARD + key for key in unknown)
            entries = self.entries(path for found in paths.values() for path in found)
            for key in unknown:
                mine = paths.get(SHARD + key, ())
                self._listed[key] = {path: entries[path] for path in mine}
        return {shard: list(self._listed[key].values()) for key, shard in wanted.items()}


T = TypeVar("T")


class Ask(Protocol):
    """Puts a question to the view there is. It may be asked twice, where the index fails."""

    def __call__(self, question: Callable[[Overlay], T]) -> T:
        """The answer."""


class FirstPaths:
    """Where things of one kind are: the page, the first by path, that has them."""

    def __init__(self, ask: Ask, prefix: str) -> None:
        self._ask = ask
        self._prefix = prefix

    def get(self, name: str) -> str | None:
        """The page that has it; None where none has."""
        return self._ask(lambda view: view.first(self._prefix + name))

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def among(self, names: Iterable[str]) -> dict[str, str]:
        """Those of the names that any page has, to that page."""
        keys = [self._prefix + name for name in names]
        found = self._ask(lambda view: view.paths(keys))
        return {key[len(self._prefix) :]: paths[0] for key, paths in found.items()}


def _asked_for(facts: PageFacts) -> list[str]:
    return [key for key in keys_of(facts) if not key.startswith((LINK, PLACED, TAG))]


def _bare(tally: Mapping[str, int], prefix: str) -> dict[str, int]:
    return {key[len(prefix) :]: count for key, count in tally.items()}
