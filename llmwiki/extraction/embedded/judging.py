"""Whether a statement may be a claim, and how much it is worth, by its form and its place."""

from __future__ import annotations

import re

from llmwiki.extraction.embedded.names import is_cjk, is_code_name, is_generic
from llmwiki.extraction.embedded.shape import (
    first_word,
    is_clause,
    is_headless,
    is_order,
    is_verb,
    leans,
    points,
    stands_alone,
    weight_of,
)
from llmwiki.extraction.embedded.statements import DocumentStatement
from llmwiki.extraction.embedded.vocabulary import FUNCTION_WORDS, GENERIC, IMPERATIVES, VERBS
from llmwiki.language.plurals import word_set
from llmwiki.language.sentences import split_sentences

REJECTED = -10.0
_VERSE = 2.0
"""What a line is worth that its author set off from the text."""

_NUMBER = re.compile(r"(?<![\w.#])[0-9][0-9.,]*")
_STRONG = re.compile(
    r"\b(?:must|not|never|always|cannot|requires?|required|only|should|shall|at most|at least|"
    r"decided|agreed|chosen?|rejected|replaces?|instead of|rather than|because|unless|than|"
    r"by default|defaults? to|causes?|recommended|consists of|unlike|whereas|results? in|"
    r"leads? to|based on|means|allows?|supports?|without|no longer)\b|n['’]t\b",
    re.IGNORECASE,
)
_STRONG_JA = re.compile(
    r"必ず|必須|決して|禁止|できない|しない|なければ|べき|のみ|だけ|ため|より|比べ|決定|採用|却下|"
    r"代わり|場合|以上|以下|未満|最大|最小|上限|デフォルト|既定|推奨|特徴|重要|違い|原因|結果|でき(?:ます|る)|"
    r"します"
)
_JA_VERB = re.compile(
    r"(?:です|ます|こと|べき|不可|禁止|必須|可能|[るすくうむつぶぬただい])[)）」]?[。.]?$"
)
_JA_CUT = ("ため", "場合", "とき", "から")
_USER_STEPS = word_set("""click choose select open press type enter drag drop go navigate scroll tap
    hover pick paste see read visit learn look check try note consider imagine suppose let say
    remember think assume recall wait continue start find follow repeat proceed take tell create
    run install download clone make""")
