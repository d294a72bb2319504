"""Running one program on one input: apart from the user's files where bubblewrap works, bounded in
time and output, and gone afterwards.

The process limits itself besides (`confine`); both are used where both are there.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from llmwiki.sources.confine import landlock_version, readable

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
"""All that a process gets: no keys, and the same order of sets every time."""


_PROBE_SECONDS = 5.0
_LINKED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
"""Links into /usr on most systems."""


class ProcessOutcome(NamedTuple):
    """What a process left behind."""

    answer: bytes
    """Its output; longer than what was allowed when it was stopped for that."""
    status: int | None
    """Its exit code, negative for the signal that ended it."""
    late: bool
    """Whether it was stopped because its time was up."""

    @property
    def starved(self) -> bool:
        """Killed, and not by us: so a system that runs out of memory ends processes. Or aborted:
        so libraries in C end their own, where they get none."""
        return self.status in (-signal.SIGKILL, -signal.SIGABRT) and not self.late


def run(
    command: Sequence[str],
    pieces: Iterable[bytes],
    *,
    most: int,
    seconds: float,
    environment: Mapping[str, str] = ENVIRONMENT,
    reads: tuple[str, ...] = (),
) -> ProcessOutcome:
    """As `run_bare`; the program sees nothing but what is `readable`, and `reads`."""
    wall = _wall(reads) if _bubblewrap() else ()
    outcome = run_bare(
        [*wall, *command],
        pieces,
        most=most,
        seconds=seconds,
        environment=environment,
    )
    if wall and outcome.status is not None and outcome.status > 128:
        # bubblewrap tells the signal that ended its program as a shell does.
        ended = 128 - outcome.status
        return outcome._replace(status=ended, late=outcome.late or ended == -signal.SIGXCPU)
    return outcome


def in_force() -> tuple[str, ...]:
    """What confines a conversion on this machine, for people."""
    told: list[str] = []
    if _bubblewrap():
        told.append(f"bubblewrap ({_bubblewrap()}): no file of yours is in sight, no network")
    if known := landlock_version():
        told.append(f"Landlock, version {known}: only libraries and Python can be read")
    if sys.platform == "linux":
        told.append("an empty network namespace and a filter of system calls, where allowed")
    told.append("limits of memory, time, files and processes; no writing")
    return tuple(told)


def forget() -> None:
    """Looks again for what the machine offers, the next time."""
    _bubblewrap.cache_clear()
    _wall.cache_clear()


@cache
def _bubblewrap() -> str:
    """The program's path where it is installed and works here; it is tried once a process.

    It fails where users may not make namespaces, as in many containers.
    """
    program = find_program("bwrap", [Path.cwd()]) if sys.platform == "linux" else None
    nothing = shutil.which("true", path="/usr/bin:/bin")
    if program is None or nothing is None:
        return ""
    tried = run_bare([*_command(program, ()), nothing], (), most=0, seconds=_PROBE_SECONDS)
    return program if tried.status == 0 else ""


@cache
def _wall(reads: tuple[str, ...]) -> tuple[str, ...]:
    return _command(_bubblewrap(), reads)


def _command(program: str, reads: tuple[str, ...]) -> tuple[str, ...]:
    """The beginning of a command that runs what follows behind the wall."""
    words = [program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--dev", "/dev"]
    for name in _LINKED:
        if Path(name).is_symlink():
            words += ["--symlink", str(Path(name).readlink()), name]
    for path in readable(reads):
        if not Path(path).is_symlink() or path not in _LINKED:
            words += ["--ro-bind", path, path]
    return (*words, "--remount-ro", "/", "--chdir", "/", "--")


def run_bare(
    command: Sequence[str],
    pieces: Iterable[bytes],
    *,
    most: int,
    seconds: float,
    environment: Mapping[str, str] = ENVIRONMENT,
) -> ProcessOutcome:
    """Give `pieces` to the program on stdin and take at most `most` bytes from its stdout.

    The program has to read all before it answers. It and all it started are gone when this
    returns.
    """
    late = threading.Event()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd="/",
        start_new_session=True,
    ) as process:

        def stop() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            answer = _talk(process, pieces, most)
        finally:
            timer.cancel()
            _kill(process)
    late_or_spent = late.is_set() or process.returncode == -signal.SIGXCPU
    return ProcessOutcome(answer, process.returncode, late_or_spent)


def _talk(process: subprocess.Popen[bytes], pieces: Iterable[bytes], most: int) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        for piece in pieces:
            process.stdin.write(piece)
    with suppress(BrokenPipeError):
        process.stdin.close()
    answer = process.stdout.read(most + 1)
    if len(answer) <= most:
        # Its own end tells a crash from an answer; the timer still watches.
        process.wait()
    return answer


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def find_program(name: str, shunned: Iterable[Path]) -> str | None:
    """The first program of that name in PATH that stands apart from folders of others' files."""
    outside = [folder.resolve() for folder in shunned if folder.resolve() != Path("/")]
    for entry in os.get_exec_path():
        # A name without a folder, or a relative one, would be looked for where the user works.
        found = shutil.which(name, path=entry) if Path(entry).is_absolute() else None
        if found and not any(Path(found).resolve().is_relative_to(each) for each in outside):
            return found
    return None
