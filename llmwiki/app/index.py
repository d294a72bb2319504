"""The search index: brought up to date, checked, made anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What the index holds."""

    pages: int
    words: int
    """Of all pages together."""
    commit: str | None
    """The commit it stands at; None: there is none yet."""
    uncommitted: int
    """Pages that it holds in other bytes than those of the commit."""
    differences: tuple[str, ...] | None
    """Where it differs from one made anew, a sentence each; None: it was not compared."""


def index(wiki: OpenWiki, *, check: bool = False, rebuild: bool = False) -> IndexReport:
    """The index, up to date; see `Wiki.index`."""
    from llmwiki.index import verify
    from llmwiki.index.open_index import open_corpus

    if rebuild:
        verify.rebuild(wiki.repo)
    wrong = tuple(verify.differences(wiki.repo)[1]) if check else None
    with open_corpus(wiki.repo, fresh=True, notice=wiki.tell.notice) as held:
        return IndexReport(held.pages, held.words, held.commit, len(held.strays), wrong)
