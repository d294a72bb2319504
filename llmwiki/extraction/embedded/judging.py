"""How much a statement is worth keeping, judged by its own words alone."""

from __future__ import annotations

import re

from llmwiki.extraction.embedded.names import is_cjk
from llmwiki.extraction.embedded.statements import DocumentStatement, lacks_verb, weight_of
from llmwiki.extraction.embedded.vocabulary import (
    IMPERATIVES,
    JA_POINTERS,
    LABELS_IGNORED,
    OPENERS_DEPENDENT,
    PRONOUNS,
)
from llmwiki.language.plurals import word_set

REJECTED = -10.0
KEEP = 0.6
"""What a claim must reach."""
SPARE = 0.3
"""What it must reach in a short document, of which each sentence counts."""

_NUMBER = re.compile(r"(?<![\w.])[~≈<>≤≥$€£¥]?[0-9][0-9.,]*\s*(?:%|[a-zA-Zµ]{1,3}\b|[^\x00-\x7f])?")
_STRONG = re.compile(
    r"\b(?:must|never|always|cannot|can't|required|requires|only|should|shall|at most|at least|"
    r"guarantees?|decided|agreed|chose|chosen|rejected|replaces?|instead of|rather than|because|"
    r"unless|than|compared|reduces?|increases?|causes?|caused|prefer(?:red)?|recommended|"
    r"discouraged|"
    r"depends on|consists of|differs?|unlike|whereas|measured|results? in|leads? to|defaults? to|"
    r"by default|founded|invented|introduced|released|created by|developed|based on|allows?|"
    r"supports?|means|failed|costs?|kept|deleted)\b",
    re.IGNORECASE,
)
_STRONG_JA = re.compile(
    r"必ず|必須|決して|禁止|できない|しない|なければ|べき|のみ|だけ|ため|より|比べ|決定|採用|却下|"
    r"代わり|場合|以上|以下|未満|最大|最小|上限|デフォルト|既定|推奨|特徴|重要|違い|原因|結果|でき(?:ます|る)|"
    r"します"
)
_POINTING = re.compile(
    r"\b(?:see (?:also|below|above|the|section|\[)|as follows|the following|"
    r"following (?:steps|example|code|table|list|figure)|"
    r"(?:shown|described|listed|mentioned|defined|discussed|given|noted|outlined|explained) "
    r"(?:below|above|here|earlier|previously|in (?:the|this) (?:section|next))|"
    r"the (?:above|previous|next|latter|former) [a-z]+|"
    r"(?:this|these|those) (?:is|are|was|were|means|will|would|should|can|could|does|makes|allows|"
    r"includes|has|gives)|"
    r"below|above|here[.,]?$|see here|as you've|now you can|explore more|let's|let us|thanks?|"
    r"we'll|we'd|happy to|feel free|of course|so on|"
    r"for more (?:information|details)|learn more|refer to|take a look|check out|stay tuned|"
    r"in this (?:section|article|post|chapter|guide|page|case|example))\b",
    re.IGNORECASE,
)
_CLAUSE_LEANING = re.compile(
    r"(?:No|Yes), |(?:We|You|I) .*\b(?:it|them)\b|(?:Because|If|When|Since|Although|Though|While|"
    r"As|Unless|Once|After|Before|For|In|To) "
    r"(?:[\w'-]+ )?(?:it|its|it's|they|their|them|this|that|these|those|he|she|such)\b"
)
"""A sentence whose first words point back."""
_DEICTIC = re.compile(
    r"\b(?:this|these|those|such an?) (?!PEP|document|guide|specification|standard|license|policy|"
    r"package|project|repository|who|that|which|of|in)[a-z]\w+|\b(?:do|does|did) (?:this|that|it)\b"
)
_OF_ITSELF = re.compile(
    r"This (?:PEP|RFC|document|guide|page|note|specification|report|paper|article|memo|package|"
    r"project|library|policy|chapter) [a-z]+s\b"
)
_LEANING = re.compile(
    r"\b(?:(?:in|at|with|for|from|after|before|by|on|under|of|using|like|to|than) "
    r"(?:this|these|that|those|such|it|them)(?=[ ,.;]|$)|by doing so|once done|as a result|"
    r"as such|(?:the|an?|each) (?:other|same|latter|former)|the (?:first|second) one|steps? [0-9]|"
    r"so that it|until then|"
    r"do so|does so|does not either|either way|both (?:are|of))\b",
    re.IGNORECASE,
)
_POINTING_JA = re.compile(
    r"以下の|次の(?:よう|通り|表|例|コード|コマンド)|上記|下記|後述|前述|参照|ご覧|"
    r"見て(?:みま|いきま|くだ)|"
    r"(?:この|その|これら|それら|あの|同じ)[^、。]{0,10}|これ[をはがにらで]|それ[をはがにらで]|ここで|"
    r"(?:リスト|図|表)\s?[0-9０-９]|第[0-9０-９]+章|議論します|訳注|主な記事|関連記事|ファイル名|今回|すでに見|後で|"
    r"しましょう|でしょう|ください|本(?:章|節|記事)|この(?:章|節|記事|ページ)|さて|ご存|思い(?:出|ま)"
)
_JA_TOPIC = re.compile("[はがも]")
_JA_REASON = re.compile(r"(?:からです|からだ|わけです|わけだ|のです|のだ|ですね|ましたね)。?$")
"""Endings of a sentence that explains the one before."""
_USER_STEPS = word_set("""click choose select open press type enter drag drop go navigate scroll tap
    right-click hover pick paste see refer read visit learn look check try note consider imagine
    suppose let say remember think assume recall wait continue start find follow repeat""")
