"""Making and adding to pages. Every function returns a new page; what it does not name stays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from llmwiki.core.claim_attributes import CLAIM_ATTRIBUTES, LINKS
from llmwiki.core.text import digest32, fold, normalise
from llmwiki.pages import syntax
from llmwiki.pages.escape import escape, escape_inline, escape_slot, escape_value, link_text
from llmwiki.pages.front import flow, in_blocks
from llmwiki.pages.nodes import Key, PageNode
from llmwiki.pages.page import (
    Claim,
    Evidence,
    Page,
    SourceRef,
    prose_hash,
    read_claim,
    read_evidence,
)
from llmwiki.pages.place_marks import PLACE

SECTIONS = {
    "Document": 5,
    "Claims": 10,
    "Notes": 12,
    "Contradictions": 20,
    "Seen in": 30,
    "Names": 32,
    "Related": 40,
    "Relations": 42,
    "Mentions": 45,
    "Open questions": 50,
    "Retracted": 60,
}
"""Order of the sections that the tool writes; a person's sections keep the place they have."""

_LINK_ATTRIBUTES = frozenset({*LINKS, "from"})
_ATTRIBUTE_ORDER = tuple(each.name for each in CLAIM_ATTRIBUTES if not each.is_by_hand)


@dataclass(frozen=True, slots=True)
class NewPage:
    """What a page needs to begin."""

    path: str
    type: str
    title: str
    description: str = ""
    lead: str = ""
    """Markdown, one or more paragraphs; already escaped."""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    by: str = ""
    """The tool and version that wrote the lead, such as `llmwiki/0.1.0`."""


def create(new: NewPage) -> Page:
    """A page with frontmatter, title and lead, and nothing else yet."""
    entries = [
        PageNode(("front", "type"), f"type: {syntax.scalar(new.type)}"),
        PageNode(("front", "title"), f"title: {syntax.scalar(normalise(new.title))}"),
        PageNode(
            ("front", "description"), f"description: {syntax.scalar(normalise(new.description))}"
        ),
    ]
    for name, items in (("aliases", new.aliases), ("tags", new.tags)):
        if items:
            entries.append(syntax.list_node(name, tuple(normalise(item) for item in items)))
    front = PageNode(("front",), "---", (*entries, PageNode(("close",), "---")))
    body = PageNode(
        ("body",), "", (PageNode(("h1",), f"# {escape(new.title)}"), PageNode(("tail",), "\n"))
    )
    page = Page(new.path, PageNode(("page",), "", (front, body)))
    if page.description:
        page = _sign(page, new.by, "", prose_hash(page.description))
    return set_lead(page, new.lead, new.by)


# --- frontmatter ---------------------------------------------------------------------------

_FRONT_ORDER = ("type", "title", "description", "aliases", "tags", "sources", "generated")


def _with_front_node(page: Page, node: PageNode) -> Page:
    front = page.front or PageNode(("front",), "---", (PageNode(("close",), "---"),))
    parts = list(front.parts)
    at = next((i for i, p in enumerate(parts) if p.key == node.key), None)
    if at is not None:
        parts[at] = node
    else:
        rank = _FRONT_ORDER.index(node.key[1]) if node.key[1] in _FRONT_ORDER else 99
        place = len(parts) - 1
        for index, part in enumerate(parts[:-1]):
            name = part.key[1]
            if name in _FRONT_ORDER and _FRONT_ORDER.index(name) > rank:
                place = index
                break
        parts.insert(place, node)
    new = _with_front(page, replace(front, parts=tuple(parts)))
    return _checked(page, new, node.key[1])


def _checked(page: Page, new: Page, key: str) -> Page:
    """`new`, or, where its frontmatter does not read back as it should, that written line by line.

    A mapping in braces, a key that stands twice or an open quote cannot be edited by the line.
    """
    text = "\n".join(syntax.render_node(p) for p in (new.front.parts if new.front else ())
                     if p.key == ("front", key))  # fmt: skip
    expected = {**page.values, **syntax.load_yaml(text)}
    if key not in syntax.load_yaml(text):
        expected.pop(key, None)
    try:
        if new.values == expected:
            return new
    except syntax.PageError:
        pass
    front = new.front or PageNode(("front",), "---", (PageNode(("close",), "---"),))
    return _with_front(page, replace(front, parts=(*in_blocks(expected), front.parts[-1])))


