"""A filter of system calls: no sockets, no looking into other processes, no new namespaces.

It stops what Landlock does not know, UDP and Unix sockets among it, where the network cannot be
taken away otherwise, and memory that no limit of a process counts (seccomp(2)).
"""

from __future__ import annotations

import ctypes
import os
import struct

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


def refuse_calls(*, becomes_another: bool) -> bool:
    """Installs the filter, for good; whether it is in force.

    `becomes_another`: this process has still to run a program in its place. New privileges must
    have been refused before.
    """
    code = filter_of(becomes_another=becomes_another)
    program = _Program(len(code) // 8, code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return bool(code and prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def filter_of(*, becomes_another: bool) -> bytes:
    """The filter as the kernel takes it, eight bytes an instruction; none where the numbers of this
    machine's calls are not known."""
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
