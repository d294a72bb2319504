"""Quotes of a branch under review, compared with the sources that the branch brings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from llmwiki.core.document import Document
from llmwiki.core.errors import WikiError
from llmwiki.core.text import sha256_hex
from llmwiki.pages.page import Evidence, Page
from llmwiki.pages.review_items import ChangeItem
from llmwiki.pages.tombstones import ledger_path
from llmwiki.repo.repository import Repository
from llmwiki.sources.document import read_document, text_path
from llmwiki.sources.quotes import QuoteFinder


class ReviewedCommits(NamedTuple):
    """The commits that a review compares."""

    head: str
    base: str
    """Common to the other two."""
    tip: str
    """Of the branch."""


class ReviewedTexts:
    """The texts of the sources of a branch; each is read once."""

    def __init__(
        self, repo: Repository, commits: ReviewedCommits, page: Callable[[str], Page | None]
    ) -> None:
        """`page` gives a page as it is with all of the branch in it."""
        self._repo = repo
        self._commits = commits
        self._page = page
        self._read: dict[str, tuple[Document | None, str]] = {}
        self._finders: dict[str, QuoteFinder] = {}

    def hindrance(self, item: ChangeItem) -> str:
        """Why the evidence that an item brings cannot land; empty where it can."""
        if item.claim is None or item.kind not in ("claim", "evidence"):
            return ""
        had = {e.identity for e in item.before.evidence} if item.before else set()
        came = [e for e in item.claim.evidence if e.identity not in had]
        return next((why for evidence in came if (why := self._fault(evidence))), "")

    def shown(self, item: ChangeItem) -> ChangeItem:
        """An item whose quotes have their lines, as far as its sources are at hand."""
        if item.claim is None:
            return item
        evidence = tuple(map(self._located, item.claim.evidence))
        return replace(item, claim=replace(item.claim, evidence=evidence))

    def _located(self, evidence: Evidence) -> Evidence:
        document, _why = self._document(evidence.source)
        return evidence if document is None else self._finder(document).located(evidence)

    def _document(self, source: str) -> tuple[Document | None, str]:
        if source not in self._read:
            self._read[source] = self._text(source)
        return self._read[source]

    def _fault(self, evidence: Evidence) -> str:
        document, why = self._document(evidence.source)
        if document is None:
            return why
        if self._finder(document).find_nth(evidence.quote) is not None:
            return ""
        return f"its quote does not stand in {document.path}"

    def _finder(self, document: Document) -> QuoteFinder:
        if document.path not in self._finders:
            self._finders[document.path] = QuoteFinder(document)
        return self._finders[document.path]

    def _text(self, source: str) -> tuple[Document | None, str]:
        """The text of a source on the branch, or why there is none."""
        ledger = self._page(ledger_path(source))
        own = ledger.own_source if ledger else None
        path = own.resource.removeprefix("/") if own else ""
        if own is None or not path.startswith("raw/"):
            return None, f"the page of its source, {source}, does not say which file it is"
        tip = self._commits.tip
        data = self._repo.read_source(tip, path)
        if data is None or sha256_hex(data) != own.sha256:
            return None, f"{path} on the branch is not what its source's page records"
        here, began, there = (self._repo.entry(commit, path) for commit in self._commits)
        if here is not None and here not in (began, there):
            return None, f"{path} has other bytes in the wiki since"
        kept = self._repo.read_source(tip, text_path(own.sha256))
        try:
            return read_document(path, data, kept_text=kept), ""
        except WikiError as error:
            return None, f"{path} cannot be read: {error.what}"
