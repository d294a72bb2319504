"""How much a statement is worth keeping, judged by its own words and its place."""

from __future__ import annotations

import re

from llmwiki.extraction.embedded.leaning import leans
from llmwiki.extraction.embedded.names import is_cjk
from llmwiki.extraction.embedded.statements import (
    DocumentStatement,
    lacks_verb,
    weight_of,
)
from llmwiki.extraction.embedded.vocabulary import IMPERATIVES, LABELS_IGNORED
from llmwiki.language.plurals import word_set
from llmwiki.language.sentences import split_sentences

REJECTED = -10.0
KEEP = 0.4
"""What a claim must reach."""
SPARE = 0.3
"""What it must reach in a short document, of which each sentence counts."""

_NUMBER = re.compile(r"(?<![\w.])[~≈<>≤≥$€£¥]?[0-9][0-9.,]*\s*(?:%|[a-zA-Zµ]{1,3}\b|[^\x00-\x7f])?")
_STRONG = re.compile(
    r"\b(?:must|never|always|cannot|can't|required|requires|only|should|shall|at most|at least|"
    r"guarantees?|decided|agreed|chose|chosen|rejected|replaces?|instead of|rather than|because|"
    r"unless|than|compared|reduces?|increases?|causes?|caused|prefer(?:red)?|recommended|"
    r"discouraged|proposes?|encouraged|"
    r"depends on|consists of|differs?|unlike|whereas|measured|results? in|leads? to|defaults? to|"
    r"by default|founded|invented|introduced|released|created by|developed|based on|allows?|"
    r"supports?|means|states that|failed|costs?|kept|deleted)\b",
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
    r"(?:below|above)(?=\s*(?:[.,;:)]|$))|[a-z]+s? (?:below|above) (?:[a-z]+s|are|will|can|should)|"
    r"here[.,]?$|see here|as you've|now you can|explore more|let's|let us|thanks?|"
    r"we'll|we'd|happy to|feel free|of course|so on|keep in mind|this example|"
    r"for more (?:information|info|details)|please|reach out|learn more|refer to|"
    r"take a look|check out|stay tuned|"
    r"in this (?:section|article|post|chapter|guide|page|case|example))\b",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\([^()]{1,80}\)")
_POINTING_JA = re.compile(
    r"以下の|次の(?:よう|通り|表|例|コード|コマンド)|上記|下記|後述|前述|参照|ご覧|"
    r"見て(?:みま|いきま|くだ)|次に示す|"
    r"(?:リスト|図|表)\s?[0-9０-９]|第[0-9０-９]+章|議論します|訳注|主な記事|関連記事|ファイル名|今回|すでに見|後で|"
    r"ましょう|でしょう|ください|本(?:章|節|記事)|この(?:章|節|記事|ページ)|さて|ご存|思い(?:出|ま)|参考：|"
    r"こちら"
)
_JA_TOPIC = re.compile("[はがも]")
_USER_STEPS = word_set("""click choose select open press type enter drag drop go navigate scroll tap
    right-click hover pick paste see refer read visit learn look check try note consider imagine
    suppose let say remember think assume recall wait continue start find follow repeat please
    proceed""")
"""What a person does at a screen, or with the text: no rules."""
_AT_A_SCREEN = re.compile(r"\b[Cc]lick(?:s|ing|ed)?\b|→")
_ANNOUNCED = re.compile(
    r"(?:There|Here) (?:are|is) (?:[\w-]+ ){1,4}"
    r"(?:ways?|reasons?|steps?|options?|things?|types?|kinds?|methods?)\b"
)
"""A sentence that says how many things follow, and not which."""
_OBJECT = frozenset(["the", "a", "an", "that", "whether", "to", "how"])
"""What follows a verb: a sentence that begins with one has lost its subject."""
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|i'm|i've|i'll|i'd)\b", re.IGNORECASE)
_LABEL = re.compile(r"([^:：]{1,24})[:：]")
_EXAMPLE = re.compile(
    r"\W*(?:for example|for instance|examples?\b|an example (?:would be|is)\b|e\.g\.|"
    r"(?:this|the following) example|"
    r"imagine|suppose|consider|say\b|"
    r"例えば|たとえば|例[:：])"
    r"|.*\b(?:for example|for instance|such as this)\W{0,5}$",
    re.I,
)
_QUESTION = re.compile(r"[?？][\"'”’)\]*_`」』）]*$")
_DECISION = re.compile(
    r"(?:^|\. )We(?:'ll|’ll| will| won't)|\b(?:decided|agreed|consensus|[Rr]esolved|[Rr]ejected|"
    r"will (?:open|file|send|write|present|make|move|bring)|[Aa]ction items?|AI:|postponed|"
    r"will be [a-z]{2,20}ed|approved|accepted|chosen?|next step|renamed?|[Mm]oved? .{0,40}\bto)\b|"
    r"\b[Ss]tage \d|決[まめ定]|方針|ことに(?:する|した|なった)|進める|対応しない"
)
"""What of a talk is most worth keeping."""
_URL = re.compile(r"https?://\S+")
_LETTER_RUN = re.compile(r"[^\W\d_]{2,}")
_RULE = re.compile(
    r"\b(?:should|must|never|always|may|cannot|don't|use|avoid|prefer|recommended)\b", re.I
)
_CAPTION = re.compile(r"(?:リスト|図|表|Figure|Fig\.|Table|Listing)\s?[0-9０-９]|ファイル名[:：]")
_MARKS = re.compile(
    r"\{\{|\{%|#\d{2,6}$|[\[(]\d{1,3} ?(?:min(?:ute)?s?|h|hrs?)\.?[\])]\W*$|covered (?:by|in):|"
    r"(?:19|20)\d\d (?:at )?\d{1,2}:\d\d|^[^:]{1,30}: https?://",
    re.IGNORECASE,
)
"""Marks of a template, the number that the title of an issue ends with, who is to speak, when."""
_CHATTY = re.compile(
    r"\W*(?:sure|certainly|absolutely|of course|great question|got it)[!,.]|"
    r"(?:here(?:'s| is| are)|below (?:is|are)) |i hope|hope this|let me know|"
    r"your (?:understanding|question|request)\b|None\b",
    re.IGNORECASE,
)
"""How a chatbot opens and ends an answer, and a form that was left empty."""
_BOILERPLATE = re.compile(
    r"^※|(?:ため|場合|とき)(?:（[^（）]{1,80}）)?$|"
    r"^(?:Items? marked with|Extracted from)\b|^There (?:is|are), however,|"
    r"^[A-Z][\w'’-]+, (?:[A-Z]\. ?){1,3}(?:,|&|\()[^()]{0,80}\((?:19|20)\d\d\)|"
    r"^(?:メモ程度|[^。]{0,60}(?:共有|紹介)します)|"
    r"\b(?:has|have|need|offers?|provides?) (?:many|several|various|a few) (?:[a-z]+ ){0,3}"
    r"(?:options?|settings?|features?|ways?|commands?)\b"
)
"""Forms, references, and sentences that announce and say nothing."""
_CUT = re.compile(
    r"\b(?:the following|as follows|like (?:so|this)|could|do|as|is|are|with|by)(?: [a-z]+){0,2}$|"
    r"\b(?:permits|allows|gives) the following\b"
)
"""How a sentence ends that says nothing without the code behind it."""
_LEAST_REPORTED = 8
_ENDED = (".", "。", "!", "！", ")", "）", "”", "」", "…", "`", ":", "：", '"')


