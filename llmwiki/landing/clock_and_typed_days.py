"""The clock, and the days that people type: `today`, `yesterday`, `7d`, a date."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from datetime import date

_END_OF_DATES = 253_402_300_800
"""Seconds since the epoch at which the year 10000 begins: beyond what dates can hold."""


def clock() -> float:
    """Seconds since the epoch; LLMWIKI_NOW fixes them, for reproducible runs."""
    fixed = os.environ.get("LLMWIKI_NOW")
    if not fixed:
        return time.time()
    try:
        seconds = float(fixed)
    except ValueError as error:
        raise InputError("LLMWIKI_NOW is not a number of seconds") from error
    if not 0 <= seconds < _END_OF_DATES:
        raise InputError("LLMWIKI_NOW is no time between the years 1970 and 9999")
    return seconds


def day_of(named: str) -> date:
    """The day (UTC) that `today`, `yesterday`, `7d` (days ago) or `2026-11-01` names.

    Raises InputError for none.
    """
    from datetime import UTC, date, datetime, timedelta

    today = datetime.fromtimestamp(clock(), UTC).date()
    named_ago = {"today": "0d", "yesterday": "1d"}.get(named, named)
    ago = named_ago.removesuffix("d")
    try:
        if ago != named_ago and ago.isascii() and ago.isdigit() and len(ago) < 5:
            return today - timedelta(days=int(ago))
        return date.fromisoformat(named)
    except (ValueError, OverflowError):
        raise InputError(
            "is no day", where=named, fix="Such as yesterday, today, 7d or 2026-11-01."
        ) from None


def local_offset(ts: float) -> int:
    """Seconds that this machine's clock is ahead of UTC at a moment."""
    return time.localtime(ts).tm_gmtoff
