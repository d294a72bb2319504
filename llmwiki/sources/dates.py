"""Dates as documents write them."""

from __future__ import annotations

import re

_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
        start=1,
    )
}


_ISO = re.compile(
    r"(?<![0-9])((?:19|20)[0-9]{2})(?:[-/.]([0-9]{1,2})(?:[-/.]([0-9]{1,2}))?)?(?![0-9])"
)


_JAPANESE = re.compile(
    r"((?:19|20)[0-9]{2})\s*年(?:\s*([0-9]{1,2})\s*月(?:\s*([0-9]{1,2})\s*日)?)?"
)


_DAY_FIRST = re.compile(
    r"\b([0-9]{1,2})(?:st|nd|rd|th)?[\s-]+([A-Za-z]{3,9})\.?,?[\s-]+((?:19|20)[0-9]{2})\b"
)


_MONTH_FIRST = re.compile(
    r"\b([A-Za-z]{3,9})\.?\s+(?:([0-9]{1,2})(?:st|nd|rd|th)?,?\s+)?((?:19|20)[0-9]{2})\b"
)


def find_date(text: str) -> str | None:
    """The first date in `text` as YYYY, YYYY-MM or YYYY-MM-DD; None when there is none."""
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        found = pattern.search(text)
        if found:
            day, month = (found[1], found[2]) if pattern is _DAY_FIRST else (found[2], found[1])
            number = _MONTHS.get(month[:3].casefold())
            if number:
                return _date(found[3], str(number), day)
    found = _JAPANESE.search(text) or _ISO.search(text)
    return _date(found[1], found[2], found[3]) if found else None


def _date(year: str, month: str | None, day: str | None) -> str:
    if not month or not 1 <= int(month) <= 12:
        return year
    if not day or not 1 <= int(day) <= 31:
        return f"{year}-{int(month):02}"
    return f"{year}-{int(month):02}-{int(day):02}"
