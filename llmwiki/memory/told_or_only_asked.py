"""Whether quoted words were told, judged by the whole sentence they stand in. Pure.

A piece cut out of a question, of an order to the agent or of something that is not to be kept reads
like a fact: "how often the maker wants Otto descaled", "change the six weeks to four". English and
German; what is refused wrongly can still be told in plain words.
"""

from __future__ import annotations

import re

from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import fold_quote

_END = lazy_pattern(r"[.!?][\"'”’)\]]*(?=\s|$)|[。！？]")
_BREAK = lazy_pattern(r"[:;]\s| [–—-] ")
"""Where a sentence begins anew: `change the page: the office is in Ghent`."""
_MARK = lazy_pattern(r"[,:;]\s")
MOST_PLACES = 20
"""Places of the same words that are looked at."""
_LEAD = r"(?:(?:please|and|but|so|or|also|then|now|ok|okay|well|yes|no|bitte|und|aber)\b,? )*+"
_ASKS = lazy_pattern(
    _LEAD + r"(?:(?:who|whom|whose|which|why|how|wer|wem|wen|wie|warum|wieso|wann|welche[rsnm]?|ob"
    r"|whether)\b|what(?!\s+(?:we|i|matters|counts)\b)\b"
    r"|(?:when|where|wo)\s+(?:is|are|was|were|do|does|did|can|could|should|would|will|shall|has"
    r"|have|must|ist|sind|war|liegt|steht|wird)\b"
    r"|(?:is|are|was|were|do|does|did|has|have|can|could|should|would|will|shall)\s+(?:the|our|my"
    r"|your|it|that|this|there|we|you|i|they|he|she|any|an?)\b"
    r"|was\s+(?:ist|sind|war|kostet|macht|heißt)\b)",
    re.IGNORECASE,
)
"""How a question begins that has no mark at its end."""
_ASKS_WITHIN = lazy_pattern(
    r"\b(?:how (?:often|many|much|long|far|old|late|soon|big)|why|whether|wie (?:oft|viele?|lange)"
    r"|warum|ob)\b",
    re.IGNORECASE,
)
_KEEPS = lazy_pattern(
    r"\b(?:remember|keep in mind|memory|(?:make|take) a note|note (?:that|down)|note:|write down"
    r"|merk(?:e|en)?|notier(?:e|en)?)\b",
    re.IGNORECASE,
)
"""Asks for words to be kept, be it as a question or an order."""
_RECALLS = lazy_pattern(r"\b(?:do|did|don't) you (?:still )?remember\b", re.IGNORECASE)
_LASTS = lazy_pattern(
    r"\b(?:always|never|from now on|in (?:the )?future|(?:each|every) time|whenever|by default"
    r"|until further notice|immer|nie|niemals|künftig|ab jetzt|ab sofort|von nun an)\b",
    re.IGNORECASE,
)
"""An order with such a word is a rule."""
_ORDERS = (
    r"(?:add|append|change|check|compare|correct|create|delete|describe|draft|edit|explain|fetch"
    r"|find|give|list|look|make|move|open|print|put|read|remove|rename|replace|search|show|summari[sz]e"
    r"|tell|translate|undo|update|write|ändere|schreib|schreibe|zeig|zeige|such|suche|lies|füge|lösche)\b"
)
_ORDER = lazy_pattern(
    _LEAD + r"(?:(?:can|could|will|would) you (?:please )?)?"
    r"(?:(?:on|in|at|from|to) (?:the|our|my|your|that|this) page\b.{0,80}?\s)?" + _ORDERS,
    re.IGNORECASE,
)
_NOT_KEPT = lazy_pattern(
    r"\b(?:do not|don['’]t|dont|never|not to|need not|no need to) (?:keep|remember|save|store|note"
    r"|record|memori[sz]e|write)(?: (?:it|this|that|them|any of (?:it|this|that)))(?: down)?"
    r"(?=\s*(?:$|[.,:;!?)]|in (?:the )?(?:memory|wiki)\b|anywhere\b|for later\b))"
    r"|\b(?:only|just) for (?:this|the|our) (?:talk|conversation|chat|session)\b|\boff the record\b"
    r"|\bnicht (?:merken|speichern|behalten|aufschreiben)\b|\bnur für dieses gespräch\b",
    re.IGNORECASE,
)


def why_not_told(text: str, words: str, kind: str) -> str:
    """Why `words` of what a person typed tell nothing that may be kept as a note of this kind;
    empty where one place in which they stand tells it."""
    said, wanted = fold_quote(text), fold_quote(words)
    ends = [found.end() for found in _END.finditer(said)]
    first, at = "", said.find(wanted)
    for _ in range(MOST_PLACES):
        if at < 0:
            break
        reason = _why_not(said, at, at + len(wanted), ends, kind)
        if not reason:
            return ""
        first = first or reason
        at = said.find(wanted, at + 1)
    return first


def _why_not(said: str, at: int, end: int, ends: list[int], kind: str) -> str:
    before = [each for each in ends if each <= at]
    behind = [each for each in ends if each >= end]
    start = before[-1] if before else 0
    stop = behind[0] if behind else len(said)
    around = said[before[-2] if len(before) > 1 else 0 : behind[1] if len(behind) > 1 else None]
    if _NOT_KEPT.search(around):
        return "the person says not to keep it"
    part = start + max((found.end() for found in _BREAK.finditer(said[start:at])), default=0)
    sentence, lead = said[part:stop].strip(), said[part:at].strip()
    if _KEEPS.search(sentence) and not _RECALLS.search(sentence):
        return ""
    clause = _MARK.split(said[part:at])[-1] + said[at:end]
    openings = (sentence, clause.strip(), said[at:end])
    asks = any(_ASKS.match(each) for each in openings)
    if asks or sentence.endswith(("?", "？")) or _ASKS_WITHIN.search(lead):
        return "its words are a piece of a question: it asks and tells nothing"
    is_order = kind != "task" and not _LASTS.search(sentence)
    if is_order and any(_ORDER.match(each) for each in openings):
        return "its words are a piece of an order to the agent: it tells nothing that lasts"
    return ""
