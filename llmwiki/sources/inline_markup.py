"""Inline markup of texts that are their own: taken off, so that a quote may leave it out.

Only what the reader of such a text does not see as words goes: marks, roles, addresses of links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from llmwiki.core.document import Document

_EMPHASIS = r"(?<![^\W_])[*/_=~+]{1,2}(?=\S)|(?<=\S)[*/_=~+]{1,2}(?![^\W_])"

_Replacements = Mapping[str, Sequence[tuple[re.Pattern[str], str]]]

_LINKS: _Replacements = MappingProxyType(
    {
        # A role, and the address in a link.
        "text/x-rst": (
            (re.compile(r"(?<![\w`]):[A-Za-z][\w:+.-]{0,40}:(?=`)"), ""),
            (re.compile(r"(?<![\s`])\s*+<[^<>`]{1,500}+>(?=`)"), ""),
            (re.compile(r"(?<=`)<([^<>`]{1,500}+)>(?=`_)"), r"\1"),
        ),
        "text/org": (
            (re.compile(r"\[\[[^\[\]]{1,600}+\]\[([^\[\]]{1,300}+)\]\]"), r"\1"),
            (re.compile(r"\[\[([^\[\]]{1,600}+)\]\]"), r"\1"),
        ),
        "text/asciidoc": (
            (re.compile(r"<<[^<>,]{1,300}+,\s*+([^<>]{1,300}+)>>"), r"\1"),
            (
                re.compile(r"\b(?:link|xref|https?|mailto):[^\s\[\]]{1,500}+\[([^\[\]]{1,300}+)\]"),
                r"\1",
            ),
        ),
    }
)
_MARKS: _Replacements = MappingProxyType(
    {
        # The underscore of a reference or a note, and the marks.
        "text/x-rst": (
            (re.compile(r"(?<=[\w`\]])_{1,2}(?!\w)|[`*\\]"), ""),
            (re.compile(r"\[\^(?=[^\[\]\s]{1,80}\])"), "["),
        ),
        "text/org": ((re.compile(_EMPHASIS), ""),),
        "text/asciidoc": ((re.compile(rf"{_EMPHASIS}|[`#]"), ""),),
    }
)
"""Media type to what is replaced, in this order, and by what."""


def markup_of(document: Document) -> str:
    """The media type whose marks are taken off; empty where none are, as in a converted text."""
    own = document.text_path is None and document.media_type in _LINKS
    return document.media_type if own else ""


def without_markup(text: str, markup: str) -> str:
    """The words of a line, or of a quote, without the marks of a format (`markup_of`)."""
    for pattern, words in (*_LINKS.get(markup, ()), *_MARKS.get(markup, ())):
        text = pattern.sub(words, text)
    return text


def without_addresses(text: str, markup: str) -> str:
    """The words of a line with its marks, but links as the words that stand for them."""
    for pattern, words in _LINKS.get(markup, ()):
        text = pattern.sub(words, text)
    return text
