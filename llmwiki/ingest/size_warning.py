"""What to know of a source's weight in git before it is committed: a commit keeps it for ever."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from llmwiki.repo.objects import GitObject

if TYPE_CHECKING:
    from llmwiki.ingest.types import SourceInput
    from llmwiki.repo.repository import Repository

LARGE = 10_000_000
"""Bytes from which a source is called large: a hundred of them make a clone of a gigabyte."""


def weigh(repo: Repository, item: SourceInput, notice: Callable[[str], None]) -> None:
    """Give `notice` a sentence if a person should know of a source's weight, or of Git LFS.

    Raises StateError where git would change its bytes, before anybody is paid for reading it.
    """
    if repo.in_lfs([item.path]):
        if not repo.large_files.ready:
            notice(_NOT_READY)
    elif len(item.data) >= LARGE and not _committed(repo, item):
        notice(
            f"{item.path} has {len(item.data) / 1e6:.1f} MB, which every clone will hold for ever;"
            f" to keep such files out of git, stop here and run: {_track(item.path)}"
        )


_NOT_READY = (
    "sources here are under Git LFS, and git-lfs is not set up in this clone. They are committed as"
    " pointers all the same; until you run `git lfs install`, git status calls them changed and git"
    " push leaves their bytes behind"
)


def _committed(repo: Repository, item: SourceInput) -> bool:
    entry = repo.entry(repo.head(), item.path)
    blob = GitObject.make("blob", item.data, repo.object_format)
    return entry is not None and entry[1] == blob.oid


def _track(path: str) -> str:
    suffix = PurePosixPath(path).suffix
    if suffix[1:].isalnum():
        return f"git lfs track 'raw/**/*{suffix}'"
    return f"git lfs track --filename {shlex.quote(path)}"
