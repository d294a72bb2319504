"""The passages of a page, read from its text.

Claims, notes and the lead of a page of ours; each paragraph, list item and table row of any page.
Code, HTML, frontmatter and what only points elsewhere (footnotes, links to claims) are none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache, partial

from llmwiki.core.language.search_terms import fold_words
from llmwiki.core.language.sentences import split_sentences
from llmwiki.core.page_and_note_kinds import SAID
from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.core.text import normalise
from llmwiki.pages import body_blocks
from llmwiki.pages.claim_head import asked_behind, head_in, split_head, unstruck
from llmwiki.pages.claim_links import read_relation, without_words
from llmwiki.pages.escape import link_text, unescape
from llmwiki.pages.id_and_evidence_patterns import CLAIM_ID, ITEM_ID
from llmwiki.pages.line_patterns import RECORD, heading, table_cells
from llmwiki.pages.markdown_blocks import Block, Leaf, body_start, scan
from llmwiki.pages.page_file_names import stem_of
from llmwiki.query.retrieval.passage import Passage, safe_name
from llmwiki.query.retrieval.plain_inline_text import plain

MAX_PASSAGE = 1200
"""Characters of the longest passage; a longer paragraph is several, cut where a sentence ends."""

MAX_HEADING = 200
"""Characters of the longest heading that a handle names; below a longer one it names the page."""

KEPT_LENGTH = 30_000
"""Characters of the longest page whose passages are kept for the next question; each is some four
bytes of memory."""

_ID = lazy_pattern(rf"[ \t]\^(?P<id>{ITEM_ID})[ \t\r]*\Z")
_HAS_ID = lazy_pattern(r"[ \t]\^[cn]-")
_SAID = f"; kind: {SAID}"
_BULLET = lazy_pattern(r"^[ \t]*[-*+][ \t]+")
_STRUCK = lazy_pattern(r"~~(?P<text>.*)~~[ \t]*(?:→|->)[ \t]*(?P<successor>.*)\Z", re.DOTALL)
_RETRACTED = lazy_pattern(rf"\s*[-*+][ \t]+{CLAIM_ID} retracted ")
_SOURCE_NOTE = lazy_pattern(
    r"^\[\^(?P<id>[^\s\]]+)\]:[ \t]*\[\[sources/[^\[\]\n]*\]\]"
    r"(?:(?: \([^()\n]*\))?, (?P<path>[^\n]*))?",
    re.MULTILINE,
)
_CALLOUT = lazy_pattern(r"\A\[!\w+\][+-]?[ \t]*")
_ITEM_MARK = lazy_pattern(r"(?:\A|[ \t>])(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?\Z")
_CITATION = lazy_pattern(r" \[\^[^\s\[\]]+\]")
_JOINED = lazy_pattern(
    r"[*~=`\\\[\]<>&%!\ufeff\u202a-\u202e\u2066-\u2069](?<=[^\W_].)(?:[*_~=`\\\[\]<>&%!]*+[^\W_]|!--)"
    r"|\)[^\W_]"
)
"""Markup with letters on both sides: without it they make one word."""
_TASK = lazy_pattern(r"\A\[[ xX]\][ \t]+")
_QUOTED = lazy_pattern(
    r"[“\"](?P<quote>.*)[”\"](?:[ \t]+\(\d{1,4}\w\w\))?(?:[ \t]+(?:—|–|--?))?[ \t]+\[\^", re.DOTALL
)


class PagePart:
    """A block of a page that may hold passages, which are read when they are asked for: most parts
    of a page have nothing to do with a question."""

    def __init__(
        self, raw: str, read: Callable[[], Iterable[Passage]], headings: tuple[str, ...] = ()
    ) -> None:
        self._read = read
        self.headings = headings
        """Those it stands under."""
        self.folded = fold_words(raw)
        """Its Markdown, folded: each word of its passages stands there too, where it is not
        `joined`."""
        self.joined = _JOINED.search(raw) is not None
        """Whether markup stands within a word."""
        self.has_id = "^" in raw and _HAS_ID.search(raw) is not None
        """Whether it is a claim or note."""
        self.has_title = self.has_id or "]]" in raw
        """Whether its passages may count by the title of the page, or say it."""

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The passages, in the order of their lines; mostly one."""
        return tuple(self._read())


