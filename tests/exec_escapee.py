"""What a hostile program would try in the sandbox of `exec`: run there by tests.

Arguments: a process outside, an abstract Unix socket, a port. Prints a JSON object: what was tried,
and why it failed, "done", or how much of it was had. It asks for no more than a machine can bear.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import mmap
import os
import platform
import resource
import signal
import socket
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

outside, door, port = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
NEW_USER, REMOUNT_BIND, BIND = 0x10000000, 0x1020, 0x1000
MOST_CHILDREN, MOST_BYTES, PIECE = 200, 256 << 20, 8 << 20


def attempt(act: Callable[[], object]) -> object:
    try:
        found = act()
    except OSError as error:
        return type(error).__name__
    return "done" if found is None else found


def must(result: int) -> None:
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")


def remount(place: str) -> None:
    must(libc.mount(None, place.encode(), None, REMOUNT_BIND, None))
    write(f"{place}/PWNED.md")


def write(place: str) -> None:
    fd = os.open(place, os.O_WRONLY | os.O_CREAT)
    os.write(fd, b"x")
    os.close(fd)


def new_namespace() -> None:
    call = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    child = libc.syscall(call, NEW_USER | signal.SIGCHLD, 0, 0, 0, 0)
    must(child)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def capabilities() -> list[str]:
    with open("/proc/self/status") as status:
        rows = dict(line.split(":\t", 1) for line in status)
    return sorted(key for key in rows if key.startswith("Cap") and int(rows[key], 16))


def children() -> int:
    started: list[int] = []
    try:
        while len(started) < MOST_CHILDREN:
            child = os.fork()
            if child == 0:
                time.sleep(30)
                os._exit(0)
            started.append(child)
    except OSError:
        pass
    for child in started:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(started)


def written() -> int:
    total, piece = 0, b"x" * PIECE
    try:
        for number in range(MOST_BYTES // PIECE):
            with open(f"/tmp/{number}", "wb", buffering=0) as file:
                total += file.write(piece)
    except OSError:
        pass
    return total


def connect(family: int, address: object) -> None:
    with socket.socket(family) as one:
        one.settimeout(2)
        one.connect(address)


def shared() -> None:
    must(libc.shmget(0, ctypes.c_size_t(PIECE), 0o1600))


def unbounded() -> list[int]:
    """Processes in sight, this one among them, that may start any number of others: whoever can
    write to the memory of one has none to fear for himself."""
    seen = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    limits = {pid: resource.prlimit(pid, resource.RLIMIT_NPROC)[1] for pid in seen}
    return sorted(pid for pid in seen if limits[pid] == -1 or limits[pid] > 100)


print(
    json.dumps(
        {
            "capabilities": capabilities(),
            "remount wiki": attempt(lambda: remount("/wiki/wiki")),
            "remount raw": attempt(lambda: remount("/wiki/raw")),
            "mount": attempt(lambda: must(libc.mount(b"/usr", b"/tmp", None, BIND, None))),
            "new namespace": attempt(new_namespace),
            "unshare": attempt(lambda: must(libc.unshare(NEW_USER))),
            "trace": attempt(lambda: must(libc.ptrace(16, outside, None, None))),
            "environment": b"SECRET" in Path("/proc/1/environ").read_bytes(),
            "unbounded": unbounded(),
            "signal": attempt(lambda: os.kill(outside, 0)),
            "files": sorted(set(map(int, os.listdir("/proc/self/fd"))) - {0, 1, 2})[1:],
            "terminal": attempt(lambda: open("/dev/tty").close()),
            "typed": attempt(lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x")),
            "abstract": attempt(lambda: connect(socket.AF_UNIX, f"\0{door}")),
            "network": attempt(lambda: connect(socket.AF_INET, ("127.0.0.1", port))),
            "children": children(),
            "memory": attempt(lambda: mmap.mmap(-1, 1 << 30).close()),
            "memory file": attempt(lambda: os.close(os.memfd_create("x"))),
            "shared memory": attempt(shared),
            "written": written(),
            "dev": attempt(lambda: write("/dev/x")),
            "dev/shm": attempt(lambda: write("/dev/shm/x")),
            "root": attempt(lambda: write("/x")),
            "place": attempt(lambda: write("/wiki/x")),
        }
    )
)
