"""How much a statement is worth keeping, judged by its own words alone."""

from __future__ import annotations

import re

from llmwiki.extraction.embedded.acronyms import expansions
from llmwiki.extraction.embedded.names import is_cjk, singular
from llmwiki.extraction.embedded.statements import DocumentStatement, has_verb, weight_of
from llmwiki.extraction.embedded.vocabulary import (
    GENERIC,
    IMPERATIVES,
    JA_POINTERS,
    LABELS_IGNORED,
    OPENERS_DEPENDENT,
    PRONOUNS,
)
from llmwiki.language.plurals import word_set

REJECTED = -10.0
KEEP = {"sentence": 0.5, "item": 0.8, "row": 0.7}
"""What a claim must reach where there are enough statements."""
SPARE = -1.0
"""What it must reach in a document too short to fill its share otherwise."""

_NUMBER = re.compile(r"(?<![\w.])[~≈<>≤≥$€£¥]?[0-9][0-9.,]*\s*(?:%|[a-zA-Zµ]{1,3}\b|[^\x00-\x7f])?")
_STRONG = re.compile(
    r"\b(?:must|never|always|cannot|can't|required|requires|only|should|shall|at most|at least|"
    r"guarantees?|decided|agreed|chose|chosen|rejected|replaces?|instead of|rather than|because|"
    r"unless|than|compared|faster|slower|larger|smaller|reduces?|increases?|causes?|caused|"
    r"depends on|consists of|differs?|unlike|whereas|measured|results? in|leads? to|defaults? to|"
    r"founded|invented|introduced|released|created by|developed|based on)\b",
    re.IGNORECASE,
)
_STRONG_JA = re.compile(
    r"必ず|必須|決して|禁止|できない|しない|のみ|だけ|ため|より|比べ|決定|採用|却下|代わり|場合|"
    r"以上|以下|未満|超え|最大|最小|上限|デフォルト|既定|推奨|特徴|重要|違い|原因|結果"
)
_POINTING = re.compile(
    r"\b(?:see (?:also|below|above|the|section|\[)|as follows|shown (?:below|above|in)|"
    r"described (?:below|above|in|here)|listed (?:below|above)|mentioned|"
    r"(?:this|that|these|those|the (?:above|following|previous|next|same|latter|former)) "
    r"(?:page|section|document|article|post|chapter|guide|table|figure|list|paper|note|example|"
    r"tutorial|recipe|command|step|code|is|are|was|means)|below|above|click|"
    r"let's|let us|thank|we'll|we'd|i'm|i've|i'll|you'll|happy to|feel free|"
    r"in this (?:section|document|article|post|chapter|guide|page|case))\b",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"\b(?:(?:in|at|with|for|from|after|before|by|on|under|of|using) (?:this|these|that|those|such)"
    r"(?: [a-z-]+)?|by doing so|(?:this|that) way|once done|as a result|steps? [0-9]|"
    r"the (?:first|second|other|same|latter|former) one)\b",
    re.IGNORECASE,
)
_THE_GENERIC = re.compile(
    r"(?:The|An?|One|Another) ([a-z]+),? (?=is|was|are|were|of|to|that|here|in|has)"
)
_BARE_PRONOUN = re.compile(r"(?:[\w'’,-]+ ){1,4}(?:it|they|them|he|she|him)\b")
_IMPERATIVE = re.compile(
    rf"^(?:[\w'’,-]+ ){{0,4}}(?:{'|'.join(sorted(map(re.escape, IMPERATIVES)))})\b", re.IGNORECASE
)
_STEP = re.compile(r", (?:then )?(?:select|click|choose|open|run|type|press|enter|set|go to) ")
_POINTING_JA = re.compile(
    r"以下の(?:通り|よう|表|構造|図)|次の(?:通り|よう|表)|上記|下記|後述|参照|本(?:ドキュメント|記事|章|節|稿)"
)
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|you|your|we|our|us)\b", re.IGNORECASE)
_SPEAKERS = word_set("i we our my")
"""Words that say who where the speaker is known."""
_SECOND_PERSON = re.compile(r"\b(?:you|your|you'll|let's)\b", re.IGNORECASE)
_LABEL = re.compile(r"([^:：]{1,24})[:：]")
_EXAMPLE = re.compile(
    r"(?:for example|for instance|examples?\b|e\.g\.|imagine|suppose|例えば|たとえば)", re.I
)
_QUESTION = re.compile(r"[?？][\"'”’)\]*_`」』）]*$")
_LEADING_IN = re.compile(r"[:：][\"'”’)\]*_`]*$")
_URL = re.compile(r"https?://\S+")
_ENDING_WORD = re.compile(r"\b(?:the|a|an|of|and|or|to|with|for|in|is|are)$", re.IGNORECASE)
_LETTER_RUN = re.compile(r"[^\W\d_]{2,}")
_CITATION = re.compile(r"^\W*\[?\d+\]|\bet al\.|\bdoi:|\barXiv:", re.IGNORECASE)


