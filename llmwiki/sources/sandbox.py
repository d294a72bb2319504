"""Running what reads documents apart from the user's files: bubblewrap, where it works.

The process limits itself besides (`confine`); this is the wall around it. Both are used where
both are there.
"""

from __future__ import annotations

import signal
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from llmwiki.sources import landlock, process
from llmwiki.sources.programs import find_program
from llmwiki.sources.readable import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from llmwiki.sources.process import ProcessGroup, ProcessOutcome

_PROBE_SECONDS = 5.0
_LINKED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
"""Links into /usr on most systems."""


def run(
    command: Sequence[str],
    pieces: Iterable[bytes],
    *,
    most: int,
    seconds: float,
    environment: Mapping[str, str] = process.ENVIRONMENT,
    running: ProcessGroup | None = None,
    reads: tuple[str, ...] = (),
) -> ProcessOutcome:
    """As `process.run`; the program sees nothing but what is `readable`, and `reads`."""
    wall = _wall(reads) if _bubblewrap() else ()
    outcome = process.run(
        [*wall, *command],
        pieces,
        most=most,
        seconds=seconds,
        environment=environment,
        running=running,
    )
    if wall and outcome.status is not None and outcome.status > 128:
        # bubblewrap tells the signal that ended its program as a shell does.
        ended = 128 - outcome.status
        return replace(outcome, status=ended, late=outcome.late or ended == -signal.SIGXCPU)
    return outcome


def in_force() -> tuple[str, ...]:
    """What confines a conversion on this machine, for people."""
    told: list[str] = []
    if _bubblewrap():
        told.append(f"bubblewrap ({_bubblewrap()}): no file of yours is in sight, no network")
    if known := landlock.version():
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
    nothing = which("true", path="/usr/bin:/bin")
    if program is None or nothing is None:
        return ""
    tried = process.run([*_command(program, ()), nothing], (), most=0, seconds=_PROBE_SECONDS)
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
