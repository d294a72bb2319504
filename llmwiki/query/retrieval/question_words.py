"""Words of a question for the kind of answer that is wanted, not for what it is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from llmwiki.core.language.inflections import base
from llmwiki.core.language.tokens import is_cjk, terms_of, words
from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.query.retrieval.score import Term, idf
from llmwiki.query.retrieval.weights import SCALE

_ASKING = """
    actually advantage advantages against although anybody anyone anything anyway anywhere
    arent ask aspect avoid avoids bad become belong belongs benefit benefits best better big
    call called came cant cause causes come comes coming concerning cons consist consists
    contain content contents cope could couldnt d deal deals deep define defined definition
    depend depends describe description detail details didnt differ difference different
    disadvantage disadvantages discuss do does doesnt dont drawback drawbacks else enable
    ensure everybody everyone everything everywhere exactly example examples exist exists
    explain explanation fact facts fast feature features find fine get gets getting give given
    gives go goes good got handle handles happen happened happening happens help helps hold
    holds how idea im important include information inside instead introduce introduced
    involve isnt issue issues ive keep keeps kept kind kinds know known large let like ll long
    look looks lot lots m made main make makes many matter matters mean meaning means meant
    much necessary need needed needs nobody nothing occur occurs often ok okay old overview
    part parts perform please point possible prevent problem problems pros provide provides
    purpose put puts rather re really reason reasons refer refers regarding regards relate
    require requires role run runs said say says see serve serves shouldnt show shows slow
    somebody somehow someone something somewhere sort sorts still store stored stores
    strengths stuff summarise summarize summary supposed take takes talk tall tell tells thats
    thing things think topic try understand use used useful uses using ve versus vs want wants
    wasnt way ways weakness weaknesses whats whole wont work working works worse worst would
    wouldnt
"""
_ASKING_GERMAN = """
    wann warum welche welchem welchen welcher welches wem wen wer wie wieso wieviel wieviele wo
    wofür woher wohin womit worüber wovon wozu
"""
_SMALL_GERMAN = """
    aber als auch auf aus bei beim bevor bis damit dann darf das dass dem den denn der des dir du
    durch dürfen ein eine einem einen einer eines er es für gegen gibt haben heißt hoch ich ihr ihre
    ihren im ist jeder jedes kann kein keine können lange machen mein meine mich mir mit muss müssen
    nach nicht noch nur oder ohne passiert sein seine seinen sich sie sind soll sollen sollte tun um
    und uns unser unsere viel viele vom von vor wenn werden wird wir wurde wurden zu zum zur über
"""
"""Words of a German question, of which two tell that it is one; the index leaves out English ones
alone."""
_GERMAN_OR_ENGLISH = "am an die hat in man oft war was"
ASKING_CJK = frozenset(
    "怎么麼什甚吗嗎呢的了是哪谁誰几幾多少何为為如有在里裡ですかはのをにがどうやってまるい？"
)
"""Characters that hold a Chinese or Japanese question together."""
_CJK_WORD = lazy_pattern(r"(?<![\u4e00-\u9fff])[\u4e00-\u9fff]{2}(?![\u4e00-\u9fff])")
"""A word of two Chinese characters between others."""


FEW = 100
"""Pages among which a word's rarity is told at least."""
CJK_FEW = 20
"""The same of Chinese, Japanese and Korean."""

LONGEST = 200
"""Characters of the longest question that is taken for one about a definition."""

_DOER = lazy_pattern(r"\s*(?:who|whose|when|where)\b", re.IGNORECASE)

_DEFINES = lazy_pattern(
    r"\s*+(?:(?:what|who)(?:\s++(?:is|are|was|were)|['’]s)|define|explain|describe)\s++"
    rf"(?:an?\s++|the\s++)?(?P<name>.{{1,{LONGEST}}}?)(?:\s++in\s++.+)?[\s?.!]*\Z"
    rf"|\s*+what\s++(?:does|do)\s++(?:an?\s++|the\s++)?(?P<what>.{{1,{LONGEST}}}?)\s++"
    r"(?:mean|consist\s++of|contain|look\s++like)[\s?.!]*\Z",
    re.IGNORECASE,
)
_YES_OR_NO = lazy_pattern(
    r"\s*(?:can|could|may|might|must|should|is|are|was|were|do|does|did|has|have|will)\b",
    re.IGNORECASE,
)
_CHANGE = lazy_pattern(
    r"\b(?:chang(?:e|es|ed)|used to|previous(?:ly)?|former(?:ly)?|before|earlier|history|"
    r"evolved?|over time|originally|at first)\b",
    re.IGNORECASE,
)
_ADVERB = lazy_pattern(r"\b[a-z]{3,}ly\b")
_MANNER = lazy_pattern(r"\b[a-z]{3,}(?:ly|ed|ous|ful|able|ible|ive|less)\b")


