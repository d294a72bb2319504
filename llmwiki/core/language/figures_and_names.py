"""Whether what a sentence says in numbers, dates and names stands in the words it rests on.

Both may be written in other ways: `10,000` is `ten thousand`, `2017-06-12` is `12 June 2017`, a
name may have another ending, or stand by its initials. What is in doubt counts as said.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from llmwiki.core.language.acronyms import is_acronym
from llmwiki.core.language.search_terms import words
from llmwiki.core.language.word_forms import word_set
from llmwiki.core.text import fold

_TOKEN = re.compile(
    r"\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,:/'-]\d+)*"
    r"|[〇零一二三四五六七八九两兩十百千万萬亿億]+|[^\W\d_]+"
)
_GROUPED = re.compile(r"\d{1,3}(?:[.,' ]\d{3})+")
_BREAK = re.compile(r"[-/:,' ]")
_BETWEEN = re.compile(r"\D")
_DECIMAL = re.compile(r"\d{1,20}(?:\.\d{1,20})?")
_NAME = re.compile(r"(?<![\w'’-])[^\W\d_][\w'’]*")
_SHOUTED = re.compile(r"\w+[A-Z]")
_EMPHASIS = re.compile(r"(?<!\w)_{1,2}(?=\w)|(?<=[^\W_])_{1,2}(?!\w)")
"""Underscores around words that stand out."""
_INITIAL = re.compile(r"(?<![^\W_])[^\W\d_]|(?<=[a-z])[A-Z]")
_SMALL = re.compile(r"\b(?:an?|and|for|in|of|on|or|the|to|with)\b", re.IGNORECASE)

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {
    "k": 10**3, "m": 10**6, "thousand": 10**3, "thousands": 10**3, "tausend": 10**3,
    "mille": 10**3, "mil": 10**3, "million": 10**6, "millions": 10**6, "millionen": 10**6,
    "millones": 10**6, "mio": 10**6, "mn": 10**6, "billion": 10**9, "billions": 10**9,
    "bn": 10**9, "milliarden": 10**9, "milliards": 10**9, "mrd": 10**9, "trillion": 10**12,
    "千": 10**3, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8,
}  # fmt: skip
_MEANT = {
    "first": "1", "second": "2", "third": "3", "fifth": "5", "eighth": "8", "ninth": "9",
    "twelfth": "12", "single": "1", "once": "1", "twice": "2", "both": "2", "pair": "2",
    "couple": "2", "double": "2", "triple": "3", "half": "50", "quarter": "25", "dozen": "12",
}  # fmt: skip
"""What words of another kind say; nobody is held to them."""
_MONTHS = {
    "january": "1", "jan": "1", "february": "2", "feb": "2", "march": "3", "mar": "3",
    "april": "4", "apr": "4", "may": "5", "june": "6", "jun": "6", "july": "7", "jul": "7",
    "august": "8", "aug": "8", "september": "9", "sep": "9", "sept": "9", "october": "10",
    "oct": "10", "november": "11", "nov": "11", "december": "12", "dec": "12",
}  # fmt: skip
_HAN = dict(zip("〇一二三四五六七八九零两兩", (*range(10), 0, 2, 2), strict=True))
_HAN_SCALES = {"十": 10, "百": 100, **{sign: _SCALES[sign] for sign in "千万萬亿億"}}
_LISTED = re.compile(r"[,;、]| and | or ")
_GERMAN = word_set("""der die das den dem und ist sind ein eine wird nicht mit von auf zu im
    wurde wurden für bei aus sich nach oder auch einen einer eines""")
"""Words of a language in which every noun has a capital letter."""


class _Figure(NamedTuple):
    """A number or a date."""

    shown: str
    """Empty: nobody is held to it."""
    forms: tuple[frozenset[str], ...]
    """Ways to write it: the numbers of each, which must all be there, in digits."""
    counts: int = 0
    """Of a number in words what it is."""


class Support:
    """A text that others rest on."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _numbers(self) -> set[str]:
        figures = _figures(fold(self._text))
        return {number for each in figures for form in each.forms for number in form}

    @cached_property
    def _words(self) -> list[str]:
        return sorted({*words(_EMPHASIS.sub(" ", self._text))})

    @cached_property
    def _initials(self) -> str:
        """First letters and inner capitals of all words; once more without the small words."""
        return " ".join(
            "".join(_INITIAL.findall(text)).lower()
            for text in (self._text, _SMALL.sub(" ", self._text))
        )

    def lacking_number(self, text: str) -> str:
        """The first number or date of a text that is not said here; empty where all are.

        A small number in words may count what the text itself lists.
        """
        folded = fold(text)
        listed = len(_LISTED.findall(folded)) + 1
        for figure in _figures(folded):
            if 0 < figure.counts <= listed or not figure.shown:
                continue
            if not any(form <= self._numbers for form in figure.forms):
                return figure.shown
        return ""

    def lacking_names(self, text: str) -> list[str]:
        """The names of a text that are not said here, in order."""
        return [name for name in names_in(text) if not self.names(name)]

    def names(self, name: str) -> bool:
        """Whether a name stands here, with another ending, or in short."""
        if all(self._has(word) for word in words(_EMPHASIS.sub(" ", name))):
            return True
        short = name.removesuffix("s").lower()
        return _MONTHS.get(fold(name)) in self._numbers or (
            is_acronym(name) and short in self._initials
        )

    def _has(self, word: str) -> bool:
        """Whether a word stands here; of a longer one the end may be another."""
        size = len(word)
        stem = word if size < 5 else word[: max(4, size - (2 if size < 8 else 3))]
        at = bisect_left(self._words, stem)
        found = self._words[at] if at < len(self._words) else ""
        return found.startswith(stem) if size > 4 else found == word