"""What a person does at a screen, or with the text: no rules."""
_AT_A_SCREEN = re.compile(
    r"\b(?:[Cc]lick|[Ss]elect|[Cc]hoose|[Tt]ap|[Pp]ress|[Oo]pen|[Tt]oggle|[Tt]ype)(?: on)?"
    r"(?: the| your)? [A-Z\"“+]|→"
)
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|i'm|i've|i'll|i'd)\b", re.IGNORECASE)
_THE_READER = re.compile(r"\b(?:you|your|you'll|you're)\b", re.IGNORECASE)
_LABEL = re.compile(r"([^:：]{1,24})[:：]")
_EXAMPLE = re.compile(
    r"\W*(?:for example|for instance|examples?\b|e\.g\.|imagine|suppose|consider|say\b|"
    r"例えば|たとえば|例[:：])"
    r"|.*\b(?:for example|for instance|such as this)\W{0,5}$",
    re.I,
)
_QUESTION = re.compile(r"[?？][\"'”’)\]*_`」』）]*$")
_LEADING_IN = re.compile(r"[:：][\"'”’)\]*_`]*$")
_URL = re.compile(r"https?://\S+")
_BROKEN_END = re.compile(
    r"(?:\b(?:the|a|an|of|and|or|to|with|for|in|is|are)|[,;–—(])$", re.IGNORECASE
)
_LETTER_RUN = re.compile(r"[^\W\d_]{2,}")
_RULE = re.compile(
    r"\b(?:should|must|never|always|may|cannot|don't|use|avoid|prefer|recommended)\b", re.I
)
_CAPTION = re.compile(r"(?:リスト|図|表|Figure|Fig\.|Table|Listing)\s?[0-9０-９]")
_CONDITION = re.compile(r"(?:If|When|Where|Once|Unless) [^.;]{8,200}, ")
_ONE_VALUE = re.compile(r"[^:：]{1,40}[:：]\s*\S+")
_LIKE_THIS = re.compile(
    r"\b(?:as in|like this|like so|e\.g\.?|as follows|following|example)\W{0,5}$", re.I
)
_CITATION = re.compile(
    r"^\W*\[?\d+\]|\bet al\.|\bdoi:|\barXiv:|©|all rights reserved", re.IGNORECASE
)
_ENDED = (".", "。", "!", "！", ")", "）", "”", "」", "…", "`", ":", "：", '"')


def score(statement: DocumentStatement) -> float:
    """From about -3 to 6; REJECTED for what can be no claim at all."""
    text = statement.own
    if not _is_possible(statement, text):
        return REJECTED
    if statement.kind == "verse":
        return 2.0
    cjk = is_cjk(text)
    value = _length(statement, text, cjk) + _content(statement, text, cjk)
    value -= _dependence(statement, text, cjk)
    if damaged := text.count("\ufffd"):
        value -= 1.2 + 12 * damaged / len(text)
    return value


