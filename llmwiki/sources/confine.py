"""Giving up rights: what the converting process does to itself before it sees a document.

What the kernel holds it to goes for libraries in C too; the hook stops Python code only, and is the
second line.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from collections.abc import Sequence

from llmwiki.sources import landlock, seccomp
from llmwiki.sources.readable import readable

_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FORBIDDEN = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork",
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate",
    "os.kill", "pty.", "ctypes.", "urllib.", "http.", "webbrowser.", "ftplib.", "smtplib.",
)  # fmt: skip


def confine(*, memory: int, seconds: float) -> None:
    """Limit this process for good: `memory` bytes of address space, `seconds` of processor time.

    No new files, few open ones, no children, no network; reading is possible in Python's own
    folders and the system's libraries only. What a system does not offer is left out, save the
    hook (PEP 578).
    """
    paths = readable()
    limit(memory=memory, seconds=seconds, reads=paths, becomes_another=False)
    roots = tuple(path + os.sep for path in paths)

    def refuse(event: str, args: tuple[object, ...]) -> None:
        if event == "open":
            _check_open(args, roots)
        elif event.startswith(_FORBIDDEN):
            raise PermissionError(f"a converter must not do this: {event}")

    sys.addaudithook(refuse)


def limit(*, memory: int, seconds: float, reads: Sequence[str], becomes_another: bool) -> None:
    """What the kernel holds this process to, and a program that is run in place of it.

    An empty network namespace (unshare(2)), Landlock, a filter of system calls, limits of
    resources: each where the kernel allows it. `reads` are the paths that can be read after.
    """
    if sys.platform == "linux":
        _leave_network()
        landlock.keep_to(reads)
        landlock.refuse_new_privileges()
        seccomp.refuse_calls(becomes_another=becomes_another)
    whole = max(1, int(seconds + 0.999))
    for what, soft, hard in (
        (resource.RLIMIT_AS, memory, memory),
        # Apart, so that SIGXCPU comes before SIGKILL, which would look like want of memory.
        (resource.RLIMIT_CPU, whole, whole + 1),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NOFILE, 64, 64),
        (resource.RLIMIT_NPROC, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (soft, hard))


def _check_open(args: tuple[object, ...], roots: tuple[str, ...]) -> None:
    path, mode, flags = args
    if isinstance(path, int):
        return
    if isinstance(flags, int) and flags & _WRITING:
        raise PermissionError("a converter must not write files")
    if isinstance(mode, str) and set(mode) & set("wax+"):
        raise PermissionError("a converter must not write files")
    name = _plain(os.fsdecode(path)) if isinstance(path, str | bytes) else ""
    if not name.startswith(roots):
        raise PermissionError(f"a converter must not read files: {name}")


def _plain(path: str) -> str:
    # Only the words of the path: resolving links would open files inside the hook.
    return os.path.abspath(path)  # noqa: PTH100


def _leave_network() -> None:
    import ctypes

    unshare = ctypes.CDLL(None).unshare
    if unshare(_CLONE_NEWNET) != 0:
        unshare(_CLONE_NEWUSER | _CLONE_NEWNET)
