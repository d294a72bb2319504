"""Commits that put a text in or took it out, by git's own search of history."""

from __future__ import annotations

from collections.abc import Sequence

from llmwiki.repo.border import border_of
from llmwiki.repo.repository import Repository


def commits_that_changed(repo: Repository, text: str, under: str) -> Sequence[str]:
    """The commits before HEAD in which the number of occurrences of `text` changed, newest first.

    `git log -S`: reads each commit's difference, so it costs what history below `under` holds.
    Commits of the border are none of them: of those that is not known.
    """
    if repo.head() is None:
        return ()
    folder = (repo.prefix + under).rstrip("/")
    out = repo.git.text("log", f"-S{text}", "--no-textconv", "--format=%H", "HEAD", "--", folder)
    border = border_of(repo.common_dir)
    return tuple(oid for oid in out.split() if oid not in border.commits)
