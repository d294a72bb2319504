"""A passage: one piece of a page that is found, shown, quoted and cited by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from llmwiki.core.claim_attributes import ABOUT, CONTRADICTS, UPDATED_BY
from llmwiki.core.language.search_terms import terms
from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.core.text import normalise
from llmwiki.pages.claim_head import (
    DENIES,
    Pair,
    head_in,
    pairs_in,
    phrases,
    pieces,
    read_pair,
)
from llmwiki.pages.claim_links import without_words
from llmwiki.pages.escape import unescape
from llmwiki.pages.id_and_evidence_patterns import EVIDENCE
from llmwiki.pages.linked_text import read

if TYPE_CHECKING:
    # What reads whole pages takes 30 ms to import; a context needs only what stands on a line.
    from llmwiki.pages.page import Evidence

_NESTED = lazy_pattern(r"(?P<indent>[ \t]*+)[-*+][ \t]++(?P<text>.*)")
_SHOWN_APART = frozenset({UPDATED_BY, CONTRADICTS, ABOUT})
"""Attributes that are told in words of their own, and pages that a claim is about."""
_BARE = ("from: ", "told by: ")
"""How the attributes of a note begin, which stand in no parentheses."""
_SLOT = lazy_pattern(r"(?:\A|; )(?P<key>[^:;=]{1,80}) = ")
_ROW = lazy_pattern(r"^[ \t]*[-*+][ \t]+(?:~~)?(?:\*\*Denied:\*\* )?“\\?\|", re.MULTILINE)
_UNSAFE_NAME = lazy_pattern(r"[\[\]|#^\s]+")


class ClaimPointer(NamedTuple):
    """A claim or note of some page, as a link names it."""

    page: str
    """File name without ending."""
    block: str
    """`c-…` or `n-…`."""

    @property
    def handle(self) -> str:
        """The link, `[[Page#^c-…]]`."""
        return f"[[{self.page}#^{self.block}]]"


class StruckQuote(NamedTuple):
    """What a struck claim quotes of a source."""

    quote: str
    first: int
    last: int
    """Lines of the source, from 1."""
    successor: str
    """The link of the claim that took its place."""


class Passage(NamedTuple):
    """One piece of a page."""

    path: str
    """Of the page, from the wiki's root."""
    title: str
    """Of the page."""
    kind: str
    """claim, lead, note, paragraph, item, row or description; source: lines of a source."""
    text: str
    """Plain text of one line, about `MAX_PASSAGE` characters at most, claims and rows aside."""
    line: int
    """Its first line in the page, from 1."""
    handle: str
    """What a citation is written as: `[[Gate#^c-…]]`, `[[Gate#Heading]]` or `[[Gate]]`."""
    headings: tuple[str, ...] = ()
    """The headings it stands under, outermost first, without the page's title."""
    id: str = ""
    """`c-…` of a claim, `n-…` of a note; else empty."""
    successor: str | None = None
    """None while it stands; else what follows the arrow: a wikilink, or `gone in <hex>`. Of lines
    of a source the links of the claims that took the place of those that quote them."""
    further: str = ""
    """Words it is found by that `text` lacks: quotes and attributes of a claim, and the words by
    which somebody may ask for it."""
    markdown: str = ""
    """A claim or note as it stands in the page; else empty."""
    footnotes: tuple[tuple[str, str], ...] = ()
    """(source id, path of the source) of the page's footnotes."""
    spans: tuple[tuple[int, int], ...] = ()
    """Of a claim that was looked up in its sources: the first and last line of each quote, 0 where
    the source is not at hand."""
    last: int = 0
    """Of lines of a source, whose first is `line` and whose path is `title`: the last one."""
    struck_quotes: tuple[StruckQuote, ...] = ()
    """Of lines of a source that were looked up: what struck claims quote of that source."""

    @property
    def struck(self) -> bool:
        """Whether it no longer stands."""
        return self.successor is not None

    @property
    def is_question(self) -> bool:
        """Whether it is a question and no statement."""
        return self.text.rstrip(" )").endswith(("?", "？")) or "Open questions" in self.headings

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The quotes behind a claim, with their lines where it was looked up."""
        found = _evidence(self.markdown) if self.kind == "claim" else ()
        if not self.spans:
            return found
        from dataclasses import replace

        return tuple(
            replace(each, first=first, last=last)
            for each, (first, last) in zip(found, self.spans, strict=True)
        )

    @property
    def attributes(self) -> tuple[tuple[str, str, str], ...]:
        """Of a claim or note: (name, `:` or `=`, value)."""
        said = _said(self.markdown) if self.kind == "claim" else ()
        return (*said, *_tied(self.markdown)) if self.markdown else ()

    @property
    def quotes(self) -> tuple[tuple[str, str, int], ...]:
        """(source id, quote, which of its places) of each evidence of a claim."""
        return _quotes(self.markdown) if self.kind == "claim" else ()

    @property
    def places(self) -> tuple[tuple[str, int, int], ...]:
        """(source as `sources` names it, first line, last line) of what it rests on, as far as it
        was looked up."""
        if self.kind == "source":
            return ((self.title, self.line, self.last),)
        if not self.spans:
            return ()
        paths = dict(self.footnotes)
        return tuple(
            (paths.get(source) or source, first, last)
            for (source, _, _), (first, last) in zip(self.quotes, self.spans, strict=True)
            if first
        )

    @property
    def about(self) -> str:
        """The attributes of a claim or note in words, without `updated_by`, `contradicts`, pages
        and that it is denied."""
        if self.kind == "note":
            found = next(iter(_nested(self.markdown)), "")
            return normalise(unescape(without_words(found.removeprefix("(").removesuffix(")"))))
        told = (
            f"{name}{': ' if sign == ':' else ' = '}{value}"
            for name, sign, value in self.attributes
            if (name, value) != ("stance", DENIES) and name not in _SHOWN_APART
        )
        # A claim of the same page is named without it there, which nobody could cite from here.
        own = f"[[{self.handle[2:].partition('#')[0]}#^"
        return normalise(without_words("; ".join(told)).replace("[[#^", own))

    @property
    def is_denied(self) -> bool:
        """Whether its source says the contrary."""
        return self.kind == "claim" and ("stance", ":", DENIES) in _said(self.markdown)

    @property
    def updated_by(self) -> tuple[ClaimPointer, ...]:
        """The claims that tell what has become of it since."""
        return self._tied(UPDATED_BY)

    @property
    def followed_by(self) -> tuple[ClaimPointer, ...]:
        """The claim that took its place, and those that tell what has become of it since."""
        after = self.succeeded_by
        return (*((after,) if after else ()), *self.updated_by)

    @property
    def as_of(self) -> str:
        """The day on which a claim held, as it is written; mostly empty."""
        if "as of: " not in self.markdown:
            return ""
        return next((value for name, _, value in self.attributes if name == "as of"), "")

    @property
    def contradicts(self) -> tuple[ClaimPointer, ...]:
        """Claims that cannot hold beside this one."""
        return self._tied(CONTRADICTS)

    def _tied(self, how: str) -> tuple[ClaimPointer, ...]:
        if f"{how}: " not in self.markdown:
            return ()
        name = self.handle[2:].partition("#")[0]
        values = (value for key, op, value in self.attributes if (key, op) == (how, ":"))
        return tuple(pointer for value in values for pointer in pointers(value, name))

    @property
    def slot(self) -> str:
        """The key of the value that a claim gives, `price` of "price = 5 USD"; mostly empty."""
        found = _SLOT.search(self.about) if " = " in self.markdown else None
        return found["key"] if found else ""

    @property
    def table_rows(self) -> tuple[str, int, int] | None:
        """(source, first, last line) where a claim that was looked up quotes rows of a table; else
        None."""
        return next(iter(self.places), None) if self.quotes_rows else None

    @property
    def quotes_rows(self) -> bool:
        """Whether a claim quotes rows of a table."""
        return bool(_ROW.search(self.markdown))

    @property
    def sources(self) -> tuple[str, ...]:
        """For each evidence the path of its source; the source's id where the page has no path."""
        paths = dict(self.footnotes)
        return tuple(paths.get(source) or source for source, _, _ in self.quotes)

    @property
    def succeeded_by(self) -> ClaimPointer | None:
        """The claim that took its place; None while it stands, or where there is none."""
        name = self.handle[2:].partition("#")[0]
        return next(iter(pointers(self.successor or "", name)), None)


