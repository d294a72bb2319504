"""Other names of a document: the number by which people cite it, and its title without that."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmwiki.core.text import fold, normalise

_HEAD_LINES = 12
"""Lines, blank ones aside, in which a document may say its number."""
_NUMBERED = re.compile(
    r"(?P<number>[A-Z]{2,8}[ -]?\d{1,6})(?:(?<!\s)\s*+[-–—:|]\s++(?P<rest>\S.*)|\Z)"
)
_FIELD = re.compile(r":?(?P<series>[A-Z]{2,8}): {1,20}(?P<number>\d{1,6})\s*\Z")
_RFC = re.compile(r"Request for Comments: {1,20}(?P<number>\d{1,6})\b")
"""The header of an RFC as text (rfc-editor.org/rfc/rfc7322, section 4.1.2)."""


def names_of(title: str, lines: Sequence[str]) -> tuple[str, ...]:
    """The names besides its title that a document of these lines surely has.

    `PEP 7` for one whose header says `PEP: 7`, or whose title is `PEP 7 – Style guide`; for that
    title `Style guide` too.
    """
    found: dict[str, None] = {}
    if numbered := _NUMBERED.match(title):
        found[numbered["number"]] = None
        if len((numbered["rest"] or "").split()) > 1:
            found[normalise(numbered["rest"])] = None
    head = [line for line in lines[: 4 * _HEAD_LINES] if line.strip()][:_HEAD_LINES]
    for line in head:
        if field := _FIELD.match(line):
            found[f"{field['series']} {field['number']}"] = None
        elif rfc := _RFC.match(line):
            found[f"RFC {rfc['number']}"] = None
    return tuple(name for name in found if fold(name) != fold(title))
