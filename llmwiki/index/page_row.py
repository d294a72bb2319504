"""One page as the index holds it: a function of its bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from llmwiki.index.corpus import LINK, RUN, TITLE
from llmwiki.index.facts import PageFacts
from llmwiki.index.keys import SHARD, TAG, TYPE, entry_of, keys_of, shard_key
from llmwiki.index.page_facts import facts_of
from llmwiki.index.page_terms import (
    plain_text,
    runs,
    text_counted,
    text_of_runs,
    title_key,
    title_terms,
)
from llmwiki.index.page_words import columns_of, packed
from llmwiki.index.rows import SUMS, pack
from llmwiki.language.tokens import count_terms


class PageVersion(NamedTuple):
    """One page's bytes as they were found."""

    path: str
    oid: str
    """Git's blob id of the bytes."""
    data: bytes
    mtime: int = 0
    """In nanoseconds; 0: not known, or too fresh to be trusted."""
    size: int = 0
    inode: int = 0


class IndexRow(NamedTuple):
    """A page's row and what stands in the other tables because of it."""

    columns: tuple[str | int, ...]
    """Of `page`, without its number."""
    words: bytes
    """Of `words`."""
    lengths: tuple[int, int]
    """Terms in its body, at least 1, and distinct ones in its title, at most 255."""
    keys: frozenset[str]
    tallies: tuple[tuple[str, str, int], ...]
    """What it adds to the counts of the wiki: (kind, key, count)."""


def row_of(version: PageVersion) -> IndexRow:
    """The row of a page; never raises, whatever its bytes."""
    text = version.data.decode("utf-8", "ignore")
    facts = facts_of(version.path, text)
    body = plain_text(text)
    counts, length = count_terms(text_counted(facts.description, body))
    titles: Counter[str] = Counter()
    for name in dict.fromkeys((facts.title, *facts.aliases)):
        titles.update(count_terms(name)[0])
    found = runs(text_of_runs(facts.title, body))
    lengths = max(length, 1), title_terms(facts.title)
    columns = (
        *(version.path, version.oid, facts.type, facts.title, facts.description),
        *(pack(facts), "\n".join(found), version.mtime, version.size, version.inode),
    )
    words = packed(columns_of(titles, counts))
    return IndexRow(columns, words, lengths, search_keys(facts, found), tallies_of(facts, lengths))


def tallies_of(facts: PageFacts, lengths: tuple[int, int]) -> tuple[tuple[str, str, int], ...]:
    """What a page adds to the counts of the wiki: (kind, key, count)."""
    found = [
        (TYPE, facts.type, 1),
        (SHARD, shard_key(entry_of(facts).shard), 1),
        (SUMS, "pages", 1),
        (SUMS, "claims", len(facts.claims)),
        (SUMS, "struck", facts.struck),
        (SUMS, "words", lengths[0]),
        (SUMS, "title_words", lengths[1]),
    ]
    found += [(TAG, tag, 1) for tag in dict.fromkeys(facts.tags)]
    found += [(LINK, link, 1) for link in sorted(facts.linked_names)]
    return tuple(found)


def search_keys(facts: PageFacts, found: Iterable[str]) -> frozenset[str]:
    """Every key of a page with these runs, beside its words, as the file holds it."""
    keys = set(keys_of(facts))
    keys.update(RUN + run for run in found)
    for name in dict.fromkeys((facts.title, *facts.aliases)):
        if key := title_key(name):
            keys.add(TITLE + key)
    return frozenset(keys)
