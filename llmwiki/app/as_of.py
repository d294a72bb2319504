"""The wiki as a day left it: which commit held then, and everything else as it stood with it."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from llmwiki.app.days import day_of
from llmwiki.app.open_wiki import OpenWiki
from llmwiki.core.errors import InputError


def as_of(
    wiki: OpenWiki, day: str | None, at: str | None, fresh: bool = False
) -> tuple[OpenWiki, str | None]:
    """The wiki with the settings and the brand of the commit that held at the end of `day`, and
    that commit; without a day the wiki as it is, and `at`.

    Raises InputError for no day, a day before the first commit, and a day beside `at` or `fresh`.
    """
    if day is None:
        return wiki, at
    if at is not None or fresh:
        other = "--at" if at is not None else "--fresh"
        raise InputError(f"--as-of and {other} exclude each other", fix="Take one of them.")
    commit = _held(wiki, day)
    return OpenWiki(wiki.repo, wiki.here, wiki.tell, commit, wiki.kept), commit


def _held(wiki: OpenWiki, day: str) -> str:
    """The first commit on HEAD's line of first parents whose committer's time is not after the day,
    UTC: what a side branch held then, the wiki did not."""
    from llmwiki.repo.mainline import mainline

    try:
        end = datetime.combine(day_of(day) + timedelta(days=1), time())
    except OverflowError:
        raise InputError("is no day", where=day, fix="Such as 2026-11-01.") from None
    last = (end - datetime(1970, 1, 1)).total_seconds()
    for oid, seconds in mainline(wiki.repo):
        if seconds < last:
            return oid
    lacking = wiki.repo.beyond
    raise InputError("the wiki had no commits on that day", where=day, fix=lacking)
