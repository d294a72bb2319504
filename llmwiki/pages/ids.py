"""The patterns of what pages are written with: ids of claims and notes, lines of evidence.

Only patterns stand here, so that a reader of single lines need not import what reads whole pages.
"""

from __future__ import annotations

import re

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.pages.place_marks import PLACE

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

CLAIM_IN_LINK = re.compile(rf"#\^({CLAIM_ID})")
"""Where a link names a claim."""

ASKED = r"(?<![ \t])[ \t]+<!--[ \t]*asked:(?P<asked>[^<>]*)-->"
"""What may stand behind a line of evidence: words by which somebody may ask for the claim."""

_CITED = (
    r"(?:[ \t]+\((?P<nth>[1-9]\d{0,3})(?:st|nd|rd|th)\))?"
    r"(?:\s+(?:—|–|--?))?\s+\[\^(?P<source>[^\[\]\s]+)\]"
    rf"(?:,[ \t]+(?P<place>{PLACE.pattern}))?(?:{ASKED})?$"
)
EVIDENCE = lazy_pattern(rf"^[“\"](?P<quote>.*)[”\"]{_CITED}", re.DOTALL)
"""A quote below a claim, without the mark of its item."""
CITED = lazy_pattern(rf"(?<=\S){_CITED}")
"""What stands behind the words of a quote: behind words that are none, all that is left of it."""