def page_parts(
    path: str, title: str, text: str, *, description: str = "", name: str = ""
) -> tuple[PagePart, ...]:
    """The parts of a page of any origin, in the order of their lines; never raises.

    `name` is what citations call the page (default: its file name). `description` is that of the
    frontmatter; empty: there is none.
    """
    start = body_start(text)
    line = text.count("\n", 0, start) + 1
    name = safe_name(name or stem_of(path)) or "page"
    reader = _Reader(path, title, name, text[start:], line)
    if shown := normalise(description):
        told = [Passage(path, title, "description", shown, 1, f"[[{name}]]")]
        reader.parts.append(PagePart(description, told.__iter__))
    reader.read()
    return tuple(reader.parts)


@lru_cache(maxsize=100)
def kept_parts(
    path: str, title: str, text: str, *, description: str, name: str
) -> tuple[PagePart, ...]:
    """The `page_parts` of a page that the next question may look at again."""
    return page_parts(path, title, text, description=description, name=name)


def passages(
    path: str, title: str, text: str, *, description: str = "", name: str = ""
) -> tuple[Passage, ...]:
    """The passages of a page, as `page_parts` finds them."""
    parts = page_parts(path, title, text, description=description, name=name)
    return tuple(each for part in parts for each in part.passages)


def pieces(text: str, limit: int = MAX_PASSAGE) -> Iterator[tuple[int, str]]:
    """A text in pieces of at most `limit` characters, each with its offset.

    Cut where a sentence ends, else at a blank, else anywhere.
    """
    start = 0
    ends = [0, *(end for _, end in split_sentences(text))] if len(text) > limit else [0]
    while len(text) - start > limit:
        stop = ends[bisect_right(ends, start + limit) - 1]
        if not start < stop <= start + limit:
            blank = max(text.rfind(sign, start + 1, start + limit) for sign in " \t\n")
            stop = blank if blank > 0 else start + limit
        if piece := text[start:stop].strip():
            yield start, piece
        start = stop
    if piece := text[start:].strip():
        yield start, piece


def _footnotes(body: str) -> tuple[tuple[str, str], ...]:
    """(source id, path of the source) of a page's footnotes, sorted."""
    if "[^" not in body:
        return ()
    found = {note["id"]: note["path"] for note in _SOURCE_NOTE.finditer(body)}
    return tuple((ident, normalise(unescape(path or ""))) for ident, path in sorted(found.items()))


class _Place(NamedTuple):
    """Where a passage without an id of its own stands."""

    handle: str
    headings: tuple[str, ...] = ()


