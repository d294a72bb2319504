"""Sources that are dropped into a folder, ingested as soon as they are whole, until it is stopped.

One process in the foreground, and one at a time in a work tree. A file is whole when the system saw
no change of it for a while. Names that editors and browsers give to what is not finished are left
out, as are empty files, which browsers put down first and fill later.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki.app.ingest_types import IngestOptions
from llmwiki.core.callbacks import ignore
from llmwiki.core.declared_options import CheckedOptions, max_cost, opt
from llmwiki.core.errors import InputError, LockTimeout, StateError
from llmwiki.core.options import Range
from llmwiki.landing.clock import clock
from llmwiki.sources.paths import RAW, is_source

if TYPE_CHECKING:
    from llmwiki.git.repository import Repository
    from llmwiki.git.store.private import RecordFolder
    from llmwiki.ingest.report import OperationReport
    from llmwiki.landing.open_wiki import OpenWiki

_BATCH = 100
"""Sources that are read before one looks again."""
_POLL, _REST = 1.0, 20
"""Seconds from one look to the next, and how many times as long as a look took: in a large folder
one looks less often."""
_STATE, _NETWORK, _LOCKED, _LIMIT = 3, 4, 6, 7
_AGAIN = 30.0
"""Seconds after which a source is tried again that somebody's edits keep from landing."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 3_600.0
"""Seconds for which nothing is read after a failure of the network or of the lock; doubled each
time."""

Opener = Callable[[], AbstractContextManager["OpenWiki"]]


@dataclass(frozen=True, slots=True)
class WatchOptions(CheckedOptions):
    """What is looked after, and how sources are read."""

    ingest: IngestOptions = field(default_factory=IngestOptions)
    """Of it, `max_cost`, `dry_run` and `collect` do not count."""
    inbox: str | None = opt(None, "Read what is dropped into DIR instead of raw/.", metavar="DIR")
    once: bool = opt(False, "Read what is there and whole, and end: for cron.")
    settle: float = opt(
        2.0,
        "A file is whole when it stayed as it is for so long.",
        metavar="SECONDS",
        range=Range(0.5, 3_600),
        shows_default=True,
    )
    max_cost: float | None = max_cost(
        "Wait for tomorrow (UTC) before a call could pass this sum a day; needs prices.",
        setting="watch.max_cost",
    )


@dataclass(frozen=True, slots=True)
class WatchReport:
    """What became of one round."""

    ingested: int = 0
    failed: int = 0
    exit_code: int = 0
    """That of `wiki` for the first failure, or for what stood in the way; 0: neither was."""


def watch(
    opened: Opener,
    options: WatchOptions,
    on: Callable[[OperationReport], None] = ignore,
    landed: Callable[[], None] = ignore,
) -> WatchReport:
    """Ingests what arrives; see `Wiki.watch`."""
    from llmwiki.git.store.lock import Lock

    with opened() as wiki:
        watcher = _Watcher(opened, wiki, options, on, landed)
        lock = Lock(wiki.repo.git_dir, "watch.lock")
    try:
        try:
            lock.take("wiki watch", 0)
        except LockTimeout as error:
            raise LockTimeout(
                "another `wiki watch` looks after this work tree",
                where=str(lock.path),
                fix="Leave it to that one, or stop it first; nothing was changed.",
            ) from error
        return watcher.run()
    finally:
        lock.close()


