"""One page as rules see it: its parts with the lines they stand in, and its visible text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import unquote

from llmwiki.core.page_and_note_kinds import folder_of
from llmwiki.lint.vault_and_archive_folders import VaultKind, VaultKinds
from llmwiki.pages import find_links, page_syntax
from llmwiki.pages.frontmatter import PageError, split_front
from llmwiki.pages.line_patterns import code_spans, comment_spans, marked_spans, without
from llmwiki.pages.markdown_blocks import body_blocks, body_start
from llmwiki.pages.page import (
    Claim,
    Evidence,
    Page,
    SourceRef,
    heading_title,
    read_claim,
    read_evidence,
    sources_of,
)
from llmwiki.pages.page_file_names import stem_of
from llmwiki.pages.page_tree import PageNode

_NOT_LF = re.compile(r"[^\n]")
_MAY_BE_CODE = re.compile(r"[`$]|~~~|^(?: {4}|\t| {1,3}\t| {0,3}>)", re.MULTILINE)
"""Most pages have none of these, and need not be read block by block."""


def visible(text: str) -> str:
    """The text, each character of frontmatter, code and maths blocks replaced by a blank.

    Comments and HTML stay: a model that is given the page sees them.
    """
    if not _MAY_BE_CODE.search(text):
        front = body_start(text)
        return _blank(text[:front]) + text[front:]
    parts: list[str] = []
    at = 0
    for block in body_blocks(text):
        for leaf in block.leaves:
            is_html = leaf.kind == "html"
            if not leaf.spans:
                continue
            apart = is_html or leaf.kind == "table"
            whole = leaf.spans[0][0], leaf.spans[-1][1]
            for start, end in leaf.spans if apart else (whole,):
                parts.append(_blank(text[at:start]))
                shown = text[start:end]
                parts.append(shown if is_html else without(shown, code_spans(shown), _blank))
                at = end
    parts.append(_blank(text[at:]))
    return "".join(parts)


def _blank(text: str) -> str:
    return _NOT_LF.sub(" ", text)


def comments(text: str) -> list[tuple[int, int]]:
    """(start, end) of each comment, of HTML or of Obsidian (`%%`), in order."""
    return sorted([*comment_spans(text), *marked_spans(text, "%%", "%%")])


def without_comments(text: str) -> str:
    """The text with its HTML comments blanked out; offsets are the same."""
    return without(text, comment_spans(text), _blank)


_ALIAS = re.compile(r"[ \t]*(?:- )?(?:alias|title)::? ?(.*)")
_FIRST = 20
"""Lines among which a body's title is looked for first, and Logseq has the properties of a page."""
_KEY = re.compile(r"^([\"']?)([^\W\d][\w.-]*)\1[ \t]*:(?=[ \t\r]|$)")


def _logseq_names(stem: str) -> tuple[str, ...]:
    """What a page of Logseq may be called, which writes `a b/c?` to a file `a b___c%3F`, once to
    `a_b.c%3F`."""
    names = {unquote(stem.replace(sign, "/")) for sign in ("___", ".")}
    return tuple(sorted((names | {name.replace("_", " ") for name in names}) - {stem}))


class PlacedNode(NamedTuple):
    """A node of the body and where it stands."""

    node: PageNode
    line: int
    """Of its first line, from 1."""
    section: str
    """Title of the heading it stands under; empty before the first."""


class PlacedClaim(NamedTuple):
    """A claim or note and where it stands."""

    claim: Claim
    line: int
    evidence: tuple[tuple[Evidence, int], ...]
    """Each piece of evidence with its line."""
    foreign: tuple[tuple[str, int], ...]
    """Nested lines that fit nothing of ours, with their lines."""
    node: PageNode


class Heading(NamedTuple):
    """A heading of the body."""

    title: str
    line: int


