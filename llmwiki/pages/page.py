"""A page as a value: title, lead, claims, notes, links and sources, read from its tree."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import fold, normalise
from llmwiki.pages import page_syntax
from llmwiki.pages.claim_head import DENIED, DENIES, phrases, read_words
from llmwiki.pages.escape import unescape
from llmwiki.pages.frontmatter import PageError, load_yaml
from llmwiki.pages.id_and_evidence_patterns import EVIDENCE
from llmwiki.pages.line_patterns import heading
from llmwiki.pages.linked_text import bare, read
from llmwiki.pages.page_file_names import stem_of
from llmwiki.pages.page_tree import PageNode

_LABEL = re.compile(r"\[\^([^\[\]\s]+)\]")
_STRUCK = lazy_pattern(r"^~~(?P<text>.*)~~[ \t]*(?:→|->)[ \t]*(?P<successor>.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote from a source. Its lines stand in no page: they are worked out from the
    source's bytes where they are shown."""

    source: str
    """Source id, which is the footnote's label."""
    quote: str
    """Normalised text, unescaped."""
    nth: int = 1
    """Which of the places is meant where the source has the words several times."""
    asked: tuple[str, ...] = field(default=(), compare=False)
    """Words by which somebody may ask for the claim, as `phrases` gives them: no part of what the
    evidence is."""
    first: int = field(default=0, compare=False)
    """Line of the source's text in which it begins; 0: it was not looked up, or stands nowhere."""
    last: int = field(default=0, compare=False)
    place: str = field(default="", compare=False)
    """Where that is in an original that has no lines: `p. 12`, `sheet Prices, row 7`."""

    @property
    def span(self) -> str:
        """The lines and the place: `L12`, `L12–L14`, `L12, p. 3`; empty where none are known."""
        if not self.first:
            return ""
        lines = f"L{self.first}" if self.first == self.last else f"L{self.first}–L{self.last}"
        return f"{lines}, {self.place}" if self.place else lines

    @property
    def identity(self) -> tuple[str, str]:
        """What makes two pieces of evidence the same one: source and folded quote."""
        return self.source, fold(self.quote)


class SourceRef(NamedTuple):
    """A source that a page rests on. A tuple, for a page may rest on hundreds."""

    id: str
    resource: str
    """`/raw/…`, from the wiki's root; empty where the page does not say."""
    sha256: str
    """Of the bytes that were read; empty where the page does not say. The source's own does."""
    origin: str = ""
    """Where the file is a copy from, as the source's own page says: an address, a file, `-`."""
    copied: str = ""
    """First digits of the SHA-256 that was copied, where the file was edited and read since."""


Meaning = tuple[str | bool, ...]
"""What a claim says, folded: its words, whether they are denied, and what `_MEANT` names."""
_MEANT = ("speaker", "scope", "as of", "until")


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement about the page's subject."""

    id: str
    text: str
    """As it is read: without links and escapes."""
    evidence: tuple[Evidence, ...] = ()
    attributes: tuple[tuple[str, str, str], ...] = ()
    """(name, `:` or `=`, value)."""
    successor: str | None = None
    """None while it stands; else what follows the arrow: a wikilink, or `gone in <hex>`."""

    def attribute(self, name: str) -> str | None:
        """The value of a `name: value` attribute."""
        return next((v for n, op, v in self.attributes if n == name and op == ":"), None)

    @property
    def meaning(self) -> Meaning:
        """What it says: two that say it are one claim, unless they give a slot unlike values."""
        others = (fold(self.attribute(name) or "") for name in _MEANT)
        return (fold(self.text), self.is_denied, *others)

    @property
    def matter(self) -> Meaning:
        """What it says or denies, whoever says so, and when."""
        return fold(self.text), fold(self.attribute("scope") or "")

    def denies(self, other: Claim) -> bool:
        """Whether one of two on one matter denies the other, as of no other time."""
        dates = {fold(date) for each in (self, other) if (date := each.attribute("as of"))}
        return self.is_denied != other.is_denied and len(dates) < 2

    @property
    def is_denied(self) -> bool:
        """Whether its sources say the contrary of its words."""
        return self.attribute("stance") == DENIES

    @property
    def slot(self) -> tuple[str, str] | None:
        """(key, value) where the claim fills a slot."""
        return next(((n, v) for n, op, v in self.attributes if op == "="), None)

    @property
    def rank(self) -> tuple[str, int]:
        """Where it stands among new claims: source id and, where it is known, line of its first
        evidence."""
        first = self.evidence[0] if self.evidence else None
        return (first.source, first.first) if first else ("", 0)


