"""Recovery: forward when the branch has moved, back when it has not. Idempotent, under the lock."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from llmwiki.repo.failpoints import reach
from llmwiki.repo.objects import sweep_temporaries
from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import Entry, lookup
from llmwiki.store.hooks import sweep_scratch
from llmwiki.store.index_refresh import refresh_index, sweep_index
from llmwiki.store.journal import Journal, journal_path, read_journal, remove_journal
from llmwiki.store.materialise import materialise, sweep_work_tree
from llmwiki.store.ref_locks import sweep_ref_locks


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
    journal = read_journal(repo)
    if journal is None:
        return Recovery("clean")
    sweep_ref_locks(repo, journal, journal_path(repo).stat().st_mtime)
    head = repo.head()
    landed = head is not None and repo.is_ancestor(journal.new, head)
    reach("recover.decided")
    sweep_work_tree(repo, journal.steps)
    if not landed:
        remove_journal(repo)
        return Recovery("dropped", journal.operation)
    return _forward(repo, journal, head)


def _forward(repo: Repository, journal: Journal, head: str | None) -> Recovery:
    tree = repo.root_tree(head)
    # Where a later commit has changed a path again, the work tree is that commit's business.
    steps = [s for s in journal.steps if lookup(repo.directory, tree, s.path) == s.new]

    def blobs(entry: Entry | None) -> bytes | None:
        return None if entry is None else repo.read_many([entry[1]])[0]

    def files(entry: Entry | None) -> bytes | None:
        blob = blobs(entry)
        return None if blob is None else repo.large_files.whole(blob)

    outcome = materialise(repo, steps, files)
    # Whoever comes later has waited enough for a lock that the landing already waited for.
    refreshed = refresh_index(repo, steps, blobs, wait=1.0)
    reach("recover.materialised")
    names = tuple(path.removeprefix(repo.prefix) for path in outcome.kept)
    failed = tuple(path.removeprefix(repo.prefix) for path in outcome.failed)
    if outcome.failed or not refreshed:
        where = failed or (os.fspath(repo.index.path),)
        return Recovery("unfinished", journal.operation, journal.new, names, where)
    remove_journal(repo)
    return Recovery("finished", journal.operation, journal.new, names)
