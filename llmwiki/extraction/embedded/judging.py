"""How much a statement is worth keeping, judged by its own words and its place."""

from __future__ import annotations

import re

from llmwiki.extraction.embedded.leaning import leans
from llmwiki.extraction.embedded.names import is_cjk, is_code_name, is_generic
from llmwiki.extraction.embedded.statements import (
    DocumentStatement,
    has_verb,
    lacks_verb,
    stands_alone,
    weight_of,
)
from llmwiki.extraction.embedded.vocabulary import FINITE, IMPERATIVES, LABELS_IGNORED
from llmwiki.language.plurals import word_set
from llmwiki.language.sentences import split_sentences

REJECTED = -10.0
KEEP = 0.5
"""What a claim must reach."""
SPARE = 0.1
"""What it must reach in a text of few words, of which each sentence counts."""

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
_RULE = re.compile(
    r"\b(?:should|must|never|always|may|cannot|don't|use|avoid|prefer|recommended)\b", re.I
)
_POINTING = re.compile(
    r"\b(?:see (?:also|below|above|the|section|\[)|as follows|(?:the|these) following|"
    r"following [a-z]+|(?:as|like) (?:so|this|these|we)|"
    r"(?:shown|described|listed|mentioned|defined|discussed|given|noted|outlined|explained) "
    r"(?:below|above|here|earlier|previously|in (?:the|this) (?:section|next))|"
    r"the (?:above|previous|next|latter|former) [a-z]+|"
    r"(?:below|above)(?=\s*(?:[.,;:)]|$))|[a-z]+s? (?:below|above) [a-z]+|"
    r"here[.,]?$|see here|as you(?:'ve| can)|now you can|explore more|let's|let us|thanks?|"
    r"(?:we|you)['’](?:ll|d|ve)|we(?: (?:have|had) [a-z]+ed| will| have (?:seen|now)| saw| now|"
    r" can (?:now|see))|you will|"
    r"happy to|feel free|of course|so on|etc|keep in mind|(?:this|an|the) example|as shown|"
    r"(?:final|last|next|previous) (?:chapter|section)|"
    r"for more|for (?:information|details)|please|reach out|learn more|refer to|"
    r"(?:is|are) shown|(?:figure|diagram|screenshot|image|picture)s?|take a look|check out|"
    r"stay tuned|in case you|"
    r"in (?:this|the next) (?:section|article|post|chapter|guide|page|case|example)|"
    r"earlier|previously|at this point|as (?:mentioned|noted|said|well|before)|"
    r"(?:click|press|scroll|drag)(?:s|ing|ed)?)\b|→|->",
    re.IGNORECASE,
)
"""Words that point at other places of the text, lead through it, or tell of steps at a screen."""
_POINTING_JA = re.compile(
    r"以下|次の|これら|同様です|前の|上記|下記|後述|前述|参照|ご覧|"
    r"見て(?:みま|いきま|くだ)|次に示す|この(?:よう|とき|場合|例|ため)|その(?:ため|場合|とき)|"
    r"(?:リスト|図|表)\s?[0-9０-９]|第[0-9０-９]+章|議論します|訳注|主な記事|関連記事|ファイル名|今回|すでに見|後で|"
    r"ましょう|でしょう|ください|本(?:章|節|記事)|この(?:章|節|記事|ページ)|さて|ご存|思い(?:出|ま)|参考：|"
    r"こちら|ここ(?:で|では|まで|から)|例えば|たとえば|紹介|説明(?:し|する)"
)
_BACKWARD = re.compile(
    r"\b(?:these|those|such an?|the (?:same|other|others|latter|former|first one|second one|rest)|"
    r"(?:this|that) (?!PEP|RFC|DEP|EIP|KEP|document|guide|specification|standard|license|policy|"
    r"package|project|repository|proposal|library|tool|program|memo|is|are|was|were|the|an?|can|"
    r"will|would|should|must|may|has|have|had|do|does|did|it|they|you|we|there|all|each|any|no)"
    r"[a-z]{3,}(?<!s)|(?:because|of|for|with|by|to|like|than|from|in) (?:this|that)(?=[.,;]|$))\b"
    r"|, (?:it|they) |\b(?:will|would|can|may|is|are|and) then\b|\bagain\b|"
    r"\binstead(?=[.,;]|$)",
    re.IGNORECASE,
)
"""Words anywhere in a sentence that stand for what was said before it."""
_THING = re.compile(
    r"(?:The|A|An|One|Our|Your|Both|Most|Some) (?P<word>[\w-]+) "
    r"(?:is|are|was|were|has|have|had|can|will|must|should|may|does|do|allows?|means|needs?)\b"
)
_FURTHER = re.compile(
    r"(?:Another|Other|The other|A (?:second|third|further|different)|An alternative)\b|"
    r"\b[Ww]e (?!decided|agreed)(?:[a-z]+ed|left|did|made|had|were|was|took|got|saw)\b"
)
"""One more of things that were told before, and what the authors did."""
_JA_VERB = re.compile(
    r"(?:です|ます|こと|べき|不可|禁止|必須|可能|[るすくうむつぶぬただい])[)）」]?[。.]?$"
)
_JA_TOPIC = re.compile("[はがも]")
_USER_STEPS = word_set("""click choose select open press type enter drag drop go navigate scroll tap
    right-click hover pick paste see refer read visit learn look check try note consider imagine
    suppose let say remember think assume recall wait continue start find follow repeat please
    proceed take tell create run install download clone make first finally""")