@dataclass(frozen=True)
class Page:
    """One Markdown file under wiki/."""

    path: str
    """Relative to the wiki's root, such as `wiki/concepts/Self-attention.md`."""
    node: PageNode

    @classmethod
    def parse(cls, path: str, text: str) -> Page:
        """Reads any text; `page.text` gives it back byte for byte."""
        page = cls(path, page_syntax.parse(text))
        page.__dict__["text"] = text
        return page

    @cached_property
    def text(self) -> str:
        """The page's bytes, as text."""
        return page_syntax.render(self.node)

    @property
    def stem(self) -> str:
        """The file name without folder and `.md`, by which `[[…]]` finds it."""
        return stem_of(self.path)

    @property
    def front(self) -> PageNode | None:
        """The frontmatter's node; None where the page has none."""
        return next((p for p in self.node.parts if p.kind == "front"), None)

    @property
    def body(self) -> tuple[PageNode, ...]:
        """The nodes of the body, in order."""
        return next((p.parts for p in self.node.parts if p.kind == "body"), ())

    @cached_property
    def values(self) -> dict[str, object]:
        """The frontmatter as a mapping; every scalar is a string. Raises PageError."""
        front = self.front
        if front is None:
            return {}
        raw = "\n".join(page_syntax.render_node(p) for p in front.parts if p.kind == "front")
        try:
            return load_yaml(raw)
        except PageError as error:
            raise PageError(
                error.what, where=self.path, fix="Mend the lines between the two ---."
            ) from error

    def value(self, key: str) -> str:
        """A scalar of the frontmatter, or the empty string."""
        found = self.values.get(key)
        return found if isinstance(found, str) else ""

    def words(self, key: str) -> tuple[str, ...]:
        """The words of a list of the frontmatter, or its one word."""
        found = self.values.get(key)
        if isinstance(found, str):
            return (found,) if found else ()
        if isinstance(found, list):
            return tuple(item for item in found if isinstance(item, str) and item)
        return ()

    @property
    def type(self) -> str:
        """The frontmatter's `type`, or the empty string."""
        return self.value("type")

    @cached_property
    def title(self) -> str:
        """The frontmatter's title, else the first heading, else the file's name."""
        heading = next((n for n in self.body if n.kind == "h1"), None)
        shown = unescape(heading_title(heading)) if heading else ""
        return self.value("title") or shown or self.stem

    @property
    def description(self) -> str:
        """One sentence: what it is."""
        return self.value("description")

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the page's subject."""
        return self.words("aliases")

    @property
    def tags(self) -> tuple[str, ...]:
        """The page's tags."""
        return self.words("tags")

    @cached_property
    def sources(self) -> tuple[SourceRef, ...]:
        """See `sources_of`."""
        return sources_of(self.path, self.values, self.text)

    @property
    def own_source(self) -> SourceRef | None:
        """The source that this page is of; None where it is of none, or does not say of which."""
        return next((ref for ref in self.sources if ref.id == self.stem), None)

    @cached_property
    def footnotes(self) -> dict[str, SourceFootnote]:
        """The footnotes of sources, by the source's id."""
        found = ((n.key[1], read_footnote(n.raw)) for n in self.body if n.kind == "fn")
        return {ident: note for ident, note in found if note is not None}

    def date_of(self, claim: Claim) -> str:
        """When a claim held: its own `as of`, else the date of the source of its first evidence."""
        own = claim.attribute("as of")
        if own or not claim.evidence:
            return own or ""
        source = claim.evidence[0].source
        if self.type == "source" and source == self.stem:
            return self.value("date")
        note = self.footnotes.get(source)
        return note.date if note else ""

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """All claims, wherever they stand in the body, in order."""
        return tuple(read_claim(node) for node in self.body if node.kind == "c")

    def claim(self, claim_id: str) -> Claim | None:
        """The claim with that id."""
        return next((c for c in self.claims if c.id == claim_id), None)

    @property
    def lead(self) -> str:
        """The prose between the title and the first section, as it stands in the file."""
        return next((n.raw for n in self.body if n.kind == "lead"), "")

    @property
    def marks(self) -> GeneratedMarks:
        """What program wrote the page, and the hashes of lead and description as it left them."""
        return read_generated(self.values.get("generated"))

    @property
    def lead_is_tools(self) -> bool:
        """Whether the tool may write the lead: there is none, or it is as the tool left it."""
        return not self.lead or self.marks.prose == prose_hash(self.lead)

    @property
    def description_is_tools(self) -> bool:
        """Whether the tool may write the description: there is none, or it is the tool's."""
        return not self.description or self.marks.about == about_hash(self.description)

    def section(self, title: str) -> tuple[PageNode, ...]:
        """The nodes under `## title` and the headings below it, up to the next of its level."""
        inside: list[PageNode] = []
        for node, name in self.with_sections():
            if name == title and node.kind not in SECTION_ENDS:
                inside.append(node)
        return tuple(inside)

    def with_sections(self) -> Iterator[tuple[PageNode, str]]:
        """Each node of the body with the title of the section it stands in.

        Headings of a person's inside a section of the tool's belong to that section.
        """
        name, level = "", "6"
        for node in self.body:
            if node.kind == "h" and (name not in SECTIONS or node.key[1] <= level):
                name, level = heading_title(node), node.key[1]
            yield node, name

    def cited(self) -> frozenset[str]:
        """The source ids that claims, relations and other lines of the body cite."""
        found: set[str] = set()
        todo = [node for node in self.body if node.kind not in ("fn", "tail")]
        while todo:
            node = todo.pop()
            todo += node.parts
            if "[^" in node.raw:
                found.update(_LABEL.findall(node.raw))
        return frozenset(found)