def _with_front(page: Page, front: PageNode) -> Page:
    rest = tuple(p for p in page.node.parts if p.kind != "front")
    return Page(page.path, replace(page.node, parts=(front, *(rest or (_EMPTY_BODY,)))))


_EMPTY_BODY = PageNode(("body",), "", (PageNode(("tail",), "\n"),))


def set_value(page: Page, key: str, value: str) -> Page:
    """The page with `key: value` in its frontmatter; a same value changes no byte."""
    if page.value(key) == normalise(value):
        return page
    return _with_front_node(
        page, PageNode(("front", key), f"{key}: {syntax.scalar(normalise(value))}")
    )


def _set_list(page: Page, key: str, items: Sequence[PageNode]) -> Page:
    front = page.front
    if not items:
        if front is None or front.part(("front", key)) is None:
            return page
        kept = tuple(p for p in front.parts if p.key != ("front", key))
        return _checked(page, _with_front(page, replace(front, parts=kept)), key)
    return _with_front_node(page, PageNode(("front", key), f"{key}:", tuple(items)))


def _list(page: Page, key: str) -> tuple[PageNode, ...]:
    """The items of a frontmatter list; raises PageError where it is none."""
    found = page.values.get(key)
    return syntax.list_parts(key, f"{key}: {flow(found)}") if found else ()


def add_words(page: Page, key: str, words: Iterable[str]) -> Page:
    """The page with words added to `aliases` or `tags`; those it has, in any case, stay as is."""
    have = page.aliases if key == "aliases" else page.tags
    known = {fold(word) for word in have}
    if key == "aliases":
        known.add(fold(page.title))
    new: list[str] = []
    for word in words:
        text = normalise(word)
        if text and fold(text) not in known:
            known.add(fold(text))
            new.append(text)
    if not new:
        return page
    return _set_list(page, key, (*_list(page, key), *syntax.list_node(key, tuple(new)).parts))


def set_source(page: Page, source: SourceRef) -> Page:
    """The page with that source among its `sources`, which stay sorted by id.

    What a person added to the entry stays in it. A source without a hash is one whose bytes are
    not known.
    """
    if source in page.sources:
        return page
    found = page.values.get("sources")
    items = found if isinstance(found, list) else []
    entry = next((e for e in items if isinstance(e, dict) and e.get("id") == source.id), {})
    facts = {"id": source.id, "resource": source.resource, "sha256": source.sha256}
    whole = {key: word for key, word in {**entry, **facts}.items() if word or key != "sha256"}
    return put_source(page, PageNode(("source", source.id), flow(whole)))


def put_source(page: Page, entry: PageNode) -> Page:
    """The page with that node among its `sources`."""
    parts = {part.key: part for part in _list(page, "sources")}
    parts[entry.key] = entry
    return _set_list(page, "sources", sorted(parts.values(), key=lambda part: part.key))


def drop_sources(page: Page, ids: Iterable[str]) -> Page:
    """The page without those sources and their footnotes."""
    gone = set(ids)
    if any(s.id in gone for s in page.sources):
        kept = [p for p in _list(page, "sources") if p.key[1] not in gone]
        page = _set_list(page, "sources", kept)
    body = tuple(n for n in page.body if not (n.kind == "fn" and n.key[1] in gone))
    return page if len(body) == len(page.body) else with_body(page, body)


# --- prose ---------------------------------------------------------------------------------


def set_lead(page: Page, lead: str, by: str) -> Page:
    """The page with that lead, where the lead is the tool's to write; else the page as it is.

    `lead` is Markdown of the tool's own making: paragraphs whose text is escaped.
    """
    if not page.lead_is_tools or (page.lead == lead and page.prose_mark):
        return page
    body = [n for n in page.body if n.kind != "lead"]
    if lead:
        at = next((i for i, n in enumerate(body) if n.kind == "h1"), -1) + 1
        body.insert(at, PageNode(("lead",), lead))
    page = with_body(page, tuple(body))
    return _sign(page, by, prose_hash(lead) if lead else "", page.about_mark)


def set_description(page: Page, description: str, by: str) -> Page:
    """The page with that description, where it is the tool's to write; else the page as it is."""
    text = normalise(description)
    if not text or not page.description_is_tools or (page.description == text and page.about_mark):
        return page
    return _sign(set_value(page, "description", text), by, page.prose_mark, prose_hash(text))


