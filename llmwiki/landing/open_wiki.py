"""A wiki opened for one use case: its repository, settings and callbacks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.callbacks import Callbacks
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.git.find_repository import MARKER
from llmwiki.git.repository import Repository
from llmwiki.landing.clock_and_typed_days import clock, day_of
from llmwiki.landing.settings_files import config_of, load_config, parsed

if TYPE_CHECKING:
    from llmwiki.core.settings_precedence import Config
    from llmwiki.git.find_repository import Layout
    from llmwiki.index.open_index import Index
    from llmwiki.landing.operation import LandingOptions
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.sources.quotes import QuotePlaces


_ALWAYS = "always"


class KeptFiles:
    """What stays open in a session for one use case after the other."""

    def __init__(self, layout: Layout) -> None:
        from llmwiki.index.open_index import KeptIndex
        from llmwiki.index.source_index import KeptTexts

        self.repo = Repository(layout)
        self.index = KeptIndex(self.repo)
        self.texts = KeptTexts()

    def close(self) -> None:
        """Closes all of it. Idempotent."""
        self.texts.close()
        self.index.close()
        self.repo.close()


class OpenWiki:
    """A wiki that is open for one use case, in one thread."""

    def __init__(
        self,
        repo: Repository,
        here: Path,
        tell: Callbacks,
        at: str | None = None,
        kept: KeptFiles | None = None,
        vault: Layout | None = None,
    ) -> None:
        self.repo = repo
        self.here = here
        """The folder from which files are named."""
        self.tell = tell
        self.at = at
        """The commit whose settings and brand are in force; None: those of the work tree."""
        self.kept = kept
        """What stays open between use cases; None: nothing does."""
        self.vault = vault
        """The layout with a person's notes, which what writes does not see; None: there are
        none."""

    @cached_property
    def config(self) -> Config:
        """The settings in force; what of them is ignored is noticed once."""
        at = self.repo.head() if self.at is None and self.repo.layout.is_bare else self.at
        if at is not None:
            held = self.repo.read(at, MARKER) or b""
            return config_of(parsed(held, MARKER), self.tell.notice)
        return load_config(self.repo.root, self.tell.notice)

    @cached_property
    def state(self) -> WikiState:
        """The pages of a commit; at HEAD once `follow` was called."""
        from llmwiki.landing.wiki_state import WikiState

        return WikiState(self.repo)

    def landing(
        self,
        allow_detached: bool = False,
        *,
        is_memory: bool = True,
        review: bool = False,
        batch: str = "",
    ) -> LandingOptions:
        """On what terms an operation lands: on a branch for review where that is asked for, or
        where the team's setting `review` asks for it.

        A `batch` is reviewed as one. The setting does not count where `is_memory` is false: what
        is written then is none of the team's memory.
        """
        from llmwiki.landing.operation import LandingOptions

        wait = self.config.number("lock.wait")
        waits = review or (is_memory and self.reviews_always)
        branch = self.config.text("branch")
        if branch and is_memory:
            self._say_missing(branch)
        return LandingOptions(clock, wait, allow_detached, self.tell.landed, waits, batch, branch)

    def _say_missing(self, branch: str) -> None:
        """Says so where the branch of index, overview and log is nowhere: it was renamed."""
        from llmwiki.git.changed_files_and_branches import has_branch

        ref = self.repo.branch()
        if ref not in (None, f"refs/heads/{branch}") and not has_branch(self.repo, branch):
            self.tell.notice(
                f"index, overview and log are written on the branch {branch}, which is not here;"
                f" `branch` in {MARKER} names it"
            )

    @cached_property
    def reviews_always(self) -> bool:
        """Whether all that changes pages waits for review: the setting `review`.

        Asked for by the settings in force, or by `.llmwiki.toml` as it is committed on the default
        branch: the file in the work tree can ask for it, and cannot take it back. Raises InputError
        for a value that is neither empty nor `always`.
        """
        from llmwiki.git.changed_files_and_branches import default_branches

        asked = self.config.text("review")
        if asked not in ("", _ALWAYS):
            raise InputError(
                f"review is `{asked}`",
                where=self.config.settings["review"].origin,
                fix='It is "always", or not set.',
            )
        commits = () if asked else default_branches(self.repo)
        return asked == _ALWAYS or any(_asks(self.repo.read(each, MARKER)) for each in commits)

    def as_of(self, day: str | None, at: str | None) -> tuple[OpenWiki, str | None]:
        """The wiki with the settings and the brand of the commit that held at the end of `day`, and
        that commit; without a day the wiki as it is, and `at`.

        Raises InputError for no day, a day before the first commit, and a day beside `at`.
        """
        if day is None:
            return self, at
        if at is not None:
            raise InputError("--as-of and --at exclude each other", fix="Take one of them.")
        commit = _held(self.repo, day)
        return OpenWiki(self.repo, self.here, self.tell, commit, self.kept), commit

    def quote_places(self) -> QuotePlaces:
        """Where the quotes of claims stand, in the commit that `state` is at."""
        from llmwiki.pages.tombstones import ledger_path
        from llmwiki.sources.quotes import QuotePlaces

        def file(source: str) -> str:
            ledger = self.state.page(ledger_path(source))
            own = ledger.own_source if ledger is not None else None
            return own.resource.removeprefix("/") if own is not None else ""

        return QuotePlaces(self.repo, self.state.commit, file)

    @contextmanager
    def index(self, at: str | None = None) -> Iterator[Index]:
        """The index, open: of the wiki as it is now, or as it was in the commit `at`.

        Uncommitted edits count as a glance sees them.
        """
        if self.kept is not None and at is None and not self.kept.index.is_used:
            with self.kept.index.opened(notice=self.tell.notice) as index:
                yield index
            return
        from llmwiki.index.open_index import open_corpus

        with open_corpus(self.repo, at=at, look="glance", notice=self.tell.notice) as index:
            yield index

    def named(self, place: str | os.PathLike[str]) -> Path:
        """A path that is named from `here`, without links followed."""
        return Path(os.path.normpath(self.here / place))

    def output_place(self, name: str, closed: Iterable[str], why: str) -> Path:
        """The file `name`, named from `here`, that is to be written.

        Raises PolicyError, saying `why`, for one in a folder of the root that is `closed` or among
        git's own; and where a link below the wiki's root leads out of it: the repository, not the
        caller, would say which file is overwritten.
        """
        repo, place = self.repo, self.here / name
        named = Path(os.path.normpath(os.path.realpath(self.here) / Path(name)))
        is_inside = Path(os.path.realpath(named)).is_relative_to(repo.root)
        if named.is_relative_to(repo.root) and not is_inside:
            raise PolicyError("a link leads out of the wiki's root", where=name)
        real = Path(os.path.realpath(place))
        kept = [*(repo.root / folder for folder in closed), repo.git_dir, repo.common_dir]
        if any(real.is_relative_to(os.path.realpath(folder)) for folder in kept):
            raise PolicyError(why, where=name)
        return place


def _asks(committed: bytes | None) -> bool:
    try:
        return parsed(committed or b"", MARKER).get("review") == _ALWAYS
    except InputError:
        # Not readable as settings: whoever opens the wiki with that file is told so.
        return False


def _held(repo: Repository, day: str) -> str:
    """The first commit on HEAD's line of first parents whose committer's time is not after the day,
    UTC: what a side branch held then, the wiki did not."""
    from datetime import datetime, time, timedelta

    from llmwiki.git.file_history import mainline

    try:
        end = datetime.combine(day_of(day) + timedelta(days=1), time())
    except OverflowError:
        raise InputError("is no day", where=day, fix="Such as 2026-11-01.") from None
    last = (end - datetime(1970, 1, 1)).total_seconds()
    for oid, seconds in mainline(repo):
        if seconds < last:
            return oid
    raise InputError("the wiki had no commits on that day", where=day, fix=repo.beyond)