def score(statement: DocumentStatement) -> float:
    """From about -3 to 6; REJECTED for what can be no claim at all."""
    text = statement.own
    if not _is_possible(statement, text):
        return REJECTED
    if statement.kind == "verse":
        return 2.0
    cjk = is_cjk(text)
    sentences = split_sentences(text) if statement.kind in ("sentence", "item") else []
    first = text[: sentences[0][1]] if sentences else text
    value = _length(statement, text, cjk) + _content(statement, first, text, cjk)
    value -= _dependence(statement, first, cjk)
    if damaged := text.count("\ufffd"):
        value -= 1.2 + 12 * damaged / len(text)
    return value


def _is_possible(statement: DocumentStatement, text: str) -> bool:
    if text.startswith(
        ("[", "…", "...", ")", "）", "(", "|", "$", "<", "—", "–", "- ")
    ) or _QUESTION.search(text):
        return False
    if (
        _CHATTY.match(text)
        or _BOILERPLATE.search(text)
        or _MARKS.search(statement.text)
        or _CAPTION.match(text)
    ):
        return False
    if statement.leads and (not _RULE.search(text) or _CUT.search(text)):
        return False
    if statement.talk and not _is_kept(statement, text):
        return False
    if len(_LETTER_RUN.findall(text)) < 2 and not is_cjk(text):
        return False
    letters = sum(map(str.isalpha, text))
    if statement.kind in ("sentence", "item") and letters * 2 < len(text.replace(" ", "")):
        return False
    bare = _URL.sub("", text)
    if len(bare) < len(text) and weight_of(bare) < 6:
        return False
    balanced = text.count("(") == text.count(")") or statement.kind in ("item", "list")
    return balanced and text.count("\ufffd") * 8 < len(text)


