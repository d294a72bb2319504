"""Sources that are dropped into a folder, ingested as soon as they are whole, until it is stopped.

One process in the foreground, and one at a time in a work tree. What it keeps from one run to the
next, which files failed and what was spent, lies below the git directory.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki.app.cost import DayLimit, today, watch_records
from llmwiki.app.ingest_types import IngestOptions
from llmwiki.core.callbacks import ignore
from llmwiki.core.declared_options import CheckedOptions, max_cost, opt
from llmwiki.core.errors import InputError, LockTimeout, StateError
from llmwiki.core.options import Range
from llmwiki.sources.arrivals import Arrivals, FileSignature, files_in

if TYPE_CHECKING:
    from llmwiki.git.repository import Repository
    from llmwiki.ingest.report import OperationReport
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.models.usage import Budget

BATCH = 100
"""Sources that are read before one looks again."""
SETTLE = 2.0
"""Seconds for which a file must stay as it is."""
_GROUP = 0.3
"""Seconds in which changes are taken together: a file that grows changes all the time."""
_POLL, _REST = 1.0, 20
"""Seconds from one look to the next, and how many times as long as a look took: in a large folder
one looks less often."""
_PATIENCE = 5.0
"""Seconds after which it is told what is waited for."""
_STATE, _NETWORK, _LOCKED, _LIMIT = 3, 4, 6, 7
_FIRST_PAUSE, _LONGEST_PAUSE = 30.0, 3_600.0
"""Seconds for which nothing is read after a failure of the network; doubled each time."""

Opener = Callable[[], AbstractContextManager["OpenWiki"]]


@dataclass(frozen=True, slots=True)
class WatchOptions(CheckedOptions):
    """What is looked after, and how sources are read."""

    ingest: IngestOptions = field(default_factory=IngestOptions)
    """Of it, `max_cost`, `dry_run` and `collect` do not count."""
    inbox: str | None = opt(None, "Read what is dropped into DIR instead of raw/.", metavar="DIR")
    once: bool = opt(False, "Read what is there and whole, and end: for cron.")
    settle: float = opt(
        SETTLE,
        "A file is whole when it stayed as it is for so long.",
        metavar="SECONDS",
        range=Range(0.5, 3_600),
        shows_default=True,
    )
    max_cost: float | None = max_cost(
        "Wait for tomorrow (UTC) before a call could pass this sum a day; needs prices."
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
        self._opened, self._options, self._on, self._landed = opened, options, on, landed
        self._notice = wiki.tell.notice
        self._raw = wiki.repo.root / "raw"
        self._folder = _watched_folder(wiki, options.inbox)
        limit = options.max_cost
        self._money = DayLimit(
            wiki.repo, wiki.config.number("watch.max_cost") if limit is None else limit
        )
        self._ingest = _agreed_options(wiki, options.ingest, self._money.limit)
        self._records = watch_records(wiki.repo)
        self._known_bad = self._records.get("failed", _read_failed) or {}
        """Files that could not be read, each as it was then: they are told and paid for once."""
        self._arrivals = Arrivals(options.settle)
        self._first: frozenset[str] | None = None
        self._later: dict[str, float] = {}
        """Files that somebody's edits keep from landing, to when they are tried again."""
        self._said: set[tuple[str, str]] = set()
        """What was told of them."""
        self._tries: Counter[str] = Counter()
        """How often each file failed by the network."""
        self._network_pause = _FIRST_PAUSE
        self._branch: str | None = None
        self._not_before = 0.0
        self._waits_since: float | None = None
        self._spent_day = ""
        """The day whose money is spent."""
        self._ingested = self._failed = self._code = 0

    # --- the loop ------------------------------------------------------------------------

    def run(self) -> WatchReport:
        """Looks, ingests and waits, in turn."""
        if not self._options.once:
            self._notice(f"looks after {os.path.relpath(self._folder)}/; Ctrl-C ends it")
        end = time.monotonic() + self._options.settle + 1
        while self._turn(end):
            pass
        return WatchReport(self._ingested, self._failed, self._code)

    def _turn(self, end: float) -> bool:
        """One look and what follows from it; whether there shall be another.

        `end` is until when one round waits for files that are not whole yet.
        """
        began = time.monotonic()
        self._look()
        now = time.monotonic()
        whole = [path for path in self._arrivals.whole(now) if self._later.get(path, 0) <= now]
        if whole and now >= self._not_before and self._spent_day != today():
            self._read(sorted(whole, key=lambda path: (self._tries[path], path))[:BATCH])
            return True
        waits = self._arrivals.wait(now), self._not_before - now if whole else None
        pause = min((each for each in waits if each is not None and each > 0), default=None)
        if self._options.once and (pause is None or now + pause > end):
            return False
        longest = max(_POLL, _REST * (now - began))
        time.sleep(longest if pause is None else min(max(pause, _GROUP), longest))
        return True

    def _look(self) -> None:
        """One look at the files."""
        found = dict(files_in(self._folder, self._raw))
        self._arrivals.look(found, time.monotonic(), time.time())
        if self._first is None:
            self._first = frozenset(found)
        for path in self._known_bad.keys() & found.keys():
            if self._known_bad[path] == found[path].content:
                self._arrivals.settle(path, found[path])

    # --- files that are whole ------------------------------------------------------------

    def _read(self, paths: list[str]) -> None:
        """Reads what of these files the wiki does not know."""
        with self._opened() as wiki:
            if self._must_wait(wiki.repo):
                return
            branch = wiki.repo.where().ref
            if branch != self._branch and self._branch is not None:
                self._arrivals.forget()
            self._branch = branch
            budget = self._money.begin(wiki)
            if self._money.limit and budget is None:
                self._wait_for_tomorrow()
                return
            landed = 0.0
            for path in paths:
                signature = self._arrivals.signature(path)
                if signature is None:
                    continue
                spent = self._money.spent
                reports = self._reports(wiki, path, budget)
                landed += sum(each.cost_usd or 0.0 for each in reports if each.commit)
                if not self._take(path, signature, reports, spent):
                    break
            self._money.end(landed)
            if len(paths) > 1:
                wiki.repo.maintain()
        self._landed()

    def _must_wait(self, repo: Repository) -> bool:
        """Whether git or a person is in the middle of something; what, is told after a while."""
        reason = _in_the_way(repo, self._ingest)
        now = time.monotonic()
        if reason is None:
            if self._waits_since is None:
                return False
            # What a checkout has just written is given its time.
            self._waits_since = None
            self._arrivals.restart(now)
            return True
        if self._options.once:
            raise reason
        since = self._waits_since = self._waits_since or now
        self._not_before = now + 0.5
        if now - since >= _PATIENCE:
            self._not_before = now + 2.0
            self._notice(f"waits: {' '.join(str(reason).split())}")
        return True

    def _reports(self, wiki: OpenWiki, path: str, budget: Budget | None) -> list[OperationReport]:
        """What became of the sources in a file, which are several in a mailbox."""
        from llmwiki.app.batch import ENDS, run_batch
        from llmwiki.app.named_sources import known_hash, named_sources
        from llmwiki.ingest.known import StateLedgers
        from llmwiki.ingest.report import OperationReport

        below = None if self._folder.is_relative_to(self._raw) else self._folder
        limit = self._ingest.max_size or wiki.config.whole("ingest.max_size")
        try:
            named = named_sources(wiki, [path], None, limit, below)
        except InputError as error:
            return [OperationReport.failed(path, error)]
        wiki.state.follow()
        ledgers = StateLedgers(wiki.state)
        fresh = []
        for item in named:
            sha256, settled = known_hash(wiki.repo, ledgers, item, again=self._ingest.again)
            if not settled:
                fresh.append(item)
            elif settled != "unchanged" and self._first is not None and path not in self._first:
                self._tell(OperationReport.skipped(item.place, sha256, settled))
        if not fresh:
            return []
        alone, ends = len(fresh) == 1, (*ENDS, _NETWORK)
        done, _code = run_batch(
            wiki, fresh, self._ingest, is_alone=alone, on=ignore, budget=budget, ends=ends
        )
        return done

    def _take(
        self, path: str, held: FileSignature, reports: list[OperationReport], spent: float
    ) -> bool:
        """Takes what became of a file, before which `spent` US dollars of the day were; whether the
        next one may be read."""
        failed = [each for each in reports if each.status == "failed"]
        for report in reports:
            if report.status != "failed":
                self._network_pause = _FIRST_PAUSE
                if report.note != "unchanged":
                    self._tell(report)
        if not failed:
            self._arrivals.settle(path, held)
        elif failed[0].over_limit and spent:
            self._wait_for_tomorrow()
            return False
        elif failed[0].exit_code in (_LOCKED, _NETWORK):
            self._pause(path, failed[0])
            return False
        elif failed[0].exit_code == _STATE:
            # Somebody edits a page that it would change.
            self._later[path] = time.monotonic() + _FIRST_PAUSE
            if (path, failed[0].error) not in self._said:
                self._said.add((path, failed[0].error))
                self._tell(failed[0])
        else:
            # One that does not fit into what a whole day has is refused for good.
            self._refuse(path, held)
            for report in failed:
                self._tell(report)
        return True

    def _pause(self, path: str, failed: OperationReport) -> None:
        """Waits for who holds the wiki, or for the network."""
        if failed.exit_code == _LOCKED:
            self._notice(f"waits: {failed.error}")
            self._stop(1.0, _LOCKED)
            return
        self._notice(f"{failed.source} is tried again later: {failed.error}")
        self._tries[path] += 1
        self._stop(self._network_pause, _NETWORK)
        self._network_pause = min(2 * self._network_pause, _LONGEST_PAUSE)

    def _refuse(self, path: str, held: FileSignature) -> None:
        """Leaves a file alone as long as it is as it is; of files that are gone nothing is kept."""
        known = {**self._known_bad, path: held.content}
        self._known_bad = {each: row for each, row in known.items() if os.path.lexists(each)}
        self._records.put("failed", {"files": self._known_bad})
        self._arrivals.settle(path, held)

    def _tell(self, report: OperationReport) -> None:
        """Takes what became of a source, when it is final."""
        self._ingested += report.status == "ingested"
        if report.status == "failed":
            self._failed += 1
            self._code = self._code or report.exit_code
        self._on(report)

    def _stop(self, seconds: float, code: int) -> None:
        """Nothing is read for a while."""
        self._not_before = time.monotonic() + seconds
        if self._options.once:
            self._code = self._code or code

    def _wait_for_tomorrow(self) -> None:
        """The money of the day is spent."""
        self._spent_day = today()
        self._notice(
            f"the limit of USD {self._money.limit:g} for {self._spent_day} is reached; what waits"
            " is read from midnight (UTC) on"
        )
        self._stop(0, _LIMIT)


