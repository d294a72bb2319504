"""Waiting until something changes in a folder or below it, as the library watchfiles tells it.

What is told only says that it is time to look: who waits looks at the files, and misses none where
nothing is told.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

POLL = 2.0
"""Seconds from one look to the next, where nothing tells of changes."""
_SAFETY = 60.0
"""Seconds after which one looks all the same: what is told may be lost."""
_GROUP_MS = 50
"""Milliseconds in which the library takes changes together."""


class TreeWatch:
    """Who says that something changed. Close it.

    The library runs in a thread, for it would swallow the signals that end a command.
    """

    def __init__(self, folder: Path) -> None:
        self.lacking = ""
        """Why nothing is told, and one looks every two seconds; empty: it is told."""
        self._changed, self._stop = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        try:
            self._notify = RustNotify([str(folder)], False, False, 300, True, False)
        except (OSError, WatchfilesRustInternalError) as error:
            self.lacking = _reason(str(error))
            return
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while not self._stop.is_set():
            if self._notify.watch(_GROUP_MS, _GROUP_MS, 1_000, self._stop) != "timeout":
                self._changed.set()

    def wait(self, seconds: float) -> None:
        """Waits until something changed, and at most so long."""
        if self._thread is None:
            time.sleep(min(seconds, POLL))
            return
        self._changed.wait(min(seconds, _SAFETY))
        self._changed.clear()

    def close(self) -> None:
        """Ends it. Idempotent."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._thread = None
            self._notify.close()


def _reason(said: str) -> str:
    """Why nothing is told, and which of the kernel's limits may be raised."""
    if "limit" in said or "os error 28" in said:
        return "no inotify watches are left (sysctl fs.inotify.max_user_watches)"
    if "os error 24" in said:
        return "no inotify instances are left (sysctl fs.inotify.max_user_instances)"
    return said