"""What a person does at a screen, or with the text: no rules."""
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|i'm|i've|i'll|i'd|myself|mine)\b", re.IGNORECASE)
_WE = re.compile(r"\b(?:we|us|our|you|your)\b", re.IGNORECASE)
_EXAMPLE = re.compile(
    r"(?:.{0,200}: )?\W*(?:for example|for instance|examples?\b|an example\b|e\.g\.|i\.e\.|"
    r"imagine|suppose|consider|say\b|例えば|たとえば|例[:：])|"
    r".*\b(?:for example|for instance)\W{0,5}$",
    re.I,
)
_QUESTION = re.compile(r"[?？][\"'”’)\]*_`」』）]*(?:$|\s)")
_DECISION = re.compile(
    r"\b(?:[Ww]e(?: have)? (?:decided|agreed|chose|resolved|rejected|approved|accepted|postponed)|"
    r"(?:was|were|been) (?:decided|agreed|resolved|rejected|approved|accepted|postponed|chosen|"
    r"renamed|moved to)|[Rr]esolved:|[Aa]greed|[Cc]onsensus|[Aa]pproved|[Mm]erged)\b|"
    r"決[まめ定]|ことに(?:する|した|なった)|対応しない"
)
"""What of a talk is worth keeping most."""
_ACTION = re.compile(
    r"(?:[^:]{2,60}: )?(@[\w-]+|[A-Z]\w+)(?:(?:,? and |, | )(?:@[\w-]+|[A-Z]\w+)){0,3} "
    r"(?:will|to|is going to|volunteer(?:s|ed) to) [a-z]"
)
"""Who does what next."""
_MARKED = re.compile(r"\[(?:MUST|SHOULD|SHALL|MAY)(?: NOT)?\] ")
"""How strictly a rule holds: `[MUST]`."""
_NO_NAMES = VERBS | IMPERATIVES | FUNCTION_WORDS | GENERIC
_IDLE_TALK = re.compile(
    r"\b(?:no (?:update|news|questions|topics|new|issues|announcements)|nothing|skip(?:ped)?|"
    r"call|meetings?|feels?|welcome|congratulations|thank\w*|hello|hi all|i think|sounds good|"
    r"not sure|makes sense|was asked|asks|asked|wonders?|maybe|perhaps|probably)\b",
    re.IGNORECASE,
)
_LETTER_RUN = re.compile(r"[^\W\d_]{2,}")
_FURNITURE = re.compile(
    r"\{\{|\{%|<%|^\d{4}-\d\d-\d\d\b|^(?:/\*|//|#)|^[\"“][^\"”]*[\"”]$|"
    r"(?:19|20)\d\d (?:at )?\d{1,2}:\d\d|^[^:]{1,30}: https?://|\bTODO\b|^※|"
    r"^(?:welcome|hello|hi|congratulations|thanks?|thank you)\b|"
    r"^(?:Items? marked with|Extracted from|(?:Step|Phase|Day|Week) \d)\b|"
    r"^[A-Z][\w'’-]+, (?:[A-Z]\. ?){1,3}(?:,|&|\()[^()]{0,80}\((?:19|20)\d\d\)|"
    r"^\W*(?:sure|certainly|absolutely|great question|got it)[!,.]|\bi hope\b|hope this|"
    r"let me know|\b(?:copyright|all rights reserved|licensed under)\b",
    re.IGNORECASE,
)
"""Templates, references, forms, and how a chatbot opens and ends an answer."""
_BROKEN = re.compile(r"(?:\.\.\.|…)$|\$\$|\\[a-z]+\{|^\*")
"""Words that are cut off, formulas, and what is left of emphasis."""
_EMPTY = re.compile(
    r"\b(?:has|have|need|needs|offers?|provides?|are|is) "
    r"(?:many|several|various|a (?:few|lot|number|couple|variety)|some|lots) |"
    r"^(?:There|Here) (?:are|is) |^We have |"
    r"(?:共有|紹介)します|お問い合わせ|お願い(?:いた)?します|申し上げます|予定です|"
    r"\b(?:interesting|worth (?:noting|pointing|mentioning)|nice|actually|basically|essentially|"
    r"obviously|clearly|indeed|kind of|sort of|maybe|perhaps|"
    r"probably|hopefully|currently|recently|nowadays|today|yesterday|this (?:week|month|year)|"
    r"at the moment|so far|in the process of|in progress|plan(?:s|ned)? to|working on|"
    r"intends? to|^Some |surpris(?:ed|ingly)|potentially|would be (?:good|nice|great)|feels?)\b",
    re.IGNORECASE,
)
"""Sentences that announce, that hedge, and that hold for a day only."""
_OPENS_LIST = re.compile(r"[:：][\s*_`]{0,3}$")
"""What is said follows in another paragraph."""
_ONLY_CODE = re.compile(r"`[^`]+`\W?")
_LEAST = 4
"""Words of a statement."""
_UNENDED = 8
"""Words of a sentence without a full stop, as people write them in notes."""
_ENDED = re.compile(r"[.!。！](?:[\"'”’)\]*_`」』）]{0,3})$")


def score(statement: DocumentStatement) -> float:
    """From about -3 to 5; REJECTED for what can be no claim at all."""
    text = statement.own
    if not _is_possible(statement, text):
        return REJECTED
    if statement.kind == "verse":
        return _VERSE
    sentences = split_sentences(text) if statement.kind in ("sentence", "item") else []
    first = text[: sentences[0][1]] if sentences else text
    if statement.kind != "list" and not _is_whole(statement, first, text):
        return REJECTED
    if is_generic(statement.label):
        first = first.partition(": ")[2] or first
    return _content(statement, first, text) - _dependence(statement, first)


def _is_possible(statement: DocumentStatement, text: str) -> bool:
    if not _is_worded(text) or _FURNITURE.search(text):
        return False
    if statement.spoken and not _is_told(statement, text):
        return False
    if statement.written and _ONLY_CODE.fullmatch(statement.written):
        return False
    if _OPENS_LIST.search(text) and statement.kind != "list":
        return False
    if statement.talk and (_IDLE_TALK.search(text) or not _is_noted(statement, text)):
        return False
    if _EXAMPLE.match(text) or _EXAMPLE.match(statement.text) or _BROKEN.search(text):
        return False
    topical = statement.talk and statement.text != text
    led = (
        statement.kind == "list"
        or (statement.leads and statement.held)
        or topical
        or (statement.decided and statement.opens)
    )
    if not led and points(text):
        return False
    return text.count("(") == text.count(")") or statement.kind == "list"


def _is_worded(text: str) -> bool:
    """Whether a text is made of words, and neither a question nor damaged."""
    if text.startswith("[") and not _MARKED.match(text):
        return False
    if text.startswith(("…", "...", ")", "）", "(", "|", "$", "<", "—", "–", "- ")):
        return False
    if text.count("“") != text.count("”") or text.startswith("_"):
        return False
    if text.isupper() or text.count('"') % 2 or "\ufffd" in text or _QUESTION.search(text):
        return False
    letters = sum(map(str.isalpha, text))
    worded = is_cjk(text) or len(_LETTER_RUN.findall(text)) > 1
    return worded and letters * 2 >= len(text.replace(" ", ""))


