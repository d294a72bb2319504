"""The keys one page is found by, and which pages a name may mean: exact, folded, as an acronym."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from llmwiki.core.language.acronyms import acronyms_of
from llmwiki.core.language.name_keys import folded_key
from llmwiki.core.page_and_note_kinds import NAMED, SAID, SUBJECTS
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import fold, normalise
from llmwiki.index import lookups
from llmwiki.index.page_facts_record import PageFacts
from llmwiki.pages.catalogue import Entry
from llmwiki.pages.page_file_names import name_key

if TYPE_CHECKING:
    from llmwiki.pages.memory_notes import MemoryNote

_FIRST = lazy_pattern(r"[^\W_]+")
MOST_WORDS = 6
"""Words of a title of a document beyond which it is no name that texts mention."""


def keys_of(facts: PageFacts) -> frozenset[str]:
    """Every key the page is found by, each with its prefix."""
    keys = {
        lookups.FILE + name_key(facts.stem),
        lookups.SHARD + shard_key(entry_of(facts).shard),
        lookups.TYPE + facts.type,
    }
    keys.update(lookups.CLAIM + claim for claim in facts.claims)
    keys.update(lookups.BLOCK + claim for claim in facts.cites)
    keys.update(lookups.SOURCE + source.id for source in facts.sources)
    keys.update(lookups.ABOUT + name for name in facts.about)
    keys.update(lookups.TAG + tag for tag in facts.tags)
    keys.update(lookups.CALLED + name for name in facts.called)
    keys.update(lookups.LINK + name for name in facts.linked_names)
    keys.update(_keys_of_notes(facts.notes))
    if facts.type == "source":
        if facts.is_retracted:
            keys.add(lookups.RETRACTED)
        if source := facts.own_source:
            said = (
                (lookups.RESOURCE, facts.resource),
                (lookups.SHA, source.sha256),
                (lookups.ORIGIN, source.origin),
            )
            keys.update(prefix + value for prefix, value in said if value)
    if facts.type in NAMED:
        of_name = keys_of_name if facts.type in SUBJECTS else _keys_of_title
        for name in (facts.title, *facts.aliases):
            keys |= of_name(name)
    return frozenset(keys)


def _keys_of_notes(notes: Iterable[MemoryNote]) -> Iterator[str]:
    for note in notes:
        yield from (lookups.NOTE, lookups.NOTE + note.id)
        yield from (lookups.LEADS + ident for _, ident in note.sources)
        if note.successor is None:
            if note.key:
                yield lookups.SLOT + slot_key(note.kind, note.key)
        elif note.successor_id:
            yield lookups.LEADS + note.successor_id
        elif note.kind == SAID:
            yield lookups.LET_GO + note.session


def slot_key(kind: str, key: str) -> str:
    """What one note of the memory at a time is to say: `fact/office`."""
    return f"{kind}/{key}"


def opening(folded: str) -> str:
    """The first letters or digits of a folded name; may be empty."""
    found = _FIRST.search(folded)
    return found[0] if found else ""


@lru_cache(maxsize=1 << 13)
def keys_of_name(name: str) -> frozenset[str]:
    """The keys of one title or alias of a page that is found by them."""
    folded = fold(name)
    keys = {lookups.NAME + folded, lookups.OPENING + opening(folded)}
    if spelling := folded_key(name):
        keys.add(lookups.SPELLING + spelling)
    keys.update(lookups.ACRONYM + short for short in acronyms_of(name))
    return frozenset(keys)


def _keys_of_title(name: str) -> frozenset[str]:
    """The keys of a name of a document: nobody says a whole sentence for it."""
    folded = fold(name)
    if folded.count(" ") >= MOST_WORDS:
        return frozenset((lookups.NAME + folded,))
    return frozenset(
        (
            lookups.NAME + folded,
            lookups.OPENING + opening(folded),
            lookups.SPELLING + folded_key(name),
        )
    )


def entry_of(facts: PageFacts) -> Entry:
    """The page as the catalogue lists it."""
    return Entry(facts.path, facts.type, normalise(facts.title), facts.description)


def shard_key(shard: tuple[str, str]) -> str:
    """(type, letter) of a part of the catalogue as one word: `concept/a`, `/a` without a type."""
    return "/".join(shard)


def shard_of(key: str) -> tuple[str, str]:
    """The inverse of `shard_key`."""
    kind, _, letter = key.rpartition("/")
    return kind, letter


if TYPE_CHECKING:
    from llmwiki.index.lookups import Corpus


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
        return self._by([lookups.NAME + fold(name) for name in names])

    def by_key(self, *keys: str) -> tuple[str, ...]:
        """Pages with a title or alias of any of these `folded_key`s; an empty one finds nothing."""
        return self._by([lookups.SPELLING + key for key in keys if key])

    def by_acronym(self, acronym: str) -> tuple[str, ...]:
        """Pages with a title or alias whose initials spell this, in lower case."""
        return self._by([lookups.ACRONYM + acronym]) if acronym else ()

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
        openings = {word: lookups.OPENING + opening(word) for word in words}
        found = self._standing(openings.values())
        return {word for word, key in openings.items() if key in found}

    def titled(self, folded: Iterable[str]) -> set[str]:
        """Those of the folded names that a page has as title or alias."""
        found = self._standing(lookups.NAME + name for name in folded)
        if self._names and self._base is not None:
            # What an entered page had before, no page may have now.
            return {key[len(lookups.NAME) :] for key in found if self._by([key])}
        return {key[len(lookups.NAME) :] for key in found}

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