class _Watcher:
    """The state of one run."""

    def __init__(
        self,
        opened: Opener,
        wiki: OpenWiki,
        options: WatchOptions,
        on: Callable[[OperationReport], None],
        landed: Callable[[], None],
    ) -> None:
        from llmwiki.ingest.known import refused_files

        self._opened, self._options, self._on, self._landed = opened, options, on, landed
        self._notice = wiki.tell.notice
        self._raw, self._git = wiki.repo.root / RAW, wiki.repo.git_dir
        self._folder = _watched_folder(wiki, options.inbox)
        self._limit: float = options.or_setting("max_cost", wiki.config)
        self._ingest = _agreed_options(wiki, options.ingest, self._limit, self._folder)
        branch = self._branch()
        self._done: dict[str, tuple[int, int, str]] = {
            path: (held.size, held.modified, branch)
            for path, held in refused_files(wiki.repo).items()
        }
        """Files that need nothing more: size and time of the last writing, and on which branch."""
        self._later: dict[str, float] = {}
        """Files that failed by the state of the work tree, to when they are tried again."""
        self._waits = False
        self._not_before, self._pause = 0.0, _FIRST_PAUSE
        self._spent_day = ""
        """The day whose money is spent."""
        self._ingested = self._failed = self._code = 0

    def run(self) -> WatchReport:
        """Looks, ingests and waits, in turn."""
        once = self._options.once
        if once:
            if len(self._whole(0)) > len(self._whole(self._options.settle)):
                time.sleep(self._options.settle)
        else:
            self._notice(f"looks after {os.path.relpath(self._folder)}/; Ctrl-C ends it")
        is_first = True
        while True:
            began = time.monotonic()
            waits = began < self._not_before or self._spent_day == _today()
            paths = [] if waits else self._whole(self._options.settle)
            took = time.monotonic() - began
            if paths:
                self._read(paths[:_BATCH], is_first)
                is_first = False
            elif once:
                return WatchReport(self._ingested, self._failed, self._code)
            else:
                time.sleep(max(_POLL, _REST * took))

    def _whole(self, settle: float) -> list[str]:
        """The files that stayed as they are for so many seconds and were not read, sorted; those
        that failed last."""
        now, branch = time.time(), self._branch()
        found = [
            path
            for path, held in files_in(self._folder, self._raw)
            # A clock that was set back must not keep a file waiting for ever.
            if abs(now - held.st_ctime) >= settle
            and self._done.get(path) != (held.st_size, held.st_mtime_ns, branch)
            and self._later.get(path, 0) <= time.monotonic()
        ]
        return sorted(found, key=lambda path: (path in self._later, path))

    def _branch(self) -> str:
        """The branch that is checked out: what one has read another may not know."""
        held = (self._git / "HEAD").read_text("utf-8")
        return held if held.startswith("ref:") else ""

    def _read(self, paths: list[str], is_first: bool) -> None:
        """Reads what of these files the wiki does not know, until something is in the way."""
        from llmwiki.models.usage import Budget

        with self._opened() as wiki:
            if self._must_wait(wiki.repo):
                return
            earlier = _spent(wiki.repo) if self._limit else 0.0
            if self._limit and earlier >= self._limit:
                self._wait_for_tomorrow()
                return
            budget = Budget(self._limit - earlier) if self._limit else None
            options, landed = replace(self._ingest, budget=budget), 0.0
            for path in paths:
                is_spent = bool(earlier or (budget and budget.spent))
                reports = self._read_file(wiki, path, options, is_spent)
                landed += sum(each.cost_usd or 0.0 for each in reports if each.commit)
                for each in reports:
                    if each.status != "skipped" or (each.is_news and not is_first):
                        self._tell(each)
                if self._spent_day or self._not_before > time.monotonic():
                    break
            if budget is not None:
                _keep_lost(wiki.repo, max(budget.spent - landed, 0.0))
            if len(paths) > 1:
                wiki.repo.maintain()
        self._landed()

    def _read_file(
        self, wiki: OpenWiki, path: str, options: IngestOptions, is_spent: bool
    ) -> Sequence[OperationReport]:
        """What became of a file; nothing where it is to be tried again. `is_spent`: others took
        money of the day."""
        from llmwiki.app.ingest import ingest
        from llmwiki.ingest.known import keep_refused
        from llmwiki.ingest.report import OperationReport

        try:
            held = os.stat(path)  # noqa: PTH116
            reports: Sequence[OperationReport] = ingest(wiki, [path], options).operations
        except FileNotFoundError:
            return ()
        except InputError as error:
            reports = [OperationReport.failed(path, error)] if os.path.lexists(path) else ()
        failed = next((each for each in reports if each.status == "failed"), None)
        if failed is None:
            self._pause = _FIRST_PAUSE
        elif failed.over_limit and is_spent:
            self._wait_for_tomorrow()
            return ()
        elif failed.over_limit:
            # It does not fit into what a whole day has, and is not paid for again.
            keep_refused(wiki.repo, Path(path), failed.error)
        elif failed.exit_code in (_STATE, _NETWORK, _LOCKED):
            self._notice(f"waits: {failed.source} is tried again later: {failed.error}")
            self._code = self._code or failed.exit_code
            self._later[path] = time.monotonic() + _AGAIN
            if failed.exit_code != _STATE:
                self._not_before = self._later[path] = time.monotonic() + self._pause
                self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            return ()
        self._done[path] = (held.st_size, held.st_mtime_ns, self._branch())
        return reports

    def _must_wait(self, repo: Repository) -> bool:
        """Whether git or a person is in the middle of something, which is told the second time."""
        from llmwiki.git.store.transaction import preflight

        try:
            lock = repo.git_dir / "index.lock"
            if lock.exists():
                raise StateError("git is at work in this work tree", where=str(lock))
            preflight(repo, allow_detached=self._ingest.allow_detached)
        except StateError as reason:
            if self._options.once:
                raise
            if self._waits:
                self._notice(f"waits: {' '.join(str(reason).split())}")
            self._waits, self._not_before = True, time.monotonic() + 2 * _POLL
            return True
        self._waits = False
        return False

    def _tell(self, report: OperationReport) -> None:
        """Takes what became of a source."""
        self._ingested += report.status == "ingested"
        if report.status == "failed":
            self._failed += 1
            self._code = self._code or report.exit_code
        self._on(report)

    def _wait_for_tomorrow(self) -> None:
        """The money of the day is spent."""
        self._spent_day = _today()
        self._code = self._code or _LIMIT
        self._notice(
            f"the limit of USD {self._limit:g} for {self._spent_day} is reached; what waits"
            " is read from midnight (UTC) on"
        )


