"""What the commits behind a state tell: operations, the log's versions, texts of sources.

Walked once and kept; after that only the commits that came are walked. Each fact is of one commit
or one step, so that it does not matter in how many pieces a history was read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from llmwiki.core.page_and_note_kinds import LOG
from llmwiki.git.commits_and_trailers import Commit
from llmwiki.git.file_history import HistoryStep, altered, not_before, steps
from llmwiki.git.repository import Repository
from llmwiki.pages.log_page import LOG_FILE, log_path, read_line
from llmwiki.sources.raw_paths import TEXT_DIR

_KEY = "history 4"
BUDGET = 64_000_000
"""Bytes of versions of the log that one walk may read, about 0.3 s: the newest."""
_MOST = 20
"""Lines of one step that are kept."""


class PastOperation(NamedTuple):
    """One operation of the history."""

    id: str
    kind: str
    day: str
    """Of the commit, UTC, YYYY-MM-DD."""
    commit: str
    logs: bool
    """Whether its commit wrote the log."""


class LogBreak(NamedTuple):
    """A step that took lines out of the log, or put lines into another order."""

    commit: str
    lost: Sequence[str]
    """Lines that stood in the parent's log and not in the commit's."""
    turned: Sequence[Sequence[str]]
    """Pairs of lines of which the first stood before the second in the parent's log, and behind it
    in the commit's."""


@dataclass(slots=True)
class _Facts:
    """What is known of the commits behind a tip."""

    tip: str = ""
    operations: list[PastOperation] = field(default_factory=list)
    """Newest first."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """Numbered text to the blobs it was first committed with."""
    broken: list[LogBreak] = field(default_factory=list)
    unread: int = 0
    """Steps in which the log changed and that were too many to be compared."""

    def written(self) -> str:
        """The facts as a text to keep."""
        return json.dumps([self.tip, self.operations, self.texts, self.broken, self.unread])

    @classmethod
    def read(cls, kept: str) -> _Facts:
        """The facts that `written` made a text of."""
        tip, operations, texts, broken, unread = json.loads(kept)
        past = [PastOperation(*row) for row in operations]
        return cls(tip, past, texts, [LogBreak(*row) for row in broken], unread)


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
    def operations(self) -> Sequence[PastOperation]:
        """All operations, newest first as git lists them."""
        return self._facts.operations

    @property
    def broken_logs(self) -> Sequence[LogBreak]:
        """Where a step took lines out of the log, or put them into another order."""
        return self._facts.broken

    @property
    def unread_logs(self) -> int:
        """Steps in which the log changed and that were not compared."""
        return self._facts.unread

    def log(self) -> str:
        """The log at the tip, its years in order."""
        return as_text({path: self._repo.read(self._tip, path) or b"" for path in self._logs()})

    def due(self) -> frozenset[str]:
        """The ids of operations behind no operation that wrote the log: they came by a merge, and
        the next operation writes their lines."""
        if self._tip is None:
            return frozenset()
        writers = sorted({op.commit for op in self.operations if op.logs})
        outside = not_before(self._repo, self._tip, writers)
        return frozenset(op.id for op in self.operations if op.commit in outside)

    def altered_texts(self) -> Sequence[str]:
        """Numbered texts that are not as they were first committed, sorted."""
        found: set[str] = set()
        if self._tip is None or not self._facts.texts:
            return ()
        for path, (_mode, oid) in self._repo.tree(self._tip, TEXT_DIR).items():
            is_other = oid not in self._facts.texts.get(path, (oid,))
            if is_other and not self._is_first(path, self._repo.read_many([oid])[0]):
                found.add(path)
        for path in altered(self._repo, TEXT_DIR) if self._work_tree else ():
            data = self._data(path) if path in self._facts.texts else None
            if data is not None and not self._is_first(path, data):
                found.add(path)
        return sorted(found)

    def _is_first(self, path: str, data: bytes) -> bool:
        """Whether a text is as it was first committed."""
        return data in self._repo.read_many(self._facts.texts[path])

    def _data(self, path: str) -> bytes | None:
        from llmwiki.git.markdown_files import read_file

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
        merges: set[str] = set()
        came: list[PastOperation] = []
        for commit in self._repo.log(revision):
            came += _operations(commit)
            if commit.parents.known and len(commit.parents.all()) > 1:
                merges.add(commit.oid)
        writers: set[str] = set()
        # A clone that lacks commits, or blobs, is not asked for what it would have to fetch.
        if not self.lacks:
            years = {log_path(op.day[:4]) for op in (*came, *facts.operations)}
            texts = [TEXT_DIR] if self._repo.entry(self._tip, TEXT_DIR) else []
            walked = list(steps(self._repo, revision, [*sorted({*self._logs(), *years}), *texts]))
            of_log = [step for step in walked if LOG_FILE.fullmatch(step.changes[-1].path)]
            writers = {step.commit for step in of_log}
            self._compare(facts, of_log, merges)
            for change in (change for step in walked for change in step.changes):
                if change.path.startswith(f"{TEXT_DIR}/") and not change.old:
                    first = {*facts.texts.get(change.path, ()), change.new}
                    facts.texts[change.path] = sorted(first)
        came = [op._replace(logs=op.commit in writers) for op in came]
        facts.operations = [*came, *facts.operations]

    def _compare(self, facts: _Facts, told: Sequence[HistoryStep], merges: set[str]) -> None:
        """What steps, newest first, took out of the log, or turned round.

        A merge may bring what two branches have told of in unlike orders: it only may lose nothing.
        """
        left, found = BUDGET, []
        for number, step in enumerate(told):
            files = sorted(step.changes, key=lambda change: log_order(change.path))
            old, new = (
                self._repo.read_many([blob for blob in blobs if blob])
                for blobs in zip(*((c.old, c.new) for c in files), strict=True)
            )
            left -= sum(map(len, (*old, *new)))
            if left < 0 and number:
                facts.unread += len(told) - number
                break
            lost, turned = compare(_joined(old), _joined(new))
            turned = () if step.commit in merges else turned
            if lost or turned:
                found.append(LogBreak(step.commit, lost, turned))
        facts.broken += reversed(found)

    def _logs(self) -> Sequence[str]:
        """The log's files at the tip."""
        paths = (f"wiki/{name}" for name in self._repo.names(self._tip, "wiki"))
        return [LOG, *(path for path in paths if LOG_FILE.fullmatch(path) and path != LOG)]


