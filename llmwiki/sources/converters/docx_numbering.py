"""The numbers and bullets that Word shows before paragraphs: `1.2`, `(b)`, `IV.`, `-`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.sources.converters.numerals import BULLET, numeral
from llmwiki.sources.converters.safe_xml import attribute, child, local, number

if TYPE_CHECKING:
    from lxml.etree import _Element

_LEVELS = 9
_PLACE = re.compile("%([1-9])")


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    text: str
    start: int


class Numbering:
    """Counts the lists of one document; its paragraphs are asked for in order."""

    def __init__(self, root: _Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._restarts: dict[tuple[str, int], int] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for node in () if root is None else root:
            if local(node) == "abstractNum":
                self._levels[attribute(node, "abstractNumId") or ""] = _levels(node)
            elif local(node) == "num":
                self._read_list(node)

    def label(self, list_id: str, level: int) -> str:
        """What stands before the next paragraph of a list, BULLET where no number does."""
        shape = self._lists.get(list_id, "")
        levels = self._levels.get(shape, {})
        own = levels.get(level)
        if own is None or own.form in ("bullet", "none") or not own.text:
            return BULLET
        counts = self._counts.setdefault(shape, {})
        restart = self._restarts.pop((list_id, level), None)
        if restart is not None:
            counts[level] = restart
        else:
            counts[level] = counts[level] + 1 if level in counts else own.start
        for deeper in range(level + 1, _LEVELS):
            counts.pop(deeper, None)

        def shown(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            each = levels.get(at, own)
            return numeral(counts.get(at, each.start), each.form)

        return _PLACE.sub(shown, own.text).strip() or BULLET

    def _read_list(self, node: _Element) -> None:
        name = attribute(node, "numId") or ""
        self._lists[name] = attribute(child(node, "abstractNumId"), "val") or ""
        for each in node:
            start = attribute(child(each, "startOverride"), "val")
            if local(each) == "lvlOverride" and start is not None:
                self._restarts[name, number(attribute(each, "ilvl"), 0)] = number(start, 1)


def _levels(node: _Element) -> dict[int, _Level]:
    return {
        number(attribute(each, "ilvl"), 0): _Level(
            attribute(child(each, "numFmt"), "val") or "decimal",
            (attribute(child(each, "lvlText"), "val") or "")[:40],
            number(attribute(child(each, "start"), "val"), 1),
        )
        for each in node
        if local(each) == "lvl"
    }
