"""What git has recorded: operations, what each changed, what differs, what rests on a source."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date
from typing import TYPE_CHECKING

from llmwiki.landing.clock_and_typed_days import day_of

if TYPE_CHECKING:
    from llmwiki.changes.diff import MemoryDiff, PageStep
    from llmwiki.changes.digest import MemoryDigest
    from llmwiki.git.commits_and_trailers import Commit
    from llmwiki.landing.open_wiki import OpenWiki


@dataclass(frozen=True, slots=True)
class OperationLog:
    """Operations, newest first."""

    operations: tuple[Commit, ...]
    """Each with its id, kind, title and trailers."""
    lacking: str = ""
    """Why this clone may lack some, and what to do; empty: it has all."""


def log(
    wiki: OpenWiki,
    *,
    limit: int = 20,
    kind: str | None = None,
    page: str | None = None,
    since: str | None = None,
) -> OperationLog:
    """Operations, newest first: of one `kind` (`ingest`, `undo` …), that changed the file
    `page`, or since a day (`yesterday`, `7d`, `2026-11-01`, UTC), where these are named."""
    repo = wiki.repo
    first = day_of(since) if since else date.min
    found = (c for c in operations(wiki, kind, page) if c.date.astimezone(UTC).date() >= first)
    rows = tuple(itertools.islice(found, limit))
    lacking = repo.beyond if len(rows) < limit else ""
    return OperationLog(rows, lacking)


def digest(wiki: OpenWiki, since: str = "yesterday") -> MemoryDigest:
    """What memory learned since that day (UTC) began: `today`, `yesterday`, `7d` or a date.

    Raises InputError for what is no day.
    """
    from llmwiki.changes.digest import memory_digest

    first = day_of(since)
    found = (c for c in operations(wiki, None, None) if c.date.astimezone(UTC).date() >= first)
    return memory_digest(wiki.repo, first, found)


def page_history(
    wiki: OpenWiki, name: str, *, limit: int = 20, most: int | None = None
) -> tuple[PageStep, ...]:
    """The commits that changed a page, newest first, through renames, each with what it did:
    as far as `most` bytes of pages for each suffice to find that out.

    Pages are named by title, alias or path, also one that is gone. Raises InputError.
    """
    from llmwiki.changes.diff import page_log
    from llmwiki.landing.page_by_typed_name import find_page, no_such_page

    wiki.state.follow()
    path = find_page(wiki.state, name) or name
    rows = tuple(itertools.islice(page_log(wiki.repo, path, most), limit))
    if not rows and wiki.repo.entry(wiki.repo.head(), path) is None:
        raise no_such_page(wiki.state, name)
    return rows


def change(wiki: OpenWiki, revision: str, *, most: int | None = None) -> tuple[Commit, MemoryDiff]:
    """A commit, and what it changed in memory against its first parent, as far as `most` bytes
    of pages suffice to find that out. Raises InputError."""
    from llmwiki.changes.diff import between

    commit = next(iter(wiki.repo.log(wiki.repo.commit(revision), limit=1)))
    return commit, between(wiki.repo, commit.parents.first(), commit, most)


def operations(
    wiki: OpenWiki, kind: str | None, page: str | None, at: str | None = None
) -> Iterator[Commit]:
    """Operations up to HEAD, or up to the commit `at`, newest first."""
    head = at or wiki.repo.head()
    commits = wiki.repo.log(head, paths=[page] if page else ()) if head else iter(())
    seen: set[str | None] = set()
    for commit in commits:
        # Of a commit at which a shallow clone ends it is not known which files it changed.
        if page is not None and not commit.parents.known:
            continue
        for each in reversed(commit.by_operation()):
            # One that was picked onto another branch stands in two commits, and is one.
            if kind in (None, each.kind) and each.operation not in seen:
                seen.add(each.operation)
                yield each
