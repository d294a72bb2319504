"""Giving up rights: what a process that reads documents does to itself before it sees one.

What the kernel holds it to (an empty network, Landlock, a filter of system calls, limits) goes for
libraries in C too; the hook stops Python code only, and is the second line. os.path takes a third
of pathlib's time.
"""

# ruff: noqa: PTH110, PTH111, PTH112, PTH119, PTH120, PTH123

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import struct
import sys
from collections.abc import Iterable, Sequence

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
    limit(memory=memory, seconds=seconds, reads=paths)
    roots = tuple(path + os.sep for path in paths)

    def refuse(event: str, args: tuple[object, ...]) -> None:
        if event == "open":
            _check_open(args, roots)
        elif event.startswith(_FORBIDDEN):
            raise PermissionError(f"a converter must not do this: {event}")

    sys.addaudithook(refuse)


def limit(*, memory: int, seconds: float, reads: Sequence[str]) -> None:
    """What the kernel holds this process to.

    An empty network namespace (unshare(2)), Landlock, a filter of system calls, limits of
    resources: each where the kernel allows it. `reads` are the paths that can be read after.
    """
    if sys.platform == "linux":
        _leave_network()
        _refuse_new_privileges()
        _keep_to(reads)
        _refuse_calls()
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
    unshare = ctypes.CDLL(None).unshare
    if unshare(_CLONE_NEWNET) != 0:
        unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


# --- what may be read --------------------------------------------------------------------------

_SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store",
    "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives",
)  # fmt: skip
"""Programs and libraries that every user of the machine has, and what the loader and the C library
ask for. No other file of /etc: some hold passwords."""


def readable() -> tuple[str, ...]:
    """Absolute paths that exist, as they are named and as they resolve, none below another.

    The interpreter that runs here, wherever it is installed, its packages, this package itself
    (and not the checkout around it), and the folders of libraries that are loaded. Never a whole
    home folder, nor one above it.
    """
    python = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    named = {*_SYSTEM, *python, *_own(), *_libraries()}
    found: set[str] = set()
    for name in named:
        if name.startswith(os.sep) and os.path.exists(name):
            found |= {os.path.normpath(name), os.path.realpath(name)}
    found -= _homes()
    return tuple(sorted(name for name in found if found.isdisjoint(_above(name))))


def _own() -> tuple[str, ...]:
    """This package, or the folder of packages that it is installed in with what it needs."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    around = os.path.dirname(package)
    installed = os.path.basename(around) in ("site-packages", "dist-packages")
    return (around if installed else package,)


def _homes() -> set[str]:
    """The home folder and those above it, as they are named and as they resolve."""
    # Without HOME in the environment it is the one of the user database.
    home = os.path.expanduser("~")
    return {each for one in (home, os.path.realpath(home)) for each in (one, *_above(one))}


def _above(name: str) -> list[str]:
    """The folders that a path lies in."""
    return [
        name[:at] or os.sep for at, char in enumerate(name) if char == os.sep and name != os.sep
    ]


def _libraries() -> set[str]:
    """Folders of the shared libraries that this process has loaded, where the system lists them."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as told:
            files = {line[line.index(os.sep) :].strip() for line in told if ".so" in line}
    except OSError:
        return set()
    return {os.path.dirname(file) for file in files}


# --- Landlock ----------------------------------------------------------------------------------

_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446
"""Numbers of the system calls, the same on every architecture."""
_TELL_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_FILES_BY_VERSION = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights over files a version has, from the lowest bit on; all are taken away."""
_NETWORK_SINCE = 4
_NETWORK = 0b11
"""Binding and connecting TCP."""
_SCOPES_SINCE = 6
_SCOPES = 0b11
"""Abstract Unix sockets and signals of processes outside."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def in_force() -> tuple[str, ...]:
    """What confines a conversion on this machine, for people."""
    told: list[str] = []
    if known := landlock_version():
        told.append(f"Landlock, version {known}: only libraries and Python can be read")
    if sys.platform == "linux":
        told.append("an empty network namespace and a filter of system calls, where allowed")
    told.append("limits of memory, time, files and processes; no writing")
    return tuple(told)