@lru_cache(maxsize=4)
def _terms_of_words(words_that_ask: str) -> frozenset[str]:
    return frozenset(base(term) for word in words(words_that_ask) for term in terms_of(word))


def asking_among(terms: Iterable[str]) -> frozenset[str]:
    """The terms that only ask, whatever their form, in a question of these terms."""
    listed = [_ASKING]
    if is_german(terms):
        listed += [_ASKING_GERMAN, _SMALL_GERMAN, _GERMAN_OR_ENGLISH]
    return frozenset().union(*map(_terms_of_words, listed))


def is_german(terms: Iterable[str]) -> bool:
    """Whether terms are of a German question."""
    held = {base(term) for term in terms}
    asking, small = _terms_of_words(_ASKING_GERMAN), _terms_of_words(_SMALL_GERMAN)
    return not held.isdisjoint(asking) or len(held & small) > 1


def weights(question: str, terms: Iterable[Term], asking: float, pages: int) -> dict[str, int]:
    """How much each term counts for a passage: its rarity, in millionths, by `forms.base`.

    Rarity is that among at least `FEW` pages: where a wiki has a handful, every word stands on a
    good part of them, and one that stands nowhere would count more than all others.
    That of a character or a pair of Chinese, Japanese or Korean is told among the pages of its
    script, of which the question's most frequent one stands on nearly all: an ending that every
    page of a script has would else be rare in a wiki of several languages (measured).
    A word that only asks counts the part `asking` of it; where nothing else is asked, in full.
    An adverb, adjective or participle, told by its ending, counts half, and a quarter where the
    wiki does not use it: people choose them freely, and nouns and plain verbs say what a question
    is about. Where a question asks who, when or where, for the doer or the day of what a verb
    says, nothing counts less; where it wants a yes or no, only adverbs do.
    """
    manner = set()
    if not asks_who(question):
        pattern = _ADVERB if _YES_OR_NO.match(question) else _MANNER
        spoken = pattern.findall(question.lower())
        manner = {term for word in spoken for term in terms_of(word)}
    found: dict[str, int] = {}
    asked = list(terms)
    whole = frozenset(_CJK_WORD.findall(question))
    cjk_pages = max([CJK_FEW, *(term.df for term in asked if is_cjk(term.text))])
    for term in asked:
        part = 1.0 if term.text not in manner else 0.5 if term.df else 0.25
        among = max(pages, FEW)
        if is_cjk(term.text):
            part, among = _cjk_part(term, whole), cjk_pages
        weight = int(idf(among, term.df) * part)
        found[base(term.text)] = max(weight, found.get(base(term.text), 0))
    only_ask = asking_among(term.text for term in asked)
    if only_ask.issuperset(found):
        return found
    return {t: int(w * asking) if t in only_ask else w for t, w in found.items()}


def _cjk_part(term: Term, whole: Collection[str]) -> float:
    """How much of its rarity a character or a pair counts.

    A pair that stands nowhere mostly spans two words: a quarter, unless it is a word by itself.
    """
    if ASKING_CJK.issuperset(term.text):
        return 0
    if len(term.text) == 1 or term.text in whole:
        return 1
    return 0.25 if not term.df or ASKING_CJK.intersection(term.text) else 1


def share(
    weighted: Mapping[str, int], held: Collection[str], instead: Mapping[str, int] | None = None
) -> int:
    """The share of the terms that is held, by weight, in millionths; of no terms it is 0.

    Terms that stand `instead` of others count where they are held, up to the whole.
    """
    whole = sum(weighted.values())
    found = sum(w for term, w in {**(instead or {}), **weighted}.items() if term in held)
    return min(found, whole) * SCALE // whole if whole else 0


def asks_who(question: str) -> bool:
    """Whether a question asks for the doer, the day or the place of what its verb means."""
    return bool(_DOER.match(question))


def defined(question: str) -> str:
    """What a question asks to have defined: `a claim` of "What is a claim?"; else empty."""
    found = _DEFINES.match(question) if len(question) <= LONGEST else None
    return next((part for part in found.groups() if part), "") if found else ""


def asks_of_change(question: str) -> bool:
    """Whether a question asks what held before too."""
    return bool(_CHANGE.search(question))