def _sign(page: Page, by: str, prose_mark: str, about_mark: str) -> Page:
    marks = (("by", syntax.scalar(by)), ("prose", prose_mark), ("about", about_mark))
    inner = ", ".join(f"{name}: {mark}" for name, mark in marks if mark)
    return _with_front_node(page, PageNode(("front", "generated"), f"generated: {{{inner}}}"))


def prose(text: str, link: Callable[[str], str] | None = None) -> str:
    """Paragraphs of a model's or a source's text as escaped Markdown.

    `link`, where given, gets each escaped paragraph and may put wikilinks into it.
    """
    paragraphs = [escape(part) for part in re.split(r"\n\s*\n", text)]
    shown = [link(part) if link else part for part in paragraphs if part]
    return "\n\n".join(shown)


def wikilink(stem: str, label: str = "") -> str:
    """`[[stem]]`, or `[[stem|label]]` where the label differs from the file's name."""
    shown = link_text(label) if label else ""
    return f"[[{stem}|{shown}]]" if shown and shown != stem else f"[[{stem}]]"


def link_titles(titles: Mapping[str, str]) -> Callable[[str], str]:
    """A function that puts a wikilink on the first mention of each title in escaped text.

    `titles` is title to file name; titles of one or two characters are left alone.
    """
    escaped = {escape(title): (title, stem) for title, stem in titles.items() if len(title) > 2}
    if not escaped:
        return lambda text: text
    names = sorted(escaped, key=lambda name: (-len(name), name))
    pattern = re.compile(
        r"(?<![\w\\./-])(?:" + "|".join(map(re.escape, names)) + r")(?![\w/-]|\.\w)"
    )

    def link(text: str) -> str:
        seen: set[str] = set()

        def put(found: re.Match[str]) -> str:
            title, stem = escaped[found[0]]
            if stem in seen:
                return found[0]
            seen.add(stem)
            return wikilink(stem, title)

        return pattern.sub(put, text)

    return link


# --- body ----------------------------------------------------------------------------------


def with_body(page: Page, body: Sequence[PageNode]) -> Page:
    """The page with those nodes for a body."""
    node = next((p for p in page.node.parts if p.kind == "body"), _EMPTY_BODY)
    body = syntax.open_last(body)
    head = tuple(p for p in page.node.parts if p.kind == "front")
    return Page(page.path, replace(page.node, parts=(*head, replace(node, parts=tuple(body)))))


def replace_node(page: Page, node: PageNode) -> Page:
    """The page with `node` in the place of the one with its key."""
    return with_body(page, tuple(node if n.key == node.key else n for n in page.body))


def remove_node(page: Page, key: Key) -> Page:
    """The page without that node; a section of the tool's that it leaves empty goes with it."""
    body = [n for n in page.body if n.key != key]
    page = with_body(page, body)
    for index, node in enumerate(body):
        if node.kind == "h" and node.key[2] in SECTIONS:
            following = body[index + 1] if index + 1 < len(body) else None
            if following is None or following.kind in ("h", "fn", "tail"):
                return with_body(page, [n for n in body if n.key != node.key])
    return page


def add_to_section(
    page: Page, title: str, node: PageNode, rank: Callable[[PageNode], object] | None = None
) -> Page:
    """The page with `node` in the section `## title`, which is made where it is missing.

    With `rank`, before the first node of its kind there that ranks higher; else after the last.
    """
    if any(n.key == node.key for n in page.body):
        return page
    body = list(page.body)
    start = next((i for i, n in enumerate(body) if n.kind == "h" and n.key[2] == title), None)
    if start is None:
        start = _section_place(body, title)
        body.insert(start, PageNode(("h", "2", title), f"## {title}"))
    end = start + 1
    while end < len(body) and body[end].kind not in ("h", "fn", "tail"):
        end += 1
    place = end
    if rank is not None:
        mine = rank(node)
        for index in range(start + 1, end):
            if body[index].kind == node.kind and rank(body[index]) > mine:  # type: ignore[operator]
                place = index
                break
    body.insert(place, node)
    return with_body(page, body)


def _section_place(body: list[PageNode], title: str) -> int:
    rank = SECTIONS.get(title, 100)
    for index, node in enumerate(body):
        if node.kind == "h" and SECTIONS.get(node.key[2], -1) > rank:
            return index
    end = len(body)
    while end and body[end - 1].kind in ("fn", "tail"):
        end -= 1
    return end