def score(statement: DocumentStatement) -> float:
    """From about -3 to 6; REJECTED for what can be no claim at all."""
    text = statement.own
    if not _possible(statement, text):
        return REJECTED
    cjk = is_cjk(text)
    value = _length(statement, text, cjk) + _content(statement, text, cjk)
    value -= _dependence(statement, text, cjk)
    damaged = text.count("\ufffd")
    if damaged:
        value -= 1.2 + 12 * damaged / len(text)
    colon = _LABEL.match(statement.text)
    if colon and colon[1].strip(" *").casefold() in LABELS_IGNORED:
        value -= 1.2
    if _EXAMPLE.match(statement.text):
        value -= 1.5
    context = statement.text.removesuffix(text)
    if context and (
        _SECOND_PERSON.search(context) or context.split(" ", 1)[0].casefold() in PRONOUNS
    ):
        value -= 1.2
    if statement.adrift:
        value -= 0.8
    if statement.first_in_section:
        value += 0.7 if is_cjk(text) else 0.4
    return value


def _possible(statement: DocumentStatement, text: str) -> bool:
    if text.startswith(("[", "…", "...", ")", "）")) or _QUESTION.search(text):
        return False
    if _LEADING_IN.search(text):
        return False
    if len(_LETTER_RUN.findall(text)) < 2 and not is_cjk(text):
        return False
    letters = sum(map(str.isalpha, text))
    plain = "\ufffd" not in text and not statement.figures and not is_cjk(text)
    if plain and letters * 2 < len(text.replace(" ", "")):
        return text.count("$") < 2 and letters * 3 > len(text)
    without = _URL.sub("", text)
    if len(without) < len(text) and weight_of(without) < 5:
        return False
    if text.count("(") != text.count(")") and statement.kind != "item":
        return False
    return text.count("\ufffd") * 8 < len(text)


def _length(statement: DocumentStatement, text: str, cjk: bool) -> float:
    size = weight_of(text)
    if statement.kind == "row":
        return -0.4 if statement.figures else 0.5 if size >= (6 if cjk else 8) else -0.2
    least = 5 if cjk else 6
    if not cjk and len(text.split()) < 3:
        return -1.6
    if size < 3:
        return -3.0
    if statement.labelled and size < 9 and not cjk and not has_verb(text.casefold().split()):
        return -0.4
    if size < least:
        return -0.6 if statement.kind == "item" else -1.6
    return 0.5 if size <= 45 else 0.0


def _content(statement: DocumentStatement, text: str, cjk: bool) -> float:
    value = 0.0
    if statement.definition:
        value += 0.6 * statement.definition.strength
    if statement.label or statement.labelled:
        value += 0.9 if statement.kind != "row" else 0.4
    if statement.labelled and expansions(text[:200]):
        value += 1.0
    if statement.kind == "item" and statement.text == text and not statement.labelled:
        value += 0.3
    figures = len(_NUMBER.findall(text))
    value += min(figures, 3) * 0.25
    strong = (_STRONG_JA if cjk else _STRONG).findall(text)
    value += min(len(strong), 3) * 0.35
    if statement.kind == "sentence":
        words = [word.casefold() for word in text.split()]
        if not cjk and not has_verb(words):
            value -= 1.0
        if not text.endswith((".", "。", "!", "！", ")", "）", "”", "」", "…", "`")):
            value -= 0.5
    return value


def _dependence(statement: DocumentStatement, text: str, cjk: bool) -> float:
    """How much it leans on what stands around it in the document."""
    value = 1.2 if (_POINTING_JA if cjk else _POINTING).search(text) else 0.0
    first = text.split(" ", 1)[0].strip("\"'“‘(*").casefold()
    pointing = first.rstrip(",;:'s’") in PRONOUNS or first.split("'")[0].split("’")[0] in PRONOUNS
    if pointing and not (statement.spoken and first in _SPEAKERS):
        value += 2.2
    if first.rstrip(",;:") in OPENERS_DEPENDENT:
        value += 1.2
    if _ENDING_WORD.search(text) or _CITATION.search(text):
        value += 2.0
    if cjk:
        return value + (1.8 if text.startswith(JA_POINTERS) else 0.0)
    if not statement.label:
        value += _instruction(statement, text, first.rstrip(","))
    if _LEANING.search(text) or _BARE_PRONOUN.match(text):
        value += 1.5
    generic = _THE_GENERIC.match(text)
    if generic and singular(generic[1].casefold()) in GENERIC:
        value += 0.9
    return value + min(len(_FIRST_PERSON.findall(text)), 4) * 0.25


def _instruction(statement: DocumentStatement, text: str, first: str) -> float:
    """Steps to follow state nothing; a sentence that starts in lower case is a piece of one."""
    value = 2.0 if first in IMPERATIVES else 0.0
    if _STEP.search(text):
        value += 1.5
    if statement.ordered and _IMPERATIVE.search(text):
        value += 1.4
    if statement.kind == "sentence" and text[:1].islower():
        value += 1.0
    return value