class PageView:
    """One page: its text, and what is read from it when a rule first asks."""

    def __init__(self, path: str, text: str, vaults: VaultKinds | None = None) -> None:
        self.path = path
        self.text = text
        self.vaults = vaults or VaultKinds()
        """Whose it is."""

    @property
    def stem(self) -> str:
        """The file's name without folder and ending."""
        return stem_of(self.path)

    @property
    def vault(self) -> VaultKind:
        """What kind of folder it lies in."""
        return self.vaults.kind_at(self.path)

    @property
    def is_foreign(self) -> bool:
        """Whether it lies where another tool writes its pages."""
        return self.vault is not VaultKind.OWN

    @property
    def folder(self) -> str:
        """The folder below wiki/: `concepts`; empty at the top."""
        return folder_of(self.path)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The text's lines; line n is `lines[n - 1]`."""
        return tuple(self.text.split("\n"))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return (0, *accumulate(len(line) + 1 for line in self.lines))

    def place(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset of the text, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def matches(
        self, pattern: re.Pattern[str], text: str = ""
    ) -> Iterator[tuple[re.Match[str], int, int]]:
        """Each match of a pattern, with its line and column, in the page's text or in one that has
        other characters in the same places."""
        for match in pattern.finditer(text or self.text):
            yield match, *self.place(match.start())

    @cached_property
    def data(self) -> bytes:
        """The text as UTF-8; rules ask it whether a slow pattern is worth its time."""
        return self.text.encode("utf-8", "replace")

    @cached_property
    def lower(self) -> bytes:
        """The text in lower case, as UTF-8: what stands in it also stands in `text.lower()`."""
        return self.text.lower().encode("utf-8", "replace")

    @cached_property
    def page(self) -> Page:
        """The page, parsed."""
        return Page.parse(self.path, self.text)

    @cached_property
    def head(self) -> Page:
        """The page as far as its frontmatter tells of it; it may be without its body.

        Parsing the body takes most of the time of a page, and only claims and few rules need it.
        """
        if "^" in self.text:
            return self.page
        front, _rest = split_front(self.text)
        return Page(self.path, PageNode(("page",), "", (front,) if front else ()))

    @cached_property
    def broken(self) -> str:
        """Why the frontmatter cannot be read; empty where it can."""
        try:
            self.head.values  # noqa: B018  (read for what it raises)
        except PageError as error:
            return error.what
        return ""

    @cached_property
    def values(self) -> Mapping[str, object]:
        """The frontmatter; empty where there is none or it cannot be read."""
        return {} if self.broken else self.head.values

    @cached_property
    def sources(self) -> tuple[SourceRef, ...]:
        """As `Page.sources`; none where the frontmatter cannot be read."""
        return () if self.broken else sources_of(self.path, self.values, self.text)

    @property
    def own_source(self) -> SourceRef | None:
        """As `Page.own_source`."""
        return next((ref for ref in self.sources if ref.id == self.stem), None)

    @cached_property
    def is_deprecated(self) -> bool:
        """Whether it says that nothing stands on it any more: it is kept for links to it."""
        return self.values.get("status") == "deprecated"

    @property
    def type(self) -> str:
        """The frontmatter's type; empty where it has none."""
        found = self.values.get("type")
        return found if isinstance(found, str) else ""

    @cached_property
    def title(self) -> str:
        """As `Page.title`. Raises PageError where the frontmatter cannot be read."""
        if named := self.head.value("title"):
            return named
        # A title that is a heading is one of the first lines: the others need not be parsed for it.
        beginning = self.lines[: self.body_line + _FIRST]
        begun = Page.parse(self.path, "\n".join(beginning))
        is_told = any(node.kind == "h1" for node in begun.body)
        return begun.title if is_told else self.page.title

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """The other names that the frontmatter gives it; none where that cannot be read. In Logseq,
        whose pages have no YAML, those of its first lines, and what its file's name stands for."""
        if self.vault is not VaultKind.LOGSEQ:
            return () if self.broken else self.head.aliases
        lines = filter(None, map(_ALIAS.match, self.lines[:_FIRST]))
        named = tuple(name.strip(" []") for line in lines for name in line[1].split(","))
        return named + _logseq_names(self.stem)

    @cached_property
    def has_front(self) -> bool:
        """Whether it begins with frontmatter."""
        return self.head.front is not None

    @cached_property
    def front_lines(self) -> Mapping[str, int]:
        """Each key of the frontmatter to its line."""
        if not self.has_front:
            return {}
        found: dict[str, int] = {}
        for number, line in enumerate(self.lines[1 : self.body_line - 2], start=2):
            if key := _KEY.match(line):
                found.setdefault(key[2], number)
        return found

    def front_line(self, key: str) -> int:
        """The line of a key of the frontmatter; 1 where it has none."""
        return self.front_lines.get(key, 1)

    @cached_property
    def links(self) -> tuple[find_links.Link, ...]:
        """Its wikilinks: code, comments and escaped brackets hold none."""
        return find_links.scan(self.text)

    @cached_property
    def body_line(self) -> int:
        """The first line behind the frontmatter."""
        if not self.has_front:
            return 1
        for number, line in enumerate(self.lines[1:], start=2):
            if line.rstrip() == "---":
                return number + 1
        return len(self.lines)

    @cached_property
    def body(self) -> tuple[PlacedNode, ...]:
        """The nodes of the body with their lines and sections."""
        placed: list[PlacedNode] = []
        line, section, previous = self.body_line, "", None
        for node in self.page.body:
            if node.kind == "tail":
                continue
            usual = page_syntax.usual_gap(previous, node, self.has_front)
            line += (previous is not None) + (usual if node.gap is None else node.gap).count("\n")
            if node.kind == "h":
                section = heading_title(node)
            placed.append(PlacedNode(node, line, section))
            line += page_syntax.render_node(node).count("\n")
            previous = node
        return tuple(placed)

    @property
    def is_headed(self) -> bool:
        """Whether frontmatter or a heading at its top tells the title; else it is that of a part of
        the page, or its file's name."""
        lines = self.lines[self.body_line - 1 :]
        top = next((line for line in lines if line.strip(" \t\r")), "")
        return bool(self.head.value("title")) or top.startswith("# ")

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """Its headings of every level, in order."""
        return tuple(
            Heading(heading_title(placed.node), placed.line)
            for placed in self.body
            if placed.node.kind in ("h", "h1")
        )

    def date_of(self, claim: Claim) -> str:
        """When a claim held, as `Page.date_of`; its own words alone in unreadable frontmatter."""
        return (claim.attribute("as of") or "") if self.broken else self.page.date_of(claim)

    @cached_property
    def blocks(self) -> frozenset[str]:
        """The block ids that links may point to, without `^`."""
        told = (_block_id(line) for line in self.lines if "^" in line)
        return frozenset(filter(None, told))

    @cached_property
    def claims(self) -> tuple[PlacedClaim, ...]:
        """Its claims, struck ones included, in order."""
        if "^c-" not in self.text:
            return ()
        return tuple(_placed(p) for p in self.body if p.node.kind == "c")

    @cached_property
    def notes(self) -> tuple[PlacedClaim, ...]:
        """Its notes (`^n-…`), struck ones included, in order."""
        if "^n-" not in self.text:
            return ()
        return tuple(_placed(p) for p in self.body if p.node.kind == "n")

    @cached_property
    def visible(self) -> str:
        """The text with frontmatter, code and maths blocks blanked out; offsets are the same."""
        return visible(self.text)

    @cached_property
    def prose(self) -> str:
        """The text behind the frontmatter."""
        return "\n".join(self.lines[self.body_line - 1 :])


def _block_id(line: str) -> str:
    """What a line ends in behind `^`, where that may be a block's id; else empty."""
    before, _, ident = line.rstrip(" \t\r").rpartition("^")
    is_apart = not before or before[-1] in " \t)" or before.endswith("]]")
    return ident if is_apart and ident.isascii() and ident.replace("-", "a").isalnum() else ""


def _placed(placed: PlacedNode) -> PlacedClaim:
    claim = read_claim(placed.node)
    parts = [part for part in placed.node.parts if part.kind == "e"]
    known = claim.evidence if len(parts) == len(claim.evidence) else map(read_evidence, parts)
    read = dict(zip(map(id, parts), known, strict=True))
    line = placed.line + placed.node.raw.count("\n") + 1
    evidence: list[tuple[Evidence, int]] = []
    foreign: list[tuple[str, int]] = []
    for part in placed.node.parts:
        found = read.get(id(part))
        if page_syntax.is_inline(part):
            evidence += [(found, placed.line)] if found is not None else []
            continue
        raw = page_syntax.render_node(part)
        if found is not None:
            evidence.append((found, line))
        elif part.kind == "x":
            foreign.append((raw, line))
        line += raw.count("\n") + 1
    return PlacedClaim(claim, placed.line, tuple(evidence), tuple(foreign), placed.node)