def landlock_version() -> int:
    """The version of Landlock's interface that the kernel offers; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, _call(_CREATE_RULESET, None, ctypes.c_size_t(0), _TELL_VERSION))


def _keep_to(paths: Iterable[str]) -> None:
    """Reading and running below `paths` only, no writing, no TCP.

    Linux 5.13 or newer, no rights needed (Documentation/userspace-api/landlock.rst of the kernel).

    Open files stay open. Paths that do not exist are passed over. New privileges must have been
    refused before.
    """
    known = landlock_version()
    if known == 0:
        return
    bits = max(bits for since, bits in _FILES_BY_VERSION.items() if since <= known)
    ruleset = _Ruleset(
        (1 << bits) - 1,
        _NETWORK if known >= _NETWORK_SINCE else 0,
        _SCOPES if known >= _SCOPES_SINCE else 0,
    )
    fd = _call(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), 0)
    if fd < 0:
        return
    try:
        for path in paths:
            _allow(fd, path, _READ_FILE | _EXECUTE)
        for path in _DEVICES:
            _allow(fd, path, _READ_FILE | _WRITE_FILE)
        _call(_RESTRICT_SELF, fd, 0)
    finally:
        os.close(fd)


def _refuse_new_privileges() -> None:
    """No program that this process becomes gets more rights than it has."""
    ctypes.CDLL(None, use_errno=True).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = _Beneath(rights | (_READ_DIR if os.path.isdir(path) else 0), fd)
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(fd)


def _call(number: int, *arguments: object) -> int:
    return int(ctypes.CDLL(None, use_errno=True).syscall(number, *arguments))


# --- a filter of system calls --------------------------------------------------------------------

_SET_SECCOMP = 22
_MODE_FILTER = 2
_LOAD = 0x20
_EQUAL = 0x15
_AT_LEAST = 0x35
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | 1
"""EPERM."""
_NUMBER_AT = 0
_ARCHITECTURE_AT = 4
_FOREIGN = 0x40000000
"""Numbers from here on are those of x32."""

_CALLS: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "socket": 41, "socketpair": 53, "ptrace": 101, "mount": 165, "keyctl": 250,
            "unshare": 272, "perf_event_open": 298, "setns": 308, "process_vm_readv": 310,
            "process_vm_writev": 311, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425,
            "execve": 59, "execveat": 322, "shmget": 29, "memfd_create": 319,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "socket": 198, "socketpair": 199, "ptrace": 117, "mount": 40, "keyctl": 219,
            "unshare": 97, "perf_event_open": 241, "setns": 268, "process_vm_readv": 270,
            "process_vm_writev": 271, "bpf": 280, "userfaultfd": 282, "io_uring_setup": 425,
            "execve": 221, "execveat": 281, "shmget": 194, "memfd_create": 279,
        },
    ),
}  # fmt: skip
"""The architecture as the kernel's audit knows it, and numbers of calls (its tables)."""
_BECOMING = ("execve", "execveat")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _refuse_calls() -> None:
    """Installs the filter, for good.

    No sockets, no looking into other processes, no new namespaces: what Landlock does not know,
    where the network cannot be taken away otherwise, and memory that no limit counts (seccomp(2)).
    New privileges must have been refused before.
    """
    code = filter_of(becomes_another=False)
    program = _Program(len(code) // 8, code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if code:
        prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0)


def filter_of(*, becomes_another: bool) -> bytes:
    """The filter as the kernel takes it, eight bytes an instruction; none where the numbers of this
    machine's calls are not known. `becomes_another`: a process that has still to run a program."""
    known = _CALLS.get(os.uname().machine)
    if known is None:
        return b""
    architecture, calls = known
    numbers = [n for name, n in calls.items() if not (becomes_another and name in _BECOMING)]
    refusing = len(numbers) + 1
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 0, refusing + 2, architecture),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, refusing, 0, _FOREIGN),
        *((_EQUAL, refusing - 1 - at, 0, number) for at, number in enumerate(numbers)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
