"""How converted texts mark the places of an original, and how evidence names them.

A converter writes `[page 3]`, `[sheet Prices]` or `[00:01:02] ` at the beginning of a line; an
evidence line ends with `p. 3`, `sheet Prices` or `00:01:02`. Only patterns stand here.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class PlaceMark(NamedTuple):
    """One kind of mark, in a text `[NAME 3]` or `[NAME: …]`."""

    name: str
    said: str = ""
    """What stands before its number in evidence; empty: it is no place."""
    inner: bool = False
    """Whether it lies in another place: `slide 2, cell 3`."""
    part: bool = False
    """Whether it divides a document, so that a heading above it does not hold below it."""


PLACE_MARKS = (
    PlaceMark("page", "p."),
    PlaceMark("slide", "slide", part=True),
    PlaceMark("chapter", "chapter", part=True),
    PlaceMark("sheet", "sheet", part=True),
    PlaceMark("cell", "cell", inner=True),
    PlaceMark("message", "message", inner=True),
    PlaceMark("conversation", "conversation"),
    PlaceMark("document", "document", part=True),
    PlaceMark("note"),
    PlaceMark("endnote"),
    PlaceMark("picture"),
    PlaceMark("attachment"),
    PlaceMark("enclosed"),
)
"""All marks. A sheet has a name instead of a number."""

TALK = tuple(mark for mark in PLACE_MARKS if mark.name in ("message", "conversation"))
"""The marks of a chat."""

COUNTED = tuple(mark for mark in PLACE_MARKS if mark.said and mark.name != "sheet")
"""The places that have numbers."""

TIME = r"\d{2,4}:\d\d:\d\d"
"""A time in a recording."""

PAGE_MARK = r"\[page \d+\]"
"""The line that begins a page."""

_PLACE = (
    rf"(?:{'|'.join(re.escape(mark.said) for mark in COUNTED)}|line|row|table) \d{{1,7}}"
    rf"(?: notes| row \d{{1,7}})?|sheet \S.{{0,120}}?|{TIME}"
)
PLACE = re.compile(rf"(?:{_PLACE})(?:, (?:{_PLACE}))?")
"""A place as evidence names it, escaped."""


def names(marks: tuple[PlaceMark, ...] = PLACE_MARKS) -> str:
    """The names of marks as alternatives of a pattern."""
    return "|".join(mark.name for mark in marks)