def unsupported(text: str, quotes: Iterable[str], around: Support | None = None) -> str:
    """What a text says that none of the quotes does, as a reason; empty for nothing.

    Numbers and dates must stand in the quotes. Names may stand `around` them too: who says whom
    "she" means names somebody whom the document names elsewhere.
    """
    support = Support(" … ".join(quotes))
    if number := support.lacking_number(text):
        return f"the number {number} stands in no quote"
    names = support.lacking_names(text)
    if around is None:
        return f"the name {names[0]} stands in no quote" if names else ""
    nowhere = next((name for name in names if not around.names(name)), "")
    return f"the name {nowhere} stands nowhere in the document" if nowhere else ""


def names_in(text: str) -> list[str]:
    """Words with a capital letter that do not begin a sentence; in German those with two."""
    found = []
    is_german = len(_GERMAN & {*words(text)}) > 1
    for match in _NAME.finditer(text):
        before = text[: match.start()].rstrip(" “\"'(")
        begins = not before or before[-1] in ".!?:。！？"
        is_name = match[0][0].isupper() and not begins and match[0] != "I"
        if is_name and (not is_german or _SHOUTED.match(match[0])):
            found.append(match[0].removesuffix("'s").removesuffix("’s"))
    return found


# --- numbers -------------------------------------------------------------------------------


def _figures(text: str) -> list[_Figure]:
    """The numbers of a folded text, in order."""
    tokens = list(_TOKEN.finditer(text))
    found: list[_Figure] = []
    at = 0
    while at < len(tokens):
        word = tokens[at][0]
        step = 1
        if word[0].isdecimal():
            figure, step = _in_digits(text, tokens[at : at + 2])
            found.append(figure)
        elif word in _UNITS:
            value, step = _in_words(text, tokens[at : at + 12])
            shown = text[tokens[at].start() : tokens[at + step - 1].end()]
            # `one` is seldom a number.
            shown = shown if value > 1 else ""
            found.append(_Figure(shown, (frozenset({str(value)}),), value))
        elif meant := _MEANT.get(word) or _ordinal(word) or _han(word):
            found.append(_Figure("", (frozenset({meant}),)))
        elif word in _SCALES:
            found.append(_Figure("", (frozenset({f"×{_SCALES[word]}"}),)))
        elif word in _MONTHS and any(t[0][0].isdecimal() for t in tokens[max(at - 1, 0) : at + 2]):
            found.append(_Figure("", (frozenset({_MONTHS[word]}),)))
        at += step
    return found


