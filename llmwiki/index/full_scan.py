"""All pages of an index at once, for whoever needs the wiki as a whole."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from llmwiki.index.reader import Reader
from llmwiki.index.rows import read_packed
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


def members(index: Reader) -> Iterator[Member]:
    """Every page, by path."""
    columns = "doc, path, oid, type, title, description, rest"
    rows = index.db.execute(f"SELECT {columns} FROM page ORDER BY path")
    for doc, path, oid, kind, title, description, rest in rows:
        packed = read_packed(rest)
        yield Member(
            *(doc, path, oid, kind, title, description, tuple(packed.aliases)),
            links=tuple(packed.links),
            called=called(() if packed.broken else (title, *packed.aliases), path),
            tags=tuple(packed.tags),
            claims=len(packed.claims) - packed.struck,
        )


def below(index: Reader, prefix: str) -> Iterator[tuple[str, array[int]]]:
    """Every key behind a prefix (`corpus`, `keys`), without it, and the pages that hold it.

    A key comes once for each segment, always in the same order for the same file. Among the
    numbers may be those of pages that are gone, which `members` does not list.
    """
    for key, blob in _rows(index, prefix, "docs"):
        docs = array("I")
        docs.frombytes(blob[: len(blob) // 5 * 4])
        yield key, docs


def frequencies(index: Reader, prefix: str) -> Counter[str]:
    """Every key behind a prefix, without it, and how many pages hold it, gone ones among them."""
    found: Counter[str] = Counter()
    for key, count in _rows(index, prefix, "length(docs) / 5"):
        found[key] += count
    return found


def _rows(index: Reader, prefix: str, column: str) -> Iterator[tuple[str, Any]]:
    behind = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    for (segment,) in index.db.execute("SELECT id FROM segment ORDER BY first").fetchall():
        rows = index.db.execute(
            f"SELECT key, {column} FROM posting WHERE segment = ? AND key >= ? AND key < ?",
            (segment, prefix, behind),
        )
        for key, value in rows:
            yield key[len(prefix) :], value
