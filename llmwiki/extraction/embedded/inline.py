"""Markdown's inline markup off: the words a reader sees."""

from __future__ import annotations

import html
import re

from llmwiki.core.text import normalise
from llmwiki.pages.spans import comment_spans, without

_TAGS = (
    "a|abbr|b|br|cite|code|del|details|div|em|font|hr|i|img|ins|kbd|li|mark|ol|p|q|s|small|span|"
    "strong|sub|summary|sup|table|tbody|td|th|tr|u|ul"
)
_INLINE = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`{1,3})(?!`)(?P<code>(?:(?!(?P=ticks)).){1,400}?)(?P=ticks)(?!`)"
    r"|(?P<image>!\[[^\[\]]{0,300}\]\([^()\n]{0,600}\)|!\[\[[^\[\]]{0,200}\]\])"
    r"|\[\[(?P<page>[^\[\]|#]{0,200})(?:#[^\[\]|]{0,200})?(?:\|(?P<label>[^\[\]]{0,200}))?\]\]"
    r"|\[(?P<text>[^\[\]]{0,400})\](?:\((?:[^()\n]|\([^()\n]{0,200}\)){0,600}\)|\[[^\[\]]{0,100}\])"
    r"|(?P<note>\[\^[^\[\]\s]{1,80}\])"
    r"|<(?P<auto>https?://[^<>\s]{1,500})>"
    rf"|(?P<tag></?(?:{_TAGS})(?:\s[^<>]{{0,300}})?/?>)"
    r"|(?P<strong>\*\*\*?|__(?=\S)|(?<=\S)__|~~)"
    r"|(?<![\w*])\*(?=[^\s*])(?P<star>[^*\n]{1,300})(?<=\S)\*(?![\w*])"
    r"|(?<![\w_])_(?=[^\s_])(?P<under>[^_\n]{1,300})(?<=\S)_(?![\w_])",
    re.DOTALL,
)
_MARKUP = re.compile(r"[\\`*_\[<~&\n^]")
_LOOSE = re.compile(r"^\s*_(?=[A-Z][a-z]*\s[^_]*$)|(?<=[.!?])_\s*$")
_TASK = re.compile(r"(?:(?<!\s)\s++)?\[[ xX]\]\s++")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]{2,60}\s*$")
_CONTINUED = re.compile(r"\n[ \t]*(?:>[ \t]?)*")
_DEFINITION = re.compile(r"\n[ \t]*:[ \t]+")


def _plain(found: re.Match[str]) -> str:
    if found["escape"]:
        return found["escape"][1:]
    if found["code"] is not None:
        return found["code"].strip() or found["code"]
    if found["page"] is not None:
        return found["label"] or found["page"].rpartition("/")[2]
    for group in ("text", "star", "under"):
        if found[group] is not None:
            return _INLINE.sub(_plain, found[group])
    return found["auto"] or (" " if found["tag"] else "")


def strip_markup(raw: str) -> str:
    """The words of `raw` as one line: comments, markup, images and note marks off."""
    if _MARKUP.search(raw) is None:
        return normalise(raw)
    text = without(raw, comment_spans(raw), "").partition("<!--")[0]
    text = _TASK.sub("", text, count=1) if _TASK.match(text) else text
    text = _BLOCK_ID.sub("", text)
    text = _DEFINITION.sub(": ", text)
    text = _CONTINUED.sub("\n", text)
    text = _INLINE.sub(_plain, text)
    text = _LOOSE.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    return normalise(text)
