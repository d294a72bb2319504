"""What is staged: the commit that `git commit` would make of it, and what a stopped merge left."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from llmwiki.core.errors import StateError
from llmwiki.git.repository import Repository
from llmwiki.git.runner import GitError
from llmwiki.git.trees import Entry

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


@dataclass(frozen=True, slots=True)
class UnmergedPath:
    """One path's three versions, as the index holds them; None: that side has no such file."""

    path: str
    """Relative to the wiki's root."""
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None


class StoppedStep(NamedTuple):
    """The commits of a merge, or of one step of a rebase, cherry-pick or revert, that stopped."""

    bases: tuple[str, ...]
    """What both sides began from; several where their histories have met before."""
    ours: str
    theirs: str


def stopped_step(repo: Repository) -> StoppedStep | None:
    """What git is in the middle of merging; None: nothing, or it is not told by commits."""
    ours = repo.head()
    theirs = repo.resolve("MERGE_HEAD")
    if ours is None:
        return None
    if theirs is not None:
        rows = repo.git.run("merge-base", "--all", ours, theirs, ok=(0, 1)).stdout.decode()
        return StoppedStep(tuple(sorted(rows.split())), ours, theirs)
    for name, is_reverted in (
        ("CHERRY_PICK_HEAD", False),
        ("REVERT_HEAD", True),
        ("REBASE_HEAD", False),
    ):
        picked = repo.resolve(name)
        parents = repo.parents(picked) if picked else None
        parent = parents.first() if parents is not None and parents.known else None
        if picked is not None and parent is not None:
            base, side = (picked, parent) if is_reverted else (parent, picked)
            return StoppedStep((base,), ours, side)
    return None


def unmerged(repo: Repository) -> tuple[UnmergedPath, ...]:
    """The paths below the wiki's root that git left unmerged, by path."""
    stages: dict[str, dict[str, Entry]] = {}
    for row in repo.git.records("ls-files", "-u", "-z"):
        facts, _, name = row.partition("\t")
        if name.startswith(repo.prefix):
            mode, oid, stage = facts.split(" ")
            stages.setdefault(name[len(repo.prefix) :], {})[stage] = (mode, oid)
    return tuple(
        UnmergedPath(path, sides.get("1"), sides.get("2"), sides.get("3"))
        for path, sides in sorted(stages.items())
    )
