"""The numbers and bullets that OpenDocument programs show before paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.sources.converters.numerals import BULLET, numeral
from llmwiki.sources.converters.safe_xml import attribute, local, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from llmwiki.sources.converters.odf_styles import Level, Styles

MAX_LEVEL = 10
"""Levels that a list has (OpenDocument 1.3, part 3, §19.880)."""

_Counts = dict[int, int]


class Lists:
    """Counts the lists of one document, which are asked for in order."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._headings: _Counts = {}
        self._last: dict[str, _Counts] = {}
        self._named: dict[str, _Counts] = {}

    def heading(self, level: int) -> str:
        """The number shown before the next heading of that level, "" if there is none."""
        return _label(self._headings, self._styles.outline, level)

    def points(self, node: _Element) -> Iterator[tuple[_Element, str, int]]:
        """What a list holds, in order: a block, the label before it, its level from 0.

        The label is "" where none is shown: for a second paragraph of a point, too.
        """
        name = attribute(node, "style-name") or ""
        goes_on = attribute(node, "continue-list")
        counts: _Counts = self._named.get(goes_on or "", {})
        if goes_on is None and attribute(node, "continue-numbering") == "true":
            counts = self._last.get(name, {})
        self._last[name] = counts
        if own := attribute(node, "id"):
            self._named[own] = counts
        yield from self._points(node, name, counts, 1)

    def _points(
        self, node: _Element, name: str, counts: _Counts, level: int
    ) -> Iterator[tuple[_Element, str, int]]:
        levels = self._styles.lists.get(name, {})
        for item in node:
            if local(item) not in ("list-item", "list-header"):
                continue
            if (start := attribute(item, "start-value")) is not None:
                counts[level] = number(start, 1) - 1
            fresh = local(item) == "list-item"
            for block in item:
                if local(block) == "list":
                    inner = attribute(block, "style-name") or name
                    deeper = min(level + 1, MAX_LEVEL)
                    yield from self._points(block, inner, counts, deeper)
                    continue
                label = _label(counts, levels, level) if fresh else ""
                fresh = False
                yield block, label, level - 1


def _label(counts: _Counts, levels: dict[int, Level], level: int) -> str:
    """Count on at a level, and what is shown there."""
    own = levels.get(level)
    if own is None or not own.form:
        return BULLET if own is not None and own.marked else ""
    counts[level] = counts[level] + 1 if level in counts else own.start
    for deeper in [each for each in counts if each > level]:
        del counts[deeper]
    first = max(1, level - own.shown + 1)
    numbers = [
        numeral(counts.get(at, levels[at].start), levels[at].form)
        for at in range(first, level + 1)
        if at in levels and levels[at].form
    ]
    return f"{own.before}{'.'.join(numbers)}{own.after}".strip()
