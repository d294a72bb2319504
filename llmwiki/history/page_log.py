"""The history of one page: each commit that changed it, and what it meant for memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llmwiki.history.diff import MemoryDiff, between, of_page
from llmwiki.history.event_lines import count_words, quiet_words
from llmwiki.repo.log import Commit
from llmwiki.repo.page_commits import page_commits
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
        """What happened, counted; where nothing that is counted did, what else changed."""
        words = count_words(self.told)
        others = {event.kind.replace("-", " ") for event in self.told.found.events}
        return ", ".join(words or sorted(others)) or quiet_words(self.told) or "other lines"


def page_log(repo: Repository, path: str) -> Iterator[PageStep]:
    """The commits that changed a page, newest first, through renames.

    Of a commit at the border of a shallow clone it is not known what it changed: it is left out.
    """
    revision = repo.head()
    while revision is not None:
        here, revision = revision, None
        for commit in page_commits(repo, here, path):
            if not commit.parents.known:
                continue
            parent = commit.parents.first()
            told = of_page(repo, parent, commit, path)
            is_new = parent is None or repo.entry(parent, path) is None
            if is_new and parent is not None:
                whole = between(repo, parent, commit)
                renamed = [e for e in whole.found.of("page-renamed") if e.path == path]
                if renamed:
                    yield PageStep(commit, path, whole.only(path))
                    path, revision = renamed[0].before, parent
                    break
            yield PageStep(commit, path, told)