"""What a person does at a screen, or with the text: no rules."""
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|i'm|i've|i'll|i'd|myself)\b", re.IGNORECASE)
_WE = re.compile(r"\b(?:we|us|our|you|your)\b", re.IGNORECASE)
_LABEL = re.compile(r"([^:：]{1,24})[:：]")
_EXAMPLE = re.compile(
    r"(?:.{0,200}: )?\W*(?:for example|for instance|examples?\b|an example\b|e\.g\.|"
    r"imagine|suppose|consider|say\b|例えば|たとえば|例[:：])|"
    r".*\b(?:for example|for instance)\W{0,5}$",
    re.I,
)
_QUESTION = re.compile(r"[?？][\"'”’)\]*_`」』）]*(?:$|\s)")
_DECISION = re.compile(
    r"\b(?:[Ww]e(?: have)? (?:decided|agreed|chose|resolved|rejected|approved|accepted|postponed)|"
    r"(?:was|were|been) (?:decided|agreed|resolved|rejected|approved|accepted|postponed|chosen|"
    r"renamed|moved to)|[Rr]esolved:)\b|決[まめ定]|ことに(?:する|した|なった)|対応しない"
)
"""What of a talk is worth keeping."""
_OF_MEETING = re.compile(
    r"\b(?:agenda|meeting|call|threads?|time|want|wants|potentially|would be|feels?|"
    r"(?:it|this|that)(?=[.,;]|$))\b",
    re.I,
)
"""What is decided of the talk itself, and what nobody decided."""
_URL = re.compile(r"https?://\S+")
_LETTER_RUN = re.compile(r"[^\W\d_]{2,}")
_CAPTION = re.compile(r"(?:リスト|図|表|Figure|Fig\.|Table|Listing)\s?[0-9０-９]|ファイル名[:：]")
_FURNITURE = re.compile(
    r"\{\{|\{%|^\d{4}-\d\d-\d\d\b|^(?:/\*|//|#)|^[\"“][^\"”]*[\"”]$|"
    r"#\d{2,6}$|(?:19|20)\d\d (?:at )?\d{1,2}:\d\d|^[^:]{1,30}: https?://|\bTODO\b|^※|"
    r"^(?:Items? marked with|Extracted from|(?:Step|Phase|Day|Week) \d)\b|"
    r"^[A-Z][\w'’-]+, (?:[A-Z]\. ?){1,3}(?:,|&|\()[^()]{0,80}\((?:19|20)\d\d\)|"
    r"^\W*(?:sure|certainly|absolutely|great question|got it)[!,.]|\bi hope\b|hope this|"
    r"let me know|\b(?:copyright|all rights reserved|licensed under)\b",
    re.IGNORECASE,
)
"""Templates, references, numbers of issues, forms, and how a chatbot opens and ends an answer."""
_BROKEN = re.compile(r"(?:\.\.\.|…)$|\$\$|\\[a-z]+\{|^\*")
"""Words that are cut off, formulas, and what is left of emphasis."""
_EMPTY = re.compile(
    r"\b(?:has|have|need|needs|offers?|provides?|are|is) "
    r"(?:many|several|various|a (?:few|lot|number|couple|variety)|some|lots) |"
    r"^(?:There|Here) (?:are|is) |(?:共有|紹介)します|お寄せ|お問い合わせ|ご連絡|予定です|"
    r"\b(?:interesting|worth (?:noting|pointing|mentioning)|nice|actually|basically|essentially|"
    r"obviously|clearly|unfortunately|fortunately|indeed|kind of|sort of|maybe|perhaps|probably|"
    r"hopefully|currently|recently|nowadays|today|yesterday|this (?:week|month|year)|"
    r"at the moment|so far|in the process of|in progress|plan(?:s|ned)? to|working on|"
    r"intends? to|^Some |surpris(?:ed|ingly)|potentially|would be (?:good|nice|great)|feels?)\b",
    re.IGNORECASE,
)
"""Sentences that announce, that hedge, and that hold for a day only."""
_CUT = re.compile(
    r"\b(?:the following|as follows|like (?:so|this)|could|do|as|is|are|with|by|use|run|type|"
    r"execute|enter|into)(?: [a-z]+){0,2}$"
)
"""How a sentence ends that says nothing without the code behind it."""
_OF_CONTEXT = word_set("it its it's they their he his she her")
"""What may stand for the heading or the introduction of an item."""
_LEAST = 4
"""Words of a statement."""
_CLAUSES = word_set("when if because whether while where since unless although though")
_OBJECT = frozenset(["the", "a", "an", "that", "whether", "to", "how"])
"""What follows a verb: a sentence that begins with one has lost its subject."""
_ENDED = re.compile(r"[.!。！](?:[\"'”’)\]*_`」』）]{0,3})$")


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
    if statement.kind != "list" and not _is_whole(statement, first, text, cjk):
        return REJECTED
    return _content(statement, first, text, cjk) - _dependence(statement, first, cjk)


