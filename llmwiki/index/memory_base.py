"""Opens the index for `WikiState`, which can do without.

Where the index is missing, damaged or cannot be written, an `EmptyBase` gives the same answers from
reading every page, only slower. Nothing here raises.
"""

from __future__ import annotations

import contextlib
import sqlite3
from weakref import WeakSet

from llmwiki.core.errors import WikiError
from llmwiki.index import file
from llmwiki.index.base import DAMAGE, Base, EmptyBase
from llmwiki.index.open_index import open_base
from llmwiki.repo.repository import Repository


class _Opened:
    """What was opened for a repository, closed with it at the latest."""

    def __init__(self) -> None:
        self.bases: WeakSet[Base] = WeakSet()

    def close(self) -> None:
        for base in self.bases:
            base.close()


def open_index(repo: Repository) -> Base:
    """The index of the wiki, brought to HEAD; an empty base where there can be none."""
    try:
        base = open_base(repo)
    except (DAMAGE, OSError, WikiError):
        # Reading every page gives the same answers, only later.
        return EmptyBase()
    repo.companion(_Opened, _Opened).bases.add(base)
    return base


def discard(repo: Repository, error: DAMAGE) -> None:
    """Removes an index that proved damaged, so that the next process makes it anew.

    One that only could not be read now stays.
    """
    if isinstance(error, sqlite3.ProgrammingError) or not file.is_damage(error):
        return
    with contextlib.suppress(OSError, WikiError):
        file.discard(repo.layout.aside or file.folder_of(repo.git_dir))
