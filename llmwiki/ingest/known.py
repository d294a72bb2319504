"""Whether the wiki has read a source already, and which ledger a reading of it goes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from llmwiki.index.facts import PageFacts
from llmwiki.index.keys import recorded_sha, resource_of
from llmwiki.index.page_facts import facts_of
from llmwiki.pages.names import source_id
from llmwiki.pages.tombstones import ledger_path
from llmwiki.repo.repository import Repository


class KnownSource(NamedTuple):
    """What the wiki has of a source."""

    reason: str = ""
    """Why there is nothing to read: `unchanged`, `the same bytes as PATH`; empty: it is to be
    read."""
    ledger: PageFacts | None = None
    """The ledger that a reading brings up to date; None: the source is new."""
    renamed: str | None = None
    """The path the same bytes had when they were read, where no file is left there."""


class LedgerLookup(Protocol):
    """The ledgers of a commit: `WikiState`, or `ExpectedLedgers`."""

    def ledger_of(self, raw_path: str, /) -> PageFacts | None:
        """The ledger whose source is that file."""

    def ledgers_with(self, sha256: str, /) -> Sequence[PageFacts]:
        """The ledgers whose recorded bytes have that hash, by path."""


class ExpectedLedgers:
    """The ledgers of HEAD that have the file name that follows from their source's path.

    Reads one page a question and opens no index. A ledger of another name is not found, nor one
    by its bytes: what is not known here is asked of the `WikiState` again.
    """

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._head = repo.head()

    def ledger_of(self, raw_path: str, /) -> PageFacts | None:
        """See LedgerLookup."""
        first = self._ledger(raw_path, 0)
        if first is None or resource_of(first) == raw_path:
            return first
        second = self._ledger(raw_path, 1)
        return second if second and resource_of(second) == raw_path else None

    def ledgers_with(self, sha256: str, /) -> Sequence[PageFacts]:
        """None: bytes are not looked for."""
        del sha256
        return ()

    def _ledger(self, raw_path: str, earlier: int) -> PageFacts | None:
        """The ledger that a path's id names where as many other paths had that id before."""
        taken = iter([True] * earlier)
        path = ledger_path(source_id(raw_path, lambda _key: next(taken, False)))
        data = self._repo.read(self._head, path)
        return None if data is None else facts_of(path, data.decode("utf-8", "replace"))


def known_source(repo: Repository, ledgers: LedgerLookup, path: str, sha256: str) -> KnownSource:
    """What the wiki has of the bytes with that hash, which are to be read as `path`.

    Asked before anything is paid for, and again under the lock.
    """
    own = ledgers.ledger_of(path)
    if own is not None and recorded_sha(own) == sha256:
        return KnownSource("unchanged", own)
    renamed: PageFacts | None = None
    for ledger in ledgers.ledgers_with(sha256):
        other = resource_of(ledger)
        if other == path:
            return KnownSource("unchanged", ledger)
        if repo.has_file(other):
            return KnownSource(f"the same bytes as {other}", ledger)
        renamed = renamed or ledger
    if own is not None or renamed is None:
        return KnownSource(ledger=own)
    return KnownSource(ledger=renamed, renamed=resource_of(renamed))
