"""Sentences that say what something is, and labels that name what follows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.names import clean_name, valid_name, weak_word
from llmwiki.extraction.embedded.vocabulary import JA_POINTERS, LABELS_IGNORED, PRONOUNS


@dataclass(frozen=True, slots=True)
class Definition:
    """A name and how surely the sentence defines it: 3 says what it is, 1 what it does."""

    name: str
    strength: int


_TERM = r"(?P<term>[^\s,;:.?!()][^,;:?!()。]{0,78}?)"
_EXPANSION = r"(?:\s*+\([^()]{1,60}\))?"
_IS = re.compile(
    rf"(?:(?:The|A|An)\s+)?{_TERM}{_EXPANSION}\s++"
    r"(?P<verb>(?:is|are|was|were)\s+(?:basically\s+|essentially\s+|simply\s+|really\s+)?"
    r"(?:an?|the|one\s+of|any|when|how|what|our|their|where)\b"
    r"|(?:refers?\s+to|means|stands\s+for|denotes?|describes?|(?:is|are)\s+defined\s+as"
    r"|(?:is|are)\s+short\s+for|consists?\s+of|is\s+made\s+up\s+of)\b)"
)
_DOES = re.compile(
    rf"(?:(?:The|A|An)\s+)?{_TERM}{_EXPANSION}\s++"
    r"(?:lets?|allows?|enables?|provides?|collects?|manages?|supports?|connects?|stores?|holds?|"
    r"contains?|converts?|turns?|measures?|combines?|(?:is|are)\s+(?:used|designed|built|made)|"
    r"keeps?|reads?|writes?|runs?|helps?|relates?|splits?|handles?|checks?|tracks?)\s"
)
_CALLED = re.compile(
    r"\b(?:is|are)\s+(?:also\s+)?(?:called|known\s+as|termed|named)\s+(?:an?\s+|the\s+)?"
    r"[“\"‘']?(?P<term>[\w-]+(?:\s[\w-]+){0,4})[”\"’']?(?=[.,;(]|$)"
)
_JA_TOHA = re.compile(r"(?P<term>[^。、]{1,40}?)(?:とは|というのは)、?.{4,}")
_JA_WA = re.compile(
    r"(?P<term>[^。、はがを]{1,40}?)(?:[（(][^（）()]{1,60}[）)])?は、?.{3,}"
    r"(?:である|です|だ|を指す|を指します|を意味する|を意味します|のこと|という|手法|仕組み|"
    r"システム|ツール|ライブラリ|概念|方法|技術|枠組み|ファイル|関数|言語|形式)。?"
)
_DASH = re.compile(
    r"(?<!\s)\s++(?:[—–]\s*+|--?\s++)|(?<=[\w`)\]」）*])\s?[:：](?=\s|[^\x00-\x7f]|$)\s*"
)
_MARKED = re.compile(r"\s*(?:\*\*(?P<bold>[^*\n]{1,100})\*\*|__(?P<strong>[^_\n]{1,100})__"
                     r"|``?(?P<code>[^`\n]{1,80})``?|\[\[(?P<page>[^\[\]]{1,80})\]\]"
                     r"|\[(?P<link>[^\[\]]{1,80})\]\([^()\n]{1,300}\))")  # fmt: skip
_AFTER = re.compile(
    r"\s*+(?:[(（][^()（）\n]{0,120}[)）])?+\*{0,2}+\s*+(?:[:：]|[—–]|--?\s|は|とは|→|=)"
)
_IDENTIFIER = re.compile(r"[A-Z]{1,2}[0-9]{1,3}\s+(?=\S)")
_MAX_LABEL = 6


def define(text: str) -> Definition | None:
    """The name a plain sentence defines, if it defines one."""
    head = text[:200]
    for pattern, strength in ((_IS, 3), (_JA_TOHA, 3), (_JA_WA, 2), (_DOES, 1)):
        found = pattern.match(head if pattern in (_IS, _DOES) else text[:400])
        if found is None:
            continue
        term = found["term"].strip(" \"“”'`*")
        if _may_be_term(term):
            return Definition(clean_name(term), strength)
    called = _CALLED.search(head)
    if called:
        name = clean_name(called["term"])
        if name and valid_name(name, generic_single=True):
            return Definition(name, 2)
    return None


def _may_be_term(term: str) -> bool:
    words = term.split()
    if not words or len(words) > 6 or words[0].casefold() in PRONOUNS:
        return False
    if term.startswith(JA_POINTERS):
        return False
    if len(words) > 1 and weak_word(words[0]) and words[0].casefold() not in ("a", "an", "the"):
        return False
    name = clean_name(term)
    return bool(name) and valid_name(name, generic_single=True)


def label_of(raw: str, text: str) -> str:
    """The cleaned name a block starts with, set off by a colon or dash; empty when none.

    `raw` is the block as written, `text` its plain words.
    """
    marked = _MARKED.match(raw)
    if marked:
        inner = next(group for group in marked.groups() if group is not None)
        closed = inner.rstrip().endswith((":", "：", ".", "。", "—"))
        closed = closed or (not raw[marked.end() :].strip() and " — " in inner)
        if closed or _AFTER.match(raw[marked.end() : marked.end() + 140]):
            return _label(inner, marked=True)
        return ""
    dash = _DASH.search(text[:90])
    if dash and dash.start():
        return _label(text[: dash.start()], marked=False)
    return ""


def _label(inner: str, *, marked: bool) -> str:
    plain = strip_markup(inner).strip(" :：.。—")
    head = re.split(r"(?<!\s)\s++[—–]\s++", plain)[0]
    name = clean_name(_IDENTIFIER.sub("", head))
    if not name or name.casefold() in LABELS_IGNORED or len(name.split()) > _MAX_LABEL:
        return ""
    return name if valid_name(name, generic_single=marked) else ""
