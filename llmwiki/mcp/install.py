"""The entry of this server in the settings of a host, inside the project: put in, taken out."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import InputError, PolicyError, StateError, reason_of
from llmwiki.mcp.hosts import NAME, McpHost
from llmwiki.mcp.json_entry import with_entry, without_entry
from llmwiki.mcp.toml_entry import with_table, without_table

MOST = 1_000_000
"""Bytes of a settings file at most."""


@dataclass(frozen=True, slots=True)
class HostChange:
    """What becomes of the settings of one host."""

    host: McpHost
    path: Path
    before: str
    """Empty: there is no file."""
    after: str
    """Empty: the file goes."""

    @property
    def is_change(self) -> bool:
        """Whether anything is to be written."""
        return self.before != self.after


def planned(host: McpHost, top: Path, root: Path, *, uninstall: bool) -> HostChange:
    """What installing or uninstalling would change below the top of the work tree; no writing.

    Raises PolicyError where a link leads elsewhere, InputError for a file that cannot be edited.
    """
    path = top / host.file
    for place in (path.parent, path):
        if place.is_symlink():
            raise PolicyError("is a link; only files of this project are edited", where=str(place))
    before = _read(path)
    try:
        if host.form == "toml":
            after = _toml(host, before, _subfolder(top, root), uninstall=uninstall)
        else:
            after = _json(host, before, _subfolder(top, root), uninstall=uninstall)
    except InputError as error:
        raise InputError(error.what, where=host.file, fix=error.fix) from error
    return HostChange(host, path, before, after)


def write(change: HostChange) -> None:
    """Writes the file, or removes it, with a folder that is empty then. Raises StateError."""
    path = change.path
    if not change.is_change:
        return
    try:
        if _read(path) != change.before:
            raise StateError("was changed meanwhile", where=str(path), fix="Run the command again.")
        if change.after:
            path.parent.mkdir(exist_ok=True)
            _replace(path, change.after)
        else:
            path.unlink()
            with suppress(OSError):
                if path.parent.name.startswith("."):
                    path.parent.rmdir()
    except OSError as error:
        raise StateError(f"cannot be written: {reason_of(error)}", where=str(path)) from error


def _replace(path: Path, text: str) -> None:
    """The file with a new content: the old or the new one at every moment."""
    new = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    try:
        with new.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _read(path: Path) -> str:
    try:
        data = path.read_bytes() if path.is_file() else b""
        if len(data) > MOST:
            raise PolicyError(f"has more than {MOST:,} bytes", where=str(path))
        return data.decode("utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {reason_of(error)}", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", where=str(path)) from error


def _subfolder(top: Path, root: Path) -> str:
    return "" if root == top else root.relative_to(top).as_posix()


def _json(host: McpHost, text: str, subfolder: str, *, uninstall: bool) -> str:
    if uninstall:
        return without_entry(text, host.section, NAME)
    return with_entry(text, host.section, NAME, host.entry(subfolder))


def _toml(host: McpHost, text: str, subfolder: str, *, uninstall: bool) -> str:
    if uninstall:
        return without_table(text, host.section, NAME)
    return with_table(text, host.section, NAME, host.entry(subfolder))
