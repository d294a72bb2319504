"""What to know of a source's weight in git before it is committed: a commit keeps it for ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from llmwiki.repo.objects import GitObject

if TYPE_CHECKING:
    from llmwiki.ingest.types import SourceInput
    from llmwiki.repo.repository import Repository

LARGE = 10_000_000
"""Bytes from which a source is called large: a hundred of them make a clone of a gigabyte."""


def weigh(repo: Repository, item: SourceInput, notice: Callable[[str], None]) -> None:
    """Give `notice` a sentence if a person should know of a source's weight.

    Raises StateError where git would change its bytes, before anybody is paid for reading it.
    """
    repo.refuse_filtered([item.path])
    if len(item.data) >= LARGE and not _committed(repo, item):
        size = f"{len(item.data) / 1e6:.1f} MB"
        notice(f"{item.path} has {size}, which every clone will hold for ever")


def _committed(repo: Repository, item: SourceInput) -> bool:
    entry = repo.entry(repo.head(), item.path)
    blob = GitObject.make("blob", item.data, repo.object_format)
    return entry is not None and entry[1] == blob.oid
