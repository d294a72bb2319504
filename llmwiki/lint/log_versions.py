"""The versions of the log compared one by one: lines may not be removed or reordered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import accumulate, pairwise
from typing import NamedTuple

from llmwiki.core.page_kinds import LOG
from llmwiki.pages.log import LOG_FILE, read_line
from llmwiki.repo.file_history import HistoryStep
from llmwiki.repo.repository import Repository

_BUDGET = 64_000_000
"""Bytes of versions that one walk may read, about 0.3 s. Where history holds more, versions are
compared at even distances, and each of a stretch only where its two ends do not fit."""
_MOST = 20
"""Lines of one step that are kept."""

Blobs = tuple[str, ...]
"""The log's files in one version, in the order of `log_order`: the id of each."""


class LogBreak(NamedTuple):
    """A step that took lines out of the log, or put lines into another order."""

    commit: str
    lost: tuple[str, ...]
    """Lines that stood in the parent's log and not in the commit's."""
    turned: tuple[tuple[str, str], ...]
    """Pairs of lines of which the first stood before the second in the parent's log, and behind it
    in the commit's."""

    @classmethod
    def of(cls, row: Sequence[object]) -> LogBreak:
        """From lists, as JSON keeps it."""
        commit, lost, turned = row
        assert isinstance(lost, (list, tuple)) and isinstance(turned, (list, tuple))
        return cls(str(commit), tuple(lost), tuple((a, b) for a, b in turned))


def log_order(path: str) -> tuple[bool, str]:
    """log.md last; no line moves between files, so that any fixed order of them does."""
    return path == LOG, path


def as_text(files: Mapping[str, bytes]) -> str:
    """The files of one version of the log, as one text."""
    return _joined([files[path] for path in sorted(files, key=log_order)])


def _joined(files: Sequence[bytes]) -> str:
    texts = [data.decode("utf-8", "replace") for data in files if data]
    return "".join(text if text.endswith("\n") else text + "\n" for text in texts)


def entries(text: str) -> list[str]:
    """The lines of the log that record operations."""
    rows = (row.rstrip("\r") for row in text.split("\n") if row.startswith("## ["))
    return [row for row in rows if read_line(row) is not None]


def compare(
    old: str, new: str, unsure: Set[str] = frozenset()
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """(lines lost, pairs turned round) from one version to the next.

    A line counts where it stands first, for a doubled one may go; the places of lines in `unsure`
    do not count.
    """
    if new.startswith(old):
        return (), ()
    after = {row: place for place, row in reversed(list(enumerate(entries(new))))}
    before = list(dict.fromkeys(entries(old)))
    kept = [row for row in before if row in after]
    lost = [row for row in before if row not in after]
    placed = (row for row in kept if row not in unsure)
    turned = [(a, b) for a, b in pairwise(placed) if after[a] > after[b]]
    return tuple(lost[:_MOST]), tuple(turned[:_MOST])


def _out_of_order(rows: Sequence[str], places: Sequence[int]) -> set[str]:
    """The rows that have a higher place before them, or a lower one behind them."""
    highest = list(accumulate(places, max))
    lowest = list(accumulate(reversed(places), min))[::-1]
    return {
        row
        for row, at, high, low in zip(rows, places, highest, lowest, strict=True)
        if high > at or low < at
    }


class Versions:
    """The steps in which the log changed, newest first as git lists them."""

    def __init__(self, repo: Repository, told: Sequence[HistoryStep]) -> None:
        self._repo = repo
        self._steps = [
            (step.commit, old, new)
            for step in reversed(told)
            for old, new in (_sides(step),)
            if old
        ]
        self.all = len(self._steps)
        self.compared = 0
        """How many of them `broken` compared one by one."""
        self._last: tuple[Blobs, str] = ((), "")

    def broken(self) -> list[LogBreak]:
        """The steps that took lines out or turned them round, oldest first."""
        found: list[LogBreak] = []
        for stretch in self._stretches(self._stride()):
            if len(stretch) > 1 and not any(self._compare(stretch[0][1], stretch[-1][2])):
                continue
            self.compared += len(stretch)
            for commit, old, new in stretch:
                lost, turned = self._compare(old, new)
                if turned:
                    unsure = self._told_in_any_order(commit)
                    turned = self._compare(old, new, unsure)[1] if unsure else turned
                if lost or turned:
                    found.append(LogBreak(commit, lost, turned))
        return found

    def _told_in_any_order(self, commit: str) -> frozenset[str]:
        """The lines that the parents of a merge have in unlike orders.

        Two branches may have recorded the same two operations in different orders; then no order
        of the merge fits both.
        """
        logs = [entries(as_text(self._files(parent))) for parent in self._parents(commit)]
        found: set[str] = set()
        for number, one in enumerate(logs):
            for other in logs[:number]:
                place = {row: at for at, row in enumerate(other)}
                common = [row for row in one if row in place]
                found |= _out_of_order(common, [place[row] for row in common])
        return frozenset(found)

    def _parents(self, commit: str) -> tuple[str, ...]:
        found = next(iter(self._repo.log(commit, limit=1)), None)
        if found is None or not found.parents.known:
            return ()
        return found.parents.all()

    def _files(self, commit: str) -> dict[str, bytes]:
        paths = (f"wiki/{name}" for name in self._repo.names(commit, "wiki"))
        logs = [path for path in paths if LOG_FILE.fullmatch(path)]
        return {path: self._repo.read(commit, path) or b"" for path in logs}

    def _stride(self) -> int:
        """How many steps are compared at once."""
        if not self._steps:
            return 1
        largest = len(self._text(self._steps[-1][2]))
        return max(1, -(-len(self._steps) * largest // (2 * _BUDGET)))

    def _stretches(self, stride: int) -> Iterator[list[tuple[str, Blobs, Blobs]]]:
        """Runs of at most `stride` steps, each beginning where the one before it ended."""
        stretch: list[tuple[str, Blobs, Blobs]] = []
        for step in self._steps:
            if stretch and (len(stretch) >= stride or stretch[-1][2] != step[1]):
                yield stretch
                stretch = []
            stretch.append(step)
        if stretch:
            yield stretch

    def _compare(
        self, old: Blobs, new: Blobs, unsure: Set[str] = frozenset()
    ) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        before = self._text(old)
        return compare(before, self._text(new), unsure)

    def _text(self, blobs: Blobs) -> str:
        if self._last[0] != blobs:
            self._last = (blobs, _joined(self._repo.read_many(blobs)))
        return self._last[1]


def _sides(step: HistoryStep) -> tuple[Blobs, Blobs]:
    """The log before and after a step, as far as its files changed."""
    told = (change for change in step.changes if LOG_FILE.fullmatch(change.path))
    changes = sorted(told, key=lambda change: log_order(change.path))
    old = tuple(change.old for change in changes if change.old)
    return old, tuple(change.new for change in changes if change.new)
