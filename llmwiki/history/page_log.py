"""The history of one page: each commit that changed it, and what it meant for memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llmwiki.history.diff import DiffLimit, MemoryDiff, between, of_page
from llmwiki.index.facts import is_page
from llmwiki.memory.moved import paths_since
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
    """The commits that changed a page, newest first, through renames; of pages that were merged
    into it too, and of a page that is no more those of the page that it was merged into.

    Within a `limit` the differences that find no room are told as left out. Of a commit at the
    border of a shallow clone it is not known what it changed: it is left out.
    """
    head = repo.head()
    path = _standing(repo, head, path)
    streams = [_steps(repo, head, path, limit)]
    waiting = [next(streams[0], None)]
    while any(waiting):
        number, step = max(
            ((n, step) for n, step in enumerate(waiting) if step is not None),
            key=lambda pair: (pair[1].commit.time, pair[0]),
        )
        yield step
        waiting[number] = next(streams[number], None)
        for old in _merged_into(step):
            streams.append(_steps(repo, step.commit.parents.first(), old, limit))
            waiting.append(next(streams[-1], None))


def _standing(repo: Repository, head: str | None, path: str) -> str:
    """The page into which a page was merged that is no more, as the commit that did so says."""
    known = {path}
    while head is not None and repo.entry(head, path) is None:
        last = next(page_commits(repo, head, path), None)
        move = paths_since([last]).get(path) if last is not None else None
        if move is None or move.path in known:
            return path
        path = move.path
        known.add(path)
    return path


def _merged_into(step: PageStep) -> list[str]:
    """The pages that a commit merged into the page, by path."""
    moves = paths_since([step.commit])
    return sorted(o for o, move in moves.items() if move.path == step.path and not move.is_same)


def _steps(
    repo: Repository, revision: str | None, path: str, limit: DiffLimit | None
) -> Iterator[PageStep]:
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
