"""The extractor that needs no model: what a person plainly asks to be kept. Pure.

Few forms, in English and Japanese, each exact: what is not one of them teaches nothing here. The
note is the person's own words; no word is added to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from llmwiki.core.language.sentences import sentence_pieces
from llmwiki.memory.conversation import LearnedItem, LearnedQuote, Statement
from llmwiki.pages.memory_notes import topic_key

MAX_SENTENCE = 400
"""Characters of a sentence that is looked at."""
_END = " .!?。！？\t"


class _Form(NamedTuple):
    kind: str
    pattern: re.Pattern[str]


_ASKED = re.compile(
    r"(?:please )?(?:remember|keep in mind|note)(?: that\b|:|,)\s*+(?P<what>\S.*)", re.I
)
_CORRECTED = re.compile(r"(?:correction|actually)[:,]\s*+(?P<what>\S.*)", re.I)
_PREFERRED = re.compile(r"(?P<what>i (?:(?:always|usually|generally) )?prefer \S.*)", re.I)
_DECIDED = re.compile(
    r"(?P<what>we(?: have|'ve|’ve)? (?:decided|agreed) (?:to|that|on|against) \S.*)", re.I
)
_RULED = re.compile(r"(?P<what>from now on,? \S.*)", re.I)
_ASKED_JA = re.compile(r"(?:覚えておいて|覚えて|記憶して)[:：、,]\s*+(?P<what>\S.*)")
_ASKED_JA_END = re.compile(
    r"\A(?P<what>\S.{0,390}?)(?:ということ)?(?:と|を|、)(?:覚えておいて|覚えて|記憶して)"
    r"(?:ください|下さい|ね)?"
)
_CORRECTED_JA = re.compile(r"訂正[:：、,]\s*+(?P<what>\S.*)")
_PREFERRED_JA = re.compile(
    r"\A(?P<what>(?:私は|僕は|俺は)?\S.{0,300}?のほうが(?:好き|いい)(?:です|だ)?)"
)
_DECIDED_JA = re.compile(
    r"\A(?P<what>\S.{0,300}?(?:ことに(?:決めた|決めました|しました)|に(?:決めた|決めました|決まりました)))"
)

_FORMS = (
    _Form("fact", _ASKED),
    _Form("fact", _CORRECTED),
    _Form("preference", _PREFERRED),
    _Form("decision", _DECIDED),
    _Form("procedure", _RULED),
    _Form("fact", _ASKED_JA),
    _Form("fact", _ASKED_JA_END),
    _Form("fact", _CORRECTED_JA),
    _Form("preference", _PREFERRED_JA),
    _Form("decision", _DECIDED_JA),
)

_SLOT = re.compile(
    r"(?:the |our |my |your )?(?P<key>[^\s,;:][^,;:]{0,60}?) (?:is now|are now|is|are|will be|=) "
    r"(?P<value>\S.{0,200})",
    re.I,
)
_SLOT_JA = re.compile(
    r"(?:私の|うちの|我々の)?(?P<key>[^はがをに、。\s]{1,30})は(?:今は|現在)?(?P<value>\S.{0,100}?)(?:です|だ|である|になりました)?"
)
_POINTING = frozenset(
    {"it", "this", "that", "there", "here", "he", "she", "they", "we", "you", "i", "one"}
    | {"what", "which", "who", "these", "those"}
)
"""Words that say nothing of what a sentence is about."""
_NOW = re.compile(r",? (?:now|from now on|as of today)$", re.I)


def explicit_items(statements: Iterable[Statement]) -> tuple[LearnedItem, ...]:
    """What a person plainly asked to be kept, in the order it was said; each once."""
    found: dict[str, LearnedItem] = {}
    for said in statements:
        if said.origin != "typed":
            continue
        for sentence in sentences(said.text):
            item = _item(sentence, said.turn)
            if item is not None:
                found.setdefault(f"{said.turn} {item.text}", item)
    return tuple(found.values())


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, as they stand in it."""
    for piece in sentence_pieces(text):
        sentence = piece.strip()
        if 0 < len(sentence) <= MAX_SENTENCE:
            yield sentence


def is_correction(sentence: str) -> bool:
    """Whether a person said in so many words that something was wrong."""
    said = sentence.rstrip(_END)
    return any(form.fullmatch(said) for form in (_CORRECTED, _CORRECTED_JA))


def _item(sentence: str, turn: int) -> LearnedItem | None:
    said = sentence.rstrip(_END)
    for form in _FORMS:
        match = form.pattern.fullmatch(said)
        if match is None or sentence.endswith(("?", "？")):
            continue
        what = match["what"].strip()
        kind = form.kind if form.kind != "fact" else kind_of(what)
        key, value = slot_of(what) if kind == "fact" else ("", "")
        words = what[0].upper() + what[1:]
        closing = sentence[len(said) :].strip()[:1]
        text = words + (closing if closing in (".", "。") else ".")
        text = words if not words.isascii() and closing != "。" else text
        return LearnedItem(text, kind, (LearnedQuote(turn, sentence),), key, value)
    return None


def kind_of(text: str) -> str:
    """What kind of note a plain statement is: `I prefer tea` is a preference; else a fact."""
    said = text.rstrip(_END)
    return next((f.kind for f in _FORMS if f.kind != "fact" and f.pattern.fullmatch(said)), "fact")


def slot_of(text: str) -> tuple[str, str]:
    """What a plain statement is about, and what it says of it: `the office is in Ghent` is
    (`office`, `in Ghent`). Empty strings where it is not as plain as that."""
    said = text.rstrip(_END)
    match = _SLOT.fullmatch(said) or _SLOT_JA.fullmatch(said)
    if match is None:
        return "", ""
    key, value = topic_key(match["key"]), _NOW.sub("", match["value"].strip())
    words = key.split("-")
    if not key or len(words) > 6 or _POINTING.intersection(words):
        return "", ""
    return key, value
