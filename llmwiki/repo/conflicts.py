"""What a stopped merge, rebase or cherry-pick left for somebody to decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import Entry


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
    for row in repo.git.run("ls-files", "-u", "-z").stdout.split(b"\0"):
        facts, tab, name = row.decode("utf-8", "surrogateescape").partition("\t")
        if tab and name.startswith(repo.prefix):
            mode, oid, stage = facts.split(" ")
            stages.setdefault(name[len(repo.prefix) :], {})[stage] = (mode, oid)
    return tuple(
        UnmergedPath(path, sides.get("1"), sides.get("2"), sides.get("3"))
        for path, sides in sorted(stages.items())
    )
