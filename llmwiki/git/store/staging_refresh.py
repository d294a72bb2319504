"""Bringing our paths in the user's index up to date, and nothing else in it.

We take `index.lock` ourselves, in one step with its content (a hard link of a file that names
us): a killed landing's lock is then told from a foreign one, and what we read under it stays
true until we put the new index in place. git edits a private copy (a hard link: git replaces
index files, never writes into them); so a git that outlives us harms nobody.

Files whose bytes we have just read are given to `git update-index --stdin`, which records their
stat data (a later `git status` need not read them); the rest by blob id alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from llmwiki.core.errors import PolicyError, WikiError
from llmwiki.git.failpoints import reach
from llmwiki.git.repository import Repository
from llmwiki.git.staging_entries import IndexEntry
from llmwiki.git.store.write_work_tree import Blobs, Step
from llmwiki.git.worktree_files import Stamp, stamp, stamp_of

_MARK = b"llmwiki "
WAIT = 5.0
"""Seconds to wait for a foreign `index.lock`."""


def refresh_index(
    repo: Repository,
    steps: Sequence[Step],
    blobs: Blobs,
    wait: float = WAIT,
    outside: Collection[str] = (),
) -> bool:
    """Set the entries of `steps` that still hold what HEAD held before, and those of the files that
    were taken over from the work tree: what was staged of them is older than what is committed.

    Paths `outside` of a sparse checkout are marked as left out of the work tree.

    False when the index could not be written (a foreign lock, a full disk): nothing changed then.
    """
    if not _outdated(repo, steps):
        return True
    own = repo.git_dir / "llmwiki" / f"landing-lock.{os.getpid()}"
    lock = repo.git_dir / "index.lock"
    try:
        if not _take(own, lock, wait):
            return False
    except OSError:
        return False
    reach("index.locked")
    private = repo.git_dir / "llmwiki" / f"landing-index.{os.getpid()}"
    try:
        _edit(repo, _outdated(repo, steps), blobs, private, outside)
    except (OSError, WikiError):
        return False
    finally:
        lock.unlink(missing_ok=True)
        for left in (own, private, private.with_name(f"{private.name}.lock")):
            left.unlink(missing_ok=True)
    reach("index.unlocked")
    return True


def _outdated(repo: Repository, steps: Sequence[Step]) -> list[Step]:
    entries = repo.index.read(step.path for step in steps)
    found = []
    for step in steps:
        entry = entries[step.path]
        if entry is not None and entry.unmerged:
            continue
        now = None if entry is None else (entry.mode, entry.oid)
        is_ours = now == step.old or (step.adopted and step.new is not None)
        if is_ours and now != step.new:
            found.append(step)
    return found


def _take(own: Path, lock: Path, wait: float) -> bool:
    own.unlink(missing_ok=True)
    own.write_bytes(_MARK + str(os.getpid()).encode() + b"\n")
    reach("index.lock-file")
    deadline, pause = time.monotonic() + wait, 0.005
    while True:
        try:
            os.link(own, lock)
        except FileExistsError:
            if time.monotonic() >= deadline:
                own.unlink(missing_ok=True)
                return False
            time.sleep(pause)
            pause = min(2 * pause, 0.1)
            continue
        return True


def _edit(
    repo: Repository,
    steps: Sequence[Step],
    blobs: Blobs,
    private: Path,
    outside: Collection[str],
) -> None:
    # Before the link, which alters the times of the file: they tell whether it was read already.
    entries = repo.index.read(step.path for step in steps)
    private.unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        os.link(repo.index.path, private)
    reach("index.linked")
    assumed = {path for path, entry in entries.items() if entry is not None and entry.assumed}
    skipped = {path for path, entry in entries.items() if entry is not None and entry.skipped}
    skipped.update(outside)
    # git would not look at what it is told to take for unchanged.
    looked_at = [s for s in steps if s.path not in assumed and s.path not in skipped]
    seen = _unchanged_on_disk(repo, looked_at, blobs)
    by_id = [step for step in steps if step.path not in seen]
    _by_id(repo, by_id, private)
    if seen:
        _update(repo, ["--add", "--stdin"], sorted(seen), private)
        with repo.folders() as folders:
            after = {path: stamp(folders.status(path)) for path in seen}
        moved = [
            step for step in steps if step.path in seen and after[step.path] != seen[step.path]
        ]
        # Somebody wrote the file between our look and git's: record what is committed.
        _by_id(repo, moved, private)
    # A person had marked them to be taken for unchanged, or a sparse checkout leaves them out.
    for mark, paths in (("--assume-unchanged", assumed), ("--skip-worktree", skipped)):
        marked = sorted(step.path for step in by_id if step.new and step.path in paths)
        _update(repo, [mark, "--stdin"], marked, private)
    reach("index.updated")
    private.replace(repo.index.path)
    changes = {
        step.path: step.new
        and IndexEntry(*step.new, skipped=step.path in skipped, assumed=step.path in assumed)
        for step in steps
    }
    repo.index.replaced(changes, stamp_of(repo.index.path))
    reach("index.renamed")


def _unchanged_on_disk(repo: Repository, steps: Sequence[Step], blobs: Blobs) -> dict[str, Stamp]:
    """Steps whose file holds exactly the committed bytes, and bytes that git never converts."""
    seen: dict[str, Stamp] = {}
    with repo.folders() as folders:
        for step in steps:
            if step.new is None:
                continue
            try:
                before = stamp(folders.status(step.path))
                data = folders.read(step.path)
            except (OSError, PolicyError):
                continue
            if data is not None and data == blobs(step.new) and b"\r" not in data:
                seen[step.path] = before
    return seen


def _by_id(repo: Repository, steps: Sequence[Step], private: Path) -> None:
    lines = [
        f"0 {'0' * len((step.old or ('', '0' * 40))[1])}\t{step.path}"
        if step.new is None
        else f"{step.new[0]} {step.new[1]}\t{step.path}"
        for step in sorted(steps, key=lambda step: (step.new is not None, step.path))
    ]
    _update(repo, ["--index-info"], lines, private)


def _update(repo: Repository, how: Sequence[str], lines: Sequence[str], private: Path) -> None:
    if lines:
        env = {"GIT_INDEX_FILE": str(private)}
        repo.git.records("update-index", "-z", *how, told=lines, env=env)


def sweep_index(repo: Repository) -> None:
    """Remove index files and an `index.lock` that a killed landing of ours left."""
    lock = repo.git_dir / "index.lock"
    with suppress(OSError):
        if lock.read_bytes()[: len(_MARK)] == _MARK:
            lock.unlink(missing_ok=True)
    for left in (repo.git_dir / "llmwiki").glob("landing-*"):
        left.unlink(missing_ok=True)
