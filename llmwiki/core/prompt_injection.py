"""Words by which texts take over the models that read them, and marks of chat templates. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.core.text import fold

_PARTS = r"(?:all|any|every|each|of|the|your|my|these|those|and)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|former|existing|original|system)"
_ORDERS = (
    r"(?:instructions?|prompts?|rules|directions?|directives?|messages?|commands?|guidelines"
    r"|constraints|context)\b"
)


class _Telling(NamedTuple):
    """One way to address a model: looked for only around words that it cannot do without."""

    words: tuple[str, ...]
    """In lower case."""
    pattern: re.Pattern[str]
    before: int
    """How far before such a word it may begin, in characters."""


def _telling(words: tuple[str, ...], pattern: str, before: int = 0) -> _Telling:
    return _Telling(words, lazy_pattern(pattern, re.IGNORECASE), before)


_TELLINGS = (
    _telling(
        ("ignore", "disregard", "forget", "override", "bypass"),
        rf"(?<!\w)(?:ignore|disregard|forget|override|bypass)\W{{1,3}}(?:{_PARTS}\W{{1,3}}){{0,4}}"
        rf"{_EARLIER}\W{{1,3}}(?:\w{{1,20}}\W{{1,3}}){{0,2}}{_ORDERS}",
    ),
    _telling(
        ("prompt", "instructions"),
        r"\b(?:reveal|print|repeat|output|show|leak|disclose)\W{1,3}(?:me\W{1,3})?(?:your|the)\W{1,3}"
        r"(?:(?:full|entire|whole)\W)?(?:system|hidden|initial|secret)\W{1,3}"
        r"(?:prompt|instructions)\b",
        60,
    ),
    _telling(
        ("user", "human", "operator", "owner"),
        r"\b(?:do\W{1,3}not|don.t|never)\W{1,3}(?:tell|inform|alert|notify|mention\W{1,3}(?:this|it)"
        r"\W{1,3}to|reveal\W{1,3}(?:this|it)\W{1,3}to)\W{1,3}(?:the|your)\W{1,3}"
        r"(?:user|human|operator|owner)\b",
        60,
    ),
    _telling(
        ("assistants", "agents", "models", "llms", "chatbots"),
        r"\b(?:note|notice|message|attention|instructions?|important|memo)\W{1,3}(?:to|for)\W{1,3}"
        r"(?:(?:all|any|the|every)\W){0,2}(?:ai|llm|language)\W{0,3}(?:assistants|agents|models"
        r"|llms|chatbots)\b",
        60,
    ),
    _telling(
        ("you are now",),
        r"\byou are now\W{1,3}(?:in\W{1,3})?(?:an?\W{1,3})?(?:DAN\b|developer\W{1,3}mode"
        r"|jailbroken|unrestricted)",
    ),
    _telling(
        ("ignor",),
        r"(?<!\w)(?:ignoriere?\W{1,3}(?:\w{1,12}\W{1,3}){0,3}(?:vorherigen|vorigen|bisherigen|obigen)"
        r"\W{1,3}(?:anweisungen|regeln|befehle)"
        r"|ignore[zr]?\W{1,3}(?:\w{1,12}\W{1,3}){0,2}instructions\W{1,3}"
        r"(?:pr[eé]c[eé]dentes|ant[eé]rieures)"
        r"|ignor(?:a|e|ar)\W{1,3}(?:\w{1,12}\W{1,3}){0,2}(?:instrucciones|instru[cç][oõ]es)\W{1,3}"
        r"(?:anteriores|previas|pr[eé]vias))\b",
    ),
    _telling(
        ("忽略", "无视", "無視"),
        r"(?:忽略|无视|無視)[^\n]{0,8}(?:之前|以上|先前|所有|上述)[^\n]{0,6}"
        r"(?:指令|指示|提示|规则|規則)",
    ),
    _telling(
        ("以前の", "これまでの", "上記の"),
        r"(?:以前|これまで|上記)の(?:すべての)?(?:指示|命令)[^\n]{0,3}(?:無視|忘れ)",
    ),
)
_LONGEST = 200
"""Characters of the longest such text."""
_ROLES = lazy_pattern(
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|begin_of_text)\|>"
    r"|\[/?INST\]|<</?SYS>>|^[ \t>]{0,9}</?(?:system|assistant|human|instructions?|system_prompt"
    r"|system-reminder)>",
    re.IGNORECASE | re.MULTILINE,
)

_MARKS = (b"<|", b"sys>>", b"system>", b"assistant>", b"human>", b"instruction", b"prompt>",
          b"reminder>")  # fmt: skip
"""One of these, in lower case, is in whatever `_ROLES` finds that begins with `<`."""
_SIGNS = tuple(sorted({word.encode() for telling in _TELLINGS for word in telling.words}))


def _lower(text: str) -> str:
    """The text in lower case, each character at its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def addressed(text: str, lower: bytes) -> Mapping[int, str]:
    """Offset to words, of all in a text that is addressed to a model; `lower` is its UTF-8 in lower
    case, as far as it is ASCII."""
    found: dict[int, str] = {}
    if any(sign in lower for sign in _SIGNS):
        found.update(_told_in(text))
    if ("<" in text and any(mark in lower for mark in _MARKS)) or b"inst]" in lower:
        for match in _ROLES.finditer(text):
            words = match[0].lstrip(" \t>")
            found[match.end() - len(words)] = words
    return found


def addresses_model(text: str) -> bool:
    """Whether a text has such words or marks, in code too, in whatever letters they are written."""
    plain = fold(text)
    return bool(addressed(plain, plain.encode("utf-8", "replace")))


def _told_in(text: str) -> Mapping[int, str]:
    lower = _lower(text)
    found: dict[int, str] = {}
    for telling in _TELLINGS:
        for word in telling.words:
            at = lower.find(word)
            while at >= 0:
                begin = max(0, at - telling.before)
                if telling.before:
                    match = telling.pattern.search(text, begin, at + _LONGEST)
                else:
                    match = telling.pattern.match(text, at, at + _LONGEST)
                if match:
                    found[match.start()] = match[0]
                at = lower.find(word, at + 1)
    return found
