"""The tool `exec`: a program in a sandbox that sees the pages and the sources, and nothing else.

It has no network, no environment, no home, no git directory, no rights of root, whoever starts it,
and writes to a little memory only. Where bubblewrap is missing or may not be used there is no
sandbox; then the tool is there only if the user's own settings say `unsandboxed`, and each call is
asked for.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from llmwiki.chat.tools.tool_context import ToolContext
from llmwiki.core.errors import InputError, StateError
from llmwiki.core.tool_declaration import Tool, ToolAnswer, tool
from llmwiki.sources.sandbox import filter_of

SECONDS = 60
_LOOK_AGAIN = 0.1
MAX_WRITTEN = 10_000_000
"""Bytes that a program may write into one file, its output included."""
MAX_READ = 200_000
"""Bytes of its output that are read."""
MAX_MEMORY = 2_000_000_000
MAX_DISK = 64_000_000
"""Bytes in /tmp of the sandbox, in memory."""
MAX_ARGUMENTS = 200
PLACE = "/wiki"
"""Where the wiki is in the sandbox."""

_SHARED = ("wiki", "raw")
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}
_NOBODY = 65_534
_IN_SANDBOX = ("--nproc=32", "--as=256000000", "--nofile=64")
"""Limits of prlimit(1): processes with their threads, which are counted in the sandbox alone where
that is set in it, and bytes of memory and open files of each; 8 GB are the most of all."""


def checked_exec(given: Mapping[str, Any]) -> dict[str, Any]:
    """The input of a call. Raises InputError."""
    argv = given.get("argv")
    if not isinstance(argv, list) or not argv or len(argv) > MAX_ARGUMENTS:
        raise InputError(f"argv is required: a list of 1 to {MAX_ARGUMENTS} words")
    if not all(isinstance(word, str) and "\0" not in word for word in argv) or not argv[0]:
        raise InputError("argv holds words only, the program first")
    if set(given) - {"argv"}:
        raise InputError("exec has no parameter but argv")
    return {"argv": argv}


def _sandboxed(root: Path, argv: Sequence[str], calls: int) -> list[str]:
    """The command that runs `argv` in a sandbox: what it may see is listed, all else is absent.

    `calls` is an open file with the filter of system calls. Started by root it is nobody who runs
    the program: the kernel bounds no number of root's processes (getrlimit(2)). What nobody could
    not reach, below /root say, is put before it by a bubblewrap around.
    """
    shared = [name for name in _SHARED if (root / name).is_dir() and not (root / name).is_symlink()]
    command: list[str] = []
    if os.geteuid() == 0:
        command = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", "/tmp"]
        for name in shared:
            command += ["--ro-bind", f"{root}/{name}", f"/tmp/{name}"]
        command += ["--chdir", "/", "--", "setpriv", "--clear-groups"]
        command += [f"--reuid={_NOBODY}", f"--regid={_NOBODY}"]
        root = Path("/tmp")
    command += ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--new-session"]
    command += ["--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", "--seccomp", str(calls)]
    command += ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM:
        place = Path(name)
        if place.is_symlink():
            command += ["--symlink", place.readlink().as_posix(), name]
        elif place.is_dir():
            command += ["--ro-bind", name, name]
    for name in _FILES:
        command += ["--ro-bind-try", name, name]
    command += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    command += ["--size", str(MAX_DISK), "--tmpfs", "/tmp", "--dir", PLACE]
    for name in shared:
        command += ["--ro-bind", f"{root}/{name}", f"{PLACE}/{name}"]
    command += ["--remount-ro", "/", "--chdir", PLACE, "--"]
    return [*command, "prlimit", *_IN_SANDBOX, "--", *argv]


def why_no_sandbox(root: Path) -> str:
    """Why there is no sandbox on this machine; empty where there is one. Tries it once."""
    if not sys.platform.startswith("linux"):
        return "sandboxes need Linux"
    if not filter_of(becomes_another=True):
        return "the system calls of this machine are not known"
    try:
        done = _run(["true"], root, SECONDS, threading.Event(), in_sandbox=True)
    except StateError:
        return "bubblewrap is not installed"
    _code, _, said = done.text.strip().partition("\n")
    return (said.splitlines() or ["bubblewrap fails"])[-1][:200] if done.is_error else ""


def exec_tool(*, in_sandbox: bool, seconds: float = SECONDS) -> Tool:
    """The tool; without a sandbox each call is asked for and says so."""

    def preview(_by: ToolContext, argv: list[str]) -> str:
        where = "in the sandbox" if in_sandbox else "UNSANDBOXED, with all that you may do"
        return "\n".join([where, *(repr(word) for word in argv)])

    @tool(
        "exec",
        effect="sandbox" if in_sandbox else "exec",
        about="Run a program with its arguments, no shell. It sees wiki/ and raw/ below "
        f"{PLACE if in_sandbox else 'the working folder'} and has {SECONDS} seconds.",
        preview=preview,
        check=checked_exec,
    )
    def run(by: ToolContext, argv: list[str]) -> ToolAnswer:
        return _run(argv, by.wiki.root, seconds, by.stop, in_sandbox=in_sandbox)

    return run


def _run(
    argv: Sequence[str], root: Path, seconds: float, stop: threading.Event, *, in_sandbox: bool
) -> ToolAnswer:
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as calls:
        command: Sequence[str] = argv
        more: dict[str, Any] = {}
        if in_sandbox:
            # Whoever runs the program may open /dev/stdout, which is this file.
            os.fchmod(output.fileno(), 0o666)
            calls.write(filter_of(becomes_another=True))
            calls.seek(0)
            command = _sandboxed(root, argv, calls.fileno())
            more = {"env": _ENVIRONMENT, "pass_fds": (calls.fileno(),)}
        try:
            process = subprocess.Popen(
                command,
                cwd=root,
                **more,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_limit,  # noqa: PLW1509 - it calls the system only
            )
        except OSError as error:
            raise StateError(f"cannot be run: {error.strerror}", where=command[0]) from error
        ending = ""
        try:
            code = _waited(process, seconds, stop)
        except subprocess.TimeoutExpired:
            why = "by the person" if stop.is_set() else f"after {seconds:g} s"
            ending, code = f"\n[ended {why}]", -1
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        text = output.read(MAX_READ).decode("utf-8", "replace")
    return ToolAnswer(f"exit {code}\n{text}{ending}", f"exit {code}", is_error=code != 0)


def _waited(process: subprocess.Popen[bytes], seconds: float, stop: threading.Event) -> int:
    """The exit code. Raises TimeoutExpired when the time is over or the person ends the turn."""
    end = time.monotonic() + seconds
    while True:
        try:
            return process.wait(_LOOK_AGAIN)
        except subprocess.TimeoutExpired:
            if stop.is_set() or time.monotonic() > end:
                raise


def _limit() -> None:
    for what, most in (
        (resource.RLIMIT_AS, MAX_MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, MAX_WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))