def _is_possible(statement: DocumentStatement, text: str) -> bool:
    if text.startswith(("[", "…", "...", ")", "）", "(", "|", "$", "<", "—", "–", "- ")):
        return False
    if _QUESTION.search(text) or _FURNITURE.search(text) or _CAPTION.match(text):
        return False
    if statement.leads and (not _RULE.search(text) or _CUT.search(text)):
        return False
    if (statement.talk or statement.spoken) and not _is_decision(statement, text):
        return False
    if _EXAMPLE.match(text) or _EXAMPLE.match(statement.text) or _BROKEN.search(text):
        return False
    if text.isupper() or text.count('"') % 2 or "\ufffd" in text:
        return False
    letters = sum(map(str.isalpha, text))
    worded = is_cjk(text) or len(_LETTER_RUN.findall(text)) > 1
    if not worded or letters * 2 < len(text.replace(" ", "")):
        return False
    bare = _URL.sub("", text)
    if len(bare) < len(text) and weight_of(bare) < 6:
        return False
    return text.count("(") == text.count(")") or statement.kind == "list"


def _is_decision(statement: DocumentStatement, text: str) -> bool:
    """Whether what is said in a talk was decided, and tells of what; a figure does in a message."""
    strong = len(_STRONG.findall(text)) + len(_NUMBER.findall(text))
    figure = (
        statement.spoken and strong > 1 and not (_WE.search(text) or _FIRST_PERSON.search(text))
    )
    if not (statement.decided or figure or _DECISION.search(text)):
        return False
    told = statement.text != statement.own or stands_alone(text, statement.label)
    told = told and not _OF_MEETING.search(text)
    return told and weight_of(text) >= 4


