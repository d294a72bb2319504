"""Raw block text into sentences, as offsets, so that a quote keeps its markup."""

from __future__ import annotations

import re
from itertools import pairwise

from llmwiki.core.language.word_forms import word_set
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import cut, normalise

ABBREVIATIONS = word_set(
    """v a.m al approx bsp bzw capt col evtl ggf hon hrsg inkl lt messrs mio mrd nr ph.d rev sgt sog
    vgl zzgl apr aug ca cf ch cit co corp dec dept dr e.g ed eds eq est etc excl feb
    fig figs i.e inc incl jan jr jul jun ltd mar max min mr mrs ms no nos nov oct op p p.m
    pp prof resp sec sep sept sr st u.k u.s vol vs"""
)
"""Words whose full stop ends no sentence."""
MONTHS = word_set(
    """Januar Jänner Februar Feber März April Mai Juni Juli August September Oktober November
    Dezember"""
)
"""German months, as they stand after `15.`; languages that write them small need no list."""

_CANDIDATE = lazy_pattern(
    r"(?P<end>(?<![.!?])[.!?]++[\"'”’)\]*_`]*+)(?=\s)"
    r"|(?P<wide>[。！？]+[」』）”’]*(?:[*_`\"']+(?=\s|$))?)"
    r"|(?P<broken>(?:(?<! ) {2,}+|\\)\n|<br\s*/?>)"
)
_ENDING = 24
"""Characters at the end of a sentence in which its last word is looked for."""
_CODE = lazy_pattern(r"`[^`\n]{1,400}`")
_LAST_WORD = lazy_pattern(rf"([\w.]{{1,12}})[.!?]{{1,{_ENDING}}}+[\"'”’)\]*_`]{{0,{_ENDING}}}+$")
_PART = lazy_pattern(r"[^\W\d_]\.(?!\w)")
_PARTS = lazy_pattern(r"(?<!\w)[^\W\d_]\. ?[^\W\d_]\.$")
_LINK_TARGET = lazy_pattern(r"\]\([^()\s]{1,600}\)")

_MONTH_NEXT = lazy_pattern(rf"\s*(?:(?:{'|'.join(sorted(MONTHS))})\b|(?:0?[1-9]|1[0-2])\.(?!\d))")
_LAST_DAY = 31

OPENING = "(（「『["
CLOSING = ")）」』]"
_PARTICLES = tuple("とのはがをにでや、")
_LONGEST = 200
"""Characters of a first sentence."""
_DEPTH_LIMIT = 400
"""A sentence longer than this ends inside brackets too: one of them is probably unbalanced."""


def split_sentences(raw: str, *, small: bool = False) -> list[tuple[int, int]]:
    """Offsets [start, end) of the sentences of `raw`, outer blanks excluded, in order.

    `small`: a sentence may begin with a small letter, as in what people type.
    """
    hidden = _hidden(raw)
    spans: list[tuple[int, int]] = []
    start = 0
    depth = 0
    counted = 0
    for found in _CANDIDATE.finditer(raw):
        at = found.start()
        if found["broken"] is None:
            if _inside(hidden, at) or _quoted(raw, found):
                continue
            end = found.end()
            depth += _balance(raw, counted, at, hidden)
            depth = max(depth, 0)
            counted = at
            if depth + _balance(raw, at, end, hidden) > 0 and end - start < _DEPTH_LIMIT:
                continue
            if found["end"] is not None and not ends_sentence(raw, start, end, small=small):
                continue
        else:
            end = found.end()
        _add(raw, start, end, spans)
        start = counted = end
        depth = 0
    _add(raw, start, len(raw), spans)
    return spans


def _quoted(raw: str, found: re.Match[str]) -> bool:
    """Whether a Japanese sentence goes on after a quoted one: 「…。」と言った。"""
    ended = found["wide"] is not None and raw[found.end() - 1] in CLOSING
    return ended and raw[found.end() : found.end() + 1] in _PARTICLES


def _hidden(raw: str) -> list[tuple[int, int]]:
    """Stretches in which no sentence ends: code and link targets, in order."""
    spans = [found.span() for found in _CODE.finditer(raw)] if "`" in raw else []
    if "](" in raw:
        spans = sorted(spans + [found.span() for found in _LINK_TARGET.finditer(raw)])
    return spans


def _inside(spans: list[tuple[int, int]], at: int) -> bool:
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][1] <= at:
            low = middle + 1
        else:
            high = middle
    return low < len(spans) and spans[low][0] < at


def _balance(raw: str, start: int, end: int, hidden: list[tuple[int, int]]) -> int:
    piece = raw[start:end]
    if hidden and "`" in piece:
        piece = _CODE.sub("", piece)
    return sum(map(piece.count, OPENING)) - sum(map(piece.count, CLOSING))


def sentences(raw: str) -> list[str]:
    """Those sentences as they stand there."""
    return [raw[start:end] for start, end in split_sentences(raw)]


def sentence_pieces(raw: str) -> list[str]:
    """A text that somebody typed in pieces, none lost: each a sentence, or what a line has of one,
    with the blanks behind it."""
    pieces: list[str] = []
    for line in raw.splitlines(keepends=True):
        cuts = [0, *(start for start, _ in split_sentences(line, small=True)[1:]), len(line)]
        pieces += [line[start:end] for start, end in pairwise(cuts)]
    return pieces


def ends_sentence(raw: str, start: int, end: int, *, small: bool = False) -> bool:
    """Whether a full stop at `end` ends a sentence: no abbreviation, and a fresh start after."""
    after = raw[end : end + 40].lstrip()
    if not after:
        return True
    opener = after.lstrip("\"'“‘(（[「*_~>")
    if opener and opener[0].islower() and not small:
        return False
    before = raw[max(start, end - _ENDING) : end]
    word = _LAST_WORD.search(before)
    if word is None:
        return True
    last = word[1]
    if last.casefold() in ABBREVIATIONS:
        return False
    if len(last) == 1 and last.isupper():
        return False
    # The first part of `z. B.`, and the second of `u. a.`.
    if len(last) == 1 and last.isalpha() and (_PART.match(after) or _PARTS.search(before)):
        return False
    if not last.isdigit():
        return True
    if before[: word.start()].rstrip().endswith((";", ":")):
        # The number of an item in a list that is told on one line.
        return False
    return not is_day(last, after) and raw[start:end].strip(" *_\n") != f"{last}."


def is_day(number: str, after: str) -> bool:
    """Whether a number with a full stop is the day of a date: `15. Juni`, `15. 6.`."""
    return number.isdecimal() and int(number) <= _LAST_DAY and _MONTH_NEXT.match(after) is not None


def _add(raw: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    while start < end and raw[start].isspace():
        start += 1
    while end > start and raw[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append((start, end))


def first_sentence(text: str) -> str:
    """The first sentence of a text, cut where it is long."""
    plain = normalise(text)
    return cut(next(iter(sentences(plain)), plain), _LONGEST)
