"""Sources that are dropped into a folder, ingested as soon as they are whole, until it is stopped.

One process in the foreground, and one at a time in a work tree. A file is whole when the system saw
no change of it for a while. Names that editors and browsers give to what is not finished are left
out, as are empty files, which browsers put down first and fill later.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.ingest.options_and_report import IngestOptions
from llmwiki.core.callbacks import ignore
from llmwiki.core.declared_options import CheckedOptions, opt
from llmwiki.core.errors import InputError, LockTimeout, ProviderError, StateError
from llmwiki.core.settings_table import Range
from llmwiki.sources.raw_paths import RAW, is_source

if TYPE_CHECKING:
    from llmwiki.ingest.report import OperationReport
    from llmwiki.landing.open_wiki import OpenWiki

_BATCH = 100
"""Sources that are read before one looks again."""
_POLL, _REST = 1.0, 20
"""Seconds from one look to the next, and how many times as long as a look took: in a large folder
one looks less often."""
_PASSING = (StateError.exit_code, ProviderError.exit_code, LockTimeout.exit_code)
"""Failures that pass by themselves: the file is tried again."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 3_600.0
"""Seconds for which nothing is read after such a failure; doubled each time until one succeeds."""

Opener = Callable[[], AbstractContextManager["OpenWiki"]]


@dataclass(frozen=True, slots=True)
class WatchOptions(CheckedOptions):
    """What is looked after, and how sources are read."""

    ingest: IngestOptions = field(default_factory=IngestOptions)
    """Of it, `dry_run` and `collect` do not count; `max_cost` is that of the whole run."""
    inbox: str | None = opt(None, "Read what is dropped into DIR instead of raw/.", metavar="DIR")
    once: bool = opt(False, "Read what is there and whole, and end: for cron.")
    settle: float = opt(
        2.0,
        "A file is whole when it stayed as it is for so long.",
        metavar="SECONDS",
        range=Range(0.5, 3_600),
        shows_default=True,
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
        self._ingest = _agreed_options(wiki, options.ingest, self._folder)
        branch = self._branch()
        self._done: dict[str, tuple[int, int, str]] = {
            path: (held.size, held.modified, branch)
            for path, held in refused_files(wiki.repo).items()
        }
        """Files that need nothing more: size and time of the last writing, and on which branch."""
        self._later: set[str] = set()
        """Files that failed by the state of the work tree, the network or a lock."""
        self._not_before, self._pause = 0.0, _FIRST_PAUSE
        self._ingested = self._failed = self._code = 0

    def run(self) -> WatchReport:
        """Looks, ingests and waits, in turn."""
        once = self._options.once
        if once:
            if len(self._whole(0)) > len(self._whole(self._options.settle)):
                time.sleep(self._options.settle)
        else:
            self._notice(f"looks after {os.path.relpath(self._folder)}/; Ctrl-C ends it")
        is_first = is_going = True
        while is_going:
            began = time.monotonic()
            paths = self._whole(self._options.settle) if began >= self._not_before else []
            if paths:
                is_going = self._read(paths[:_BATCH], is_first)
                is_first = False
            elif once:
                break
            else:
                time.sleep(max(_POLL, _REST * (time.monotonic() - began)))
        return WatchReport(self._ingested, self._failed, self._code)

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
        ]
        return sorted(found, key=lambda path: (path in self._later, path))

    def _branch(self) -> str:
        """The branch that is checked out: what one has read another may not know."""
        held = (self._git / "HEAD").read_text("utf-8")
        return held if held.startswith("ref:") else ""

    def _read(self, paths: list[str], is_first: bool) -> bool:
        """Reads what of these files the wiki does not know, until something is in the way; whether
        there is money to go on."""
        is_going = True
        with self._opened() as wiki:
            for path in paths:
                reports = self._read_file(wiki, path)
                for each in reports:
                    if each.status != "skipped" or (each.is_news and not is_first):
                        self._tell(each)
                is_going = not any(each.over_limit for each in reports)
                if not is_going or self._not_before > time.monotonic():
                    break
            if len(paths) > 1:
                wiki.repo.maintain()
        self._landed()
        return is_going

    def _read_file(self, wiki: OpenWiki, path: str) -> Sequence[OperationReport]:
        """What became of a file; nothing where it is to be tried again."""
        from llmwiki.app.ingest.ingest import ingest
        from llmwiki.ingest.report import OperationReport

        try:
            held = os.stat(path)  # noqa: PTH116
            reports: Sequence[OperationReport] = ingest(wiki, [path], self._ingest).operations
        except FileNotFoundError:
            return ()
        except InputError as error:
            reports = [OperationReport.failed(path, error)] if os.path.lexists(path) else ()
        failed = next((each for each in reports if each.status == "failed"), None)
        if failed is not None and failed.exit_code in _PASSING:
            self._code = self._code or failed.exit_code
            is_known = path in self._later
            if not is_known:
                self._notice(f"waits: {failed.source} is tried again later: {failed.error}")
            # A page that somebody edits keeps one source waiting: the others are read first.
            if is_known or failed.exit_code != StateError.exit_code:
                self._not_before = time.monotonic() + self._pause
                self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            self._later.add(path)
            return ()
        self._pause = _FIRST_PAUSE
        self._later.discard(path)
        self._done[path] = (held.st_size, held.st_mtime_ns, self._branch())
        return reports

    def _tell(self, report: OperationReport) -> None:
        """Takes what became of a source."""
        self._ingested += report.status == "ingested"
        if report.status == "failed":
            self._failed += 1
            self._code = self._code or report.exit_code
        self._on(report)


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


def _agreed_options(wiki: OpenWiki, options: IngestOptions, folder: Path) -> IngestOptions:
    """The options of every source, after a model was agreed to once; what they may cost is the sum
    of the run. Raises CostError where nobody agrees."""
    from llmwiki.app.which_model import model_to_call
    from llmwiki.models.tokens_and_cost import Budget

    settings = model_to_call(wiki, options.model)
    model = options.model if settings is None else settings.model
    limit = options.or_setting("max_cost", wiki.config)
    return replace(
        options,
        model=model,
        collect=True,
        dry_run=False,
        below=None if folder.is_relative_to(wiki.repo.root) else folder,
        budget=Budget(limit) if limit else None,
    )
