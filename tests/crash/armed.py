"""The program with failpoints armed: `python armed.py ARGUMENT…` is `wiki ARGUMENT…`. Not a test.

`LLMWIKI_FAILPOINT=name[:n][=action]` arms one point for one process: the n-th time (from 1,
default 1) that `name` is passed, the action happens. Actions: `kill` (SIGKILL to this process,
the default), `stop` (SIGSTOP: a test does something meanwhile), `ENOSPC`, `EROFS`, `EIO` (an
`OSError` of that number). Several, separated by commas, may be armed at once.

Every point stands in `POINTS` with what has happened when it is reached; a test compares that
list with the calls in the source, and another kills at each one.
"""

from __future__ import annotations

import errno
import os
import signal
from dataclasses import dataclass

from llmwiki.git import failpoints

POINTS: dict[str, str] = {
    "lock.opened": "the lock file is open, the lock not yet taken",
    "lock.taken": "the lock is held, its holder not yet written down",
    "lock.named": "the lock is held and names its holder",
    "recover.begin": "leftovers are about to be swept",
    "recover.swept": "leftovers are swept, the landing ref not yet looked at",
    "recover.decided": "the landing ref is read and its direction known",
    "recover.materialised": "the work tree and index are brought forward, the ref still there",
    "guard.passed": "the state of the repository allows writing",
    "plan.made": "the plan is computed, nothing written",
    "plan.checked": "paths and work tree allow the plan, nothing written",
    "objects.begin": "objects are about to be written",
    "objects.temporary": "one object is written under another name",
    "objects.synced": "all objects are on disk under other names",
    "objects.placed": "one object is where git looks",
    "objects.done": "all objects are where git looks",
    "hooks.scratch": "the scratch work tree is laid out, no hook has run",
    "hooks.tree": "what pre-commit has left is written as a tree, by git",
    "hooks.pre-commit": "pre-commit has passed",
    "hooks.commit-msg": "commit-msg has passed",
    "hooks.swept": "the scratch work tree is removed",
    "commit.written": "git has written the signed commit, and we do not hold it",
    "commit.signed": "the signed commit object exists",
    "record.made": "the landing ref names the commit, durably",
    "ref.before": "the branch is about to move",
    "ref.moved": "the branch has moved: the commit point is passed",
    "tree.begin": "the work tree is about to be written",
    "tree.directory": "one missing directory is made",
    "tree.temporary": "one page's temporary file is written",
    "tree.synced": "all temporary files are on disk, no page replaced",
    "tree.renamed": "one page is replaced",
    "tree.deleted": "one page is deleted",
    "tree.done": "all pages are replaced and their directories synced",
    "index.lock-file": "the content of our index.lock is written under another name",
    "index.locked": "index.lock is ours",
    "index.linked": "the private copy of the index is there",
    "index.updated": "the private copy holds the new entries",
    "index.renamed": "the index is replaced, index.lock still there",
    "index.unlocked": "index.lock is gone",
    "objects.kept": "work tree and index are done, and all objects are still where git looks",
    "record.removed": "the landing ref is gone, the lock still held",
    "lock.released": "the lock is free",
    "private.temporary": "the temporary of a private file is on disk",
    "private.renamed": "that file has its name, its directory is not yet synced",
}
"""Every failpoint, in the order in which a landing passes them, and what is true there."""

_SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}
_ERRNOS = {"ENOSPC": errno.ENOSPC, "EROFS": errno.EROFS, "EIO": errno.EIO}


@dataclass(slots=True)
class _Armed:
    remaining: int
    action: str


def _parse(text: str) -> dict[str, _Armed]:
    armed: dict[str, _Armed] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        head, _, action = item.partition("=")
        name, _, count = head.partition(":")
        if name not in POINTS or (count and not count.isdigit()):
            raise ValueError(f"unknown failpoint {item!r}")
        if (action or "kill") not in {*_SIGNALS, *_ERRNOS}:
            raise ValueError(f"unknown action in failpoint {item!r}")
        armed[name] = _Armed(int(count or "1"), action or "kill")
    return armed


def arm() -> None:
    """Arm what the environment names, for this process."""
    armed = _parse(os.environ.get("LLMWIKI_FAILPOINT", ""))

    def fire(name: str) -> None:
        point = armed.get(name)
        if point is None:
            return
        point.remaining -= 1
        if point.remaining:
            return
        if point.action in _SIGNALS:
            os.kill(os.getpid(), _SIGNALS[point.action])
            return
        number = _ERRNOS[point.action]
        raise OSError(number, os.strerror(number), f"failpoint {name}")

    failpoints.armed = fire if armed else None


if __name__ == "__main__":
    from llmwiki.interfaces.cli import main

    arm()
    main()
