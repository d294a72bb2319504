"""Links to claims, as pages write them: the id leads, the page's title is what people see."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.core.text import fold, normalise
from llmwiki.pages.escape import link_text, unescape


def claim_link(stem: str, title: str, ident: str, on: str = "") -> str:
    """`[[Page#^c-…|Page]]`: a link to a claim on the page of that file name and title; where it
    stands `on` that very page, `[[#^c-…]]`."""
    if stem == on:
        return f"[[#^{ident}]]"
    shown = shown_title(title)
    return f"[[{stem}#^{ident}|{shown}]]" if shown else f"[[{stem}#^{ident}]]"


def shown_title(title: str) -> str:
    """A page's title as a link in an attribute shows it: a semicolon would end that."""
    return link_text(title).replace(";", ",")


_LABELS = lazy_pattern(r"(\[\[[^\[\]|\n]*)\|[^\[\]\n]*\]\]")


def without_words(text: str) -> str:
    """The text with links that say only where they lead, for places that show few characters."""
    return _LABELS.sub(r"\1]]", text)


# --- chains of claims that replaced one another --------------------------------------------------


def chain_of(start: str, after: Callable[[str], str]) -> list[str]:
    """A claim and those that replaced it, one after the other.

    `after` gives what a claim was struck for; empty: it was struck for none. Where the arrows lead
    in a circle the last one is where it closes, and stands twice.
    """
    chain, seen = [start], {start}
    while following := after(chain[-1]):
        chain.append(following)
        if following in seen:
            break
        seen.add(following)
    return chain


# --- relations -----------------------------------------------------------------------------------

if TYPE_CHECKING:
    from llmwiki.pages.page_tree import Key

_BULLET = lazy_pattern(r"[-*+][ \t]+")
_BOLD = lazy_pattern(r"\*\*((?:\\.|[^\\*])++)\*\*", re.DOTALL)


class RelationLine(NamedTuple):
    """One relation, seen from the page it stands on."""

    direction: str
    """`out`: the page's subject does something to the other; `in`: the other way about."""
    target: str
    """The link's target as written."""
    label: str
    """Plain text: what stands between the two."""
    own: str
    """The name of the page's subject as written in bold."""

    @property
    def key(self) -> Key:
        """What makes two relations of a page one; neither the bold name nor a place counts."""
        other = self.target.partition("#")[0].casefold()
        return ("rel", self.direction, other, fold(self.label))


def read_relation(item: str) -> RelationLine | None:
    """The relation in a list item without its footnotes; None where it is none."""
    mark = _BULLET.match(item)
    text = item[mark.end() :].rstrip() if mark else ""
    if text.startswith("**"):
        bold, start = _BOLD.match(text), text.rfind("[[")
        if bold is None or not text.endswith("]]"):
            return None
        return _line("out", text[start + 2 : -2], text[bold.end() : start], bold[1])
    end = text.find("]]")
    if not text.startswith("[[") or end < 0:
        return None
    target, rest = text[2:end], text[end + 2 :].strip(" \t")
    start = rest.rfind("**", 0, -2)
    if start < 0 or not rest.endswith("**"):
        return None
    return _line("in", target, rest[:start], rest[start + 2 : -2])


def _line(direction: str, link: str, label: str, own: str) -> RelationLine | None:
    target, label = link.partition("|")[0], label.strip(" \t")
    is_whole = label and target and not any(mark in link for mark in "[]\n")
    if not is_whole or not own.strip():
        return None
    return RelationLine(direction, target, normalise(unescape(label)), own)


def verb_phrase(label: str) -> str:
    """A label that reads between two names; what begins with no letter says nothing there."""
    text = normalise(label)
    return text if text[:1].isalpha() else "related to"
