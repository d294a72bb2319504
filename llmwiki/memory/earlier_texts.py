"""Whether a quote stood in the version of a source that was read before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from llmwiki.core.errors import WikiError
from llmwiki.core.text import sha256_hex
from llmwiki.pages.page import Evidence
from llmwiki.repo.file_history import versions
from llmwiki.repo.repository import Repository

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.sources.quotes import QuoteFinder

_MOST = 50
"""Versions of a file that are looked at."""


class EarlierTexts:
    """The texts of a source that git holds: of the version with a hash, or of all its file had.

    Each is read when a quote is asked for that those before it do not have.
    """

    def __init__(self, repo: Repository, commit: str | None, path: str, sha256: str = "") -> None:
        """`path` is the file's from the wiki's root; no `sha256`: any version of it counts."""
        self._repo = repo
        self._commit = commit
        self._path = path
        self._sha256 = sha256
        self._finders: list[QuoteFinder] = []
        self._is_unknown = False
        self._coming = self._read()

    def held(self, evidence: Evidence) -> bool:
        """Whether the quote stood in one of them; also where one is not at hand, for a quote was
        compared with its source when it was written."""
        if any(finder.find_nth(evidence.quote) for finder in self._finders):
            return True
        for finder in self._coming:
            self._finders.append(finder)
            if finder.find_nth(evidence.quote):
                return True
        return self._is_unknown

    def _read(self) -> Iterator[QuoteFinder]:
        from llmwiki.sources.quotes import QuoteFinder

        try:
            yield from map(QuoteFinder, self._documents())
        except WikiError:
            # A clone may lack the bytes, and a file may have been anything once.
            self._is_unknown = True

    def _documents(self) -> Iterator[Document]:
        from llmwiki.sources.document import read_document, read_kept_text, text_path

        def kept(digest: str) -> bytes | None:
            return self._repo.read_source(self._commit, text_path(digest))

        wanted = self._sha256
        if wanted and (text := kept(wanted)):
            yield read_kept_text(self._path, wanted, text)
            return
        for data in self._versions():
            digest = sha256_hex(data)
            if not wanted or digest == wanted:
                yield read_document(self._path, data, kept_text=kept(digest))
            if digest == wanted:
                return
        self._is_unknown = self._is_unknown or bool(wanted)

    def _versions(self) -> Iterator[bytes]:
        """The bytes the file has had, the newest first."""
        repo, path = self._repo, self._path
        data = repo.read_source(self._commit, path)
        if data is not None:
            yield data
        if self._commit is None or repo.incomplete:
            self._is_unknown = True
            return
        for number, blob in enumerate(versions(repo, self._commit, path)):
            if number == _MOST:
                self._is_unknown = True
                return
            yield repo.large_files.whole(repo.read_many([blob])[0])