def add_footnote(page: Page, source_id: str, ledger_title: str, resource: str) -> Page:
    """The page with the source's footnote, sorted among the others; written anew if it changed."""
    raw = (
        f"[^{source_id}]: {wikilink('sources/' + source_id, ledger_title)},"
        f" {escape(resource.removeprefix('/'))}"
    )
    key = ("fn", source_id)
    present = next((n for n in page.body if n.key == key), None)
    if present is not None:
        return page if present.raw == raw else replace_node(page, replace(present, raw=raw))
    body = list(page.body)
    place = next((i for i, n in enumerate(body) if n.kind == "tail"), len(body))
    for index, node in enumerate(body):
        if node.kind == "fn" and node.key[1] > source_id:
            place = index
            break
    body.insert(place, PageNode(key, raw))
    return with_body(page, body)


# --- claims --------------------------------------------------------------------------------


def claim_node(claim: Claim) -> PageNode:
    """A claim as the page's grammar writes it."""
    text = escape(claim.text)
    if claim.successor is not None:
        text = f"~~{text}~~ → {claim.successor}"
    parts = [evidence_node(e) for e in claim.evidence]
    if claim.attributes:
        parts.append(attributes_node(claim.attributes))
    return PageNode(("c", claim.id), f"- {text} ^{claim.id}", tuple(parts))


def evidence_node(evidence: Evidence) -> PageNode:
    """A piece of evidence as a nested item."""
    place = escape_inline(evidence.place)
    if place and not PLACE.fullmatch(place):
        # The name of a sheet may be anything; a line that cannot be read back loses the quote.
        evidence = replace(evidence, place="")
    return PageNode(
        ("e", *evidence.identity),
        f"  - “{escape_inline(evidence.quote)}” — [^{evidence.source}] "
        f"{escape_inline(evidence.span)}",
    )


def attributes_node(pairs: Sequence[tuple[str, str, str]]) -> PageNode:
    """The attribute item of a claim; known names first, in their order, then slots."""

    def order(pair: tuple[str, str, str]) -> tuple[int, str]:
        name = pair[0]
        known = _ATTRIBUTE_ORDER.index(name) if name in _ATTRIBUTE_ORDER else 50
        return (known if pair[1] == ":" else 99, name)

    parts = []
    for name, op, value in sorted(pairs, key=order):
        shown = value if name in _LINK_ATTRIBUTES else escape_value(value)
        sign = ": " if op == ":" else " = "
        parts.append(PageNode(("p", name, op), f"{escape_slot(name)}{sign}{shown}"))
    unique = {part.key: part for part in parts}
    return PageNode(("a",), "  - (", tuple(unique.values()))


def note_node(scope: tuple[str, ...], text: str, details: str) -> PageNode:
    """A note with one nested item; its id follows from `scope` and the folded text."""
    ident = "n-" + digest32((*scope, fold(text)))
    parts = (PageNode(("a",), f"  - {details}"),)
    return PageNode(("n", ident), f"- {escape(text)} ^{ident}", parts)


def claim_rank(node: PageNode) -> tuple[str, int, str]:
    """Where a claim's node stands among new ones: source id, line, claim id."""
    return read_claim(node).rank


def add_claim(page: Page, claim: Claim) -> Page:
    """The page with a new claim, placed by source id and line; existing order never changes."""
    return add_to_section(page, "Claims", claim_node(claim), claim_rank)


def add_claims(page: Page, claims: Iterable[Claim]) -> Page:
    """`add_claim` for many at once: each stands before the first that ranks higher."""
    new = sorted(claims, key=lambda c: c.rank)
    if not new:
        return page
    page = add_claim(page, new[0])
    body = list(page.body)
    place = next(i for i, n in enumerate(body) if n.key == ("c", new[0].id)) + 1
    for claim in new[1:]:
        while body[place].kind not in ("h", "fn", "tail") and not (
            body[place].kind == "c" and claim_rank(body[place]) > claim.rank
        ):
            place += 1
        body.insert(place, claim_node(claim))
        place += 1
    return with_body(page, body)