def _in_digits(text: str, tokens: list[re.Match[str]]) -> tuple[_Figure, int]:
    """The number at the first of two tokens, and how many of them it takes."""
    token, shown = tokens[0][0], tokens[0][0]
    forms = {token, token.replace(",", "."), token.lstrip("0") if token.isdecimal() else token}
    if _GROUPED.fullmatch(token):
        forms.add(_BETWEEN.sub("", token))
    parts = (_BREAK if token.count(".") < 2 else _BETWEEN).split(token)
    if token.count(".") > 1:
        forms.add(token[: token.index(".", token.index(".") + 1)])
    # `11:00` is `11`.
    forms |= {parts[0].lstrip("0")} if token == f"{parts[0]}:00" else set()
    whole = [frozenset({form or "0"}) for form in sorted(forms)]
    if len(parts) > 1:
        whole.append(frozenset(part.lstrip("0") or "0" for part in parts))
    scale = _scale_behind(text, tokens)
    if not scale:
        return _Figure(shown, tuple(whole)), 1
    shown = text[tokens[0].start() : tokens[1].end()]
    scaled = [
        frozenset({f"{(Decimal(form) * scale).normalize():f}"})
        for form in sorted(forms)
        if _DECIMAL.fullmatch(form)
    ]
    # `5 m` may be metres; and a table may say `in millions` above its numbers.
    is_sure = len(tokens[1][0]) > 1 or not tokens[1][0].isascii()
    plain = [form | {f"×{scale}"} for form in whole] if is_sure else whole
    return _Figure(shown, (*scaled, *plain)), 2


def _scale_behind(text: str, tokens: list[re.Match[str]]) -> int:
    """What the second token makes of a number in front of it; 0 for nothing."""
    if len(tokens) < 2 or text[tokens[0].end() : tokens[1].start()] not in ("", " ", "-"):
        return 0
    return _SCALES.get(tokens[1][0], 0)


def _in_words(text: str, tokens: list[re.Match[str]]) -> tuple[int, int]:
    """A number in words at the first of these tokens, and how many of them it takes."""
    total = current = taken = 0
    for at, token in enumerate(tokens):
        word = token[0]
        if at and text[tokens[at - 1].end() : token.start()] not in (" ", "-"):
            break
        if word in _UNITS:
            value = _UNITS[word]
            if current % 10 or (current % 100 and value > 9):
                break
            current += value
        elif word == "hundred":
            current *= 100
        elif word in _SCALES and len(word) > 1:
            total, current = total + current * _SCALES[word], 0
        elif word != "and" or current % 100 or not (current or total):
            break
        else:
            continue
        taken = at + 1
    return total + current, taken


def _ordinal(word: str) -> str:
    """The number of `fourth` or `twentieth`; empty for another word."""
    base = word.removesuffix("th")
    base = f"{base[:-2]}y" if base.endswith("ie") else base
    return str(_UNITS[base]) if base != word and base in _UNITS else ""


def _han(word: str) -> str:
    """A number in Chinese signs in digits; empty for another word."""
    if len(word) > 20 or (word[0] not in _HAN and word[0] != "十"):
        return ""
    if not any(sign in _HAN_SCALES for sign in word):
        return "".join(str(_HAN[sign]) for sign in word).lstrip("0") or "0"
    total = section = digit = 0
    for sign in word:
        scale = _HAN_SCALES.get(sign, 0)
        if not scale:
            digit = _HAN[sign]
        elif scale < 10**4:
            section, digit = section + (digit or 1) * scale, 0
        else:
            total, section, digit = (total + section + digit) * scale, 0, 0
    return str(total + section + digit)


_NUMBER = re.compile(r"(?<![\w.])\d++(?:[.,:/-]\d++)*%?")


def without_numbers(text: str) -> str:
    """The text with a blank for each of its numbers."""
    return _NUMBER.sub(" ", text)