# --- what must hold ----------------------------------------------------------------------------


def _watched_folder(wiki: OpenWiki, inbox: str | None) -> Path:
    """The folder that is looked after, without links. Raises InputError."""
    root = wiki.repo.root
    folder = root / "raw" if inbox is None else wiki.here / inbox
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "no such folder"
        raise InputError(what, where=inbox or "raw", fix="Make it, or name another.")
    folder = folder.resolve()
    closed = (root / "wiki", root / "graph", wiki.repo.git_dir, wiki.repo.common_dir)
    if root.is_relative_to(folder) or any(folder.is_relative_to(each) for each in closed):
        raise InputError(
            "holds the wiki's own files",
            where=inbox or "raw",
            fix="Name a folder for documents, or leave --inbox out: raw/ is looked after then.",
        )
    return folder


def _agreed_options(wiki: OpenWiki, options: IngestOptions, limit: float) -> IngestOptions:
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
    return replace(options, model=model, collect=True, dry_run=False, max_cost=None)


def _in_the_way(repo: Repository, options: IngestOptions) -> StateError | None:
    """Why nothing can land now: git is at work, a merge is not ended, HEAD is detached."""
    from llmwiki.git.store.transaction import preflight

    lock = repo.git_dir / "index.lock"
    if lock.exists():
        return StateError("git is at work in this work tree", where=str(lock))
    try:
        preflight(repo, allow_detached=options.allow_detached)
    except StateError as error:
        return error
    return None


def _read_failed(data: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {str(path): (int(size), int(when)) for path, (size, when) in data["files"].items()}
