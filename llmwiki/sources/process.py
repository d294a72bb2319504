"""Running one program on one input: bounded in time and output, and gone afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
"""All that a process gets: no keys, and the same order of sets every time."""


@dataclass(frozen=True, slots=True)
class ProcessOutcome:
    """What a process left behind."""

    answer: bytes
    """Its output; longer than what was allowed when it was stopped for that."""
    status: int | None
    """Its exit code, negative for the signal that ended it."""
    late: bool
    """Whether it was stopped because its time was up."""

    @property
    def starved(self) -> bool:
        """Killed, and not by us: so a system that runs out of memory ends processes."""
        return self.status == -signal.SIGKILL and not self.late


class ProcessGroup:
    """The processes of one task, which end together when it is given up. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._over = False

    def add(self, process: subprocess.Popen[bytes]) -> None:
        """Ends it at once where the task is over already."""
        with self._lock:
            self._processes.add(process)
            if self._over:
                _kill(process)

    def gone(self, process: subprocess.Popen[bytes]) -> None:
        """Forgets a process that has ended."""
        with self._lock:
            self._processes.discard(process)

    def end(self) -> None:
        """Ends those that run, and every one that is still to come."""
        with self._lock:
            self._over = True
            for process in self._processes:
                _kill(process)


def run(
    command: Sequence[str],
    pieces: Iterable[bytes],
    *,
    most: int,
    seconds: float,
    environment: Mapping[str, str] = ENVIRONMENT,
    running: ProcessGroup | None = None,
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
        if running is not None:
            running.add(process)
        try:
            answer = _talk(process, pieces, most)
        finally:
            timer.cancel()
            _kill(process)
            if running is not None:
                running.gone(process)
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
