"""The patterns of what pages are written with: ids of claims and notes, lines of evidence, and the
places of an original that evidence names.

Only patterns stand here, so that a reader of single lines need not import what reads whole pages. A
converter writes `[page 3]`, `[sheet Prices]` or `[00:01:02] ` at the beginning of a line; a line of
evidence ends with `p. 3`, `sheet Prices` or `00:01:02`.
"""

from __future__ import annotations

import re

from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern


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
    PlaceMark("document", "document", part=True),
    PlaceMark("note"),
    PlaceMark("endnote"),
    PlaceMark("picture"),
    PlaceMark("attachment"),
    PlaceMark("enclosed"),
)
"""All marks. A sheet has a name instead of a number."""

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
PLACE = rf"(?:{_PLACE})(?:, (?:{_PLACE}))?"
"""The pattern of a place as evidence names it, escaped."""


def names(marks: tuple[PlaceMark, ...] = PLACE_MARKS) -> str:
    """The names of marks as alternatives of a pattern."""
    return "|".join(mark.name for mark in marks)


# --- ids and evidence ----------------------------------------------------------------------------

_HASH = r"-[0-9a-hjkmnp-tv-z]{10,51}"
CLAIM_ID = f"c{_HASH}"
ITEM_ID = f"[cn]{_HASH}"
"""The id of a claim or of a note."""

ID_AT_END = lazy_pattern(
    rf"(?<![ \t])[ \t]++\^{ITEM_ID}$|^> - {CLAIM_ID}(?: retracted \S+)?(?: q-[0-9a-f]{{16}})+$",
    re.MULTILINE,
)
"""An id behind what it is of, and a line of the record of a source: random letters, which no word
makes a secret."""

NOTE_ID = f"n{_HASH}"
FROM_NOTE = lazy_pattern(
    rf"from:[ \t]+\[\[(?P<page>[^\[\]|#\n]{{1,255}})#\^(?P<id>{NOTE_ID})"
    r"(?:\|[^\[\]\n]{0,400})?\]\]$"
)
"""The item below a note of the memory that names one sentence which it rests on."""

CLAIM_IN_LINK = lazy_pattern(rf"#\^({CLAIM_ID})")
"""Where a link names a claim."""

ASKED = r"(?<![ \t])[ \t]+<!--[ \t]*asked:(?P<asked>[^<>]*)-->"
"""What may stand behind a line of evidence: words by which somebody may ask for the claim."""

_CITED = (
    r"(?:[ \t]+\((?P<nth>[1-9]\d{0,3})(?:st|nd|rd|th)\))?"
    r"(?:\s+(?:—|–|--?))?\s+\[\^(?P<source>[^\[\]\s]+)\]"
    rf"(?:,[ \t]+(?P<place>{PLACE}))?(?:{ASKED})?$"
)
EVIDENCE = lazy_pattern(rf"^[“\"](?P<quote>.*)[”\"]{_CITED}", re.DOTALL)
"""A quote below a claim, without the mark of its item."""
CITED = lazy_pattern(rf"(?<=\S){_CITED}")
"""What stands behind the words of a quote: behind words that are none, all that is left of it."""
