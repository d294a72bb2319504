"""Words that were rejected on a branch under review: what repeats them is not accepted unsaid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from llmwiki.index.facts import is_page
from llmwiki.language.sentences import sentence_pieces
from llmwiki.pages.page import Page
from llmwiki.pages.retraction import words_of
from llmwiki.pages.review_items import ChangeItem
from llmwiki.pages.tombstones import quote_hash, tombstones
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository


@dataclass(frozen=True, slots=True)
class RejectedWords:
    """The claims that were rejected on a branch, by what they said."""

    hashes: Mapping[str, str] = field(default_factory=dict)
    """Hash of a quote to the id of its claim."""
    texts: tuple[tuple[str, str], ...] = ()
    """(words of a claim or of its quote, a blank between and around them, id of the claim)."""

    def hindrance(self, item: ChangeItem) -> str:
        """Why an item that is no claim cannot be accepted; empty where it repeats none of them."""
        if item.claim is not None or not (self.hashes or self.texts):
            return ""
        said = _spaced(item.text)
        found = {ident for words, ident in self.texts if words in said}
        hashes = (quote_hash(each.strip()) for each in sentence_pieces(item.text) if each.strip())
        found |= {self.hashes[each] for each in hashes if each in self.hashes}
        return f"it holds the words of ^{min(found)}, which was rejected" if found else ""


def rejected_words(
    repo: Repository, base: str, commits: Iterable[Commit], pages: Iterable[Page | None]
) -> RejectedWords:
    """What was rejected on a branch: `pages` are those that it changes, at its tip; `commits` its
    operations, in which the claims stood."""
    dead = [
        each
        for page in pages
        if page is not None and page.type == "source"
        for each in tombstones(page)
        if each.by == "person"
    ]
    if not dead:
        return RejectedWords()
    ids = {each.claim for each in dead}
    texts: set[tuple[str, str]] = set()
    for commit in commits:
        paths = [change.path for change in repo.diff_trees(base, commit.oid)]
        for path in filter(is_page, paths):
            data = repo.read(commit.oid, path)
            page = Page.parse(path, (data or b"").decode("utf-8", "surrogateescape"))
            for claim in page.claims:
                if claim.id in ids:
                    said = (claim.text, *(each.quote for each in claim.evidence))
                    texts |= {(_spaced(each), claim.id) for each in said if words_of(each)}
    hashes = {quote: each.claim for each in dead for quote in each.quotes}
    return RejectedWords(hashes, tuple(sorted(texts)))


def _spaced(text: str) -> str:
    return f" {' '.join(words_of(text))} "
