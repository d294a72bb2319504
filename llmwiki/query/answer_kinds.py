"""What a question asks for, and whether a text has it: a number of something, a time, a version.

A text that shares all its words with "How many members does the council have?" and counts no
members answers something else. The kinds are those that can be told from the words of a question;
each earned its place on four sets of questions to documents of strangers.
"""

from __future__ import annotations

import re

from llmwiki.core.language.search_terms import terms_of, words
from llmwiki.core.language.word_forms import base

_NUMBER = (
    r"(?:(?<!\d)\d++|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|dozen|half|twice|once|single|hundred"
    r"|thousand|million"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig"
    r"|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|einmal|zweimal|hundert"
    r"|tausend)\b)"
)
_AMOUNT = re.compile(rf"\W{{0,4}}({_NUMBER})", re.IGNORECASE)
"""The beginning of a word that is a number: `(6)`, `~29KB`, `20-25%`."""
_UNITS = (
    r"(?:second|minute|hour|day|week|month|quarter|year|bit|byte|character|page|line|met(?:er|re))s?"
    r"|sekunden?|minuten?|stunden?|tage?[ns]?|wochen?|monate?n?|jahre?n?|zeichen|zeilen|k?m|cm"
)
_KINDS = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE))
    for asked, given in (
        (
            r"\bhow long\b|\bwie lange?\b",
            rf"{_NUMBER}[ -]{{0,3}}(?:[\w-]{{1,30}} )?(?:{_UNITS})\b|\d ?m?[smh]\b"
            r"|\b(?:until|bis|forever|permanent|permanently|indefinitely|unbegrenzt)\b"
            r"|[\d一二三四五六七八九十][年月日時分秒か]",
        ),
        (
            r"\bhow (?:many|much)\b"
            r"|\bwie ?(?:vielen?|viel|hoch|groß|schnell|alt|weit|teuer)\b"
            r"|いくつ|何[人個件台本回番年月日秒分%A-Za-z]",
            rf"{_NUMBER}|[一二三四五六七八九十百千万]",
        ),
        (r"\bhow (?:large|big|fast|slow|old|tall|deep|high)\b", r"\d|\b(?:half|percent)\b"),
        (
            r"\bhow often\b|\bwie oft\b",
            rf"{_NUMBER}|\b(?:every|each|daily|weekly|monthly|always|never|jede[nrs]?|täglich)\b",
        ),
        (r"\b(?:which|what|welche[mnrs]?) (?:\w+ )?port\b", r"(?<![\w.])\d{2,5}(?![\w.]*\d)"),
        (
            r"\b(?:how much|what|was|wie) .{0,100}\b(?:price|costs?|fee|salary|money|allowance"
            r"|preis|kosten|kostet|geld|gebühr|gehalt)\b|\bwas kostet\b|値段|料金|価格|いくら",
            r"[$€£¥]|\b(?:free|usd|eur|gbp|cents?|dollars?|euros?|kostenlos|kostenfrei)\b"
            r"|\b(?:amount|price|costs?|fee|paid|total|betrag|preis|kosten)\b[^:;.]{0,20}: \d"
            r"|円|ドル|無料",
        ),
        (
            r"(?:\A|[,;]\s|\band\s)(?:when\b|on (?:what|which) da(?:y|te)\b"
            r"|(?:in )?(?:what|which) year\b)|\Awann\b|いつ",
            r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april"
            r"|may|june|july|august|september|october|november|december|when|after|before|until"
            r"|once|every|daily|weekly|monthly|annually|today|tomorrow|yesterday|always|never|uhr"
            r"|täglich|jährlich|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?"
            r"|sonntags?|januar|februar|märz|mai|juni|juli|oktober|dezember|sobald|nach|vor|bis)\b"
            r"|[年月日時]",
        ),
        (
            r"\Awho (?:was|were|won|wrote|led|\w+ed)\b",
            r"(?-i:(?<=[a-z*(,:;–] )@?[A-Z][a-z]++\b)",
        ),
        (
            r"\Awer (?:ist|sind|war|waren|wurde)\b",
            r"(?-i:\b(?!D(?:er|ie|as)\b)[A-ZÄÖÜ][^\W\dA-ZÄÖÜ]++ [A-ZÄÖÜ][^\W\dA-ZÄÖÜ]++\b)",
        ),
        (
            r"\Awhen (?:was|were|did)\b",
            r"\b(?:1[5-9]|20)\d\d\b|\d[./-]\d+[./-]\d|\b(?:january|february|march|april|may|june"
            r"|july|august|september|october|november|december|when|after|before|until)\b",
        ),
    )
)
"""What a question asks for, and what a text has that gives it."""
_COUNTED = re.compile(
    r"\b(?:how many|how much(?! (?:is|are|was|do|does|did|can|could|may|must|should|will|has|have"
    r"|of|time|money)\b)|wie ?vielen?|wie ?viel (?!geld\b)) ?(\S+(?: \S+)?)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\A(?:who|wer) (?:(?:may|can|could|will|would|should|must|has|have|had|kann|darf|muss|hat) )?"
    r"(\S+)|\Ahow (?:do|can|could|should|may|to)(?: (?:i|you|we|one))? (\S+)",
    re.IGNORECASE,
)
_HOW = re.compile(
    r"how (?:do|can|should|to|must|is|are)\b|what (?:must|should|do) (?:i|we|you) do\b"
    r"|wie (?:kann|muss|soll|wird|werden|geht|\w{1,30} (?:ich|man|wir)\b)",
    re.IGNORECASE,
)
_WHY = re.compile(r"why\b|warum\b|wieso\b|なぜ", re.IGNORECASE)
_BEFORE, _BEHIND = 3, 4
"""Words before and behind a number, among which what it counts is named."""


