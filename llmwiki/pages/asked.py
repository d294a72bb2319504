"""The words by which somebody may ask for a claim: a comment behind a line of its evidence.

`<!-- asked: how old are the rules; when did this begin -->` has the words of each reader of that
quote. They are no part of what is said: searches count them, and nobody is shown them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.text import normalise
from llmwiki.pages.ids import ASKED
from llmwiki.pages.lines import Span, comment_spans, without

LONGEST = 160
"""Characters of one reader's words."""
MOST = 3
"""Readers whose words are kept behind one quote: those that sort first."""

_BEHIND = lazy_pattern(rf"{ASKED}(?=[ \t\r]*\Z)")
_CITED = re.compile(r"[”\"][^”\"]{1,40}\[\^[^\[\]\s]+\][^\[\]”\"]{0,160}\Z")
_REACH = 400
"""Characters before a comment in which what it stands behind is looked for."""
_SIGNS = frozenset(" '’.,?!+&/-")
_REPEATED = re.compile(r"([.,?!+&/-])\1+")


def phrases(text: str) -> tuple[str, ...]:
    """The words of each reader, parted by `;`, without markup and addresses; sorted, `MOST`."""
    found = {words for part in normalise(text).split(";") if (words := _plain(part))}
    return _first(found)


def _plain(text: str) -> str:
    parted = text[: 4 * LONGEST].replace("](", " ").split()
    told = (word for word in parted if not _is_address(word.lower()))
    kept = (
        sign if sign in _SIGNS or unicodedata.category(sign)[0] in "LMN" else " "
        for sign in " ".join(told)
    )
    found = " ".join(word for word in "".join(kept).split() if any(map(str.isalnum, word)))
    words = _REPEATED.sub(r"\1", found)
    return words if len(words) <= LONGEST else words[:LONGEST].rpartition(" ")[0] or words[:LONGEST]


def _is_address(word: str) -> bool:
    return "://" in word or "www." in word


def asked_behind(line: str) -> str:
    """The words behind a line of evidence, as they stand there; mostly empty."""
    found = _BEHIND.search(line) if "<!--" in line else None
    return found["asked"] if found else ""


def unasked(line: str) -> str:
    """A line of evidence without them."""
    return _BEHIND.sub("", line) if "<!--" in line else line


def with_asked(line: str, more: Iterable[str]) -> str:
    """A line of evidence with further words behind it; the same bytes where it has them all."""
    held = phrases(asked_behind(line))
    wanted = _first({*held, *more})
    return line if wanted == held else _joined(unasked(line), wanted)


def three_way(base: str, one: str, other: str) -> str | None:
    """The line that stands of two that were made of `base`, with the words that neither side took
    away and those that either brought. None: both sides changed the line itself."""
    was, mine, theirs = map(unasked, (base, one, other))
    line = mine if theirs in (mine, was) else theirs if was == mine else None
    if line is None:
        return None
    had, has, gets = (frozenset(phrases(asked_behind(each))) for each in (base, one, other))
    return _joined(line, _first((has & gets) | (has - had) | (gets - had)))


def _first(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(words)[:MOST])


def _joined(line: str, words: tuple[str, ...]) -> str:
    said = line.rstrip(" \t\r")
    comment = f" <!-- asked: {'; '.join(words)} -->" if words else ""
    return f"{said}{comment}{line[len(said) :]}"


def without_asked(text: str) -> str:
    """A page's text as people and models are shown it."""
    return without(text, _spans(text), "") if "<!--" in text else text


def asked_aloud(text: str) -> str:
    """A page's text with these words as lines of it, in small letters: none of them is a name."""
    return without(text, _spans(text), lambda found: f"\n{asked_behind(found).lower()}")


def _spans(text: str) -> list[Span]:
    """The comments of this kind behind evidence, each with the blanks before it."""
    found = []
    for start, end in comment_spans(text):
        low = max(start - _REACH, 0)
        begin = text.rfind("\n", low, start) + 1 or low
        line = text[begin:start]
        if _BEHIND.fullmatch(f" {text[start:end]}") and _CITED.search(line):
            found.append((begin + len(line.rstrip(" \t")), end))
    return found
