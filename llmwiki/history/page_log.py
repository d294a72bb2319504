"""The history of one page: each commit that changed it, and what it meant for memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llmwiki.history.diff import DiffLimit, MemoryDiff, between, of_page
from llmwiki.index.facts import is_page
from llmwiki.pages.wording import count_words
from llmwiki.repo.log import Commit
from llmwiki.repo.page_commits import page_commits, renamed_from
from llmwiki.repo.repository import Repository


@dataclass(frozen=True, slots=True)
class PageStep:
    """What one commit did to a page."""

    commit: Commit
    path: str
    """Of the page after it, or before where it went."""
    told: MemoryDiff

    @property
    def summary(self) -> str:
        """What happened, counted."""
        if self.told.left_out:
            return "not compared: too large"
        return ", ".join(count_words(self.told.changes)) or "only links, marks or order"


def page_log(repo: Repository, path: str, limit: DiffLimit | None = None) -> Iterator[PageStep]:
    """The commits that changed a page, newest first, through renames.

    Within a `limit` the differences that find no room are told as left out. Of a commit at the
    border of a shallow clone it is not known what it changed: it is left out.
    """
    revision = repo.head()
    while revision is not None:
        here, revision = revision, None
        for commit in page_commits(repo, here, path):
            if not commit.parents.known:
                continue
            parent = commit.parents.first()
            told = of_page(repo, parent, commit, path, limit)
            is_new = parent is None or repo.entry(parent, path) is None
            if is_new and parent is not None:
                whole = between(repo, parent, commit, limit)
                renamed = [e for e in whole.changes if e.is_rename and e.page == path]
                if renamed:
                    yield PageStep(commit, path, whole.only(path))
                    path, revision = renamed[0].before, parent
                    break
                if was := "" if is_page(path) else renamed_from(repo, parent, commit.oid, path):
                    told = of_page(repo, parent, commit, path, limit, was)
                    yield PageStep(commit, path, told.only(path))
                    path, revision = was, parent
                    break
            yield PageStep(commit, path, told)
