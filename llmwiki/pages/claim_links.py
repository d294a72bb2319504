"""Links to claims, as pages write them: the id leads, the page's title is what people see."""

from __future__ import annotations

import re
from typing import NamedTuple

from llmwiki.language.cutting import cut
from llmwiki.language.scripts import count_cjk
from llmwiki.pages.escape import link_text


class ClaimHome(NamedTuple):
    """A claim, and the page on which it stands."""

    stem: str
    """The page's file name, without its ending."""
    title: str
    id: str


def words_of(text: str, limit: int) -> str:
    """A claim's text as a list shows it, cut at a blank; at half as many characters where most of
    them are Chinese, Japanese or Korean."""
    head = text[:limit]
    return cut(text, limit // 2 if count_cjk(head) * 2 > len(head) else limit)


def claim_link(home: ClaimHome) -> str:
    """`[[Page#^c-…|Page]]`."""
    shown = shown_title(home.title)
    return f"[[{home.stem}#^{home.id}|{shown}]]" if shown else f"[[{home.stem}#^{home.id}]]"


def shown_title(title: str) -> str:
    """A page's title as a link in an attribute shows it: a semicolon would end that."""
    return link_text(title).replace(";", ",")


_LABELS = re.compile(r"(\[\[[^\[\]|\n]*)\|[^\[\]\n]*\]\]")


def without_words(text: str) -> str:
    """The text with links that say only where they lead, for places that show few characters."""
    return _LABELS.sub(r"\1]]", text)
