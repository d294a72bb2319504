"""What a stopped merge, rebase or cherry-pick left for somebody to decide."""

from __future__ import annotations

from dataclasses import dataclass

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
