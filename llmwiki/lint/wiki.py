"""The wiki as a whole, as rules over more than one page see it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.index.facts import is_indexed
from llmwiki.index.lint_cache import LintCache
from llmwiki.index.lookup import Lookup
from llmwiki.index.open_index import Index
from llmwiki.lint import cache_key
from llmwiki.lint.cache_codec import SEPARATOR, as_group
from llmwiki.lint.history import History
from llmwiki.lint.relation import Group, Relation
from llmwiki.lint.texts import recorded_on
from llmwiki.lint.thresholds import LintLimits
from llmwiki.lint.view import PageView
from llmwiki.repo.repository import Repository
from llmwiki.repo.sweep import read_file

if TYPE_CHECKING:
    from llmwiki.pages.catalogue import Entry

_COMMITTER = re.compile(rb"^committer .* (-?\d{1,12}) [-+]\d{4}$", re.MULTILINE)
_LARGEST = 20_000_000
"""Bytes of the largest file that a rule may look into."""


class WikiView:
    """What is linted: the pages, what they say, the other files, the commits behind them.

    All of one state: `commit`, or the work tree where that is None. Reads from an open index.
    """

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
        """The date of HEAD's commit, or what the caller says."""
        # A thousand findings may ask for one group of a thousand rows.
        self._group = lru_cache(maxsize=32)(self._read_group)
        self.recorded = lru_cache(maxsize=4096)(recorded_on(self.page))
        """Id of a source to what its own page records; None where it has none that can be read."""

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
        """The titles and aliases of all pages but ledgers."""
        facts = self._index.facts(self.paths)
        subjects = [facts[path] for path in sorted(facts) if facts[path].type != "source"]
        return Lookup(None, ((f.path, f.title, f.aliases) for f in subjects))

    @cached_property
    def history(self) -> History:
        """What the commits behind this state tell."""
        return History(
            self.repo,
            self.tip,
            recall=self.recall,
            remember=self.remember,
            work_tree=self.commit is None,
        )

    @cached_property
    def keeps_catalogue(self) -> bool:
        """Whether index, overview and log are written on the branch that is checked out."""
        return self.repo.branch() == f"refs/heads/{self.limits.branch}"

    @cached_property
    def paths(self) -> Sequence[str]:
        """All pages, sorted."""
        rows = self._index.db.execute("SELECT path FROM page ORDER BY path")
        return tuple(path for (path,) in rows)

    def page(self, path: str) -> PageView | None:
        """One page; None where there is none of that path."""
        doc = self._index.doc(path)
        return None if doc is None else self.view(doc)

    def view(self, doc: int) -> PageView:
        """The page of a number of the index."""
        card = self._index.cards([doc])[doc]
        return PageView(card.path, self._index.read(card), self.limits)

    def entries(self) -> Iterator[Entry]:
        """The pages below wiki/ as the catalogue lists them, by path."""
        return (entry for entry in self._index.all_entries() if entry.path.startswith("wiki/"))

    def groups(self, relation: Relation) -> Iterator[Group]:
        """Everything pages say in a relation, by key, sorted."""
        begins = relation.name + SEPARATOR
        for key, told in self._memory.groups(begins):
            yield as_group(key[len(begins) :], told, self.limits)

    def group(self, relation: Relation, key: str) -> Group:
        """What pages say under one key; no rows where none says anything."""
        return self._group(relation.name + SEPARATOR, key)

    def _read_group(self, begins: str, key: str) -> Group:
        return as_group(key, self._memory.group(begins + key), self.limits)

    # --- files -----------------------------------------------------------------------------

    def file(self, path: str) -> bytes | None:
        """The bytes of a file in the folders of `files`; None where there is no plain one."""
        if ".." in path.split("/") or not self._is_read(path):
            return None
        if self.commit is not None:
            return self.repo.read(self.commit, path)
        found = read_file(self._folders, self.repo.prefix + path)
        if found is None:
            return self.repo.read_left_out(path)
        return None if found.size > _LARGEST else found.data

    @cached_property
    def files(self) -> frozenset[str]:
        """The paths of all files below wiki/, raw/ and the folder of notes that are no pages."""
        notes = self.repo.layout.notes
        paths: list[str] = []
        for folder in ("wiki", "raw") if notes is None else dict.fromkeys(("wiki", "raw", notes)):
            if self.commit is not None:
                paths += self.repo.tree(self.commit, folder)
            else:
                paths += [*_walk(self.repo.root, folder), *self.repo.left_out(folder)]
        return frozenset(path for path in paths if not is_indexed(path) and self._is_read(path))

    def _is_read(self, path: str) -> bool:
        """Whether a path lies in wiki/, raw/ or the folder of notes, there in no hidden folder."""
        notes = self.repo.layout.notes
        if path.startswith(("wiki/", "raw/")):
            return True
        if notes is None or path.startswith(".") or "/." in path:
            return False
        return not notes or path.startswith(f"{notes}/")

    def stamp_of_files(self) -> str:
        """A text that changes with the catalogue, the log or the overview."""
        return f"{self.keeps_catalogue} {cache_key.files(self.repo, self.commit)}"

    # --- what is kept ----------------------------------------------------------------------

    def recall(self, key: str) -> str | None:
        """What a rule remembered in an earlier run under this key."""
        kept = self.to_remember.get(key)
        return self._memory.recall(key) if kept is None else kept

    def remember(self, key: str, value: str) -> None:
        """Keeps a text for later runs; lost whenever the index is made anew."""
        self.to_remember[key] = value


def _walk(root: Path, folder: str) -> Iterator[str]:
    """The plain files below a folder; links are not followed, git's own folders left out."""
    waiting = [] if (root / folder).is_symlink() else [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(root / here) as entries:
                for entry in entries:
                    path = f"{here}/{entry.name}" if here else entry.name
                    if entry.is_file(follow_symlinks=False):
                        yield path
                    elif entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                        waiting.append(path)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
