"""The writer of whole folders that are derived: an export, written over an earlier one only."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import InputError, PolicyError, StateError
from llmwiki.core.text import sha256_hex
from llmwiki.git.store.allowed_paths import check_text
from llmwiki.git.worktree_files import Folders

LIST = "llmwiki-export.json"
"""The file of an export that lists its files with the SHA-256 of their bytes."""
SCHEMA = "llmwiki.bundle/1"
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class WrittenFolder:
    """What became of the files of a folder."""

    written: int
    removed: tuple[str, ...]
    """Files of the earlier export that this one does not have."""


def derive_folder(place: Path, files: Mapping[str, bytes]) -> WrittenFolder:
    """Writes an export into a folder that is empty, new, or holds an earlier export.

    What an earlier export left and this one does not have is removed; files that it did not write
    are never touched. Raises PolicyError for a folder that is reached by a link, that holds files
    of another origin, or in which somebody has changed what was exported, StateError where the disk
    refuses.
    """
    for path in files:
        check_text(path)
    _refuse_links(place)
    try:
        place.mkdir(parents=True, exist_ok=True)
        with Folders(place) as folders:
            earlier = _earlier(folders, place)
            hashes = {path: sha256_hex(data) for path, data in files.items()}
            _refuse_edits(folders, place, earlier, hashes)
            # Both, so that a run that is cut off can be run again.
            both = {p: {*earlier.get(p, ()), hashes.get(p, "")} for p in {*earlier, *hashes}}
            _list(folders, both)
            written = sum(_write(folders, path, data) for path, data in sorted(files.items()))
            removed = tuple(p for p in sorted(earlier) if p not in files and _remove(folders, p))
            _list(folders, {path: {digest} for path, digest in hashes.items()})
    except OSError as error:
        where = str(place)
        raise StateError(f"cannot be written: {error.strerror}", where=where) from error
    return WrittenFolder(written, removed)


def _refuse_links(place: Path) -> None:
    if place.is_symlink():
        raise PolicyError(
            "is a link, and an export is written into no folder that a link names",
            where=str(place),
            fix="Name the folder itself.",
        )
    if place.exists() and not place.is_dir():
        raise InputError("is a file, not a folder", where=str(place), fix="Name a folder.")


def _earlier(folders: Folders, place: Path) -> dict[str, tuple[str, ...]]:
    """The files of the earlier export there, each with the hashes it may have."""
    if not any(place.iterdir()):
        return {}
    data = folders.read(LIST)
    try:
        listed = json.loads(data) if data is not None and len(data) < 1 << 28 else None
        if isinstance(listed, dict) and listed.get("schema") == SCHEMA:
            held = listed["files"]
            return {path: tuple(map(str, held[path])) for path in held if _is_own(path)}
    except (ValueError, RecursionError, KeyError, TypeError):
        pass
    raise PolicyError(
        "holds files that no earlier export wrote",
        where=str(place),
        fix="Name an empty or a new folder.",
    )


def _is_own(path: object) -> bool:
    try:
        check_text(path if isinstance(path, str) else "")
    except PolicyError:
        return False
    return path != LIST


def _refuse_edits(
    folders: Folders,
    place: Path,
    earlier: Mapping[str, tuple[str, ...]],
    hashes: Mapping[str, str],
) -> None:
    changed = []
    for path in sorted({*earlier, *hashes}):
        held = folders.read(path)
        if held is not None and sha256_hex(held) not in (*earlier.get(path, ()), hashes.get(path)):
            changed.append(path)
    if changed:
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        raise PolicyError(
            f"somebody changed what was exported: {', '.join(changed[:_SHOWN])}{more}",
            where=str(place),
            fix="Keep those changes elsewhere, and remove the files.",
        )


def _list(folders: Folders, held: Mapping[str, Iterable[str]]) -> None:
    files = {path: sorted(filter(None, held[path])) for path in sorted(held)}
    text = json.dumps({"schema": SCHEMA, "files": files}, ensure_ascii=False, indent=1)
    _write(folders, LIST, f"{text}\n".encode())


def _write(folders: Folders, path: str, data: bytes) -> bool:
    """Whether the file was written: not where it holds these bytes already."""
    with contextlib.suppress(PolicyError, OSError):
        if folders.read(path) == data:
            return False
    folders.replace(path, [data])
    return True


def _remove(folders: Folders, path: str) -> bool:
    folder, _, name = path.rpartition("/")
    try:
        os.unlink(name, dir_fd=folders.descriptor(folder))
    except FileNotFoundError:
        return False
    while folder:
        parent, _, name = folder.rpartition("/")
        folders.forget(folder)
        try:
            os.rmdir(name, dir_fd=folders.descriptor(parent))
        except OSError:
            break
        folder = parent
    return True
