"""What a confined process may read: the system's libraries, and Python with its packages.

Worked out anew in each of them, so with os.path, which takes a third of pathlib's time.
"""

# ruff: noqa: PTH110, PTH111, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

_SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store",
    "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives",
)  # fmt: skip
"""Programs and libraries that every user of the machine has, and what the loader and the C library
ask for. No other file of /etc: some hold passwords."""


def readable(more: Iterable[str] = ()) -> tuple[str, ...]:
    """Absolute paths that exist, as they are named and as they resolve, none below another.

    The interpreter that runs here, wherever it is installed, its packages, this package itself
    (and not the checkout around it), the folders of libraries that are loaded, and `more`. Never a
    whole home folder, nor one above it.
    """
    python = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    named = {*_SYSTEM, *python, *_own(), *_libraries(), *more}
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
