"""A digest of the code that decides findings: other code, and what the lint cache holds is void."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

_FOLDERS = (
    "core",
    "core/secrets",
    "index",
    "language",
    "lint",
    "lint/rules",
    "pages",
    "repo",
    "sources",
)
"""Folders of the package whose code a lint runs."""


def code_digest(package: Path = Path(__file__).parents[1]) -> str:
    """32 hex digits that change with any byte of that code, and with nothing else.

    All of it (about 1 MB) is read at each call: times of files say nothing of what stands in them.
    Raises OSError where the package cannot be read.
    """
    digest = hashlib.blake2b(digest_size=16)
    for path in _files(package):
        with FileIO(path) as file:
            data = file.read()
        digest.update(f"{path.rpartition('/')[2]} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def _files(package: Path) -> Iterator[str]:
    """The modules in a fixed order, compiled ones too; an archive (zip) that holds the package."""
    if not package.is_dir():
        yield next(str(path) for path in package.parents if path.is_file())
        return
    for folder in _FOLDERS:
        paths = sorted(entry.path for entry in os.scandir(f"{package}/{folder}"))
        yield from (path for path in paths if path.endswith((".py", ".pyc")))
