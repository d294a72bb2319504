"""All pages of an index at once, for whoever needs the wiki as a whole."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from llmwiki.index.corpus import Corpus, behind
from llmwiki.index.rows import read_packed
from llmwiki.index.schema import read
from llmwiki.pages.link_targets import called


class Member(NamedTuple):
    """One page as a part of the wiki."""

    doc: int
    """Its number in this index."""
    path: str
    oid: str
    """Git's blob id of the text that was indexed."""
    type: str
    title: str
    description: str
    aliases: tuple[str, ...]
    links: tuple[str, ...]
    """The keys of its links; see `pages.link_targets`."""
    called: frozenset[str]
    """The keys of wikilinks that name it by title or alias; see `link_targets.called`."""
    tags: tuple[str, ...]
    claims: int
    """Claims that stand on it; struck ones are not counted."""


def members(index: Corpus) -> Iterator[Member]:
    """Every page, by path."""
    columns = "id, path, oid, type, title, description, facts"
    rows = index.db.execute(f"SELECT {columns} FROM page ORDER BY path")
    for doc, held, oid, kind, name, description, rest in rows:
        packed, path, title = read_packed(rest), read(held), read(name)
        yield Member(
            *(doc, path, oid, kind, title, description, tuple(packed.aliases)),
            links=tuple(packed.links),
            called=called(() if packed.broken else (title, *packed.aliases), path),
            tags=tuple(packed.tags),
            claims=len(packed.claims) - packed.struck,
        )


def below(index: Corpus, prefix: str) -> Iterator[tuple[str, array[int]]]:
    """Every key behind a prefix (`corpus`, `keys`), without it, and the pages that hold it; by key.

    Words are no such keys; see `words_from`.
    """
    rows = index.db.execute(
        "SELECT key, page FROM key WHERE key >= ? AND key < ? ORDER BY key, page",
        (prefix, behind(prefix)),
    )
    for key, found in groupby(rows, key=itemgetter(0)):
        yield key[len(prefix) :], array("I", [page for _key, page in found])


def words_from(index: Corpus, beginning: str) -> dict[str, int]:
    """The terms that begin so, each with how many pages hold it."""
    rows = index.db.execute(
        "SELECT term, pages FROM frequency WHERE term >= ? AND term < ?",
        (beginning, behind(beginning)),
    )
    return dict(rows.fetchall())
