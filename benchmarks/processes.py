"""Commands timed as whole processes, from outside, by the operating system's own accounting."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in a unit of ru_maxrss: getrusage(2) of each system."""


class CommandFailed(RuntimeError):
    """A measured command ended with another code than 0: the command and what it said."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is started, and where."""

    argv: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    accepted: tuple[int, ...] = (0,)
    """Exit codes that are no failure: 1 is "no match" for many searches."""


@dataclass(frozen=True, slots=True)
class Run:
    """One finished process."""

    milliseconds: float
    cpu_ms: float
    """Processor time, children waited for included."""
    peak_mb: float
    """Largest resident set, children waited for included, in 10^6 bytes; some 10 at least."""
    output: str
    code: int = 0
    """How it ended; negative for a signal."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Several runs of one command."""

    min_ms: float
    median_ms: float
    cpu_ms: float
    """Median processor time, which other work on the machine disturbs less."""
    peak_mb: float


_LAUNCHER = """
import os, sys, time
devnull, output, *argv = sys.argv[1:]
actions = [
    (os.POSIX_SPAWN_OPEN, 0, devnull, os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_TRUNC, 0),
    (os.POSIX_SPAWN_DUP2, 1, 2),
]
begin = time.perf_counter()
pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions)
_pid, status, usage = os.wait4(pid, 0)
seconds = time.perf_counter() - begin
busy = usage.ru_utime + usage.ru_stime
print(seconds, busy, os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def run(command: Command) -> Run:
    """Starts a command and waits for it. Raises CommandFailed and OSError."""
    with tempfile.NamedTemporaryFile() as out:
        # A process's peak is never below that of whoever started it (getrusage(2) counts what it
        # was before exec), so a small one does.
        launcher = (sys.executable, "-I", "-S", "-c", _LAUNCHER, os.devnull, out.name)
        done = subprocess.run(
            (*launcher, *command.argv),
            cwd=command.cwd,
            # Some programs believe PWD rather than the kernel.
            env={**command.environment, "PWD": str(command.cwd)},
            capture_output=True,
            text=True,
            check=False,
        )
        output = out.read().decode("utf-8", "replace")
    if done.returncode:
        raise CommandFailed(f"{command.argv[0]} cannot be started: {done.stderr.strip()[-200:]}")
    seconds, busy, code, peak = done.stdout.split()
    if int(code) not in command.accepted:
        said = output.strip()[-800:]
        raise CommandFailed(f"{' '.join(command.argv)}: exit code {code}\n{said}")
    return Run(
        float(seconds) * 1000, float(busy) * 1000, int(peak) * _RSS_UNIT / 1e6, output, int(code)
    )


def summarise(runs: Sequence[Run]) -> Timing:
    """Minimum and median time, median processor time, largest peak."""
    times = [done.milliseconds for done in runs]
    busy = statistics.median(done.cpu_ms for done in runs)
    peak = max(done.peak_mb for done in runs)
    return Timing(min(times), statistics.median(times), busy, peak)


def in_turn(commands: Mapping[str, Command], rounds: int) -> dict[str, Timing]:
    """Each command once a round, one after the other, so that all meet the same machine.

    A first round is not counted. Raises CommandFailed.
    """
    for command in commands.values():
        run(command)
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _round in range(rounds):
        for name, command in commands.items():
            runs[name].append(run(command))
    return {name: summarise(done) for name, done in runs.items()}
