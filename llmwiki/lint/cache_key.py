"""The cache key of a whole lint, pages excepted, from stats alone: no page is read.

It holds commits, the day, and time, size and inode of the rendered files, of the folders below
wiki/ and of raw/. While the key and the clock of the pages are unchanged, the last report stands.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from llmwiki.core.page_kinds import KIND_OF_FOLDER
from llmwiki.index.facts import is_catalogue
from llmwiki.index.lint_tables import DAY, LintFile
from llmwiki.index.open_index import Index
from llmwiki.lint.raw_files import raw_files_of, token
from llmwiki.repo.repository import Repository

_FOLDERS = tuple(sorted(KIND_OF_FOLDER))
_LETTERS = (*"abcdefghijklmnopqrstuvwxyz0123456789", "other")


def whole(
    repo: Repository, index: Index, memory: LintFile, commit: str | None, today: date | None
) -> str:
    """Everything but the pages, which `memory.clock` tells of; empty where that is not known."""
    tip = commit or index.commit
    day = today.isoformat() if today else (tip and memory.recall(f"memo {DAY}{tip}"))
    if not day:
        return ""
    told = (
        tip or "",
        repo.branch() or "",
        index.commit or "",
        repo.incomplete,
        day,
        files(repo, commit),
        "" if commit else _folders(repo.root, index),
        token(raw_files_of(repo, commit), swept=index.swept),
    )
    return "\n".join(told)


def files(repo: Repository, commit: str | None) -> str:
    """Catalogue, log and overview."""
    return commit or "\n".join(_states(repo.root, _rendered(repo.root)))


def _rendered(root: Path) -> Iterator[str]:
    """The files that code renders, as far as they may exist."""
    for name in _listed(root / "wiki"):
        if is_catalogue(f"wiki/{name}"):
            yield f"wiki/{name}"
        elif name in _FOLDERS:
            for letter in _LETTERS:
                yield f"wiki/{name}/index-{letter}.md"


def _folders(root: Path, index: Index) -> str:
    """The folders below wiki/: each changes whenever a file comes, goes or is renamed in it."""
    known = [path for (path,) in index.db.execute("SELECT path FROM folder ORDER BY path")]
    hidden = [f"wiki/{name}" for name in _listed(root / "wiki") if name.startswith(".")]
    return "\n".join(_states(root, [*known, *hidden]))


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []


def _states(root: Path, paths: Iterator[str] | list[str]) -> Iterator[str]:
    for path in paths:
        try:
            found = os.lstat(root / path)
        except OSError:
            continue
        yield f"{path} {found.st_mtime_ns} {found.st_size} {found.st_ino}"