def files_in(folder: Path, raw: Path) -> Iterator[tuple[str, os.stat_result]]:
    """The files in a folder that could be sources, with absolute paths, in no order.

    `raw` is the wiki's own folder of sources, in which some folders hold none. What vanishes
    meanwhile is left out.
    """
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        with suppress(OSError), os.scandir(here) as entries:
            for entry in entries:
                place = here / entry.name
                base = raw if place.is_relative_to(raw) else folder
                below = f"{RAW}/{place.relative_to(base).as_posix()}"
                if entry.is_dir(follow_symlinks=False):
                    # A folder is asked for as a file in it is: browsers make some for downloads.
                    if is_source(below) and is_source(f"{below}/x.md"):
                        waiting.append(place)
                elif is_source(below):
                    with suppress(OSError):
                        held = entry.stat()
                        if stat.S_ISREG(held.st_mode) and held.st_size:
                            yield str(place), held


def _watched_folder(wiki: OpenWiki, inbox: str | None) -> Path:
    """The folder that is looked after, without links. Raises InputError."""
    root = wiki.repo.root
    folder = root / RAW if inbox is None else wiki.here / inbox
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "no such folder"
        raise InputError(what, where=inbox or RAW, fix="Make it, or name another.")
    folder = folder.resolve()
    closed = (root / "wiki", root / "graph", wiki.repo.git_dir, wiki.repo.common_dir)
    if root.is_relative_to(folder) or any(folder.is_relative_to(each) for each in closed):
        raise InputError(
            "holds the wiki's own files",
            where=inbox or RAW,
            fix="Name a folder for documents, or leave --inbox out: raw/ is looked after then.",
        )
    return folder


def _agreed_options(
    wiki: OpenWiki, options: IngestOptions, limit: float, folder: Path
) -> IngestOptions:
    """The options of every batch, after a model was agreed to once.

    Raises CostError where nobody agrees, or where a limit is set and the model has no price.
    """
    from llmwiki.app.models import model_to_call
    from llmwiki.models.usage import CostError

    settings = model_to_call(wiki, options.model)
    if settings is not None and limit and settings.price is None:
        raise CostError(
            f"a limit for the day is set, and the price of {settings.model} is not known",
            fix="Set prices for the model in your configuration (docs/configuration.md, Prices and"
            " limits), or drop the limit: --max-cost 0.",
        )
    model = options.model if settings is None else settings.model
    below = None if folder.is_relative_to(wiki.repo.root) else folder
    return replace(options, model=model, collect=True, dry_run=False, max_cost=None, below=below)


# --- what models took this day: commits tell, and a record of calls that led to none -------------

_COST = re.compile(r"USD (\d{1,12}(?:\.\d{1,9})?)\b")


def _today() -> str:
    """The day (UTC)."""
    return f"{datetime.fromtimestamp(clock(), UTC):%Y-%m-%d}"


def _spent(repo: Repository) -> float:
    """US dollars of this day, an estimate by the prices of their time."""
    head, today = repo.head(), _today()
    commits = (c for each in (repo.log(head) if head else ()) for c in each.by_operation())
    told = (c.value("Wiki-Cost") for c in commits if c.own and f"{c.date:%Y-%m-%d}" >= today)
    costs = (_COST.match(cost) for cost in told if cost)
    return sum(float(cost[1]) for cost in costs if cost) + _lost(repo)


def _records(repo: Repository) -> RecordFolder:
    from llmwiki.git.store.private import RecordFolder, worktree_files

    return RecordFolder(worktree_files(repo), "watch", "llmwiki.watch-record/1")


def _lost(repo: Repository) -> float:
    """US dollars of this day."""
    day, lost = _records(repo).get("cost", _read_lost) or ("", 0.0)
    return lost if day == _today() else 0.0


def _read_lost(data: dict[str, Any]) -> tuple[str, float]:
    return str(data["day"]), float(data["lost"])


def _keep_lost(repo: Repository, more: float) -> None:
    _records(repo).put("cost", {"day": _today(), "lost": _lost(repo) + more})
