"""Sentences that say what something is, and labels that name what follows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.names import clean_name, valid_name
from llmwiki.extraction.embedded.vocabulary import JA_POINTERS, PRONOUNS


@dataclass(frozen=True, slots=True)
class Definition:
    """A name and how surely the sentence defines it: 3 says what it is, 2 that it may do so."""

    name: str
    strength: int


_TERM = r"(?:(?P<article>The|A|An)\s+)?(?P<term>[^\s,;:?!()][^,;:?!()。]{0,58}?)"
_EXPANSION = r"(?:\s*+\([^()]{1,60}\))?"
_IS = re.compile(
    rf"{_TERM}{_EXPANSION}\s++(?:(?:is|are|was|were)\s+(?:basically\s+|essentially\s+|simply\s+)?"
    r"(?:an?|the(?=\s+(?:name|process|practice|act|idea|set|art|ability|first|largest|smallest|only"
    r"|main|official))|one\s+of\s+the|any)\s"
    r"|(?:is|are)\s+(?:[a-z]+\s+){1,3}(?:that|which|who)\s"
    r"|(?:refers?\s+to|stands\s+for|denotes|(?:is|are)\s+defined\s+as)\s)"
)
_JA_TOHA = re.compile(r"(?P<term>[^。、]{1,40}?)(?:とは|というのは)、?.{4,}")
_JA_WA = re.compile(
    r"(?P<term>[^。、はがを]{1,40}?)(?:[（(][^（）()]{1,60}[）)])?は、?.{3,}"
    r"(?:である|です|を指す|を指します|を意味する|を意味します|のこと|という|手法|仕組み|"
    r"システム|ツール|ライブラリ|概念|方法|技術|枠組み|ファイル|関数|言語|形式)。?$"
)
_VAGUE = re.compile(
    r"(?:is|are|was|were)\s+(?:an?|the|one of the)\s+(?:\w+\s+){0,2}(?:example|reason|exception|"
    r"case|goal|aim|result|problem|issue|matter|question|answer|way|part|lot|bit|few|number|subset|"
    r"superset|variant|consequence|mistake|good|bad|great|must|valid|invalid|legal|useful|side)\b",
    re.IGNORECASE,
)
_DASH = re.compile(
    r"(?<!\s)\s++(?:[—–]\s*+|--?\s++)|(?<=[\w`)\]」）*])\s?[:：](?=\s|[^\x00-\x7f]|$)\s*"
)
_MARKED = re.compile(
    r"\s*(?:\*\*(?P<bold>[^*\n]{1,100})\*\*|__(?P<strong>[^_\n]{1,100})__"
    r"|``?(?P<code>[^`\n]{1,80})``?|\[\[(?P<page>[^\[\]]{1,80})\]\]"
    r"|\[(?P<link>[^\[\]]{1,80})\]\([^()\n]{1,300}\))"
)
_AFTER = re.compile(r"\s*+(?:[(（][^()（）\n]{0,120}+[)）])?\*{0,2}+\s*+(?:[:：]|[—–]|--?\s|→|=)")
_MAX_LABEL = 6


def define(text: str) -> Definition | None:
    """The name a plain sentence defines, if it defines one."""
    found = _IS.match(text[:200])
    if found and not _VAGUE.search(text[: found.end() + 60]):
        term = found["term"].strip(" \"“”'`*")
        if _may_be_term(term):
            # `The value is a number` may say it of one value that was named before.
            sure = found["article"] != "The" or not term.islower()
            return Definition(clean_name(term), 3 if sure else 2)
    for pattern, strength in ((_JA_TOHA, 3), (_JA_WA, 2)):
        japanese = pattern.match(text[:300])
        if japanese and _may_be_term(japanese["term"].strip(" 「」『』`*")):
            return Definition(clean_name(japanese["term"]), strength)
    return None


def _may_be_term(term: str) -> bool:
    first = term.split(" ", 1)[0].casefold()
    if first in PRONOUNS or term.startswith(JA_POINTERS):
        return False
    return valid_name(clean_name(term))


def label_of(raw: str, text: str) -> str:
    """The cleaned name a block starts with, set off by a colon or dash; empty when none.

    `raw` is the block as written, `text` its plain words.
    """
    marked = _MARKED.match(raw)
    if marked:
        inner = next(group for group in marked.groups() if group is not None)
        closed = inner.rstrip().endswith((":", "：", ".", "。", "—"))
        if closed or _AFTER.match(raw[marked.end() : marked.end() + 140]):
            return _label(inner)
        return ""
    dash = _DASH.search(text[:90])
    return _label(text[: dash.start()]) if dash and dash.start() else ""


def _label(inner: str) -> str:
    name = clean_name(strip_markup(inner).strip(" :：.。—"))
    if not name or len(name.split()) > _MAX_LABEL:
        return ""
    return name