def marked(passage: Passage, text: str) -> Passage:
    """Lines of a source of which `text` is shown, superseded where that holds at least half of the
    words that a struck claim quotes of these lines."""
    said = set(terms(text))
    links = dict.fromkeys(
        each.successor
        for each in passage.struck_quotes
        if each.first <= passage.last and passage.line <= each.last
        if 2 * len(said & (quoted := set(terms(each.quote)))) >= len(quoted)
    )
    return passage._replace(successor=" and ".join(links) or None)


def safe_name(name: str) -> str:
    """A file name as it can stand in a link: brackets, bars and signs of places become blanks."""
    return normalise(_UNSAFE_NAME.sub(" ", name))


def pointers(markdown: str, name: str) -> list[ClaimPointer]:
    """The claims and notes a text links to; a link without a page means the page of that name."""
    if "#^" not in markdown:
        return []
    from llmwiki.pages.find_links import scan

    return [
        ClaimPointer(safe_name(link.target.rpartition("/")[2]) or name, link.block)
        for link in scan(markdown)
        if link.block.startswith(("c-", "n-"))
    ]


def _nested(markdown: str) -> list[str]:
    """The items nested below a claim or note, each on one line with what is nested in it."""
    items: list[str] = []
    depth = -1
    for line in markdown.split("\n")[1:]:
        item = _NESTED.fullmatch(line)
        width = len(item["indent"].expandtabs(4)) if item else 0
        if item and (depth < 0 or width <= depth + 1):
            depth = width if depth < 0 else depth
            items.append(item["text"].rstrip(" \t\r"))
        elif items:
            items[-1] = f"{items[-1]} {line.strip()}".rstrip()
    return items