def add_evidence(page: Page, claim_id: str, evidence: Evidence) -> Page:
    """The page with one more piece of evidence for a claim it holds."""
    node = _claim(page, claim_id)
    new = evidence_node(evidence)
    if any(p.key == new.key for p in node.parts):
        return page
    at = max((i for i, p in enumerate(node.parts) if p.kind == "e"), default=-1) + 1
    return replace_node(page, replace(node, parts=(*node.parts[:at], new, *node.parts[at:])))


def move_evidence(
    page: Page, claim_id: str, old: Evidence, first: int, last: int, place: str
) -> Page:
    """The page with lines and place of one piece of evidence corrected."""
    node = _claim(page, claim_id)
    moved = replace(old, first=first, last=last, place=place)
    parts = []
    for part in node.parts:
        if part.kind == "e" and read_evidence(part) == old:
            parts.append(replace(part, raw=evidence_node(moved).raw))
        else:
            parts.append(part)
    return replace_node(page, replace(node, parts=tuple(parts)))


def drop_evidence(page: Page, claim_id: str, old: Evidence) -> Page:
    """The page without one piece of a claim's evidence."""
    node = _claim(page, claim_id)
    parts = tuple(p for p in node.parts if not (p.kind == "e" and read_evidence(p) == old))
    return replace_node(page, replace(node, parts=parts))


def add_attribute(page: Page, claim_id: str, name: str, op: str, value: str) -> Page:
    """The page with one more attribute on a claim; a name that is there keeps its value."""
    node = _claim(page, claim_id)
    claim = read_claim(node)
    if any(n == name for n, _op, _value in claim.attributes):
        return page
    new = attributes_node((*claim.attributes, (name, op, value)))
    at = next((i for i, p in enumerate(node.parts) if p.kind == "a"), None)
    if at is None:
        at = max((i for i, p in enumerate(node.parts) if p.kind == "e"), default=-1) + 1
        parts = (*node.parts[:at], new, *node.parts[at:])
    else:
        parts = (*node.parts[:at], new, *node.parts[at + 1 :])
    return replace_node(page, replace(node, parts=parts))


def strike(page: Page, claim_id: str, successor: str) -> Page:
    """The page with a claim struck: `successor` is a wikilink or `gone in <hex>`."""
    node = _claim(page, claim_id)
    claim = read_claim(node)
    if claim.successor is not None:
        return page
    raw = f"- ~~{escape(claim.text)}~~ → {successor} ^{claim_id}"
    return replace_node(page, replace(node, raw=raw))


def restore_claim(page: Page, claim_id: str) -> Page:
    """The page with a struck claim standing again."""
    node = _claim(page, claim_id)
    claim = read_claim(node)
    if claim.successor is None:
        return page
    return replace_node(page, replace(node, raw=f"- {escape(claim.text)} ^{claim_id}"))


def _claim(page: Page, claim_id: str) -> PageNode:
    return next(n for n in page.body if n.key == ("c", claim_id))


def add_item(page: Page, section: str, text: str) -> Page:
    """The page with the list item `- text` in a section; an item it has is not repeated."""
    raw = f"- {text}"
    node = _parsed_item(raw)
    return add_to_section(page, section, node, lambda n: n.raw)


def _parsed_item(raw: str) -> PageNode:
    """The node that reading the line back gives, so that what is written is what is read."""
    body = syntax.parse(f"## x\n\n{raw}\n").parts[0].parts
    return replace(next(n for n in body if n.kind not in ("h", "tail")), gap=None)


def add_relation(page: Page, target: str, label: str, source_id: str) -> Page:
    """The page with `- [[target]] — label [^source]` under Related; one line for all sources."""
    raw = f"- {wikilink(target)} — {escape(label)}"
    node = PageNode(syntax.relation_key(target, normalise(label)), raw)
    by = PageNode(("by", source_id), f"[^{source_id}]")
    present = next((n for n in page.body if n.key == node.key), None)
    if present is None:
        return add_to_section(page, "Related", replace(node, parts=(by,)), lambda n: n.key)
    if present.part(by.key):
        return page
    parts = tuple(sorted((*present.parts, by), key=lambda p: p.key))
    return replace_node(page, replace(present, parts=parts))


def add_callout(page: Page, section: str, callout: tuple[str, str]) -> Page:
    """The page with `> [!warning] title` and one line of Markdown under it in a section."""
    title, text = callout
    raw = f"> [!warning] {title}\n> {text}"
    return add_to_section(page, section, PageNode(("x", raw), raw), lambda n: n.raw)
