"""Links to claims, as pages write them: the id leads, page and words are what people see."""

from __future__ import annotations

import re
from typing import NamedTuple

from llmwiki.language.cutting import cut
from llmwiki.language.scripts import count_cjk
from llmwiki.pages.escape import link_text

WORDS = 80
"""Characters of a claim that a link to it shows; half as many where most of them are Chinese,
Japanese or Korean."""


class ClaimHome(NamedTuple):
    """A claim, and the page on which it stands."""

    stem: str
    """The page's file name, without its ending."""
    title: str
    id: str
    text: str


def words_of(text: str, limit: int = WORDS) -> str:
    """A claim's text as a link or a list shows it, cut at a blank."""
    head = text[:limit]
    return cut(text, limit // 2 if count_cjk(head) * 2 > len(head) else limit)


def claim_link(home: ClaimHome) -> str:
    """`[[Page#^c-…|Page: the claim, cut …]]`."""
    return _link(home, f"{home.title}: {words_of(home.text)}")


def named_link(home: ClaimHome) -> str:
    """`[[Page#^c-…|Page]]`, for where the claim itself is not far."""
    return _link(home, home.title)


_LABELS = re.compile(r"(\[\[[^\[\]|\n]*)\|[^\[\]\n]*\]\]")


def without_words(text: str) -> str:
    """The text with links that say only where they lead, for places that show few characters."""
    return _LABELS.sub(r"\1]]", text)


def _link(home: ClaimHome, words: str) -> str:
    shown = link_text(words).replace(";", ",")
    return f"[[{home.stem}#^{home.id}|{shown}]]" if shown else f"[[{home.stem}#^{home.id}]]"
