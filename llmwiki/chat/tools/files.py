"""Tools that read files of the wiki's work tree: none through a link, none that git ignores."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from llmwiki.chat.tools.tool_context import ToolContext
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import counted
from llmwiki.core.tool_declaration import ToolAnswer, tool
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository

MAX_FILE = 2_000_000
"""Bytes of a file that is read."""
MAX_NAMES = 500
"""Of one folder."""
_Line = Annotated[int, {"minimum": 1, "maximum": 10_000_000}]


@contextmanager
def _repository(by: ToolContext) -> Iterator[Repository]:
    with Repository(layout_of(by.wiki.root)) as repo:
        yield repo


def clean_path(repo: Repository, path: str) -> str:
    """A path below the wiki's root, POSIX, "" for the root itself.

    Raises PolicyError for one that leads out, into git's own folder, or to what git ignores.
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith(("/", "~")) or ".." in parts or "\0" in path:
        raise PolicyError("only files below the wiki's root are read", where=ascii(path)[1:-1])
    if any(part.lower() == ".git" for part in parts):
        raise PolicyError("git's own files are not read", where="/".join(parts))
    name = "/".join(parts)
    if name and repo.ignored([name]):
        raise PolicyError("git ignores this file; it is not read", where=name)
    return name


@tool("read_file", origin="file")
def read_file(by: ToolContext, path: str, first: _Line = 1, last: _Line = 0) -> ToolAnswer:
    """Read a text file below the wiki's root, or some of its lines."""
    with _repository(by) as repo:
        name = clean_path(repo, path)
        with repo.folders() as folders:
            status = folders.status(repo.prefix + name) if name else None
            if status is None or stat.S_ISDIR(status.st_mode):
                raise InputError("there is no such file", where=name)
            if status.st_size > MAX_FILE:
                raise PolicyError(f"has more than {MAX_FILE:,} bytes", where=name)
            data = folders.read(repo.prefix + name)
    if data is None:
        raise InputError("there is no such file", where=name)
    if b"\0" in data:
        raise InputError("is no text", where=name)
    lines = data.decode("utf-8", "replace").splitlines()
    last = min(last or len(lines), len(lines))
    text = "\n".join(lines[first - 1 : last])
    return ToolAnswer(text, f"{name}, {counted(max(last - first + 1, 0), 'line')}")


@tool("list_dir", origin="file")
def list_dir(by: ToolContext, path: str = "") -> ToolAnswer:
    """List a folder below the wiki's root."""
    with _repository(by) as repo:
        name = clean_path(repo, path)
        with repo.folders() as folders:
            try:
                there = folders.descriptor((repo.prefix + name).rstrip("/"))
            except FileNotFoundError:
                raise InputError("there is no such folder", where=name) from None
            with os.scandir(there) as entries:
                names = sorted(
                    f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name
                    for entry in entries
                    if entry.name != ".git" and not entry.is_symlink()
                )
    shown = names[:MAX_NAMES]
    rest = [f"… and {len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
    return ToolAnswer("\n".join([*shown, *rest]) or "the folder is empty", f"{len(names)} names")
