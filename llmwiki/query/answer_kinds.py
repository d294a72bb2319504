"""What kind of thing a question asks for, and whether a text has one: a number, a price, a day.

A text that shares all its words with "How many members does the council have?" and holds no number
answers something else. The kinds are those that can be told from the words of a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmwiki.language.sentences import split_sentences
from llmwiki.language.tokens import words

WINDOW = 2
"""Sentences side by side in which an answer is looked for."""
LONG = 240
"""Characters up to which a text is looked at whole."""
_NAME = re.compile(r"(?<!\w)[^\W_][\w.+#'’-]*")
_NUMBERS = (
    r"zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|twice|once"
    r"|single|hundred|thousand|million"
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_COUNTED = re.compile(rf"{_DIGITS.pattern}|\b(?:{_NUMBERS})\b", re.IGNORECASE)
_REFERENCE = re.compile(
    r"\[\d{1,3}\]_?|\]\([^()\s]{0,500}|\]\[[^][\s]{0,100}|https?://[^\s]{0,500}"
    r"|(?:^|\s)\d{1,3}[.)]\s|[#v]\d[\d.]*"
)
"""Numbers that count nothing: of footnotes, in addresses, of items, of versions."""


_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|large|big|fast|slow|old|tall|deep|high)\b"
    r"|いくつ|何[人個件台本回年日秒分%]",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\bhow many\b(?! percent)|いくつ|何[人個件台本]", re.IGNORECASE)
_NO_COUNT = re.compile(
    r"\d[\d.,]{0,20} ?(?:%|percent\b|per cent\b|パーセント)|(?<![\d.,])(?:19|20)\d\d(?![\d.,])",
    re.IGNORECASE,
)
"""Numbers that tell not how many there are: shares, years."""
_NUMBER = re.compile(rf"\d|\b(?:{_NUMBERS})\b|[一二三四五六七八九十百千万]", re.IGNORECASE)
_PRICE_ASKED = re.compile(
    r"\b(?:price|cost|costs|fee|salary)\b|値段|料金|価格|いくら", re.IGNORECASE
)
_PRICE = re.compile(
    r"[$€£¥]|\b(?:free|usd|eur|gbp|cents?|dollars?|euros?)\b|円|ドル|無料", re.IGNORECASE
)
_WHEN = re.compile(
    r"(?:\A|[,;]\s|\band\s)(?:when\b|on (?:what|which) da(?:y|te)\b"
    r"|(?:in )?(?:what|which) year\b)|いつ",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|may"
    r"|june|july|august|september|october|november|december|when|after|before|until|once|every"
    r"|daily|weekly|monthly|annually|today|tomorrow|yesterday|always|never)\b|[年月日時]",
    re.IGNORECASE,
)
_WHICH_COMMAND = re.compile(r"\b(?:which|what) (?:[\w-]{1,40} )?command\b|コマンド", re.IGNORECASE)
_COMMAND = re.compile(r"[`$“\"]|--\w")
_KINDS = (
    (_HOW_MANY, _NUMBER),
    (_PRICE_ASKED, _PRICE),
    (_WHEN, _DAY),
    (_WHICH_COMMAND, _COMMAND),
)
"""What a question asks for, and what a text has that gives it."""
_BY = re.compile(r"\b(?:by|is|are|was|were) (?:an?|the|its|their|our)\b", re.IGNORECASE)
_WHO = re.compile(r"\s*(?:who|whose|whom)\b", re.IGNORECASE)


def windows(text: str) -> Iterator[str]:
    """The runs of `WINDOW` sentences of a text; a short text is one."""
    if len(text) <= LONG:
        yield text
        return
    spans = split_sentences(text) or [(0, len(text))]
    for at in range(max(len(spans) - WINDOW + 1, 1)):
        few = spans[at : at + WINDOW]
        yield text[few[0][0] : few[-1][1]]


class AnswerKind:
    """What a question asks for."""

    def __init__(self, question: str) -> None:
        self._given = [given for asked, given in _KINDS if asked.search(question)]
        said = words(question)
        counts = enumerate(_NUMBERS.split("|")[:13])
        self._told = frozenset(_DIGITS.findall(question)).union(
            each for n, word in counts if word in said for each in (str(n), word)
        )
        self._counts = _COUNT.search(question) is not None
        self._asked = frozenset(words(question)) if _WHO.match(question) else None

    def stands_in(self, text: str) -> bool:
        """Whether a text has what is asked for; True where nothing of these kinds is."""
        if self._given:
            counted = _REFERENCE.sub(" ", text)
            counted = _NO_COUNT.sub(" ", counted) if self._counts else counted
            counted = _COUNTED.sub(self._unless_told, counted)
            if not all(given.search(counted) for given in self._given):
                return False
        if self._asked is None:
            return True
        return bool(_BY.search(text)) or self._names_another(text, self._asked)

    def _unless_told(self, number: re.Match[str]) -> str:
        """A number, or a blank for one that the question gave itself."""
        return " " if number[0].lower() in self._told else number[0]

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
