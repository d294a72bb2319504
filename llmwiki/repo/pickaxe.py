"""Commits that put a text in or took it out, by git's own search of history."""

from __future__ import annotations

from llmwiki.repo.repository import Repository


def commits_that_changed(repo: Repository, text: str, under: str) -> tuple[str, ...]:
    """The commits before HEAD in which the number of occurrences of `text` changed, newest first.

    `git log -S`: reads each commit's difference, so it costs what history below `under` holds.
    """
    if repo.head() is None:
        return ()
    folder = (repo.prefix + under).rstrip("/")
    out = repo.git.text("log", f"-S{text}", "--format=%H", "HEAD", "--", folder)
    return tuple(out.split())