class _Reader:
    """The state while a page's body is read from top to bottom."""

    def __init__(self, path: str, title: str, name: str, body: str, line: int) -> None:
        self._path, self._title, self._name = path, title, name
        self._headings: list[tuple[int, str, str]] = []
        """Level, words, and what a handle says of it."""
        self._place = _Place(f"[[{name}]]")
        self._footnotes = _footnotes(body)
        self._is_lead = False
        self._body = body
        self._line = line
        """Of the page, at which the body begins."""
        self._lines = body.split("\n")
        self.parts: list[PagePart] = []

    def read(self) -> None:
        for block in scan(self._body):
            self._block(block)

    def _block(self, block: Block) -> None:
        if self._is_copy(block):
            return
        if block.kind == "heading":
            level, text = heading(self._lines[block.first]) or (6, "")
            self._heading(level, text)
        elif block.kind == "footnote":
            if not _SOURCE_NOTE.match(self._lines[block.first].lstrip()):
                self._part(block, partial(self._leaves, block.leaves, self._place, "paragraph"))
        elif block.kind == "item":
            self._is_lead = False
            self._part(block, partial(self._item, block, self._place))
        elif block.kind in {"text", "quote"}:
            self._prose(block)

    def _is_copy(self, block: Block) -> bool:
        """Whether it is no prose at all, but the record of a source's page."""
        return self._lines[block.first] == RECORD

    def _part(self, block: Block, read: Callable[[], Iterable[Passage]]) -> None:
        raw = "\n".join(self._lines[block.first : block.last + 1])
        self.parts.append(PagePart(raw, read, self._place.headings))

    def _prose(self, block: Block) -> None:
        """A block of paragraphs, tables and headings that are underlined."""
        kind = "lead" if self._is_lead else "paragraph"
        leaves: list[Leaf] = []
        for leaf in block.leaves:
            if leaf.kind == "heading" and block.kind == "text":
                self._part(block, partial(self._leaves, tuple(leaves), self._place, kind))
                leaves.clear()
                level = 1 if self._lines[leaf.last].lstrip().startswith("=") else 2
                self._heading(level, " ".join(self._body[a:b] for a, b in leaf.spans))
                continue
            leaves.append(leaf)
            if leaf.kind == "table":
                self._is_lead = False
        self._part(block, partial(self._leaves, leaves, self._place, kind))

    def _heading(self, level: int, text: str) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        shown, place = _heading_shown(text)
        self._is_lead = level == 1 and all(
            each.kind == "description" for part in self.parts for each in part.passages
        )
        if shown and not (level == 1 and shown == self._title):
            self._headings.append((level, shown, place))
        self._place = _Place(
            f"[[{self._name}{self._headings[-1][2] if self._headings else ''}]]",
            tuple(heading for _, heading, _ in self._headings),
        )

    def _passage(self, kind: str, text: str, line: int, place: _Place) -> Iterator[Passage]:
        """The passage of a text; none where there is none."""
        if text:
            yield Passage(self._path, self._title, kind, text, line, place.handle, place.headings)

    def _item(self, block: Block, place: _Place) -> Iterator[Passage]:
        lines = self._lines[block.first : block.last + 1]
        raw = "\n".join(lines)
        line = self._line + block.first
        if "^" in raw and _HAS_ID.search(raw):
            claims = self._claims(lines, raw, line, place)
            if claims is not None:
                yield from claims
                return
        if _RETRACTED.match(raw):
            return
        if len(lines) == 1 and "]]" in raw and (relation := self._relation(raw)) is not None:
            yield from self._passage("item", relation, line, place)
            return
        yield from self._leaves(block.leaves, place, "item")

    def _relation(self, raw: str) -> str | None:
        """The words of an item that relates two pages, which is told once, on the page that begins
        the sentence: empty where it is told there. None: it is no such item."""
        bare = _uncited(raw)
        found = read_relation(bare)
        if found is None or (found.own and bare == raw):
            return None
        if found.direction == "in":
            return ""
        text = plain(_BULLET.sub("", raw))
        if not found.own:
            # `[[Page]] — label`: who is related is the page it stands on.
            related, _, label = text.partition(" — ")
            if label and " — " not in label:
                text = f"{self._title} — {label} — {related}"
        return text

    def _claims(
        self, lines: list[str], raw: str, line: int, place: _Place
    ) -> tuple[Passage, ...] | None:
        """The claim or note of an item, or none of what says nothing now; None: it is neither."""
        head, plainly = lines[0], all(nested.startswith("  - ") for nested in lines[1:])
        found = _ID.search(head) if plainly and body_blocks.bullet(head) is not None else None
        ident = found["id"] if found else ""
        if not found:
            from llmwiki.pages import page_syntax

            nodes = [n for n in page_syntax.parse(raw).parts[-1].parts if n.kind in {"c", "n"}]
            if not nodes:
                return None
            ident, head = nodes[0].key[1], " ".join(map(str.strip, nodes[0].raw.split("\n")))
        if ident.startswith("n-") and _SAID in raw:
            # What was learned from it stands in a note of its own; that one says what holds now.
            return ()
        text = _BULLET.sub("", head).rpartition("^")[0].strip()
        kind = "claim" if ident.startswith("c-") else "note"
        if kind == "claim" and ("]" in text or "*" in text):
            said, strike, tail = unstruck(text)
            text = f"{strike}{split_head(said).text}{tail}"
        if not text:
            return ()
        successor = None
        if text.startswith("~~") and (struck := _STRUCK.match(text)):
            text, successor = struck["text"], without_words(struck["successor"].strip())
        return (
            Passage(
                path=self._path,
                title=self._title,
                kind=kind,
                text=plain(text),
                line=line,
                handle=f"[[{self._name}#^{ident}]]",
                headings=place.headings,
                id=ident,
                successor=successor,
                further=_further(raw),
                markdown=raw,
                footnotes=self._footnotes,
            ),
        )

    def _leaves(self, leaves: Iterable[Leaf], place: _Place, kind: str) -> Iterator[Passage]:
        """The prose of a block that may hold lists, quotations, tables and code."""
        for leaf in leaves:
            lines = [self._body[start:end] for start, end in leaf.spans]
            if leaf.kind == "table":
                yield from self._table(lines, self._line + leaf.first, place)
            elif leaf.kind in {"paragraph", "heading"}:
                start = leaf.spans[0][0]
                mark = self._body[self._body.rfind("\n", 0, start) + 1 : start]
                itself = "item" if mark == "- " or (mark and _ITEM_MARK.search(mark)) else kind
                yield from self._pieces(lines, self._line + leaf.first, place, itself)

    def _table(self, lines: list[str], line: int, place: _Place) -> Iterator[Passage]:
        heads = list(map(plain, table_cells(lines[0])))
        for number, row in enumerate(lines[2:], line + 2):
            shown = list(map(plain, table_cells(row)))
            named = [
                f"{heads[i]}: {cell}" if i < len(heads) and heads[i] else cell
                for i, cell in enumerate(shown)
                if cell
            ]
            yield from self._passage("row", "; ".join(named), number, place)

    def _pieces(self, lines: list[str], first: int, place: _Place, kind: str) -> Iterator[Passage]:
        """A run of lines, from line `first` on, as one passage, or several where it is long."""
        whole = "\n".join(lines)
        if whole.startswith("["):
            whole = "\n".join([_TASK.sub("", _CALLOUT.sub("", lines[0], count=1)), *lines[1:]])
        for start, piece in [(0, whole)] if len(whole) <= MAX_PASSAGE else pieces(whole):
            text = plain(piece)
            if text[:1].isalnum() or any(character.isalnum() for character in text):
                yield from self._passage(kind, text, first + whole.count("\n", 0, start), place)


@lru_cache(maxsize=1 << 9)
def _heading_shown(text: str) -> tuple[str, str]:
    """The words of a heading, and what the handle of a passage below it says of them."""
    shown = plain(text)
    label = safe_name(link_text(shown))
    return shown, f"#{label}" if 0 < len(label) <= MAX_HEADING else ""


def _further(markdown: str) -> str:
    """The quotes and attributes of a claim, and what it may be asked by, as words."""
    head = head_in(markdown)
    own = [plain("; ".join(head.words)), asked_behind(head.cited)]
    return " ".join([*own, *_nested_words(markdown.split("\n")[1:])]).strip()


def _nested_words(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        text = _BULLET.sub("", line).strip()
        quoted = _QUOTED.match(text)
        if quoted:
            yield unescape(quoted["quote"])
            yield asked_behind(text)
        elif text.startswith("("):
            yield plain(text)


def _uncited(raw: str) -> str:
    """The text without the citations that end it."""
    end = full = len(raw.rstrip())
    while (at := raw.rfind(" [^", 0, end)) >= 0 and _CITATION.fullmatch(raw, at, end):
        end = at
    return raw[:end] if end < full else raw
