"""Waiting until something changes in a folder or below it, as the system tells it.

What is told only says that it is time to look: who waits looks at the files, and misses none where
nothing is told.
"""

from __future__ import annotations

import errno
import select
import sys
import threading
import time
from pathlib import Path
from typing import Protocol

from llmwiki.repo.folder_watch import FolderWatch

_IS_LINUX = sys.platform.startswith("linux")
POLL = 2.0
"""Seconds from one look to the next, where nothing tells of changes."""
_SAFETY = 60.0
"""Seconds after which one looks all the same: what is told may be lost."""
_GROUP_MS = 50
"""Milliseconds in which the library takes changes together."""


class TreeWatch(Protocol):
    """Who says that something changed. Close it."""

    lacking: str
    """Why nothing is told, and one looks again and again; empty: it is told."""

    def enter(self, folder: Path, /) -> None:
        """Takes a folder, before its files are looked at. Raises OSError where it cannot."""

    def wait(self, seconds: float, /) -> None:
        """Waits until something changed, and at most so long."""

    def close(self) -> None:
        """Ends it. Idempotent."""


class KernelWatch:
    """What the kernel of Linux tells of each folder."""

    lacking = ""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where changes in `folder` are not told."""
        self._watch = FolderWatch(folder)
        self._entered: set[Path] = set()

    def enter(self, folder: Path) -> None:
        """Takes a folder. Raises OSError where the kernel takes no more."""
        if folder not in self._entered:
            self._watch.add(folder)
            self._entered.add(folder)

    def wait(self, seconds: float) -> None:
        """Waits until something changed, and at most so long."""
        select.select([self._watch.fileno()], [], [], min(seconds, _SAFETY))
        self._watch.has_changes()

    def close(self) -> None:
        """Ends it. Idempotent."""
        self._watch.close()


class LibraryWatch:
    """What the library watchfiles tells of a folder and all below it, on other systems.

    It runs in a thread, for it would swallow the signals that end a command.
    """

    lacking = ""

    def __init__(self, folder: Path) -> None:
        """Raises ImportError without the library, OSError where changes are not told."""
        from watchfiles._rust_notify import RustNotify

        self._notify = RustNotify([str(folder)], False, False, 300, True, True)
        self._changed, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while not self._stop.is_set():
            if self._notify.watch(_GROUP_MS, _GROUP_MS, 1_000, self._stop) != "timeout":
                self._changed.set()

    def enter(self, folder: Path) -> None:
        """Nothing: folders below are watched with it."""

    def wait(self, seconds: float) -> None:
        """Waits until something changed, and at most so long."""
        self._changed.wait(min(seconds, _SAFETY))
        self._changed.clear()

    def close(self) -> None:
        """Ends it. Idempotent."""
        self._stop.set()
        self._thread.join()
        self._notify.close()


class Polling:
    """Nothing tells of changes: one looks every two seconds."""

    def __init__(self, lacking: str) -> None:
        self.lacking = lacking

    def enter(self, folder: Path) -> None:
        """Nothing."""

    def wait(self, seconds: float) -> None:
        """Waits, and at most two seconds."""
        time.sleep(min(seconds, POLL))

    def close(self) -> None:
        """Nothing."""


def open_tree_watch(folder: Path) -> TreeWatch:
    """The best that this system has for the folder."""
    try:
        if _IS_LINUX:
            return KernelWatch(folder)
        return LibraryWatch(folder)
    except ImportError:
        return Polling("the library watchfiles is missing: pip install 'git-llmwiki[watch]'")
    except OSError as error:
        return Polling(reason_of_refusal(error))


def reason_of_refusal(error: OSError) -> str:
    """Why the kernel tells nothing, and which of its limits may be raised."""
    if error.errno == errno.ENOSPC:
        return "no inotify watches are left (sysctl fs.inotify.max_user_watches)"
    if error.errno == errno.EMFILE:
        return "no inotify instances are left (sysctl fs.inotify.max_user_instances)"
    return error.strerror or "changes are not told"