def terms_in(text: str) -> frozenset[str]:
    """The terms of a text in their base forms."""
    return frozenset(base(term) for word in words(text) for term in terms_of(word))


class AnswerKind:
    """What a question asks for."""

    def __init__(self, question: str) -> None:
        self._given = [given for asked, given in _KINDS if asked.search(question)]
        self._asked = frozenset(words(question))
        """Its words: what says nothing but them gives nothing."""
        self._counted = _named(_COUNTED, question)
        """The terms of what is counted."""
        self.asks_how = bool(_HOW.match(question))
        """Whether it asks how something is done."""
        self.asks_why = bool(_WHY.match(question))
        """Whether it asks for a reason, which mostly stands in a sentence beside."""
        self.done = _named(_DONE, question)
        """Of what somebody does: the writing in "Who wrote it?"."""

    @property
    def is_told(self) -> bool:
        """Whether a question asks for a thing of one of these kinds."""
        return bool(self._given or self._counted)

    def stands_in(self, text: str) -> bool:
        """Whether a text has what is asked for; True where nothing of these kinds is."""
        counts = not self._counted or self._counts(text.split())
        return counts and all(any(map(self._is_new, given.finditer(text))) for given in self._given)

    def _is_new(self, found: re.Match[str]) -> bool:
        """Whether what was found is a sign, or has a word that the question has not."""
        said = words(found[0])
        return not said or not self._asked.issuperset(said)

    def _counts(self, said: list[str]) -> bool:
        """Whether a number stands beside what is counted."""
        # "One of the members" counts nobody.
        pairs = zip(said, [*said[1:], ""], strict=True)
        found = ((at, _AMOUNT.match(word)) for at, (word, then) in enumerate(pairs) if then != "of")
        return any(
            not self._counted.isdisjoint(
                terms_in(" ".join(said[max(at - _BEFORE, 0) : at + _BEHIND + 1]))
            )
            for at, amount in found
            if amount
        )


def _named(pattern: re.Pattern[str], question: str) -> frozenset[str]:
    """The terms of the words that a pattern finds in a question."""
    found = pattern.search(question)
    return terms_in(" ".join(filter(None, found.groups()))) if found else frozenset()
