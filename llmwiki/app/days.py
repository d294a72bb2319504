"""The day that somebody names, and the wiki as that day left it."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from llmwiki.app.settings import clock
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki

_AGO = re.compile(r"([0-9]{1,4})d")


def day_of(named: str) -> date:
    """The day (UTC) that `today`, `yesterday`, `7d` (days ago) or `2026-11-01` names.

    Raises InputError for none.
    """
    today = datetime.fromtimestamp(clock(), UTC).date()
    ago = _AGO.fullmatch({"today": "0d", "yesterday": "1d"}.get(named, named))
    try:
        return today - timedelta(days=int(ago[1])) if ago else date.fromisoformat(named)
    except (ValueError, OverflowError):
        raise InputError(
            "is no day", where=named, fix="Such as yesterday, today, 7d or 2026-11-01."
        ) from None


def wiki_as_of(
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
    from llmwiki.app.open_wiki import OpenWiki

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
