"""Recovery: forward when the branch has moved, back when it has not. Idempotent, under the lock."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from llmwiki.repo.failpoints import reach
from llmwiki.repo.objects import sweep_temporaries
from llmwiki.repo.repository import Repository
from llmwiki.repo.staging import Staging
from llmwiki.repo.trees import lookup
from llmwiki.store.finish import finish
from llmwiki.store.index_refresh import sweep_index
from llmwiki.store.journal import Journal, journal_path, read_journal, remove_journal
from llmwiki.store.materialise import sweep_work_tree
from llmwiki.store.ref_locks import sweep_ref_locks
from llmwiki.store.scratch import sweep_scratch


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


def recover_locked(repo: Repository) -> Recovery:
    """Finish or drop what a killed landing left in this work tree; the caller holds the lock."""
    reach("recover.begin")
    with suppress(OSError):
        sweep_temporaries(repo.common_dir / "objects")
        repo.large_files.sweep()
    if not (repo.git_dir / "llmwiki").is_dir():
        return Recovery("clean")
    sweep_scratch(repo)
    sweep_index(repo)
    reach("recover.swept")
    journal, staging = read_journal(repo), repo.staging()
    if journal is None:
        staging.clear()
        return Recovery("clean")
    try:
        # Before anything else: a `git gc` may have left HEAD without its trees.
        staging.publish()
    except OSError as error:
        place = error.filename2 or error.filename or repo.common_dir
        return Recovery("unfinished", journal.operation, failed=(os.fspath(place),))
    sweep_ref_locks(repo, journal, journal_path(repo).stat().st_mtime)
    head = repo.head()
    landed = head is not None and repo.is_ancestor(journal.new, head)
    reach("recover.decided")
    sweep_work_tree(repo, journal.steps)
    if not landed:
        remove_journal(repo)
        staging.clear()
        return Recovery("dropped", journal.operation)
    return _forward(repo, staging, journal, head)


def _forward(repo: Repository, staging: Staging, journal: Journal, head: str | None) -> Recovery:
    tree = repo.root_tree(head)
    # Where a later commit has changed a path again, the work tree is that commit's business.
    steps = [s for s in journal.steps if lookup(repo.directory, tree, s.path) == s.new]
    # Whoever comes later has waited enough for a lock that the landing already waited for.
    done = finish(repo, staging, steps, wait=1.0)
    reach("recover.materialised")
    if not done.is_complete:
        where = done.failed or (os.fspath(repo.index.path),)
        return Recovery("unfinished", journal.operation, journal.new, done.kept, where)
    remove_journal(repo)
    staging.clear()
    return Recovery("finished", journal.operation, journal.new, done.kept)