def title_of(page: Page) -> str:
    """The title; the name of the file where the frontmatter cannot be read."""
    try:
        return page.title
    except PageError:
        return page.stem


def heading_title(node: PageNode) -> str:
    """The text of a heading's node."""
    if node.kind == "h":
        return node.key[2]
    return (heading(node.raw) or (1, ""))[1]


SECTION_ENDS = frozenset({"h", "record", "fn", "tail"})
"""Kinds of nodes that are no line of the section they stand in."""

SECTIONS = {
    "Claims": 10,
    "Notes": 12,
    "Names": 32,
    "Related": 40,
    "Relations": 42,
    "Mentions": 45,
    "Open questions": 50,
    "Said": 60,
}
"""Order of the sections that the tool writes; a person's sections keep the place they have."""


class SourceFootnote(NamedTuple):
    """What a page says of a source that it cites."""

    date: str
    """The source's own date; empty where it has none."""
    path: str
    """Its file below raw/."""


_FOOTNOTE = lazy_pattern(
    r"^\[\^([^\[\]\s]+)\]: \[\[(?:sources/)?\1(?:\|[^\[\]\n]*)?\]\](?: \(([^()\n]*)\))?, (raw/.*)$",
    re.MULTILINE,
)


def read_footnote(raw: str) -> SourceFootnote | None:
    """`[^id]: [[sources/id|Title]] (date), raw/path` as a value; None for any other footnote."""
    found = _FOOTNOTE.fullmatch(raw)
    return found and SourceFootnote(unescape(found[2] or ""), unescape(found[3]))


