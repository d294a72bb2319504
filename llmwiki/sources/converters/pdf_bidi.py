"""Right-to-left text of PDFs brought from the order in which it is drawn to that of reading.

A PDF says where each piece of a line is drawn, not what is read first. Some programs draw a line
from its left edge (browsers), some as it is read (LibreOffice); what turns back to the left is of
the second kind. Inside a piece pypdf has the letters in order, of signs alone those that follow
right-to-left letters on the page. The rules are those of the Unicode
Bidirectional Algorithm (Unicode Standard Annex #9, L2) read backwards, over pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from llmwiki.core.language.scripts import RIGHT_TO_LEFT

_RTL = re.compile(f"[{RIGHT_TO_LEFT}]")
_LTR = re.compile(rf"[^\W\d_{RIGHT_TO_LEFT}]")
_NEUTRAL = re.compile("[\\0-/:-@\u2000-\u206f\u20a0-\u21ff]*")
"""Signs that pypdf puts in the direction of the letters before them."""
_NUMBER = re.compile(r"\d")
_BRACKETS = str.maketrans("()[]{}", ")(][}{")
_WIDTH = 0.6
"""Of a letter, in font sizes: more than most have, so that gaps are told too seldom."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Text drawn in one go, or `\\n` (alone or at its end) where a line ends."""

    text: str
    at: float
    """Where it begins, from the left, in units of the page."""
    size: float
    """Of its font, in the same units."""


def has_rtl(text: str) -> bool:
    """Whether there is any right-to-left letter in it."""
    return _RTL.search(text) is not None


def in_reading_order(pieces: Sequence[Piece]) -> str:
    """The text of the pieces, in the order they were drawn, with lines as they are read."""
    return "\n".join(map(_line, _lines(pieces)))


def _lines(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    line: list[Piece] = []
    follows_rtl = False
    for piece in pieces:
        text, *after = piece.text.split("\n")
        if not _NEUTRAL.fullmatch(text):
            follows_rtl = has_rtl(text)
        elif follows_rtl:
            text = text[::-1]
        if text:
            line.append(Piece(text, piece.at, piece.size))
        for more in after:
            yield line
            line = [Piece(more, piece.at, piece.size)] if more else []
    yield line


def _line(pieces: list[Piece]) -> str:
    whole = "".join(piece.text for piece in pieces)
    if not has_rtl(whole):
        return whole
    leftward = len(_RTL.findall(whole)) > len(_LTR.findall(whole))
    parts: list[str] = []
    edge = None
    for run in _runs(pieces):
        if edge is not None and edge - _end(run[-1]) > run[-1].size:
            parts.append(" ")
        edge = run[0].at
        parts += _read(run, leftward)
    text = " ".join("".join(parts).split())
    return _mended_brackets(text) if leftward else text


def _runs(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """The pieces in the groups that go on to the right."""
    run: list[Piece] = []
    for piece in pieces:
        if run and piece.at < run[-1].at - piece.size / 10:
            yield run
            run = []
        run.append(piece)
    yield run


def _end(piece: Piece) -> float:
    return piece.at + _WIDTH * piece.size * len(piece.text)


def _read(run: list[Piece], leftward: bool) -> list[str]:
    """Pieces that stand from left to right, as they are read."""
    levels = _levels([piece.text for piece in run], leftward)
    order = list(range(len(run)))
    for level in (2, 1):
        start = 0
        for deep, group in groupby([levels[at] >= level for at in order]):
            end = start + sum(1 for _ in group)
            if deep:
                order[start:end] = order[start:end][::-1]
            start = end
    return [_turned(run[at].text) if levels[at] == 1 else run[at].text for at in order]


def _levels(texts: list[str], leftward: bool) -> list[int]:
    """0 and 2 for what runs to the right, 1 for what runs to the left."""
    kinds = [_kind(text) for text in texts]
    base = "R" if leftward else "L"
    before = _last_strong(kinds, base)
    after = _last_strong(kinds[::-1], base)[::-1]
    levels: list[int] = []
    for at, kind in enumerate(kinds):
        between = before[at] if before[at] == after[at] else base
        if not kind and kinds[at - 1 : at] == ["N"]:
            between = base
        runs_left = kind == "R" or (not kind and between == "R")
        in_left = leftward or (kind == "N" and between == "R")
        levels.append(1 if runs_left else 2 if in_left else 0)
    return levels


def _kind(text: str) -> str:
    """R or L for letters of either kind, N for numbers, nothing for signs alone."""
    if has_rtl(text):
        return "R"
    return "L" if _LTR.search(text) else "N" if _NUMBER.search(text) else ""


def _last_strong(kinds: list[str], base: str) -> list[str]:
    """For each piece the last R or L before it."""
    found = [base]
    for kind in kinds:
        found.append(kind if kind in ("R", "L") else found[-1])
    return found[:-1]


def _turned(text: str) -> str:
    """A piece that runs to the left: letters are in order, marks alone as they are drawn."""
    return text if has_rtl(text) else text[::-1]


def _mended_brackets(text: str) -> str:
    """Brackets of a leftward line the right way round, where all were drawn mirrored."""
    turned = text.translate(_BRACKETS)
    return turned if not _is_nested(text) and _is_nested(turned) else text


def _is_nested(text: str) -> bool:
    open_ones: list[str] = []
    for sign in re.findall(r"[()\[\]{}]", text):
        if sign in "([{":
            open_ones.append(sign)
        elif not open_ones or open_ones.pop().translate(_BRACKETS) != sign:
            return False
    return not open_ones
