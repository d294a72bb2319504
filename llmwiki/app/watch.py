"""Sources that are dropped into a folder, ingested as soon as they are whole, until it is stopped.

One process in the foreground, and one at a time in a work tree. What it keeps from one run to the
next, which files failed and what was spent, lies below the git directory.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki.app.callbacks import ignore
from llmwiki.app.cost import DayLimit, today, watch_records
from llmwiki.app.ingest_types import IngestOptions
from llmwiki.app.settings import clock
from llmwiki.core.declared_options import CheckedOptions, max_cost, opt
from llmwiki.core.errors import InputError, LockTimeout, StateError
from llmwiki.core.options import Range
from llmwiki.sources.arrivals import Arrivals, FileSignature, files_in

if TYPE_CHECKING:
    from llmwiki.app.named_sources import NamedSource
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.git.repository import Repository
    from llmwiki.ingest.report import OperationReport

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


@dataclass(slots=True)
class _Batch:
    """Some files that are whole, on their way."""

    files: Mapping[str, FileSignature]
    left: dict[str, int]
    """File to how many of its sources are not read; a mailbox has many."""
    fresh: list[tuple[str, NamedSource]] = field(default_factory=list)
    """Those that the wiki does not know, with their files."""
    done: int = 0
    landed_usd: float = 0.0
    spent: float = 0.0


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
        self._waits_for_commit: dict[str, str | None] = {}
        """Files that could not land, as somebody edits a page that they would change: not tried
        while HEAD is that commit."""
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
        ready = self._ready(now)
        if ready and now >= self._not_before and self._spent_day != today():
            self._read(ready[:BATCH])
            return True
        pause = self._pause(now)
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

    def _ready(self, now: float) -> list[str]:
        """The files that may be tried now, those that failed least often first."""
        whole = sorted(self._arrivals.whole(now), key=lambda path: (self._tries[path], path))
        if self._waits_for_commit:
            with self._opened() as wiki:
                head = wiki.repo.head()
            waits = {path: at for path, at in self._waits_for_commit.items() if at == head}
            self._waits_for_commit = waits
        return [path for path in whole if path not in self._waits_for_commit]

    def _pause(self, now: float) -> float | None:
        """Seconds until there may be something to do, if nothing changes; None: nothing."""
        waits = [self._arrivals.wait(now)]
        whole = self._arrivals.whole(now)
        if whole:
            waits.append(self._not_before - now)
        if whole and self._spent_day == today():
            waits.append(86_400 - clock() % 86_400)
        if self._waits_for_commit:
            waits.append(_FIRST_PAUSE)
        return min((each for each in waits if each is not None and each > 0), default=None)

    # --- one batch -----------------------------------------------------------------------

    def _read(self, paths: list[str]) -> None:
        """Reads what of these files the wiki does not know."""
        with self._opened() as wiki:
            if self._must_wait(wiki.repo):
                return
            branch = wiki.repo.where().ref
            if branch != self._branch and self._branch is not None:
                self._arrivals.forget()
            self._branch = branch
            held = ((path, self._arrivals.signature(path)) for path in paths)
            batch = _Batch({path: each for path, each in held if each is not None}, {})
            for path, item in self._named(wiki, batch):
                self._sort(wiki, batch, path, item)
            if not batch.fresh or self._run(wiki, batch):
                for path, left in batch.left.items():
                    if not left:
                        self._arrivals.settle(path, batch.files[path])
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

    def _named(self, wiki: OpenWiki, batch: _Batch) -> list[tuple[str, NamedSource]]:
        """The sources in the files; several in a mailbox. A file that gives none has failed."""
        from llmwiki.app.named_sources import named_sources
        from llmwiki.ingest.report import OperationReport

        below = None if self._folder.is_relative_to(self._raw) else self._folder
        limit = self._ingest.max_size or wiki.config.whole("ingest.max_size")
        places = {os.path.realpath(path): path for path in sorted(batch.files, reverse=True)}
        try:
            found = named_sources(wiki, list(batch.files), None, limit, below)
        except InputError:
            found = []
            for path, signature in batch.files.items():
                try:
                    found += named_sources(wiki, [path], None, limit, below)
                except InputError as error:
                    self._fail(wiki, path, signature, OperationReport.failed(path, error))
        links = {path: places[os.path.realpath(path)] for path in batch.files}
        batch.left = {path: 0 for path, place in links.items() if path != place}
        return [(places[str(item.found.file)], item) for item in found if item.found is not None]

    def _sort(self, wiki: OpenWiki, batch: _Batch, path: str, item: NamedSource) -> None:
        from llmwiki.app.named_sources import known_hash
        from llmwiki.ingest.known import StateLedgers
        from llmwiki.ingest.report import OperationReport

        wiki.state.follow()
        ledgers = StateLedgers(wiki.state)
        sha256, settled = known_hash(wiki.repo, ledgers, item, again=self._ingest.again)
        batch.left[path] = batch.left.get(path, 0) + (not settled)
        if not settled:
            batch.fresh.append((path, item))
        elif settled != "unchanged" and self._first is not None and path not in self._first:
            self._tell(OperationReport.skipped(item.place, sha256, settled))

    def _run(self, wiki: OpenWiki, batch: _Batch) -> bool:
        """Reads what is fresh; False where there is no money for anything."""
        from llmwiki.app.batch import ENDS, run_batch

        items = [item for _path, item in batch.fresh]
        budget = self._money.begin(wiki)
        if self._money.limit and budget is None:
            self._wait_for_tomorrow()
            return False
        batch.spent = self._money.spent
        run_batch(
            wiki,
            items,
            self._ingest,
            is_alone=len(items) == 1,
            on=lambda report: self._take(wiki, batch, report),
            budget=budget,
            ends=(*ENDS, _NETWORK),
        )
        self._money.end(batch.landed_usd)
        return True

    def _take(self, wiki: OpenWiki, batch: _Batch, report: OperationReport) -> None:
        """Takes what became of the next source of a batch."""
        path = batch.fresh[batch.done][0]
        batch.done += 1
        if report.commit:
            batch.landed_usd += report.cost_usd or 0.0
        if report.status != "failed":
            self._network_pause = _FIRST_PAUSE
            batch.left[path] -= 1
            if report.note != "unchanged":
                self._tell(report)
        elif report.over_limit and batch.spent:
            self._wait_for_tomorrow()
        else:
            # One that does not fit into what a whole day has is refused for good.
            batch.left[path] -= self._fail(wiki, path, batch.files[path], report)
        batch.spent = self._money.spent

    def _fail(
        self, wiki: OpenWiki, path: str, signature: FileSignature, report: OperationReport
    ) -> bool:
        """Takes a failure, and decides when the file is tried again; whether not as it is."""
        if not os.path.lexists(path):
            return False
        if report.exit_code == _LOCKED:
            self._notice(f"waits: {report.error}")
            self._stop(1.0, _LOCKED)
        elif report.exit_code == _NETWORK:
            self._notice(f"{report.source} is tried again later: {report.error}")
            self._tries[path] += 1
            self._stop(self._network_pause, _NETWORK)
            self._network_pause = min(2 * self._network_pause, _LONGEST_PAUSE)
        elif report.exit_code == _STATE:
            # Somebody edits a page that it would change: their commit is what is waited for.
            self._waits_for_commit[path] = wiki.repo.head()
            self._tell(report)
        else:
            self._known_bad[path] = signature.content
            # Of files that are gone nothing is kept.
            kept = {each: held for each, held in self._known_bad.items() if os.path.lexists(each)}
            self._known_bad = kept
            self._records.put("failed", {"files": kept})
            self._tell(report)
            return True
        return False

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
