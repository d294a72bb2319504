"""The wiki that is linted: the work tree as it is, or one commit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.index.facts import is_page
from llmwiki.index.lint_cache import LintCache
from llmwiki.index.lookup import Lookup, MemoryLookup
from llmwiki.index.open_index import Index
from llmwiki.lint.engine import cache_key
from llmwiki.lint.engine.cache_codec import SEPARATOR, as_group
from llmwiki.lint.history import History
from llmwiki.lint.limits import LintLimits
from llmwiki.lint.relation import Group, Relation
from llmwiki.lint.view import PageView
from llmwiki.repo.repository import Repository
from llmwiki.repo.sweep import read_file

if TYPE_CHECKING:
    from llmwiki.pages.catalogue import Entry

_COMMITTER = re.compile(rb"^committer .* (-?\d{1,12}) [-+]\d{4}$", re.MULTILINE)
_LARGEST = 20_000_000
"""Bytes of the largest file that a rule may look into."""


class LintedWiki:
    """A `Wiki` over an open index; `commit` is the one that is linted, None: the work tree."""

    def __init__(
        self,
        repo: Repository,
        index: Index,
        memory: LintCache,
        *,
        commit: str | None,
        today: date | None,
        limits: LintLimits,
    ) -> None:
        self.repo = repo
        self.commit = commit
        self.limits = limits
        self.to_remember: dict[str, str] = {}
        """What is to be kept for later runs."""
        self._index = index
        self._memory = memory
        self._folders = repo.folders()
        self.today = today or self._day()
        # A thousand findings may ask for one group of a thousand rows.
        self._group = lru_cache(maxsize=32)(self._read_group)

    def close(self) -> None:
        """Gives back what it holds open."""
        self._folders.close()

    @property
    def tip(self) -> str | None:
        """The commit whose history counts: the one linted, or HEAD."""
        return self.commit or self._index.commit

    def _day(self) -> date:
        """The date of the newest commit; the first day of all where there is none."""
        if self.tip is None:
            return date(1970, 1, 1)
        kept = self.recall(cache_key.DAY + self.tip)
        if kept:
            return date.fromisoformat(kept)
        stored = self.repo.objects.get(self.tip)
        found = _COMMITTER.search(stored.data) if stored else None
        seconds = min(max(int(found[1]), 0), 253_402_300_799) if found else 0
        day = datetime.fromtimestamp(seconds, UTC).date()
        self.remember(cache_key.DAY + self.tip, day.isoformat())
        return day

    # --- pages -----------------------------------------------------------------------------

    @cached_property
    def names(self) -> Lookup:
        """See Wiki."""
        facts = self._index.facts(self._paths)
        subjects = [facts[path] for path in sorted(facts) if facts[path].type != "source"]
        return MemoryLookup((f.path, f.title, f.aliases) for f in subjects)

    @cached_property
    def history(self) -> History:
        """See Wiki."""
        return History(
            self.repo,
            self.tip,
            recall=self.recall,
            remember=self.remember,
            work_tree=self.commit is None,
        )

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        rows = self._index.db.execute("SELECT path FROM page ORDER BY path")
        return tuple(path for (path,) in rows)

    def paths(self) -> Sequence[str]:
        """See Wiki."""
        return self._paths

    def page(self, path: str) -> PageView | None:
        """See Wiki."""
        doc = self._index.doc(path)
        return None if doc is None else self.view(doc)

    def view(self, doc: int) -> PageView:
        """The page of a number of the index."""
        card = self._index.cards([doc])[doc]
        return PageView(card.path, self._index.read(card), self.limits)

    def titles(self, paths: Sequence[str]) -> dict[str, str]:
        """See Wiki."""
        return {path: entry.title for path, entry in self._index.entries(paths).items()}

    def entries(self) -> Iterator[Entry]:
        """See Wiki."""
        return self._index.all_entries()

    def groups(self, relation: Relation) -> Iterator[Group]:
        """See Wiki."""
        begins = relation.name + SEPARATOR
        for key, told in self._memory.groups(begins):
            yield as_group(key[len(begins) :], told, self.limits)

    def group(self, relation: Relation, key: str) -> Group:
        """See Wiki."""
        return self._group(relation.name + SEPARATOR, key)

    def _read_group(self, begins: str, key: str) -> Group:
        return as_group(key, self._memory.group(begins + key), self.limits)

    # --- files -----------------------------------------------------------------------------

    def file(self, path: str) -> bytes | None:
        """See Wiki."""
        if not path.startswith(("wiki/", "raw/")) or ".." in path.split("/"):
            return None
        if self.commit is not None:
            return self.repo.read(self.commit, path)
        found = read_file(self._folders, self.repo.prefix + path)
        if found is None:
            return self.repo.read_left_out(path)
        return None if found is None or found.size > _LARGEST else found.data

    def files(self) -> frozenset[str]:
        """See Wiki."""
        return self._files

    @cached_property
    def _files(self) -> frozenset[str]:
        if self.commit is not None:
            paths = [*self.repo.tree(self.commit, "wiki"), *self.repo.tree(self.commit, "raw")]
        else:
            paths = [*_walk(self.repo.root, "wiki"), *_walk(self.repo.root, "raw")]
            paths += [*self.repo.left_out("wiki"), *self.repo.left_out("raw")]
        return frozenset(path for path in paths if not is_page(path))

    def stamp_of_files(self) -> str:
        """See `stamps.files`."""
        return cache_key.files(self.repo, self.commit)

    # --- what is kept ----------------------------------------------------------------------

    def recall(self, key: str) -> str | None:
        """See Wiki."""
        kept = self.to_remember.get(key)
        return self._memory.recall(key) if kept is None else kept

    def remember(self, key: str, value: str) -> None:
        """See Wiki."""
        self.to_remember[key] = value


def _walk(root: Path, folder: str) -> Iterator[str]:
    """The plain files below a folder; links are not followed, git's own folders left out."""
    waiting = [] if (root / folder).is_symlink() else [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(root / here) as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False):
                        yield f"{here}/{entry.name}"
                    elif entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                        waiting.append(f"{here}/{entry.name}")
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
