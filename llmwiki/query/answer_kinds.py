"""What kind of thing a question asks for, and whether a text has one: a number, a price, a day.

A text that shares all its words with "How many members does the council have?" and holds no number
answers something else. The kinds are those that can be told from the words of a question.
"""

from __future__ import annotations

import re

from llmwiki.language.tokens import words

_NUMBERS = (
    r"zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|twice|once"
    r"|single|hundred|thousand|million|every|each|daily|weekly|monthly"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|einmal|zweimal|hundert|tausend"
)
_COUNTED = re.compile(rf"\d+(?:[.,]\d+)*|\b(?:{_NUMBERS})\b", re.IGNORECASE)
_REFERENCE = re.compile(
    r"\[\d{1,3}\]_?|\]\([^()\s]{0,500}|\]\[[^][\s]{0,100}|https?://[^\s]{0,500}"
    r"|(?:^|\s)\d{1,3}[.)]\s|[#v]\d[\d.]*"
)
"""Numbers that count nothing: of footnotes, in addresses, of items, of versions."""
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|large|big|fast|slow|old|tall|deep|high|often)\b"
    r"|\b(?:wie ?viele?|wie (?:lange?|hoch|oft|groß|schnell|alt|weit|teuer))\b"
    r"|いくつ|何[人個件台本回年日秒分%]",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"\d|\b(?:{_NUMBERS})\b|[一二三四五六七八九十百千万]", re.IGNORECASE)
_PRICE_ASKED = re.compile(
    r"\b(?:price|cost|costs|fee|salary|preis|kosten|kostet|gebühr|gehalt)\b|値段|料金|価格|いくら",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"[$€£¥]|\b(?:free|usd|eur|gbp|cents?|dollars?|euros?|kostenlos|kostenfrei)\b|円|ドル|無料",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"(?:\A|[,;]\s|\band\s)(?:when\b|on (?:what|which) da(?:y|te)\b"
    r"|(?:in )?(?:what|which) year\b)|\Awann\b|いつ",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|may"
    r"|june|july|august|september|october|november|december|when|after|before|until|once|every"
    r"|daily|weekly|monthly|annually|today|tomorrow|yesterday|always|never|uhr|täglich|jährlich|montags?|dienstags?|mittwochs?|donnerstags?|freitags?"
    r"|samstags?|sonntags?|januar|februar|märz|mai|juni|juli|oktober|dezember|sobald|nach|vor|bis)\b|[年月日時]",
    re.IGNORECASE,
)
_WHEN_DONE = re.compile(r"\Awhen (?:was|were|did)\b|\Awann wurden?\b", re.IGNORECASE)
_DATE = re.compile(
    r"\d|\b(?:today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|[年月日]"
)
_KINDS = ((_WHEN_DONE, _DATE), (_HOW_MANY, _NUMBER), (_PRICE_ASKED, _PRICE), (_WHEN, _DAY))
"""What a question asks for, and what a text has that gives it."""
_WHO = re.compile(r"\s*(?:who|whose|whom|wer|wem|wen)\b", re.IGNORECASE)
_DOER = re.compile(
    r"\b(?:by|is|are|was|were) (?:an?|the|its|their|our)\b|\b(?:die|der|das|eine?)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?:(?<=[\w,;&)’”*] )|@)\w[\w.+#'’-]*")
"""A word that no sentence begins with."""


class AnswerKind:
    """What a question asks for."""

    def __init__(self, question: str) -> None:
        self._given = [given for asked, given in _KINDS if asked.search(question)]
        self._told = {number.lower() for number in _COUNTED.findall(question)}
        self._asked = frozenset(words(question)) if _WHO.match(question) else None

    def stands_in(self, text: str) -> bool:
        """Whether a text has what is asked for; True where nothing of these kinds is."""
        counted = _COUNTED.sub(self._unless_told, _REFERENCE.sub(" ", text))
        if not all(given.search(counted) for given in self._given):
            return False
        if self._asked is None or _DOER.search(text):
            return True
        return any(
            (name[0] == "@" or name[0].isupper()) and not self._asked.issuperset(words(name))
            for name in _NAME.findall(text)
        )

    def _unless_told(self, number: re.Match[str]) -> str:
        """A number, or a blank for one that the question gave itself."""
        return " " if number[0].lower() in self._told else number[0]
