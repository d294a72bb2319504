"""Words of a question for the kind of answer that is wanted, not for what it is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from llmwiki.core.language.search_terms import is_cjk, terms_of
from llmwiki.core.language.word_forms import base
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.query.retrieval.weights import SCALE
from llmwiki.query.retrieval.word_scores import Term, idf

_ASKING = frozenset(
    """
    actual advantag against although anybodi anyon anyth anyway anywher arent ask aspect avoid bad
    becom belong benefit best better big call come cant caus concern con consist contain cope
    couldnt d deal deep defin definit depend describ detail didnt differ disadvantag discuss doesnt
    dont drawback enabl ensur everybodi everyon everyth everywher exact exampl exist explain fact
    fast featur find fine get give go goe good handl happen help hold idea im import includ inform
    insid instead introduc involv isnt issu ive keep kind know larg like ll long look lot m make
    main mani matter mean much necessari need nobodi noth occur often ok okay old overview part
    perform pleas point possibl prevent problem pros provid purpos put rather re realli reason refer
    regard relat requir role run say see serv shouldnt show slow somebodi somehow someon someth
    somewher sort still store strong stuff summaris summar summari suppos take talk tall tell that
    thing think topic tri understand use ve versus vs want wasnt way weak what whole wont work wors
    worst wouldnt
    """.split()  # noqa: SIM905
)
"""Words that only ask, and below German ones, as search terms: every start of a command would else
stem them anew. A test has the words, and fails where these are not what they are stemmed to."""
_ASKING_GERMAN = frozenset(
    """
    wann warum welch welchem welchen welcher wem wen wer wie wieso wieviel wo wofur woher wohin
    womit worub wovon wozu
    """.split()  # noqa: SIM905
)
_SMALL_GERMAN = frozenset(
    """
    aber al auch auf aus bei beim bevor bis damit dann darf das dass dem den denn der des dir du
    durch durfen ein einem einen einer er es fur gegen gibt haben heisst hoch ich ihr ihren im ist
    jeder jede kann kein konnen lang machen mein mich mir mit muss mussen nach nicht noch nur oder
    ohn passiert sein seinen sich sie sind soll sollen sollt tun um und un unser viel vom von vor
    wenn werden wird wir wurd wurden zu zum zur uber
    """.split()  # noqa: SIM905
)
"""Words of a German question, of which two tell that it is one; the index leaves out English ones
alone."""
_GERMAN_OR_ENGLISH = frozenset({"die", "hat", "man", "oft", "war"})
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


def asking_among(terms: Iterable[str]) -> frozenset[str]:
    """The terms that only ask, whatever their form, in a question of these terms."""
    if is_german(terms):
        return _ASKING.union(_ASKING_GERMAN, _SMALL_GERMAN, _GERMAN_OR_ENGLISH)
    return _ASKING


def is_german(terms: Iterable[str]) -> bool:
    """Whether terms are of a German question."""
    held = {base(term) for term in terms}
    return not held.isdisjoint(_ASKING_GERMAN) or len(held & _SMALL_GERMAN) > 1


def weights(question: str, terms: Iterable[Term], asking: float, pages: int) -> dict[str, int]:
    """How much each term counts for a passage: its rarity, in millionths, by `word_forms.base`.

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
    # Compiling it takes 2 ms, which a question without them need not pay.
    whole = frozenset() if question.isascii() else frozenset(_CJK_WORD.findall(question))
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
