"""The numbers that PowerPoint shows before the points of a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.sources.converters.numerals import BULLET, numeral
from llmwiki.sources.converters.safe_xml import attribute, number

if TYPE_CHECKING:
    from lxml.etree import _Element

_SCHEME = re.compile("(arabic|alphaLc|alphaUc|romanLc|romanUc)(Plain|Period|ParenR|ParenBoth)")
"""The names of what is numbered how (ECMA-376, part 1, §20.1.10.61); others are shown as `1.`"""
_FORMS = {
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_AROUND = {"Plain": "{}", "ParenR": "{})", "ParenBoth": "({})"}


class Numbers:
    """Counts the points of one text, which are asked for in order."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[str, int, int]] = {}

    def label(self, level: int, numbering: _Element | None) -> str:
        """What stands before the next point: its number, BULLET where `numbering` is None.

        A point of the same or a higher level without a number, or with another kind of it, ends
        the count.
        """
        for ended in [each for each in self._last if each > level]:
            del self._last[ended]
        if numbering is None:
            self._last.pop(level, None)
            return BULLET
        scheme = attribute(numbering, "type") or ""
        start = number(attribute(numbering, "startAt"), 1)
        kind, first, last = self._last.get(level, ("", 0, 0))
        value = last + 1 if (kind, first) == (scheme, start) else start
        self._last[level] = (scheme, start, value)
        found = _SCHEME.fullmatch(scheme)
        form, around = found.groups() if found else ("", "")
        return _AROUND.get(around, "{}.").format(numeral(value, _FORMS.get(form, "decimal")))
