"""The lock: one operation at a time in all work trees of a repository."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
import time
import weakref
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from llmwiki.core.callbacks import IMPATIENCE, SIGNALS
from llmwiki.core.errors import LockTimeout, StateError
from llmwiki.core.settings_table import default_of
from llmwiki.git.failpoints import reach

WAIT = default_of("lock.wait")
"""Seconds to wait for another operation, where nobody says otherwise."""
_FIRST_WAIT, _LONGEST_WAIT = 0.002, 0.025


class Lock:
    """A flock on `llmwiki/lock` in the common git directory.

    The kernel drops it when its holder dies, so it is never stale. On network file systems that
    do not carry flock between hosts the compare-and-swap of the branch is what is left.
    """

    def __init__(self, common_dir: Path, name: str = "lock") -> None:
        """Another `name` is a lock of its own, in any git directory."""
        self.path = common_dir / "llmwiki" / name
        self._fd: int | None = None
        self._closer: weakref.finalize[[int], Lock] | None = None
        self.held = False
        self.opened = 0
        """How often the file was opened: a number of a descriptor may come again."""

    @property
    def fd(self) -> int:
        """The open lock file; children that must not outlive the lock inherit it."""
        assert self._fd is not None
        return self._fd

    def _open(self) -> None:
        if self._fd is not None and not self._is_current():
            self.close()
        if self._fd is None:
            try:
                self.path.parent.mkdir(exist_ok=True)
                flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
                self._fd = os.open(self.path, flags, 0o666)
                self.opened += 1
                self._closer = weakref.finalize(self, os.close, self._fd)
            except OSError as error:
                raise StateError(
                    f"the lock cannot be opened: {error.strerror}",
                    where=str(self.path),
                    fix="The git directory must be writable.",
                ) from error
        reach("lock.opened")

    def _is_current(self) -> bool:
        """Whether the name still leads to the file we hold: else two could hold two locks."""
        try:
            named, ours = self.path.stat(), os.fstat(self.fd)
        except OSError:
            return False
        return (named.st_ino, named.st_dev) == (ours.st_ino, ours.st_dev)

    def take(self, operation: str, wait: float) -> None:
        """Take the lock, waiting up to `wait` seconds; True afterwards in `held`.

        Raises LockTimeout naming the holder, StateError when the lock file cannot be opened.
        """
        if self.held:
            raise StateError("this process is in the middle of another operation on this wiki")
        deadline, pause = time.monotonic() + wait, _FIRST_WAIT
        while True:
            self._open()
            try:
                fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise self._timeout(wait) from None
                time.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_WAIT)
                continue
            except OSError as error:
                raise StateError(
                    f"this file system has no locks: {error.strerror}", where=str(self.path)
                ) from error
            if self._is_current():
                break
            self.close()
        self.held = True
        reach("lock.taken")
        started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = f"pid {os.getpid()} on {os.uname().nodename}: {operation}, since {started}\n"
        try:
            os.ftruncate(self.fd, 0)
            os.pwrite(self.fd, text.encode(), 0)
        except OSError:
            # Only words for the one who waits; the lock itself holds.
            pass
        reach("lock.named")

    def _timeout(self, wait: float) -> LockTimeout:
        holder = os.pread(self.fd, 500, 0).decode(errors="replace").strip()
        return LockTimeout(
            f"another operation holds the wiki (waited {wait:.0f} s): {holder or 'unknown'}",
            where=str(self.path),
            fix="Wait for it to finish; nothing was changed.",
        )

    def release(self) -> None:
        """Let the next one in; the file stays open for the next operation of this process."""
        if self.held:
            self.held = False
            # Explicit, since a child may have inherited the open file.
            fcntl.flock(self.fd, fcntl.LOCK_UN)
            reach("lock.released")

    def close(self) -> None:
        """Release and close. Idempotent."""
        if self._fd is not None:
            self.release()
            self._fd = None
        if self._closer is not None:
            self._closer()


class Interrupted(BaseException):
    """A signal arrived before the commit point: unwind, then let the signal have its way."""


class DeferredSignals:
    """Holds signals back inside a `with`; the first is raised again when it ends.

    One that comes again after IMPATIENCE is obeyed at once. Does nothing outside the main thread,
    where Python delivers no signals.
    """

    def __init__(self) -> None:
        self._arrived: int | None = None
        self._since = 0.0
        self._before: dict[int, object] = {}

    def __enter__(self) -> DeferredSignals:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._arrived is None:
            self._arrived, self._since = number, now
        elif now - self._since >= IMPATIENCE:
            self._arrived = None
            self._restore()
            signal.raise_signal(number)

    @property
    def arrived(self) -> bool:
        """Whether one waits."""
        return self._arrived is not None

    def check(self) -> None:
        """Abort if a signal has arrived. Raises Interrupted."""
        if self._arrived is not None:
            raise Interrupted

    def _restore(self) -> None:
        before, self._before = self._before, {}
        for number, handler in before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def __exit__(self, kind: object, error: BaseException | None, _trace: object) -> None:
        self._restore()
        if self._arrived is not None:
            signal.raise_signal(self._arrived)
            if kind is Interrupted:
                # The handler of before has returned: the landing is off all the same.
                raise KeyboardInterrupt from error
