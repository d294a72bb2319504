"""What follows the commit point, in a landing or after one that was killed; and recovery: forward
when the branch has moved, back when it has not. Idempotent, under the lock."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from llmwiki.core.errors import StateError
from llmwiki.git.failpoints import reach
from llmwiki.git.objects import sweep_temporaries
from llmwiki.git.refs import LANDINGS, RefSession, landing_ref
from llmwiki.git.repository import Repository
from llmwiki.git.store.hooks import sweep_scratch
from llmwiki.git.store.staging_refresh import WAIT, refresh_index, sweep_index
from llmwiki.git.store.write_work_tree import (
    Blobs,
    Step,
    WorkTreeOutcome,
    materialise,
    steps_left,
    sweep_work_tree,
)
from llmwiki.git.trees import Entry
from llmwiki.git.worktree_files import Stamp, stamp_of


def finish(
    repo: Repository,
    steps: Sequence[Step],
    *,
    data: Mapping[str, bytes] | None = None,
    wait: float = WAIT,
) -> WorkTreeOutcome:
    """Bring work tree and index to what is committed; what a sparse checkout leaves out is not
    written, and a bare repository has neither.

    `data` (blob id to bytes) saves reading; `wait` is how many seconds a foreign `index.lock` is
    waited for. Idempotent. Raises OSError and WikiError.
    """
    if repo.layout.is_bare:
        return WorkTreeOutcome()
    blobs = contents(repo, data or {})
    is_sparse = repo.settings.flag("core.sparsecheckout")
    ours = [step.path for step in steps if not step.adopted]
    outside = repo.index.outside(ours) if is_sparse else frozenset()
    outcome = materialise(repo, [step for step in steps if step.path not in outside], blobs)
    is_index_done = refresh_index(repo, steps, blobs, wait=wait, outside=outside)
    return replace(outcome, is_index_done=is_index_done)


def contents(repo: Repository, known: Mapping[str, bytes]) -> Blobs:
    """The bytes of entries; `known` (blob id to bytes) saves reading."""
    fetched: dict[str, bytes] = {}

    def blobs(entry: Entry | None) -> bytes | None:
        if entry is None:
            return None
        oid = entry[1]
        if oid not in known and oid not in fetched:
            fetched[oid] = repo.read_many([oid])[0]
        return known.get(oid, fetched.get(oid))

    return blobs


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


_PATIENCE = 1.0
"""Seconds an empty lock must stand still: a living git holds one for a few milliseconds."""


def sweep_ref_locks(repo: Repository, commit: str | None) -> None:
    """Remove the locks of a `git update-ref` of ours that is dead; only under our lock.

    `commit` is that of the landing ref. Our git inherits the lock's descriptor, so once we hold the
    lock it is dead. The landing ref's lock is ours by its name, and one that holds the commit's id
    by that. git also makes an empty `HEAD.lock`, and the branch's is empty for an instant: those
    are taken for ours if they are no older than the landing ref. Of a deletion an empty
    `packed-refs.lock` is left, and beside it the folder of landing refs, which git takes away last.
    What is empty must also stand still while we wait. Any other lock is left alone.
    """
    folder, record = repo.common_dir / LANDINGS, repo.common_dir / landing_ref(repo.layout)
    if not folder.is_dir() and commit is None:
        return
    record.with_name(f"{record.name}.lock").unlink(missing_ok=True)
    packed = repo.common_dir / "packed-refs"
    doubtful = [[packed.with_name("packed-refs.lock"), packed.with_name("packed-refs.new")]]
    if commit is not None:
        doubtful += [[path] for path in _of_branch(repo, commit, record)]
    empty = [(paths, stamp) for paths in doubtful if (stamp := _stamp(paths))]
    if empty:
        time.sleep(_PATIENCE)
    for paths, before in empty:
        if _stamp(paths) == before:
            for path in reversed(paths):
                path.unlink(missing_ok=True)
    for left in (folder / "tree", folder):
        with suppress(OSError):
            left.rmdir()


def _of_branch(repo: Repository, commit: str, record: Path) -> list[Path]:
    """The locks of HEAD and its branch that may be ours; those that are beyond doubt are gone."""
    branch = repo.branch()
    locks = [repo.git_dir / "HEAD.lock"]
    locks += [] if branch is None else [repo.common_dir / f"{branch}.lock"]
    left = []
    for path in locks:
        with suppress(OSError):
            if path.read_bytes().strip() == commit.encode():
                path.unlink()
            elif path.stat().st_mtime >= record.stat().st_mtime - 1:
                left.append(path)
    return left


def _stamp(paths: list[Path]) -> tuple[Stamp, ...] | None:
    """What tells whether somebody works behind a lock, the first of `paths`; None: it is not there,
    or not empty."""
    lock, *beside = (stamp_of(path) for path in paths)
    return None if lock is None or lock[1] else (lock, *beside)
