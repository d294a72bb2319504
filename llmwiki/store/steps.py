"""What a landing does path by path: from its plan, or read out of its commit after a crash."""

from __future__ import annotations

from dataclasses import dataclass

from llmwiki.core.errors import PolicyError
from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import Entry, empty_tree, lookup, object_id
from llmwiki.repo.worktree import Folders

_PARENT = "parent "
_SOURCES, _TEXTS = "raw/", "raw/.text/"


@dataclass(frozen=True, slots=True)
class Step:
    """One path's change."""

    path: str
    """Relative to the work tree's top."""
    old: Entry | None
    new: Entry | None
    adopted: bool = False
    """The person's own file: the work tree is not to be touched."""


def steps_left(repo: Repository, commit: str) -> list[Step]:
    """The steps of a landing that was cut short after its commit point: what the commit changes
    against its first parent, where HEAD still has it. What a later commit has changed again is
    that commit's business.

    A file below raw/ that is not what the landing replaced is taken for a person's.
    """
    found = repo.objects.get(commit)
    header = found.data.partition(b"\n\n")[0].decode("utf-8", "replace") if found else ""
    parents = [line[len(_PARENT) :] for line in header.split("\n") if line.startswith(_PARENT)]
    base = parents[0] if parents else empty_tree(repo.object_format)
    tree = repo.root_tree(repo.head())
    with repo.folders() as folders:
        return [
            Step(path, old, new, adopted=_is_persons(repo, folders, path, old))
            for path, old, new in repo.changes(base, commit)
            if lookup(repo.directory, tree, path) == new
        ]


def _is_persons(repo: Repository, folders: Folders, path: str, old: Entry | None) -> bool:
    name = path.removeprefix(repo.prefix)
    if not name.startswith(_SOURCES) or name.startswith(_TEXTS):
        return False
    try:
        data = folders.read(path)
    except (OSError, PolicyError):
        return True
    if data is None or old is None:
        return (data is None) != (old is None)
    return old[1] != object_id("blob", data, repo.object_format)
