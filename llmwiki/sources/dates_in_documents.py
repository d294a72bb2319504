"""Dates as documents write them, in English, German and Japanese."""

from __future__ import annotations

import re

_MONTHS = {
    "jan": 1, "jän": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6,
    "jul": 7, "aug": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
"""The beginnings of the names of months."""
_NAME = rf"(?P<name>(?:{'|'.join(_MONTHS)})[a-zä]{{0,7}})\.?"
_YEAR = r"(?P<year>(?:19|20)[0-9]{2})(?![0-9])"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![0-9])(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th|\.)?[\s-]+{_NAME},?[\s-]+{_YEAR}",
        rf"\b{_NAME}\s+(?:(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\s+)?{_YEAR}",
        rf"(?<![0-9.])(?P<day>[0-9]{{1,2}})\.(?P<month>[0-9]{{1,2}})\.{_YEAR}",
        r"(?P<year>(?:19|20)[0-9]{2})\s*年(?:\s*(?P<month>[0-9]{1,2})\s*月"
        r"(?:\s*(?P<day>[0-9]{1,2})\s*日)?)?",
        r"(?<![0-9])(?P<year>(?:19|20)[0-9]{2})(?:[-/._](?P<month>[0-9]{1,2})"
        r"(?:[-/._](?P<day>[0-9]{1,2}))?)?(?![0-9])",
    )
)
_AROUND = re.compile(
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?|[0-9]{1,2}/[0-9]{1,2}/"
    r"|[(（][月火水木金土日][)）])|T?[0-9]{1,2}:[0-9]{2}.{0,20}",
    re.IGNORECASE,
)
"""What stands beside a date and tells no other: the day of the week, the time; the day and month of
3/4/2025, of which nobody knows which is which."""


def find_date(text: str) -> str | None:
    """The first date in `text` as YYYY, YYYY-MM or YYYY-MM-DD; None when there is none."""
    found = _first(text)
    return _told(found) if found else None


def only_date(text: str) -> str:
    """The date that a text is and nothing else, but for a time or the day of the week; or empty."""
    found = _first(text) if len(text) <= 60 else None
    if found is None:
        return ""
    around = f"{text[: found.start()]} {text[found.end() :]}"
    return "" if re.search(r"\w", _AROUND.sub("", around)) else _told(found)


def _first(text: str) -> re.Match[str] | None:
    """The match that begins first, and of those the longest."""
    matches = filter(None, (pattern.search(text) for pattern in _PATTERNS))
    return min(matches, key=lambda found: (found.start(), -found.end()), default=None)


def _told(found: re.Match[str]) -> str:
    parts = found.groupdict()
    name = parts.get("name")
    month = _MONTHS[name[:3].lower()] if name else int(parts.get("month") or 0)
    day = int(parts["day"] or 0)
    if not 1 <= month <= 12:
        return parts["year"]
    told = f"{parts['year']}-{month:02}"
    return f"{told}-{day:02}" if 1 <= day <= 31 else told
