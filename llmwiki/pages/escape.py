r"""Text is data: written into a page, it renders as itself and parses back to itself.

One pass puts a backslash before every character that Markdown, GitHub or Obsidian could act on,
and no other: `snake_case`, `GPT-4.1` and `config.py` keep their bytes, code between backticks stays
code and an address stays one, so that a page can be read and searched. A backslash before ASCII
punctuation is the one escape that CommonMark, GitHub and Obsidian agree on
(spec.commonmark.org/0.31.2/#backslash-escapes).

What may stand around escaped text: it is a whole list item or part of one, and on one line. A
`^`, `[` or `~` of the page's own grammar is never escaped, so ` ^c-…`, `[^id]` and `~~` are found
without doubt even where the text spells them.
"""

from __future__ import annotations

import re

from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import normalise

_GRAMMAR = r"\[[\[^]|\][\](:\[]|<!|\^[cn]-|~~|%%"
_IN_CODE = rf"(?![ `])(?:(?!{_GRAMMAR})[^`\\“”\n])+(?<! )"
CODE = rf"(?<!`)(?:`{_IN_CODE}`|``{_IN_CODE}``)(?!`)"
"""Inline code: one or two backticks at either end, and what is between them is shown as it stands.

Code that spells the grammar of a page, a comment or an escape is none: it is text with backticks.
"""
URL = (
    r"(?<![^\s(“])https?://(?:[A-Za-z0-9.:?&+@-]|=(?!=)|%(?!%)|/(?!/)|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))*"
    r"[A-Za-z0-9/](?=[.,!?)”]{0,3}(?:\s|\Z))"
)
"""An address as people type it, which a forge shows as a link. One with other characters in it, or
right behind it, is text."""
_ALWAYS = r"[\\`*\[\]<~$#^]"
_PAIRS = r"={2,}|%{2,}|(?:/(?=/))+"
_ENTITY = r"&(?=[A-Za-z#])"
_UNDERSCORE = r"_(?<![^\W_]_)|_(?![^\W_])"
_WWW = r"(?<=[Ww]{3})\."
_START = r"\A(?:[-+>=]|\d{1,9}[.)])"

_MARKUP = f"{_PAIRS}|{_ALWAYS}|{_ENTITY}|{_UNDERSCORE}|{_WWW}"
_INLINE = lazy_pattern(f"{CODE}|{URL}|{_MARKUP}")
_TEXT = lazy_pattern(f"{CODE}|{URL}|{_START}|{_MARKUP}")
_VALUE = lazy_pattern(f"{_MARKUP}|;")
_SLOT = lazy_pattern(f"{_START}|{_MARKUP}|[;:=]")

_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_ESCAPED = lazy_pattern(rf"\\({_PUNCTUATION})")
_MARK = lazy_pattern(f"({_PUNCTUATION})")

_BRACKETS = str.maketrans("[]|", "()/")
_IN_LABEL = lazy_pattern(
    r"[\\`*<~$^]|={2,}|%{2,}|/(?=/)|&(?=#?\w+;)|(?<![^\W_])#|(?<=[Ww]{3})\."
    f"|{_UNDERSCORE}"
)


def _backslashes(match: re.Match[str]) -> str:
    found = match[0]
    is_whole = len(found) > 1 and found[0] in "`h"
    return found if is_whole else _MARK.sub(r"\\\1", found)


def escape(text: str) -> str:
    """`text` in its normal form, as Markdown that shows those characters, and code as code.

    Holds for text at the start of a list item, inside one, in a heading and in a paragraph of one
    line. `unescape(escape(x)) == normalise(x)`; empty stays empty.
    """
    return _TEXT.sub(_backslashes, normalise(text))


def escape_inline(text: str) -> str:
    """Like `escape`, for text that has something of ours before it on its line, as a quote has."""
    return _INLINE.sub(_backslashes, normalise(text))


def escape_value(text: str) -> str:
    """Like `escape_inline`, for the value of an attribute: `;` would end it."""
    return _VALUE.sub(_backslashes, normalise(text))


def escape_slot(text: str) -> str:
    """Like `escape`, for the name of a slot: `;`, `:` and `=` would end it."""
    return _SLOT.sub(_backslashes, normalise(text))


def unescape(text: str) -> str:
    """The text that Markdown source stands for: backslashes before ASCII punctuation go."""
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def link_text(text: str) -> str:
    """`text` as it may stand after the bar of `[[page|text]]`, where nothing can be escaped.

    Brackets become parentheses, a bar a slash, and what would be markup goes: `C#`, `AT&T` and
    `snake_case` stay. May be empty (nothing but markup): then write the link without a bar.
    """
    label = normalise(text).translate(_BRACKETS)
    # Taking one character out can join two others into markup: `=*=`, `&*amp;`.
    while (less := normalise(_IN_LABEL.sub("", label))) != label:
        label = less
    return label
