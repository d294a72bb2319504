"""Numbers and dates as they are written in a text."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?<![\w.])\d++(?:[.,:/-]\d++)*%?")


def numbers_in(text: str) -> set[str]:
    """The numbers of a text as written: `1,000`, `3.11`, `2026-01-02`, `40%`; not those that
    stand within a word."""
    return set(_NUMBER.findall(text))


def without_numbers(text: str) -> str:
    """The text with a blank for each of its numbers."""
    return _NUMBER.sub(" ", text)
