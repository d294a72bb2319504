"""Acronyms and what they stand for, where the text gives both and the letters match."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llmwiki.language.acronyms import is_acronym, is_acronym_pair

_SHORT = r"[A-Z][A-Za-z0-9&.-]{1,9}"
_AFTER = re.compile(
    rf"(?P<before>[^.;:!?,()（）。、]{{3,120}})[(（]\s*(?P<short>{_SHORT})\s*[)）;,；]"
)
_BEFORE = re.compile(
    rf"(?<![\w-])(?P<short>{_SHORT})(?:\s*[(（]|\s+(?:stands\s+for|is\s+short\s+for|means)\s+)"
    r"(?P<long>[^()（）.,;\n]{4,90})"
)
_WORD = re.compile(r"[^\W_][\w'’-]*")
_MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class Expansion:
    """An acronym and its long form, as the document writes them."""

    short: str
    long: str


def expansions(text: str) -> list[Expansion]:
    """The acronyms explained in a plain text, each with its long form, in order."""
    found: list[Expansion] = []
    if "(" not in text and "（" not in text and " for " not in text and "means" not in text:
        return found
    for match in _AFTER.finditer(text):
        words = [word.start() for word in _WORD.finditer(match["before"])][-_MOST_WORDS:]
        longs = [match["before"][at:].strip(" \"'“”*") for at in words]
        # The shortest one that fits: what stands before the long form is no part of it.
        _add(match["short"], longs[::-1], found)
    for match in _BEFORE.finditer(text):
        ends = [word.end() for word in _WORD.finditer(match["long"])][:_MOST_WORDS]
        _add(match["short"], [match["long"][:end] for end in ends], found)
    return found


def _add(short: str, longs: list[str], found: list[Expansion]) -> None:
    short = short.rstrip(".-")
    if not is_acronym(short):
        return
    for long in longs:
        joined = " " in long or "-" in long
        if joined and not long[0].isspace() and is_acronym_pair(short, long):
            found.append(Expansion(short, long))
            return
