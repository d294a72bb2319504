"""Lock files of refs that our own git left when it was killed in the middle of a transaction."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from llmwiki.repo.refs import LANDINGS, landing_ref
from llmwiki.repo.repository import Repository

_PATIENCE = 1.0
"""Seconds an empty lock must stand still: a living git holds one for a few milliseconds."""
_Stamp = tuple[tuple[int, int, int] | None, ...]


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


def _stamp(paths: list[Path]) -> _Stamp | None:
    """What tells whether somebody works behind a lock, the first of `paths`; None: it is not there,
    or not empty."""
    found: list[tuple[int, int, int] | None] = []
    for path in paths:
        try:
            status = path.stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((status.st_ino, status.st_mtime_ns, status.st_size))
    return tuple(found) if found[0] is not None and not found[0][2] else None