@lru_cache(maxsize=1 << 11)
def _quotes(markdown: str) -> tuple[tuple[str, str, int], ...]:
    """`Passage.quotes` of a claim."""
    return tuple(
        (found["source"], quote, int(found["nth"] or 1)) for found, quote in _quoted(markdown)
    )


@lru_cache(maxsize=1 << 11)
def _evidence(markdown: str) -> tuple[Evidence, ...]:
    """`Passage.evidence` of a claim, without lines."""
    from llmwiki.pages.page import Evidence

    return tuple(
        Evidence(
            found["source"],
            quote,
            int(found["nth"] or 1),
            phrases(found["asked"] or ""),
            place=normalise(unescape(found["place"] or "")),
        )
        for found, quote in _quoted(markdown)
    )


def _quoted(markdown: str) -> Iterator[tuple[re.Match[str], str]]:
    """The evidence of a claim, each with the words that it quotes: on the claim's own line they
    have links."""
    own = ((head_in(markdown).cited, read),)
    for text, words in (*own, *((nested, unescape) for nested in _nested(markdown))):
        if found := EVIDENCE.match(text):
            yield found, words(found["quote"])


@lru_cache(maxsize=1 << 11)
def _said(markdown: str) -> tuple[Pair, ...]:
    """The attributes that the line of a claim tells."""
    return pairs_in(markdown)


@lru_cache(maxsize=1 << 11)
def _tied(markdown: str) -> tuple[Pair, ...]:
    """Those that the first line of them below it tells; other lines are a person's."""
    for text in _nested(markdown):
        is_bare = text.startswith(_BARE)
        inner = text if is_bare else text[1:-1] if text.startswith("(") and text[-1] == ")" else ""
        pairs = [read_pair(piece) for piece in pieces(inner)]
        told = tuple(filter(None, pairs)) if all(pairs) else ()
        if told or is_bare:
            return told
    return ()


def place(passage: Passage) -> tuple[str, int, str]:
    """What makes two passages the same one."""
    return passage.path, passage.line, passage.id or passage.text
