"""Running one program on one input: bounded in time and output, and gone afterwards.

What it may do, the process limits itself (`confine`).
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
from pathlib import Path
from typing import NamedTuple

from llmwiki.sources.confine import landlock_version

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
"""All that a process gets: no keys, and the same order of sets every time."""


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


def in_force() -> tuple[str, ...]:
    """What confines a conversion on this machine, for people."""
    told: list[str] = []
    if known := landlock_version():
        told.append(f"Landlock, version {known}: only libraries and Python can be read")
    if sys.platform == "linux":
        told.append("an empty network namespace and a filter of system calls, where allowed")
    told.append("limits of memory, time, files and processes; no writing")
    return tuple(told)


def find_program(name: str, shunned: Iterable[Path]) -> str | None:
    """The first program of that name in PATH that stands apart from folders of others' files."""
    outside = [folder.resolve() for folder in shunned if folder.resolve() != Path("/")]
    for entry in os.get_exec_path():
        # A name without a folder, or a relative one, would be looked for where the user works.
        found = shutil.which(name, path=entry) if Path(entry).is_absolute() else None
        if found and not any(Path(found).resolve().is_relative_to(each) for each in outside):
            return found
    return None