def _is_whole(statement: DocumentStatement, first: str, text: str, cjk: bool) -> bool:
    """Whether the words are a sentence that says something by itself or below its introduction."""
    below = statement.text != statement.own
    if (statement.kind == "sentence" or not below) and leans(first):
        return False
    if cjk:
        ended = (_JA_VERB if statement.kind == "item" else _ENDED).search(text) is not None
        ended = ended or bool(statement.label and statement.kind == "item")
        return (
            ended and weight_of(text) >= 6 and not text.endswith(("ため", "場合", "とき", "から"))
        )
    words = first.casefold().split()
    word = words[0].strip("\"'“‘(*,:") if words else ""
    verbal = not lacks_verb(words) or (word in IMPERATIVES and first[:1].isupper())
    ends_in_s = any(each.endswith("s") for each in words[1:4])
    verbal = verbal or (statement.kind == "sentence" and ends_in_s)
    if statement.kind == "item" and below:
        context = statement.text.removesuffix(statement.own).casefold().split()
        said = verbal or has_verb(context) or (bool(statement.label) and weight_of(text) > _LEAST)
        return said and weight_of(text) >= _LEAST and (word in _OF_CONTEXT or not leans(first))
    if not verbal or weight_of(text) < _LEAST:
        return False
    if word in FINITE - IMPERATIVES and " " in first and not below:
        return False
    if word in _CLAUSES and ", " not in first:
        return False
    named = is_code_name(first.split(" ", 1)[0]) or bool(statement.definition) or below
    if first[:1].islower() and not named:
        return False
    if word.endswith("ing") and words[1:2] and words[1] in ("how", "what", "why", "whether"):
        return False
    if statement.kind == "item":
        return (
            bool(statement.label)
            or word in IMPERATIVES
            or has_verb(words, sure=True)
            or (_ENDED.search(text) is not None and not has_verb(words))
        )
    return statement.leads or bool(_ENDED.search(text))


def _content(statement: DocumentStatement, first: str, text: str, cjk: bool) -> float:
    value = 0.5 if statement.kind == "list" else 0.2
    value += 0.5 * statement.definition.strength if statement.definition else 0.0
    value += 0.4 if statement.label else 0.0
    value += min(len(_NUMBER.findall(text)), 2) * 0.3
    value += min(len((_STRONG_JA if cjk else _STRONG).findall(text)), 3) * 0.3
    value += 0.6 if statement.opens else 0.0
    value += 0.8 if statement.opens and statement.decided else 0.0
    value += 0.2 if statement.topical else 0.0
    value += 0.3 if statement.stressed else 0.0
    word = first.split(" ", 1)[0].casefold().strip(",:")
    if word in IMPERATIVES and word not in _USER_STEPS:
        value += 0.6
    if statement.talk or statement.spoken:
        value += 0.6
    size = weight_of(text)
    unended = not (cjk or statement.leads or _ENDED.search(text))
    value -= 0.3 if statement.kind == "item" and unended else 0.0
    value -= 0.3 if size < 7 and not statement.definition and statement.kind == "sentence" else 0.0
    value -= 0.4 if size > 50 else 0.0
    return value


def _dependence(statement: DocumentStatement, first: str, cjk: bool) -> float:
    """How much it leans on what stands around it in the document."""
    label = _LABEL.match(statement.own)
    value = 1.2 if label and label[1].strip(" *").casefold() in LABELS_IGNORED else 0.0
    value += 2.0 if statement.adrift else 0.0
    value += 0.8 if _EMPTY.search(first) else 0.0
    if statement.opens and statement.decided:
        # `We will use …` points at nothing there: it is what was decided.
        return value
    if cjk:
        value += 3.0 if _POINTING_JA.search(statement.own) else 0.0
        if statement.kind == "sentence" and not _JA_TOPIC.search(first[:40]):
            value += 0.5
        return value
    value += 2.0 if _FURTHER.search(first) else 0.0
    value += 1.5 if _FIRST_PERSON.search(first) else 0.0
    if statement.kind == "list":
        return value
    value += 3.0 if _POINTING.search(statement.own) else 0.0
    value += 1.2 if _BACKWARD.search(first) else 0.0
    words = first.casefold().split()
    word = words[0].strip("\"'“‘(*,:") if words else ""
    below = statement.text != statement.own
    if word in _USER_STEPS:
        value += 1.5 if below else 2.0
    thing = _THING.match(first)
    if thing and not below and not statement.opens:
        vague = is_generic(thing["word"]) and not statement.definition
        value += 0.8 if vague else 0.0
    if not below and word.endswith("s") and words[1:2] and words[1] in _OBJECT:
        value += 1.2
    value += 0.2 if _WE.search(first) else 0.0
    return value
