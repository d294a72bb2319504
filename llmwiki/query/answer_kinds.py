"""What kind of thing a question asks for, and whether a text has one: a number, a price, a day.

A text that shares all its words with "How many members does the council have?" and holds no number
answers something else. The kinds are those that can be told from the words of a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from llmwiki.language.sentences import split_sentences
from llmwiki.language.tokens import words

WINDOW = 2
"""Sentences side by side in which an answer is looked for."""
LONG = 240
"""Characters up to which a text is looked at whole."""
_NAME = re.compile(r"[^\W_][\w.+#'’-]*")
_NUMBERS = (
    r"zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|twice|once"
    r"|single|hundred|thousand|million"
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_REFERENCE = re.compile(
    r"\[\d{1,3}\]_?|\]\([^)\s]*\)|\]\[[^\]\s]*\]|https?://\S+|(?:^|\s)\d{1,3}[.)]\s|[#v]\d[\d.]*"
)
"""Numbers that count nothing: of footnotes, in addresses, of items, of versions."""


class _Kind(NamedTuple):
    asked: re.Pattern[str]
    given: re.Pattern[str]


def _kind(asked: str, given: str) -> _Kind:
    return _Kind(re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE))


_KINDS = (
    _kind(
        r"\bhow (?:many|much|long|large|big|fast|slow|old|tall|deep|high)\b"
        r"|いくつ|いくら|何[人個件台本回年日秒分%]",
        rf"\d|\b(?:{_NUMBERS})\b|[一二三四五六七八九十百千万]",
    ),
    _kind(
        r"\b(?:price|cost|costs|fee|salary)\b|値段|料金|価格",
        r"[$€£¥]|\b(?:free|usd|eur|gbp|cents?|dollars?|euros?)\b|円|ドル|無料",
    ),
    _kind(
        r"(?:\A|[,;]\s|\band\s)\s*(?:when\b|on (?:what|which) da(?:y|te)\b"
        r"|(?:in )?(?:what|which) year\b)|いつ",
        r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|may"
        r"|june|july|august|september|october|november|december|when|after|before|until|once|every"
        r"|daily|weekly|monthly|annually|today|tomorrow|yesterday|always|never)\b|[年月日時]",
    ),
    _kind(
        r"\b(?:which|what) (?:[\w-]+ )?command\b|コマンド",
        r"[`$]|--\w|“[^”]*”|\"[^\"]*\"",
    ),
)
_BY = re.compile(r"\b(?:by|is|are|was|were) (?:an?|the|its|their|our)\b", re.IGNORECASE)
_WHO = re.compile(r"\s*(?:who|whose|whom)\b", re.IGNORECASE)


def windows(text: str) -> Iterator[str]:
    """The runs of `WINDOW` sentences of a text; a short text is one."""
    if len(text) <= LONG:
        yield text
        return
    spans = split_sentences(text)
    for at in range(max(len(spans) - WINDOW + 1, 1)):
        few = spans[at : at + WINDOW]
        yield text[few[0][0] : few[-1][1]] if few else text


class AnswerKind:
    """What a question asks for."""

    def __init__(self, question: str) -> None:
        self._given = [kind.given for kind in _KINDS if kind.asked.search(question)]
        self._told = frozenset(_DIGITS.findall(question))
        self._asked = frozenset(words(question)) if _WHO.match(question) else None

    def stands_in(self, text: str) -> bool:
        """Whether a text has what is asked for; True where nothing of these kinds is."""
        if self._given:
            counted = _DIGITS.sub(self._unless_told, _REFERENCE.sub(" ", text))
            if not all(given.search(counted) for given in self._given):
                return False
        if self._asked is None:
            return True
        return bool(_BY.search(text)) or self._names_another(text, self._asked)

    def _unless_told(self, number: re.Match[str]) -> str:
        """A number, or a blank for one that the question gave itself."""
        return " " if number[0] in self._told else number[0]

    @staticmethod
    def _names_another(text: str, asked: frozenset[str]) -> bool:
        """Whether it has a word with a capital that the question lacks and no sentence begins."""
        names = list(_NAME.finditer(text))
        return any(
            name[0][0].isupper()
            and text[: name.start()].rstrip()[-1:] not in {"", ".", "!", "?", ":", "-", "*"}
            and not asked.issuperset(words(name[0]))
            for name in names
        )
