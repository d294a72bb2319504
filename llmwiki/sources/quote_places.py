"""Where quotes stand: the lines, worked out from the source's bytes, and the address on a forge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote as percent_encoded

from llmwiki.core.errors import WikiError
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.git.repository import Repository
from llmwiki.pages.page import Claim, Evidence

if TYPE_CHECKING:
    from llmwiki.sources.quotes import QuoteFinder

_MOST = 20_000_000
"""Bytes of sources that are looked through for one difference."""
_REMOTE = lazy_pattern(
    r"(?:(?:https?|ssh|git)://(?:[^/@\s]{1,200}@)?|(?:[\w.-]{1,100}@))"
    r"(?P<host>[A-Za-z0-9.-]{1,200})(?::\d{1,5}(?=/))?[:/]"
    r"(?P<name>[\w.-]{1,200}(?:/[\w.-]{1,200}){1,20})",
    re.ASCII,
)


class QuotePlace(NamedTuple):
    """Where a quote stands."""

    path: str
    """Of the source's file, from the wiki's root."""
    span: str
    """`L12–L14`, with the place in an original that has no lines; empty where it is not known."""
    url: str
    """Of these lines on a forge; empty where none is known."""


def forge_address(remote: str, commit: str, path: str, first: int, last: int) -> str:
    """The address of lines of a file in a commit, for a remote at GitHub or GitLab; `first` 0: of
    the whole file. Empty for any other remote."""
    found = _REMOTE.fullmatch(remote.strip().removesuffix("/").removesuffix(".git"))
    host = found["host"].lower() if found else ""
    labels = set(host.split("."))
    if found is None or not labels & {"github", "gitlab"}:
        return ""
    is_github = "github" in labels
    end = "" if last <= first else f"-L{last}" if is_github else f"-{last}"
    lines = f"#L{first}{end}" if first else ""
    folder = "blob" if is_github else "-/blob"
    return f"https://{host}/{found['name']}/{folder}/{commit}/{percent_encoded(path)}{lines}"


class QuotePlaces:
    """The places of quotes in one commit, or in the work tree where that is None."""

    def __init__(
        self,
        repo: Repository,
        commit: str | None,
        file: Callable[[str], str],
        *,
        most: int | None = _MOST,
    ) -> None:
        """`file` gives the file of a source's id from the wiki's root; empty where none is known.

        Each source is read once, about `most` bytes in all.
        """
        self._repo = repo
        self._commit = commit
        self._file = file
        self._remote = repo.settings.get("remote.origin.url") if commit else ""
        self._finders: dict[str, QuoteFinder | None] = {}
        self._room = most

    def located(self, evidence: Evidence) -> Evidence:
        """Evidence with its lines; as it is where the source is not at hand, or lacks the quote."""
        finder = self._finder(evidence.source)
        return finder.located(evidence) if finder else evidence

    def rest_of_sentence(self, source: str, quote: str) -> str:
        """What a source says after a quote up to the end of the sentence; empty where it is not at
        hand."""
        finder = self._finder(source)
        return finder.rest_of_sentence(quote) if finder else ""

    def claim(self, claim: Claim) -> Claim:
        """A claim whose evidence has its lines."""
        return replace(claim, evidence=tuple(map(self.located, claim.evidence)))

    def of(self, evidence: Evidence) -> QuotePlace:
        """The place of one quote, and its address on a forge."""
        path, found = self._file(evidence.source), self.located(evidence)
        url = ""
        if self._remote and self._commit and path:
            lines = (0, 0) if found.place else (found.first, found.last)
            url = forge_address(self._remote, self._commit, self._repo.prefix + path, *lines)
        return QuotePlace(path or evidence.source, found.span, url)

    def of_all(self, evidence: Iterable[Evidence]) -> dict[tuple[str, str], QuotePlace]:
        """The places by source and folded quote."""
        return {each.identity: self.of(each) for each in evidence}

    def _finder(self, source: str) -> QuoteFinder | None:
        path = self._file(source)
        if path and path not in self._finders:
            try:
                self._finders[path] = self._read(path)
            except WikiError:
                # A clone may lack the bytes, and a person may have put anything there.
                self._finders[path] = None
        return self._finders.get(path)

    def _read(self, path: str) -> QuoteFinder | None:
        from llmwiki.sources.document import document_at
        from llmwiki.sources.quotes import QuoteFinder

        document = document_at(self._repo, self._commit, path, most=self._room)
        if document is None:
            return None
        if self._room is not None:
            self._room -= sum(len(line) + 1 for line in document.lines)
        return QuoteFinder(document)