def sources_of(path: str, values: Mapping[str, object], text: str) -> tuple[SourceRef, ...]:
    """The source that a page tells of, if it is one's own page; those that its footnotes name; and
    those that the claims came from which a filed answer was read from."""
    refs: dict[str, SourceRef] = {}
    stem = stem_of(path)
    resource, digest = values.get("source"), values.get("sha256")
    if values.get("type") == "source" and isinstance(resource, str) and resource:
        sha256 = digest if isinstance(digest, str) else ""
        origin = values.get("url" if values.get("fetched") else "origin")
        told = (each if isinstance(each, str) else "" for each in (origin, values.get("copied")))
        refs[stem] = SourceRef(stem, "/" + resource.removeprefix("/"), sha256, *told)
    for found in _FOOTNOTE.finditer(text) if "]], raw/" in text or "), raw/" in text else ():
        refs.setdefault(found[1], SourceRef(found[1], f"/{unescape(found[3])}", ""))
    read = values.get("read")
    for word in read if isinstance(read, list) else ():
        ident = word.partition(" ")[0] if isinstance(word, str) else ""
        refs.setdefault(ident, SourceRef(ident, "", ""))
    return tuple(ref for ident, ref in refs.items() if ident)


class GeneratedMarks(NamedTuple):
    """Who wrote a page's prose, and marks by which it is seen whether a person changed it since."""

    by: str = ""
    """Program and version."""
    prose: str = ""
    """Of the lead: `p-` and 8 hexadecimal digits."""
    about: str = ""
    """Of the description: `a-` and 8 hexadecimal digits."""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


_MARKS = lazy_pattern(r"(.*?)(?:(?:^| )(p-[0-9a-f]{8}))?(?:(?:^| )(a-[0-9a-f]{8}))?", re.DOTALL)


def read_generated(value: object) -> GeneratedMarks:
    """`generated` of a page's frontmatter."""
    found = _MARKS.fullmatch(value) if isinstance(value, str) else None
    return GeneratedMarks(*(word or "" for word in found.groups())) if found else GeneratedMarks()


def prose_hash(lead: str) -> str:
    """The mark of a lead: `p-` and 8 hexadecimal digits of the SHA-256 of its bare text."""
    return "p-" + hashlib.sha256(bare(lead).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def about_hash(description: str) -> str:
    """The mark of a description: `a-` and 8 hexadecimal digits of its SHA-256."""
    return "a" + prose_hash(description)[1:]


def read_claim(node: PageNode) -> Claim:
    """The claim (or note) that a node of kind `c` (or `n`) holds."""
    if not isinstance(node.read, Claim):
        object.__setattr__(node, "read", _claim_of(node))
        assert isinstance(node.read, Claim)
    return node.read


def _claim_of(node: PageNode) -> Claim:
    head = re.sub(r"^\s*[-*+][ \t]+", "", " ".join(line.strip() for line in node.raw.split("\n")))
    text = head.rsplit("^", 1)[0].strip()
    struck = _STRUCK.match(text)
    words = struck["text"] if struck else text
    is_denied = node.kind == "c" and words.startswith(DENIED)
    pairs = (pair for p in node.parts if p.kind == "a" for pair in read_pairs(p))
    return Claim(
        id=node.key[1],
        text=read(words.removeprefix(DENIED) if is_denied else words),
        evidence=tuple(e for part in node.parts if (e := read_evidence(part)) is not None),
        attributes=((("stance", ":", DENIES),) * is_denied + tuple(pairs)),
        successor=struck["successor"].strip() if struck else None,
    )


def _nested_text(part: PageNode) -> str:
    text = " ".join(line.strip() for line in page_syntax.render_node(part).split("\n"))
    return re.sub(r"^[-*+][ \t]+", "", text)


def read_evidence(part: PageNode) -> Evidence | None:
    """The evidence in a nested node; None where it holds none."""
    if part.kind != "e":
        return None
    found = EVIDENCE.match(_nested_text(part))
    if not found:
        return None
    nth = int(found["nth"] or 1)
    place = normalise(unescape(found["place"] or ""))
    asked = phrases(found["asked"] or "")
    quote = (read if page_syntax.is_inline(part) else unescape)(found["quote"])
    return Evidence(found["source"], quote, nth, asked, place=place)


def read_pairs(part: PageNode) -> tuple[tuple[str, str, str], ...]:
    """The attributes of a claim or note that a part of it tells."""
    if part.key == page_syntax.SAID:
        return tuple(filter(None, (read_words(each.raw) for each in part.parts)))
    text = _nested_text(part)
    inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    return page_syntax.split_pairs(inner)
