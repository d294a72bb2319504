"""The operations of the wiki, as git has recorded them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.repo.log import Commit


@dataclass(frozen=True, slots=True)
class OperationLog:
    """Operations, newest first."""

    operations: tuple[Commit, ...]
    """Each with its id, kind, title and trailers."""
    lacking: str = ""
    """Why this clone may lack some, and what to do; empty: it has all."""


def log(
    wiki: OpenWiki, *, limit: int = 20, kind: str | None = None, page: str | None = None
) -> OperationLog:
    """The operations; see `Wiki.log`."""
    repo = wiki.repo
    head = repo.head()
    commits = repo.log(head, paths=[page] if page else ()) if head else iter(())
    found = (c for c in commits if c.operation and c.kind and (kind is None or c.kind == kind))
    # Of a commit at the border it is not known which files it changed.
    told = (c for c in found if page is None or c.parents.known)
    rows = tuple(itertools.islice(told, limit))
    return OperationLog(rows, repo.beyond if len(rows) < limit else "")