def _is_kept(statement: DocumentStatement, text: str) -> bool:
    """Whether something said in a talk is a decision, or a report in whole sentences."""
    if statement.decided or _DECISION.search(text):
        return True
    told = statement.speaker or _LABEL.match(text) or text[:1].islower()
    return not told and text.endswith((".", "。"))


def _length(statement: DocumentStatement, text: str, cjk: bool) -> float:
    size = weight_of(text if statement.kind == "sentence" else statement.text)
    if size < 3:
        return -3.0
    if statement.kind == "code":
        return 0.5
    if size < (6 if cjk else 5):
        return -1.2 if statement.kind == "sentence" else -0.4
    brief = statement.kind == "sentence" and size < 7 and not cjk
    return 0.1 if brief and not statement.definition else 0.4


def _content(statement: DocumentStatement, first: str, text: str, cjk: bool) -> float:
    value = 0.5 * statement.definition.strength if statement.definition else 0.0
    value += 0.5 if statement.label else 0.0
    value += 0.6 if statement.kind == "list" else 0.0
    value += min(len(_NUMBER.findall(text)), 2) * 0.2
    value += min(len((_STRONG_JA if cjk else _STRONG).findall(text)), 3) * 0.3
    value += 0.6 if statement.opens else 0.0
    word = first.split(" ", 1)[0].casefold().strip(",:")
    if word in IMPERATIVES and word not in _USER_STEPS:
        value += 0.5
    elif (
        statement.text == statement.own
        and not (cjk or text.endswith("."))
        and lacks_verb(first.casefold().split())
    ):
        value -= 1.2 if not statement.label else 0.4
    if statement.talk and (statement.decided or _DECISION.search(text)):
        value += 0.8
    elif statement.talk and weight_of(text) < _LEAST_REPORTED:
        value -= 0.8
    whole = text.endswith(_ENDED) or statement.label or statement.leads
    if statement.kind == "sentence" and not whole:
        value -= 0.8
    return value


def _dependence(statement: DocumentStatement, first: str, cjk: bool) -> float:
    """How much it leans on what stands around it in the document."""
    if statement.kind in ("code", "list"):
        return 1.5 if _EXAMPLE.match(statement.own) else 0.0
    plain = _IN_BRACKETS.sub("", first)
    pointing = _POINTING_JA.search(statement.own) if cjk else _POINTING.search(plain)
    value = 1.5 if pointing else 0.0
    word = re.split(r"[\s'’,:;]", first.lstrip("\"'“‘(*"), maxsplit=1)[0].casefold()
    decides = statement.talk and (statement.decided or _DECISION.search(first))
    if (statement.text == statement.own or statement.talk) and not decides and leans(first):
        value += 2.2
    value += 1.5 if _EXAMPLE.match(statement.own) else 0.0
    value += 1.6 if statement.adrift else 0.0
    label = _LABEL.match(statement.own)
    if label and label[1].strip(" *").casefold() in LABELS_IGNORED:
        value += 1.2
    if cjk:
        if statement.kind == "sentence" and not _JA_TOPIC.search(first[:40]):
            value += 0.5
        return value
    if word in _USER_STEPS:
        value += 2.5
    words = first.casefold().split()
    if statement.text == first and word.endswith("s") and words[1:2] and words[1] in _OBJECT:
        value += 1.2
    if not (statement.talk or (statement.spoken and _DECISION.search(first))):
        value += 1.0 if _FIRST_PERSON.search(first) else 0.0
    value += 0.3 if statement.step else 0.0
    value += 1.2 if _AT_A_SCREEN.search(first) else 0.0
    value += 1.2 if _ANNOUNCED.match(first) and statement.kind == "sentence" else 0.0
    if statement.kind == "sentence" and first[:1].islower() and not statement.opens:
        value += 1.2
    return value
