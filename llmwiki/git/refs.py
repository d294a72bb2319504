"""HEAD and the branch: read from the files, moved only by git, by compare-and-swap."""

from __future__ import annotations

import os
import re
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.git.find_repository import Layout
from llmwiki.git.runner import Git, GitError, Process

_OID = lazy_pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
LANDINGS = "refs/llmwiki/landing"
"""Where the refs stand that record landings."""
_PER_WORKTREE = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")


class Head(NamedTuple):
    """Where HEAD, or another ref, points."""

    ref: str | None
    """The branch's full name (`refs/heads/main`); None when HEAD is detached, or the ref stands
    for a commit itself."""
    oid: str | None
    """The commit; None on an unborn branch, or where there is no such ref."""


def landing_ref(layout: Layout) -> str:
    """The ref that records a landing of this work tree. It stands where every work tree counts it
    as in use: of `refs/worktree/` a prune elsewhere knows nothing."""
    is_linked = layout.git_dir != layout.common_dir
    return f"{LANDINGS}/tree/{layout.git_dir.name}" if is_linked else f"{LANDINGS}/main"


def _loose(layout: Layout, ref: str) -> Path:
    own = ref.startswith(_PER_WORKTREE) or not ref.startswith("refs/")
    return (layout.git_dir if own else layout.common_dir) / ref


def _packed(layout: Layout, ref: str) -> str | None:
    try:
        data = (layout.common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return None
    found = re.search(rb"^([0-9a-f]{40,64}) %s$" % re.escape(os.fsencode(ref)), data, re.MULTILINE)
    return found[1].decode() if found else None


def _ask_git(git: Git, name: str) -> Head:
    branch = os.fsdecode(git.run("symbolic-ref", "-q", name, ok=(0, 1)).stdout).strip()
    commit = git.run("rev-parse", "-q", "--verify", name, ok=(0, 1)).stdout.decode().strip()
    return Head(branch or None, commit or None)


def read_ref(layout: Layout, git: Git, name: str) -> Head:
    """Where a ref points now, without starting git unless refs are kept in another form.

    A reader may meet the moment between `git pack-refs` writing the packed file and removing the
    loose one; loose first, packed second, as git itself looks, is right at any instant.
    """
    asked = name
    if not layout.ref_files or _loose(layout, name).is_symlink():
        return _ask_git(git, asked)
    ref: str | None = None
    for _ in range(6):
        try:
            text = _loose(layout, name).read_text("utf-8", "surrogateescape").strip()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return Head(ref, _packed(layout, name))
        if _OID.match(text):
            return Head(ref, text)
        if not text.startswith("ref:"):
            break
        name = text[len("ref:") :].strip()
        ref = ref or name
    return _ask_git(git, asked)


class RefMoved(Exception):
    """The ref no longer held the expected commit: somebody else was quicker."""


class RefSession:
    """One lasting `git update-ref --stdin`: moving a ref costs a pipe write, not a spawn.

    `lock_fd` is inherited by the git process. A flock belongs to the open file, so when we are
    killed between asking and being answered the lock stays held until git has finished, and
    nobody's recovery can look at a branch that is about to move.
    """

    def __init__(self, git: Git, reason: str, lock_fd: int | None) -> None:
        self.reason = reason
        self._git = git
        self._fds = () if lock_fd is None else (lock_fd,)
        self._process: Process | None = None

    def open(self) -> None:
        """Start git, so that it warms up while we work."""
        if self._process is None:
            self._process = self._git.start(
                # `committed` holds objects and references: the moved ref is on the disk when
                # git says so (seen with strace in 2.39: fsync of the ref's lock file).
                *("-c", "core.fsync=committed"),
                # A collection of garbage holds the lock of HEAD while it expires the reflog, and
                # that of the packed refs, which git takes to delete a ref, while it packs them.
                *("-c", "core.filesRefLockTimeout=5000"),
                *("-c", "core.packedRefsTimeout=5000"),
                *("update-ref", "-m", self.reason, "--stdin"),
                pass_fds=self._fds,
                reads_only=False,
            )

    def move(self, ref: str, new: str, old: str | None) -> None:
        """Move `ref` from `old` (None: it does not exist) to `new`.

        Raises GitError when git refuses; whether the ref moved is then for the caller to read.
        """
        self._transact(f"update {ref} {new} {old or '0' * len(new)}")

    def delete(self, ref: str, old: str) -> None:
        """Delete `ref`, which holds `old`. Raises as `move` does."""
        self._transact(f"delete {ref} {old}")

    def _transact(self, command: str) -> None:
        self.open()
        process = self._process
        assert process is not None
        try:
            told = f"start\n{command}\nprepare\ncommit\n"
            process.write(os.fsencode(told))
            for word in ("start", "prepare", "commit"):
                line = process.stdout.readline()
                if line.strip() != f"{word}: ok".encode():
                    raise EOFError
        except (BrokenPipeError, EOFError):
            self._fail(process)

    def _fail(self, process: Process) -> None:
        self._process = None
        process.finish()
        raise StateError("git update-ref ended without an answer")

    def close(self) -> None:
        """End git. Idempotent."""
        if self._process is not None:
            self._process.close()
            self._process = None


_NO_LOCK = lazy_pattern(r"Unable to create '([^']+\.lock)': ([^\n]+)", re.IGNORECASE)
_WAYS_OUT = {
    "Permission denied": "Let the user who runs this write there: folder and files must be theirs.",
    "Read-only file system": "Mount it for writing.",
    "No space left on device": "Make room on the disk.",
}


def ref_refused(error: GitError) -> StateError:
    """Why git did not move a ref, and what to do, from what git said of it."""
    found = _NO_LOCK.search(error.stderr)
    if found is None:
        said = " ".join(error.stderr.split()) or error.what
        ways = [way for words, way in _WAYS_OUT.items() if words in said]
        fix = " ".join([*ways, "Nothing was changed."])
        return StateError(f"git did not move the branch: {said}", fix=fix)
    path, reason = found[1], found[2].strip().rstrip(".")
    if reason == "File exists":
        return StateError(
            "another git process holds the branch, or was killed while it did",
            where=path,
            fix="If no git is running, remove that file. Nothing was changed.",
        )
    way = _WAYS_OUT.get(reason, "Mend what stands in the way.")
    return StateError(
        f"git cannot write there: {reason}", where=path, fix=f"{way} Nothing was changed."
    )
