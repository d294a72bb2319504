"""Landlock: the kernel keeps this process to the files that it names, for good.

Linux 5.13 or newer, no rights needed (Documentation/userspace-api/landlock.rst of the kernel).
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

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


def version() -> int:
    """The version of Landlock's interface that the kernel offers; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, _call(_CREATE_RULESET, None, ctypes.c_size_t(0), _TELL_VERSION))


def keep_to(paths: Iterable[str]) -> int:
    """Reading and running below `paths` only, no writing, no TCP; the version in force, or 0.

    Open files stay open. Paths that do not exist are passed over.
    """
    known = version()
    if known == 0:
        return 0
    bits = max(bits for since, bits in _FILES_BY_VERSION.items() if since <= known)
    ruleset = _Ruleset(
        (1 << bits) - 1,
        _NETWORK if known >= _NETWORK_SINCE else 0,
        _SCOPES if known >= _SCOPES_SINCE else 0,
    )
    fd = _call(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), 0)
    if fd < 0:
        return 0
    try:
        for path in paths:
            _allow(fd, path, _READ_FILE | _EXECUTE)
        for path in _DEVICES:
            _allow(fd, path, _READ_FILE | _WRITE_FILE)
        refuse_new_privileges()
        return known if _call(_RESTRICT_SELF, fd, 0) == 0 else 0
    finally:
        os.close(fd)


def refuse_new_privileges() -> None:
    """No program that this process becomes gets more rights than it has."""
    ctypes.CDLL(None, use_errno=True).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = _Beneath(rights | (_READ_DIR if Path(path).is_dir() else 0), fd)
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(fd)


def _call(number: int, *arguments: object) -> int:
    return int(ctypes.CDLL(None, use_errno=True).syscall(number, *arguments))
