"""When a message was sent, from the text of its `Date:` header."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def sent(text: str) -> datetime | None:
    """The time a `Date:` header tells, with its zone where it tells one; None for no date.

    RFC 5322 writes a time of unknown zone as `-0000`: such a time has no zone here either.
    """
    try:
        return parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None


def day_of(text: str) -> str:
    """The day in UTC, as YYYY-MM-DD; `undated` for what is no date."""
    time = sent(text)
    if time is None:
        return "undated"
    try:
        return (time.astimezone(UTC) if time.tzinfo else time).date().isoformat()
    except OverflowError:
        # Midnight of the first or last day of the calendar, moved out of it by its zone.
        return "undated"
