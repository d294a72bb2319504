"""What a page is found by: how often its words stand where, and the names in its text."""

from __future__ import annotations

import re
from functools import lru_cache

from llmwiki.core.language.search_terms import STOP_WORDS, words
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.pages.escape import unescape
from llmwiki.pages.id_and_evidence_patterns import CLAIM_ID, ITEM_ID, PLACE
from llmwiki.pages.line_patterns import RECORD

MAX_TITLE_COUNT = 3
MAX_BODY_COUNT = 63
"""Counts above these are kept as these: one byte a posting; BM25 is all but flat there."""

RUN_WORDS = 7
"""Words of the longest name kept; longer capitalised runs are headlines, not names."""

_LINK = lazy_pattern(r"\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")
_URL_LINK = lazy_pattern(
    r"!?\[([^\[\]\n]*)\]\((?:<[^<>\n]*>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)[^()\n]*+\)"
)
_MACHINE = lazy_pattern(
    rf"[ \t]\^{ITEM_ID}[ \t]*$"
    r"|^\[\^[^\s\[\]]+\]:[^\n]*$"
    rf"|(?:—[ \t])?\[\^[^\s\[\]]+\](?:,[ \t](?:{PLACE})$)?",
    re.MULTILINE,
)
_COPIES = lazy_pattern(
    rf"(?<=#\^)({CLAIM_ID})\|[^\[\]\n]*(?=\]\])",
    re.MULTILINE,
)
_OF_A_SOURCE = lazy_pattern(rf"^{re.escape(RECORD)}$(?:\n>[^\n]*)*", re.MULTILINE)
_EMPHASIS = lazy_pattern(r"[*`~]+")
_CAPITAL = "A-ZÀ-ÖØ-ÞĀ-ŽΆ-ΫЀ-Я0-9"
_PARTICLES = "of|the|de|von|van|der|la|le|and|&|du|di|da|el|al|bin|ibn|for|in"
_NAME = rf"[{_CAPITAL}][\w'’.&-]*"
# A look behind that comes after the first letter lets the search skip to capitals.
_RUN = lazy_pattern(
    rf"[{_CAPITAL}](?<!\w.)[\w'’.&-]*(?:[ \t]+(?:(?:{_PARTICLES})[ \t]+){{0,2}}{_NAME})*"
)
_SENTENCE = lazy_pattern(r"(?<=[^\W_][^\W_]\.)[ \t]+")
_OPENERS = " \t-*+#>\"'“‘(_"
_ENDS = ".!?;:\n|"
_PARENTHESIS = lazy_pattern(r"(?:(?<!\s)\s++)?[（(][^()（）]*+[)）]\s*+$")


def plain_text(text: str) -> str:
    """A page as it is read: no frontmatter, ids, footnotes or link brackets."""
    from llmwiki.pages.claim_head import asked_aloud
    from llmwiki.pages.line_patterns import comment_spans, without
    from llmwiki.pages.markdown_blocks import body_start

    body = text[body_start(text) :]
    if "#^c-" in body:
        # The words of a link to a claim stand on the claim's own page, which is to be found.
        body = _COPIES.sub("", body)
    if "> [!note]- Record\n" in body:
        body = _OF_A_SOURCE.sub("", body)
    if "<!--" in body:
        body = asked_aloud(body)
        body = without(body, comment_spans(body), " ")
    if "[[" in body:
        # Without a sign that may stand before it a link is found three times as fast.
        body = _LINK.sub(_label, body.replace("![[", "[["))
    if "](" in body:
        body = _URL_LINK.sub(r"\1", body)
    if "[^" in body or "^c-" in body or "^n-" in body:
        body = _MACHINE.sub(" ", body)
    if "\\" in body:
        body = unescape(body)
    return body


def _label(link: re.Match[str]) -> str:
    if link[2] is not None:
        return link[2]
    target = link[1].partition("#")[0]
    return target.rpartition("/")[2] or link[1]


def text_counted(description: str, body: str) -> str:
    """The text whose words are counted as a page's body."""
    return f"{description}\n{body}" if description else body


def text_of_runs(title: str, body: str) -> str:
    """The text that names are looked for in."""
    return f"{title}. {body}"


def runs(text: str) -> tuple[str, ...]:
    """The capitalised names of a text: runs of capitalised words, joined by small particles.

    A single word counts when it does not open a sentence and has four letters; numbers alone are
    no names. Method: as phrases of the measured recipe, "capitalised n-grams".
    """
    found: set[str] = set()
    if "*" in text or "`" in text or "~" in text:
        text = _EMPHASIS.sub("", text)
    for match in _RUN.finditer(text):
        before = match.start() - 1
        while before >= 0 and text[before] in _OPENERS:
            before -= 1
        opens = before < 0 or text[before] in _ENDS
        if opens and " " not in match[0]:
            continue
        parts = _SENTENCE.split(match[0]) if ". " in match[0] else (match[0],)
        for part in parts:
            if name := _name(part, opens=opens):
                found.add(name)
            opens = True
    return tuple(sorted(found))


def _name(run: str, *, opens: bool) -> str:
    name = words(run)
    while name and name[0] in STOP_WORDS:
        del name[0]
    if not name or name[0].isdigit() or len(name) > RUN_WORDS:
        return ""
    if len(name) == 1 and (opens or len(name[0]) < 4):
        return ""
    return " ".join(name)


@lru_cache(maxsize=1 << 13)
def title_key(title: str) -> str:
    """The name a title is mentioned by: folded words without a trailing parenthesis.

    Empty where nothing is left that names: a stop word, one or two letters.
    """
    name = words(_PARENTHESIS.sub("", title)) or words(title)
    if not name or all(word in STOP_WORDS for word in name):
        return ""
    if len(name) == 1 and name[0].isascii() and len(name[0]) < 3:
        return ""
    return " ".join(name)


def code(title_count: int, body_count: int) -> int:
    """A posting's byte: title count in the upper two bits, body count in the lower six."""
    return min(title_count, MAX_TITLE_COUNT) << 6 | min(body_count, MAX_BODY_COUNT)
