"""Recovery: forward when the branch has moved, back when it has not. Idempotent, under the lock."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Literal

from llmwiki.core.errors import StateError
from llmwiki.repo.failpoints import reach
from llmwiki.repo.objects import sweep_temporaries
from llmwiki.repo.refs import RefSession, landing_ref
from llmwiki.repo.repository import Repository
from llmwiki.store.finish import finish
from llmwiki.store.index_refresh import sweep_index
from llmwiki.store.materialise import sweep_work_tree
from llmwiki.store.ref_locks import sweep_ref_locks
from llmwiki.store.scratch import sweep_scratch
from llmwiki.store.steps import steps_left


@dataclass(frozen=True, slots=True)
class Recovery:
    """What recovery found and did."""

    outcome: Literal["clean", "finished", "dropped", "unfinished"]
    """`clean`: nothing to do; `finished`: the operation is complete now; `dropped`: it had not
    reached its commit, nothing of it is left; `unfinished`: the disk or a foreign lock refuses."""
    operation: str = ""
    commit: str | None = None
    kept: tuple[str, ...] = ()
    """Paths whose bytes are the user's, not the commit's."""
    failed: tuple[str, ...] = ()
    """Paths that could not be written."""


def operation_of(repo: Repository, commit: str) -> str:
    """The kind of the operation that a commit is; empty where nothing says it."""
    if repo.objects.get(commit) is None:
        return ""
    return next(repo.commits([commit])).kind or ""


def recover_locked(repo: Repository, lock_fd: int) -> Recovery:
    """Finish or drop what a killed landing left in this work tree; the caller holds the lock, whose
    descriptor is `lock_fd`."""
    reach("recover.begin")
    with suppress(OSError):
        sweep_temporaries(repo.common_dir / "objects")
    sweep_scratch(repo)
    sweep_index(repo)
    reach("recover.swept")
    commit, record = repo.landing(), landing_ref(repo.layout)
    sweep_ref_locks(repo, commit)
    if commit is None:
        return Recovery("clean")
    operation, head = operation_of(repo, commit), repo.head()
    landed = head is not None and repo.is_ancestor(commit, head)
    reach("recover.decided")
    kept: tuple[str, ...] = ()
    if landed:
        steps = steps_left(repo, commit)
        sweep_work_tree(repo, steps)
        # Whoever comes later has waited enough for a lock that the landing already waited for.
        done = finish(repo, steps, wait=1.0)
        reach("recover.materialised")
        if not done.is_complete:
            where = done.failed or (os.fspath(repo.index.path),)
            return Recovery("unfinished", operation, commit, done.kept, where)
        kept = done.kept
    try:
        with closing(RefSession(repo.git, "wiki: recover", lock_fd)) as session:
            session.delete(record, commit)
    except StateError:
        return Recovery("unfinished", operation, commit if landed else None, kept, (record,))
    reach("record.removed")
    if landed:
        return Recovery("finished", operation, commit, kept)
    return Recovery("dropped", operation)