def _is_told(statement: DocumentStatement, text: str) -> bool:
    """Whether what is said in a message was decided, or tells figures."""
    strong = len(_STRONG.findall(text)) + len(_NUMBER.findall(text))
    figure = (
        strong > 0 and weight_of(text) >= 8 and not (_WE.search(text) or _FIRST_PERSON.search(text))
    )
    told = statement.decided or figure or _DECISION.search(text) is not None
    return told and (statement.text != text or stands_alone(text, statement.label))


def _is_noted(statement: DocumentStatement, text: str) -> bool:
    """Whether notes of a meeting say of what something was said, or what was decided."""
    decided = statement.decided or _is_settled(text)
    if statement.kind == "item" and statement.text != text:
        placed = is_clause(text) or is_verb(text.casefold().split(), 0)
    else:
        placed = stands_alone(text) and not is_order(text)
    return decided or (placed and not _FIRST_PERSON.search(text))


def _is_settled(text: str) -> bool:
    """Whether words of a talk say what was decided, or who does what."""
    named = _ACTION.match(text)
    acting = named is not None and named[1].casefold() not in _NO_NAMES
    return acting or _DECISION.search(text) is not None


def _is_whole(statement: DocumentStatement, first: str, text: str) -> bool:
    """Whether the words are a sentence that says something by itself or below its introduction."""
    below = statement.text != text
    size = weight_of(text)
    leaning = not statement.held and leans(first)
    if (statement.kind == "sentence" or not below) and leaning:
        return False
    ended = _ENDED.search(text) is not None
    if is_cjk(text):
        item = statement.kind == "item"
        if leaning:
            return False
        ended = (_JA_VERB.search(text) is not None or bool(statement.label)) if item else ended
        return ended and size >= 6 and not text.endswith(_JA_CUT)
    if size < _LEAST:
        return False
    if statement.kind == "item" and below:
        said = statement.whole or statement.talk or statement.decided or bool(statement.label)
        return said and not leaning
    return _is_sentence(statement, first, text)


def _is_sentence(statement: DocumentStatement, first: str, text: str) -> bool:
    """Whether words that stand by themselves, or below a heading, are a whole sentence."""
    below, size = statement.text != text, weight_of(text)
    ended = _ENDED.search(text) is not None
    named = is_code_name(first.split(" ", 1)[0]) or bool(statement.definition) or below
    named = named or bool(statement.label)
    if first[:1].islower() and not (named or statement.topical):
        return False
    if statement.kind == "item":
        return bool(statement.label) or is_clause(text)
    if not (statement.whole or statement.label or statement.definition):
        return False
    if is_headless(first) and not below:
        return False
    told = is_clause(text) and size >= _UNENDED and text[-1:] not in ",;:-"
    told = told and text.rsplit(" ", 1)[-1] not in FUNCTION_WORDS
    told = told or ended or statement.decided
    return (told and (size > _LEAST or statement.definition is not None)) or statement.leads


def _content(statement: DocumentStatement, first: str, text: str) -> float:
    cjk = is_cjk(text)
    value = 0.5 if statement.kind == "list" else 0.0
    value += 0.5 * statement.definition.strength if statement.definition else 0.0
    value += 0.4 if statement.label or statement.talk else 0.0
    value += min(len(_NUMBER.findall(text)), 2) * 0.2
    value += min(len((_STRONG_JA if cjk else _STRONG).findall(text)), 3) * 0.25
    value += 0.6 if statement.opens and not statement.leads else 0.0
    value += 0.3 if statement.topical else 0.0
    value += 0.3 if statement.stressed else 0.0
    value += 0.4 if is_order(first) and first_word(first) not in _USER_STEPS else 0.0
    value += 0.8 if statement.decided or (statement.talk and _is_settled(text)) else 0.0
    value += 0.6 if statement.spoken else 0.0
    size = weight_of(text)
    value -= 0.4 if size < 7 and not statement.definition else 0.0
    return value


def _dependence(statement: DocumentStatement, first: str) -> float:
    """How much it leans on what stands around it in the document."""
    value = 1.0 if _EMPTY.search(first) else 0.0
    if statement.decided and (statement.opens or statement.talk):
        return value  # `We will use …` points at nothing there: it is what was decided.
    if is_cjk(statement.own):
        topical = statement.kind != "sentence" or re.search("[はがも]", first[:40])
        return value if topical or statement.text != statement.own else value + 1.0
    value += 2.5 if _FIRST_PERSON.search(first) else 0.0
    return value + (1.5 if first_word(first) in _USER_STEPS and is_order(first) else 0.0)
