"""The files of a foreign folder, read without following a link, within bounds."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from llmwiki.core.errors import InputError, PolicyError, StateError, reason_of
from llmwiki.repo.worktree import Folders
from llmwiki.store.paths import check_text

MAX_FILES = 50_000
MAX_FILE = 20 << 20
"""Bytes of one file."""
MAX_BYTES = 1 << 30
"""Bytes of all files that are read."""
_SKIPPED = frozenset({"node_modules"})


class OmittedFile(NamedTuple):
    """A file that is not taken along, or not as it is, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class ForeignFolder:
    """What lies in a folder."""

    files: dict[str, bytes] = field(default_factory=dict)
    """Path from the folder, with `/`, to bytes; sorted."""
    left_out: list[OmittedFile] = field(default_factory=list)


class _Met(NamedTuple):
    path: str
    mode: int
    size: int


def read_folder(place: Path) -> ForeignFolder:
    """The files below a folder; hidden ones are not looked at, and what cannot be taken is named.

    Raises InputError where it is no folder or holds no file, PolicyError for a link in its place
    and for more than `MAX_FILES` files.
    """
    if place.is_symlink():
        raise PolicyError("is a link", where=str(place), fix="Name the folder itself.")
    if not place.is_dir():
        what = "is a file, not a folder" if place.exists() else "there is no such folder"
        raise InputError(what, where=str(place), fix="Name the folder that holds the pages.")
    found = ForeignFolder()
    taken: dict[str, str] = {}
    room = MAX_BYTES
    try:
        with Folders(place) as folders:
            for number, met in enumerate(_walk(folders, found.left_out)):
                if number >= MAX_FILES:
                    raise PolicyError(
                        f"holds more than {MAX_FILES:,} files",
                        where=str(place),
                        fix="Name a folder below it.",
                    )
                reason = _refusal(met, taken, room)
                data = None if reason else _data(folders, met.path)
                if data is None:
                    found.left_out.append(
                        OmittedFile(shown(met.path), reason or "it cannot be read")
                    )
                    continue
                taken[met.path.casefold()] = met.path
                room -= len(data)
                found.files[met.path] = data
    except OSError as error:
        raise StateError(f"cannot be read: {reason_of(error)}", where=str(place)) from error
    if not found.files and not found.left_out:
        raise InputError("the folder is empty", where=str(place))
    return found


def shown(path: str) -> str:
    """A file's name as it can be printed."""
    return path.encode("utf-8", "backslashreplace").decode()


def _walk(folders: Folders, left_out: list[OmittedFile]) -> Iterator[_Met]:
    """What lies in the folder and those below it, by path."""
    waiting: list[_Met | str] = [""]
    while waiting:
        here = waiting.pop()
        if isinstance(here, _Met):
            yield here
            continue
        try:
            # Through the descriptor: the path may lead elsewhere by now.
            names = sorted(os.listdir(folders.descriptor(here)), reverse=True)  # noqa: PTH208
        except (OSError, PolicyError):
            left_out.append(OmittedFile(shown(here), "the folder cannot be read"))
            continue
        for name in names:
            if name.startswith(".") or name in _SKIPPED:
                continue
            path = f"{here}/{name}" if here else name
            try:
                status = folders.status(path)
            except (OSError, ValueError):
                status = None
            if status is not None:
                is_folder = stat.S_ISDIR(status.st_mode)
                waiting.append(path if is_folder else _Met(path, status.st_mode, status.st_size))


def _refusal(met: _Met, taken: dict[str, str], room: int) -> str:
    if stat.S_ISLNK(met.mode):
        return "it is a link"
    if not stat.S_ISREG(met.mode):
        return "it is no plain file"
    try:
        check_text(met.path)
    except (PolicyError, UnicodeError) as error:
        return str(getattr(error, "what", "its name is not UTF-8"))
    other = taken.get(met.path.casefold())
    if other is not None:
        return f"it differs from {other} by case only"
    if met.size > MAX_FILE:
        return f"it is larger than {MAX_FILE >> 20} MB"
    return "" if met.size <= room else f"all files are more than {MAX_BYTES >> 30} GB"


def _data(folders: Folders, path: str) -> bytes | None:
    try:
        return folders.read(path)
    except (OSError, PolicyError):
        return None
