"""The patterns of what pages are written with: ids of claims and notes, lines of evidence.

Only patterns stand here, so that a reader of single lines need not import what reads whole pages.
"""

from __future__ import annotations

import re

CLAIM_ID = r"c-[0-9a-hjkmnp-tv-z]{10,51}"
NOTE_ID = r"n-[0-9a-hjkmnp-tv-z]{10,51}"
ITEM_ID = r"[cn]-[0-9a-hjkmnp-tv-z]{10,51}"
"""The id of a claim or of a note."""

_PLACE = (
    r"(?:p\.|slide|chapter|document|conversation|cell|message|line|row|table) \d{1,7}"
    r"(?: notes| row \d{1,7})?|sheet \S.{0,120}?|\d{2,4}:\d\d:\d\d"
)
PLACE = re.compile(rf"(?:{_PLACE})(?:, (?:{_PLACE}))?")
"""A place in an original, as the end of an evidence line says it, escaped."""
EVIDENCE = re.compile(
    r"^[“\"](?P<quote>.*)[”\"][ \t]+(?:—|–|--?)[ \t]+\[\^(?P<source>[^\[\]\s]+)\][ \t]+"
    r"L(?P<first>\d{1,9})(?:[–—-]L?(?P<last>\d{1,9}))?"
    rf"(?:,[ \t]+(?P<place>{PLACE.pattern}))?$",
    re.DOTALL,
)
"""A quote below a claim, without the mark of its item."""
