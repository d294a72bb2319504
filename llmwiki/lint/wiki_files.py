"""The files of a wiki that are no pages, in one state of a repository."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import PolicyError
from llmwiki.core.text import sha256_hex
from llmwiki.git.repository import Repository
from llmwiki.index.page_facts_record import is_indexed
from llmwiki.sources.raw_paths import RAW

if TYPE_CHECKING:
    from llmwiki.git.worktree_files import Folders


_SYMLINK = "120000"
"""Git's mode of a symbolic link."""


class WikiFiles:
    """The files of a commit, or as they lie on the disk where there is none; what a sparse checkout
    leaves out is as git's index holds it."""

    def __init__(self, repo: Repository, commit: str | None = None) -> None:
        self._repo = repo
        self._commit = commit
        self._open = ExitStack()

    def close(self) -> None:
        """Gives back what it holds open."""
        self._open.close()

    @cached_property
    def _folders(self) -> Folders:
        return self._open.enter_context(self._repo.folders())

    @cached_property
    def _raw(self) -> dict[str, tuple[str, str]]:
        """The files of the commit below raw/, or those that a sparse checkout leaves out."""
        return self._repo.tree(self._commit, RAW) if self._commit else self._repo.left_out(RAW)

    def stamp(self, path: str) -> str:
        """A text that changes with the state of a file below raw/; empty where there is none."""
        try:
            found = None if self._commit else self._folders.status(self._repo.prefix + path)
        except (OSError, PolicyError):
            found = None
        if found is None:
            return self._raw.get(path, ("", ""))[1]
        return f"{found.st_mtime_ns}-{found.st_size}-{found.st_ino}"

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None where there is no plain one. Raises WikiError, OSError."""
        is_raw = path.startswith(f"{RAW}/")
        if self._commit and not is_raw:
            return self._repo.read(self._commit, path)
        if self._commit:
            mode, oid = self._raw.get(path, ("", ""))
            return self._repo.read_many([oid])[0] if mode.startswith("100") else None
        found = self._folders.status(self._repo.prefix + path)
        if found is None:
            known = path in self._raw if is_raw else True
            return self._repo.read_left_out(path) if known else None
        from llmwiki.sources.conversion_limits import SourceLimits
        from llmwiki.sources.open_and_hash import too_large

        if found.st_size > SourceLimits().max_bytes:
            raise too_large(path, found.st_size, SourceLimits().max_bytes)
        return self._folders.read(self._repo.prefix + path)

    def is_asked(self, path: str) -> bool:
        """Whether a path lies in wiki/, raw/ or the folder of notes, there in no hidden folder."""
        notes = self._repo.layout.notes
        if ".." in path.split("/"):
            return False
        if path.startswith(("wiki/", "raw/")):
            return True
        if notes is None or path.startswith(".") or "/." in path:
            return False
        return not notes or path.startswith(f"{notes}/")

    def paths(self) -> frozenset[str]:
        """All files that are asked for and are no pages."""
        return frozenset(
            path for path in self._listed[0] if not is_indexed(path) and self.is_asked(path)
        )

    @property
    def symlinks(self) -> Mapping[str, str]:
        """The symbolic links that lead to something below the root, to the path of that."""
        return self._listed[1]

    @cached_property
    def _listed(self) -> tuple[list[str], dict[str, str]]:
        notes = self._repo.layout.notes
        root = self._repo.root
        paths: list[str] = []
        symlinks: dict[str, str] = {}
        for folder in ("wiki", RAW) if notes is None else dict.fromkeys(("wiki", RAW, notes)):
            if self._commit is None:
                paths += [*_walk(root, folder, symlinks), *self._repo.left_out(folder)]
                continue
            tree = self._repo.tree(self._commit, folder)
            paths += tree
            for path, (mode, oid) in tree.items():
                if mode == _SYMLINK:
                    to = (self._repo.read_many([oid])[0] or b"").decode("utf-8", "surrogateescape")
                    symlinks[path] = posixpath.normpath(posixpath.join(posixpath.dirname(path), to))
        return paths, symlinks


def raw_token(repo: Repository, commit: str | None, *, swept: bool) -> str:
    """A text that is another whenever anything below raw/ is: 32 hexadecimal digits.

    In a work tree (no `commit`) it follows HEAD, and files that are not committed only where
    `swept`: that looks at each file's state, about 3 µs a file.
    """
    if swept and not commit:
        told = "\n".join(sorted(_stats(repo.root, RAW)))
    else:
        told = (repo.entry(commit or repo.head(), RAW) or ("", ""))[1]
    return sha256_hex(told.encode("utf-8", "surrogateescape"))[:32]


def _walk(root: Path, folder: str, symlinks: dict[str, str]) -> Iterator[str]:
    """The plain files below a folder. Links are not followed, but put into `symlinks` where they
    lead to something below the root."""
    for path, entry in _entries(root, folder):
        if entry.is_file(follow_symlinks=False):
            yield path
        elif entry.is_symlink():
            to = Path(os.path.realpath(root / path))
            if to.is_relative_to(root) and to.exists():
                symlinks[path] = to.relative_to(root).as_posix()


def _stats(root: Path, folder: str) -> Iterator[str]:
    """One line a file below a folder: path and state."""
    for path, entry in _entries(root, folder):
        with suppress(FileNotFoundError):
            found = entry.stat(follow_symlinks=False)
            yield f"{path} {found.st_mtime_ns} {found.st_size} {found.st_ino}"


def _entries(root: Path, folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """All below a folder that are no folders; git's own folders are left out."""
    waiting = [] if (root / folder).is_symlink() else [folder]
    while waiting:
        here = waiting.pop()
        with (
            suppress(FileNotFoundError, NotADirectoryError, PermissionError),
            os.scandir(root / here) as entries,
        ):
            for entry in entries:
                path = f"{here}/{entry.name}" if here else entry.name
                if not entry.is_dir(follow_symlinks=False):
                    yield path, entry
                elif entry.name != ".git":
                    waiting.append(path)
