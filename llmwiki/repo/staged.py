"""The commit that `git commit` would make of what is staged now."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.repo.git import GitError
from llmwiki.repo.repository import Repository

NAME, MAIL = "llmwiki", "llmwiki@localhost"
"""Who makes it: it is never part of a branch, and its id must not depend on the user."""
_MESSAGE = b"What is staged.\n"
_QUIET = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
"""No program that the configuration names need run to read an index."""


def staged_commit(repo: Repository, now: float, environment: Mapping[str, str]) -> str:
    """A commit whose tree is the index, with HEAD as its parent; HEAD itself where they are equal.

    No ref names it, and the user's index is only read. Its date is that of HEAD, or `now` (seconds
    since the epoch) on an unborn branch. In a hook GIT_INDEX_FILE counts, for `git commit FILE`
    stages into an index of its own, and so does the message of an operation that lands. Raises
    StateError while conflicts are unresolved.
    """
    head = repo.head()
    index = _named(repo, environment, "GIT_INDEX_FILE") or repo.git_dir / "index"
    told = _named(repo, environment, "LLMWIKI_MESSAGE")
    message = told.read_bytes() if told is not None and told.is_file() else _MESSAGE
    with tempfile.TemporaryDirectory(prefix="llmwiki-index-") as folder:
        copy = Path(folder) / "index"
        if index.exists():
            try:
                shutil.copyfile(index, copy)
            except OSError as error:
                raise StateError("the index cannot be read", where=str(index)) from error
        try:
            out = repo.git.run(*_QUIET, "write-tree", env={"GIT_INDEX_FILE": str(copy)}).stdout
        except GitError as error:
            if ": unmerged" not in error.stderr:
                raise
            raise StateError(
                "what is staged cannot be committed: conflicts are unresolved",
                fix="Resolve them and run `git add`.",
            ) from error
    tree = out.decode().strip()
    if head is not None and tree == repo.root_tree(head):
        return head
    date = f"{_seconds(repo, head, now)} +0000"
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", NAME), ("EMAIL", MAIL), ("DATE", date))
    }
    parents = ["-p", head] if head else []
    made = repo.git.run("commit-tree", tree, *parents, stdin=message, env=identity)
    return made.stdout.decode().strip()


def _named(repo: Repository, environment: Mapping[str, str], variable: str) -> Path | None:
    """The file a variable names, which counts only inside the git directory."""
    told = environment.get(variable)
    if not told:
        return None
    place = Path(os.path.realpath(repo.top / told))
    return place if place.is_relative_to(os.path.realpath(repo.common_dir)) else None


def _seconds(repo: Repository, head: str | None, now: float) -> int:
    if head is None:
        return int(now)
    for commit in repo.log(head, limit=1):
        return int(commit.date.timestamp())
    return int(now)
