"""A `git gc --prune=now` in the middle of a landing: what it takes is put back, work done again.

While hooks run, the index of the scratch work tree leads to the objects, as a person's index does
while `git commit` runs. Everywhere else `repo.staging` holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from llmwiki.core.errors import StateError
from llmwiki.repo.git import GitError
from llmwiki.repo.objects import GitObject
from llmwiki.repo.repository import Repository
from llmwiki.repo.staging import Staging

ATTEMPTS = 5
"""How often a piece of work is done anew because a prune has taken objects meanwhile."""
T = TypeVar("T")


def with_objects(staging: Staging, work: Callable[[], T]) -> T:
    """Let git work on the staged objects; again when it fails and some of them were gone.

    Raises what `work` raises, OSError when the disk does.
    """
    for _ in range(ATTEMPTS - 1):
        staging.publish()
        try:
            return work()
        except GitError as error:
            # A git that was killed may have done its work all the same.
            if error.returncode < 0 or not staging.publish():
                raise
    return work()


def keep_made(repo: Repository, staging: Staging, oids: Sequence[str]) -> None:
    """Stage objects that git or a hook has made. Raises StateError when they are gone already."""
    made: list[GitObject] = []
    for oid, found in zip(oids, repo.objects.get_many(oids), strict=True):
        if found is None:
            raise StateError(
                "objects that were just made are gone from the repository",
                where=oid,
                fix="Wait until `git gc` or `git prune` is over and run the command again. "
                "Nothing was changed.",
            )
        made.append(GitObject(oid, found.kind, found.data))
    staging.add(made)