def _operations(commit: Commit) -> list[PastOperation]:
    """The operations in a commit; none in a person's, and none for trailers we do not write."""
    day = commit.date.strftime("%Y-%m-%d")
    told = (each.own for each in reversed(commit.by_operation()))
    return [PastOperation(*own, day, commit.oid, False) for own in told if own is not None]


# --- versions of the log -----------------------------------------------------------------------


def log_order(path: str) -> tuple[bool, str]:
    """log.md last; no line moves between files, so that any fixed order of them does."""
    return path == LOG, path


def as_text(files: Mapping[str, bytes]) -> str:
    """The files of one version of the log, as one text."""
    return _joined([files[path] for path in sorted(files, key=log_order)])


def _joined(files: Iterable[bytes]) -> str:
    texts = [data.decode("utf-8", "replace") for data in files if data]
    return "".join(text if text.endswith("\n") else text + "\n" for text in texts)


def entries(text: str) -> list[str]:
    """The lines of the log that record operations."""
    rows = (row.rstrip("\r") for row in text.split("\n") if row.startswith("## ["))
    return [row for row in rows if read_line(row) is not None]


def compare(old: str, new: str) -> tuple[Sequence[str], Sequence[tuple[str, str]]]:
    """(lines lost, pairs turned round) from one version to the next; a line counts where it stands
    first, for a doubled one may go."""
    if new.startswith(old):
        return (), ()
    after = {row: place for place, row in reversed(list(enumerate(entries(new))))}
    before = list(dict.fromkeys(entries(old)))
    lost = [row for row in before if row not in after]
    kept = (row for row in before if row in after)
    turned = [(a, b) for a, b in pairwise(kept) if after[a] > after[b]]
    return lost[:_MOST], turned[:_MOST]
