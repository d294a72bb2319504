"""The line of first parents behind HEAD: what the branch held, one commit after another."""

from __future__ import annotations

from collections.abc import Iterator

from llmwiki.repo.repository import Repository


def mainline(repo: Repository) -> Iterator[tuple[str, int]]:
    """Commits from HEAD back along first parents, each with its committer's time in seconds since
    the epoch. Nothing on an unborn branch."""
    if repo.head() is None:
        return
    with repo.git.start("rev-list", "--first-parent", "--timestamp", "HEAD", stdin=False) as git:
        for row in git.records("\n", "rev-list"):
            seconds, _, oid = row.decode().strip().partition(" ")
            if oid:
                yield oid, int(seconds)