def _is_possible(statement: DocumentStatement, text: str) -> bool:
    if text.startswith(("[", "…", "...", ")", "）", "(", "|")) or _QUESTION.search(text):
        return False
    if _CAPTION.match(text) or (statement.kind == "sentence" and _ONE_VALUE.fullmatch(text)):
        return False
    if statement.leads and (not _RULE.search(text) or _LIKE_THIS.search(text)):
        return False
    if len(_LETTER_RUN.findall(text)) < 2 and not is_cjk(text):
        return False
    letters = sum(map(str.isalpha, text))
    if statement.kind in ("sentence", "item") and letters * 2 < len(text.replace(" ", "")):
        return False
    bare = _URL.sub("", text)
    if len(bare) < len(text) and weight_of(bare) < 5:
        return False
    balanced = text.count("(") == text.count(")") or statement.kind == "item"
    return balanced and text.count("\ufffd") * 8 < len(text)


def _length(statement: DocumentStatement, text: str, cjk: bool) -> float:
    size = weight_of(text if statement.kind == "sentence" else statement.text)
    if size < 3:
        return -3.0
    if statement.kind == "code":
        return 0.5
    if size < (6 if cjk else 5):
        return -1.2 if statement.kind == "sentence" else -0.4
    return 0.4 if size <= 45 else -0.2


def _content(statement: DocumentStatement, text: str, cjk: bool) -> float:
    value = 0.6 * statement.definition.strength if statement.definition else 0.0
    value += 0.8 if statement.label else 0.0
    value += min(len(_NUMBER.findall(text)), 2) * 0.25
    value += min(len((_STRONG_JA if cjk else _STRONG).findall(text)), 3) * 0.35
    value += 0.5 if statement.opens else 0.0
    value += 0.3 if _CONDITION.match(text) else 0.0
    value += 0.5 if _OF_ITSELF.match(text) and statement.opens else 0.0
    first = text.split(" ", 1)[0].casefold().strip(",:")
    if first in IMPERATIVES and first not in _USER_STEPS:
        value += 0.5
    elif statement.text == text and not cjk and lacks_verb(text.casefold().split()):
        value -= 1.2 if not statement.label else 0.4
    if statement.kind == "sentence" and not text.endswith(_ENDED) and not statement.label:
        value -= 0.8
    return value


def _dependence(statement: DocumentStatement, text: str, cjk: bool) -> float:
    """How much it leans on what stands around it in the document."""
    pointing = statement.kind != "code" and (_POINTING_JA if cjk else _POINTING).search(text)
    value = 1.5 if pointing else 0.0
    first = re.split(r"[\s'’,:;]", text.lstrip("\"'“‘(*"), maxsplit=1)[0].casefold()
    resolved = statement.text != text and statement.kind == "sentence"
    we = first in ("we", "our") or (statement.opens and bool(_OF_ITSELF.match(text)))
    if first in PRONOUNS and not (resolved or we or (statement.spoken and first in ("i", "my"))):
        value += 2.2
    value += 1.2 if first in OPENERS_DEPENDENT else 0.0
    value += 2.0 if _BROKEN_END.search(text) or _CITATION.search(text) else 0.0
    value += 1.5 if _EXAMPLE.match(statement.text) else 0.0
    value += 1.0 if statement.adrift else 0.0
    label = _LABEL.match(statement.text)
    if label and label[1].strip(" *").casefold() in LABELS_IGNORED:
        value += 1.2
    if cjk:
        value += 1.8 if text.startswith(JA_POINTERS) else 0.0
        if statement.kind == "sentence" and not _JA_TOPIC.search(text[:40]):
            value += 0.5
        return value + (1.0 if _JA_REASON.search(text) else 0.0)
    if first in _USER_STEPS:
        value += 2.5
    if not statement.spoken:
        value += 1.0 if _FIRST_PERSON.search(text) else 0.0
    value += 0.2 if _THE_READER.search(text) else 0.0
    value += 0.7 if statement.step else 0.0
    value += 1.5 if _AT_A_SCREEN.search(text) and not text.startswith("To ") else 0.0
    if statement.kind == "sentence" and text[:1].islower() and not statement.opens:
        value += 1.2
    if not resolved and statement.kind != "code":
        value += 1.2 if _CLAUSE_LEANING.match(text) else 0.0
        value += 0.9 if _LEANING.search(text) or _DEICTIC.search(text) else 0.0
    return value
