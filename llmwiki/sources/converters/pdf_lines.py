"""Words and sentences that the end of a line cuts, made whole where that is certain.

A PDF has lines, not paragraphs. Most lines may end where they do: whoever looks for words across
them finds them. Not so a word with a hyphen in it, and writing that has no blanks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby

from llmwiki.language.scripts import HAN, KANA, REPEATED

_SHY = "\u00ad"
_MARKED = re.compile(f"(?:{_SHY}[-\u2010]?|(?<=[^\\W\\d_])\u2010)\n(\\S+)[ \n]?")
"""A hyphen that only the line made: the soft one, and U+2010, which nobody types."""
_DASHED = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,}+)-\n([^\W\d_]{2,}+)(\S*+)[ \n]?")
_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]++-[^\W\d_]++")
_UNSPACED = REPEATED + KANA + HAN
_OPEN_END = re.compile(f"[{_UNSPACED}、，]$")
_GOES_ON = re.compile(f"[{_UNSPACED}、，。．）」』]")
_LEAST = 10
"""Ems of a line of which the next may be the rest; lists have shorter ones."""
_SLACK = 1.5
"""Ems by which lines of one paragraph differ: signs that may not begin or end a line."""


def whole_lines(pages: Sequence[str]) -> list[str]:
    """The texts of a document's pages with words and unspaced sentences made whole.

    The rest of a word moves up to the line it begins on. A word parted at a plain hyphen is
    joined if the document has it without one somewhere, and nowhere with one. Lines of kana and
    ideographs are joined while they fill their column.
    """
    joined = [_unspaced(_MARKED.sub(r"\1\n", page).replace(_SHY, "")) for page in pages]
    if not any(_DASHED.search(page) for page in joined):
        return [page.strip("\n") for page in joined]
    words = {word.lower() for page in joined for word in _WORD.findall(page)}
    compounds = {each.lower() for page in joined for each in _COMPOUND.findall(page)}

    def undashed(match: re.Match[str]) -> str:
        head, tail, more = match.groups()
        known = (head + tail).lower() in words and f"{head}-{tail}".lower() not in compounds
        alike = tail.islower() or (head + tail).isupper()
        return f"{head}{tail}{more}\n" if known and alike else match[0]

    return [_DASHED.sub(undashed, page).strip("\n") for page in joined]


def _unspaced(page: str) -> str:
    """The page with wrapped lines of unspaced writing as one line each."""
    if not re.search(f"[{_UNSPACED}]\n", page):
        return page
    lines = page.split("\n")
    done: list[list[str]] = []
    for _, block in groupby(zip(lines, map(_width, lines), strict=True), lambda each: each[1] > 0):
        width = 0.0
        for line, own in block:
            fits = width >= _LEAST and own <= width + _SLACK
            if fits and _OPEN_END.search(done[-1][-1]) and _GOES_ON.match(line):
                done[-1].append(line)
                # A last line ends the paragraph: what follows is not its rest.
                width = own if own >= width - _SLACK else 0.0
            else:
                done.append([line])
                width = own
    return "\n".join(map("".join, done))


def _width(line: str) -> float:
    """In ems."""
    return sum(1.0 if unicodedata.east_asian_width(sign) in "WFA" else 0.5 for sign in line)
