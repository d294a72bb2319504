"""The day that somebody names."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from llmwiki.app.settings import clock
from llmwiki.core.errors import InputError

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
