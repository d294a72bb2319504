"""What the commits behind a state tell: operations, the log's versions, what befell raw/.

Walked once and kept; after that only the commits that came are walked. Each fact is of one commit
or one step, so that it does not matter in how many pieces a history was read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import NamedTuple

from llmwiki.core.page_kinds import LOG
from llmwiki.lint.log_versions import LogBreak, Versions, as_text, log_order
from llmwiki.pages.log import LOG_FILE, log_path
from llmwiki.repo.border import Parents
from llmwiki.repo.file_history import FileChange, HistoryStep, altered, not_before, steps, steps_of
from llmwiki.repo.lfs import sha256_of
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository
from llmwiki.sources.paths import RAW, TEXT_DIR, is_source

_KEY = "history 2"


class PastOperation(NamedTuple):
    """One operation of the history."""

    id: str
    kind: str
    day: str
    """Of the commit, UTC, YYYY-MM-DD."""
    commit: str
    logs: bool
    """Whether its commit wrote the log."""


class LastChange(NamedTuple):
    """The last commit that did something to a file."""

    time: int
    commit: str


@dataclass(slots=True)
class _Facts:
    """What is known of the commits behind a tip."""

    tip: str = ""
    operations: dict[str, list[PastOperation]] = field(default_factory=dict)
    """By commit: a squash of a branch holds several."""
    ingested: dict[str, str] = field(default_factory=dict)
    """File below raw/ to the day of the last operation that names it as its source."""
    changed: dict[str, LastChange] = field(default_factory=dict)
    """File below raw/ to the last commit, no operation, that changed or removed it."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """Numbered text to the blobs it was first committed with."""
    retold: dict[str, LastChange] = field(default_factory=dict)
    """Numbered text to the last commit that changed it."""
    broken: list[LogBreak] = field(default_factory=list)
    versions: int = 0
    """Steps in which the log changed."""
    compared: int = 0
    """How many of them were compared one by one."""

    def written(self) -> str:
        """The facts as a text to keep."""
        rows = "\n".join(
            f"{op.id} {op.kind} {op.day} {op.commit} {op.logs:d}"
            for each in self.operations.values()
            for op in each
        )
        return json.dumps(
            [
                self.tip, rows, self.ingested, self.changed, self.texts, self.retold,
                self.broken, self.versions, self.compared,
            ],
            separators=(",", ":"),
        )  # fmt: skip

    @classmethod
    def read(cls, kept: str) -> _Facts:
        """The facts that `written` made a text of."""
        tip, rows, ingested, changed, texts, retold, broken, versions, compared = json.loads(kept)
        operations: dict[str, list[PastOperation]] = {}
        for row in rows.split("\n") if rows else ():
            ident, kind, day, commit, logs = row.split(" ")
            told = PastOperation(ident, kind, day, commit, logs == "1")
            operations.setdefault(commit, []).append(told)
        return cls(
            tip,
            operations,
            ingested,
            {path: LastChange(*touch) for path, touch in changed.items()},
            texts,
            {path: LastChange(*touch) for path, touch in retold.items()},
            [LogBreak.of(row) for row in broken],
            versions,
            compared,
        )


class History:
    """The commits behind `tip`; what they tell is worked out when it is first asked for.

    `recall` and `remember` keep texts between runs. `work_tree`: files as they lie on the disk
    count where they differ from the tip, which is HEAD then.
    """

    def __init__(
        self,
        repo: Repository,
        tip: str | None,
        *,
        recall: Callable[[str], str | None],
        remember: Callable[[str, str], None],
        work_tree: bool = False,
    ) -> None:
        self._repo = repo
        self._tip = tip
        self._recall = recall
        self._remember = remember
        self._work_tree = work_tree

    @classmethod
    def none(cls) -> History:
        """That of pages which lie in no repository."""
        history = cls.__new__(cls)
        history._tip = None
        return history

    @cached_property
    def lacks(self) -> str:
        """Why it cannot be judged, `this is a shallow clone`; empty where it can."""
        if self._tip is None:
            return "there are no commits yet"
        kind = self._repo.incomplete
        return f"this is {kind}" if kind else ""

    @property
    def stamp(self) -> str:
        """A text that changes with the history."""
        return f"{self._tip or ''} {self.lacks}"

    @property
    def shallow(self) -> bool:
        """Whether commits are missing: what is not found may still have happened."""
        return bool(self.lacks)

    @property
    def operations(self) -> Sequence[PastOperation]:
        """All operations, newest first as git lists them."""
        return tuple(_all_of(self._facts))

    def last_touch(self, path: str) -> date | None:
        """The day of the last operation whose source was this file below raw/; None: none known."""
        day = self._facts.ingested.get(path.removeprefix("/"))
        return date.fromisoformat(day) if day else None

    @property
    def changed_sources(self) -> Mapping[str, LastChange]:
        """Files below raw/ that a commit which is no operation changed or removed."""
        return self._facts.changed

    @property
    def broken_logs(self) -> Sequence[LogBreak]:
        """Where a step took lines out of the log, or put them into another order."""
        return self._facts.broken

    @property
    def log_coverage(self) -> tuple[int, int]:
        """(compared, all) steps in which the log changed."""
        return self._facts.compared, self._facts.versions

    def log(self) -> str:
        """The log at the tip, its years in order."""
        return as_text(
            {path: self._repo.read(self._tip, path) or b"" for path in self._log_files(())}
        )

    def due(self) -> frozenset[str]:
        """The ids of operations behind no operation that wrote the log: they came by a merge, and
        the next operation writes their lines."""
        if self._tip is None:
            return frozenset()
        writers = [op.commit for op in self.operations if op.logs]
        outside = not_before(self._repo, self._tip, writers)
        return frozenset(op.id for op in self.operations if op.commit in outside)

    def altered_texts(self) -> Mapping[str, str]:
        """Numbered texts that are not as they were first committed, to the commit that changed
        them; empty: the change is not committed."""
        found: dict[str, str] = {}
        if self._tip is None or not self._facts.texts:
            return found
        for path, (_mode, oid) in self._repo.tree(self._tip, TEXT_DIR).items():
            if oid in self._facts.texts.get(path, (oid,)):
                continue
            if not self._is_first(path, self._repo.read_many([oid])[0]):
                found[path] = self._facts.retold[path].commit if path in self._facts.retold else ""
        if self._work_tree:
            for path in altered(self._repo, TEXT_DIR):
                data = self._data(path) if path in self._facts.texts else None
                if data is not None and not self._is_first(path, data):
                    found.setdefault(path, "")
        return dict(sorted(found.items()))

    def _is_first(self, path: str, data: bytes) -> bool:
        """Whether a text is as it was first committed, in git or in LFS."""
        first = self._repo.read_many(self._facts.texts[path])
        return sha256_of(data) in map(sha256_of, first)

    def _data(self, path: str) -> bytes | None:
        from llmwiki.repo.sweep import read_file

        with self._repo.folders() as folders:
            found = read_file(folders, self._repo.prefix + path)
        return found.data if found else None

    # --- working it out --------------------------------------------------------------------

    @cached_property
    def _facts(self) -> _Facts:
        if self._tip is None:
            return _Facts()
        kept = self._recall(_KEY)
        facts = _Facts.read(kept) if kept else _Facts()
        if facts.tip == self._tip:
            return facts
        if facts.tip and not self._follows(facts.tip):
            facts = _Facts()
        self._walk(facts, f"{facts.tip}..{self._tip}" if facts.tip else self._tip)
        facts.tip = self._tip
        if not self.lacks:
            self._remember(_KEY, facts.written())
        return facts

    def _follows(self, old: str) -> bool:
        return (
            self._tip is not None
            and self._repo.resolve(old) is not None
            and self._repo.is_ancestor(old, self._tip)
        )

    def _walk(self, facts: _Facts, revision: str) -> None:
        times: dict[str, int] = {}
        parents: dict[str, Parents] = {}
        came: dict[str, list[PastOperation]] = {}
        for commit in self._repo.log(revision):
            times[commit.oid], parents[commit.oid] = commit.time, commit.parents
            operations = _operations(commit)
            if operations:
                came[commit.oid] = operations
                for source in commit.sources:
                    path = source.rpartition(" sha256:")[0] or source
                    facts.ingested[path] = max(facts.ingested.get(path, ""), operations[0].day)
        facts.operations = {**came, **facts.operations}
        # A clone that lacks commits, or blobs, is not asked for what it would have to fetch.
        if self.lacks:
            return
        kept = [TEXT_DIR] if self._repo.entry(self._tip, TEXT_DIR) else []
        paths = [*self._log_files(_all_of(facts)), *kept]
        walked = list(steps(self._repo, revision, paths))
        self._log_versions(
            facts, [step for step in walked if LOG_FILE.fullmatch(step.changes[-1].path)]
        )
        for step in walked:
            for change in step.changes:
                if change.path.startswith(f"{TEXT_DIR}/"):
                    _text_changed(facts, change, LastChange(times.get(step.commit, 0), step.commit))
        self._persons(facts, [oid for oid in times if oid not in came], times, parents)

    def _persons(
        self,
        facts: _Facts,
        commits: Sequence[str],
        times: Mapping[str, int],
        parents: Mapping[str, Parents],
    ) -> None:
        """What commits that are no operations did to sources.

        Only they are looked at: the trees of raw/ may be large, and operations only add to it.
        """
        seen: dict[tuple[str, str], int] = {}
        for step in steps_of(self._repo, commits, [RAW]):
            touch = LastChange(times[step.commit], step.commit)
            for change in step.changes:
                # What a merge brings from one side is that side's; its own is unlike all parents.
                key = (step.commit, change.path)
                seen[key] = seen.get(key, 0) + 1
                of_all = seen[key] >= len(parents[step.commit].all())
                if change.old and of_all and is_source(change.path):
                    held = facts.changed.get(change.path, touch)
                    facts.changed[change.path] = max(held, touch)

    def _log_versions(self, facts: _Facts, told: Sequence[HistoryStep]) -> None:
        """What became of the log, and which operations wrote it."""
        for commit in {step.commit for step in told} & facts.operations.keys():
            facts.operations[commit] = [op._replace(logs=True) for op in facts.operations[commit]]
        versions = Versions(self._repo, told)
        facts.broken += versions.broken()
        facts.versions += versions.all
        facts.compared += versions.compared

    def _log_files(self, operations: Iterable[PastOperation]) -> Sequence[str]:
        """The log's files: those of the tip, and those that years of operations may have had."""
        found = {LOG, *(log_path(op.day[:4]) for op in operations)}
        paths = (f"wiki/{name}" for name in self._repo.names(self._tip, "wiki"))
        found.update(path for path in paths if LOG_FILE.fullmatch(path))
        return sorted(found, key=log_order)


def _text_changed(facts: _Facts, change: FileChange, touch: LastChange) -> None:
    if change.old and change.new:
        facts.retold[change.path] = max(facts.retold.get(change.path, touch), touch)
    elif change.new:
        first = facts.texts.setdefault(change.path, [])
        if change.new not in first:
            first.append(change.new)
            first.sort()


def _all_of(facts: _Facts) -> Iterator[PastOperation]:
    return (op for each in facts.operations.values() for op in each)


def _operations(commit: Commit) -> list[PastOperation]:
    """The operations in a commit; none in a person's, and none for trailers we do not write."""
    day = commit.date.strftime("%Y-%m-%d")
    told = (each.own for each in reversed(commit.by_operation()))
    return [PastOperation(*own, day, commit.oid, False) for own in told if own is not None]
