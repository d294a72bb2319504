"""What is said of a large source before it is committed. How large one may be at all is
`ingest.max_size`, which `sources.open_and_hash` holds to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from llmwiki.git.objects import GitObject

if TYPE_CHECKING:
    from llmwiki.git.repository import Repository
    from llmwiki.sources.source_file import NamedSource

LARGE = 10_000_000
"""Bytes from which a source is called large: a hundred of them make a clone of a gigabyte."""


def notice_large(repo: Repository, item: NamedSource, notice: Callable[[str], None]) -> None:
    """Gives `notice` a sentence about a large source that is not committed yet."""
    if len(item.data) < LARGE:
        return
    entry = repo.entry(repo.head(), item.path)
    blob = GitObject.make("blob", item.data, repo.object_format)
    if entry is None or entry[1] != blob.oid:
        size = f"{len(item.data) / 1e6:.1f} MB"
        notice(f"{item.path} has {size}, which every clone will hold for ever")
