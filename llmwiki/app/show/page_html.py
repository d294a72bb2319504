"""The Markdown of a page as HTML: claims with their quotes, callouts, wikilinks, citations.

What stands in a page is text of others. HTML in it is shown as text, and what comes out is cleaned
by an allow-list besides. Pictures of the repository are shown, others are named and never loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from llmwiki.core.text import UNSAFE
from llmwiki.pages.claim_head import without_asked
from llmwiki.pages.id_and_evidence_patterns import EVIDENCE
from llmwiki.pages.line_patterns import RECORD
from llmwiki.pages.link_targets import resolve
from llmwiki.pages.markdown_blocks import body_start
from llmwiki.pages.page import read_footnote
from llmwiki.query.retrieval.plain_inline_text import lines_shown

if TYPE_CHECKING:
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline

    from llmwiki.pages.catalogue import Entry
    from llmwiki.pages.page import Claim, Evidence

LONGEST_TEXT = 20_000
"""Characters of a paragraph in which links and emphasis are looked for."""
_CLAIM = re.compile(r"(?s)(.*\S)\s+\^([cn]-[0-9a-hjkmnp-tv-z]{10,51})\s*\Z")
_LINK = re.compile(r"!?\[\[([^\[\]|\n]{1,1000})(?:\|([^\[\]\n]{0,1000}))?\]\]")
_MARK = re.compile(r"==(?=[^\s=])([^\n]{1,1000}?)(?<=[^\s=])==(?!=)")
_CITATION = re.compile(r"\[\^([^\[\]\s]{1,300})\]")
_GONE = re.compile(r"(?<=~~ → )gone in [0-9a-f]{8}\Z")
_TIES = re.compile(r"\(([a-z ]{1,40}: \S.*)\)")
_CALLOUT = re.compile(r"\[!([A-Za-z-]{1,20})\]([+-]?)[ \t]*([^\n]*)\n?")
_SLUG = re.compile(r"[^\w]+")
_WEB = re.compile(r"(?i)(?:https?://|mailto:)")
_TAGS = {
    "a", "b", "blockquote", "br", "caption", "cite", "code", "dd", "del", "details", "div", "dl",
    "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "li", "mark", "ol", "p", "pre", "q",
    "s", "section", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "th",
    "thead", "tr", "ul", "img",
}  # fmt: skip
_ATTRIBUTES = {
    "*": {"id", "class", "dir", "title"},
    "a": {"href", "rel"},
    "img": {"src", "alt", "loading", "width"},
    "ol": {"start"},
    "details": {"open"},
}


def shown(text: str) -> str:
    """Text with a replacement character for each that controls, turns the direction, or is none."""
    return UNSAFE.sub("\ufffd", text)


class PageAddresses(Protocol):
    """Where what a page names is shown: views of a server, or places of the graph's page."""

    def page(self, path: str, fragment: str = "") -> str:
        """Of a page, by its path."""

    def entry(self, entry: Entry, fragment: str = "") -> str:
        """Of a page that is listed."""

    def source(self, ident: str) -> str:
        """Of a source, by its id or its path."""

    def quoted(self, claim: Claim, evidence: Evidence) -> str:
        """Of a source at the place where a claim's quote stands."""

    def picture(self, path: str) -> str:
        """Of a picture of the repository, by its path from the root."""

    def why(self, what: str) -> str:
        """Of the story of a claim; empty: it is not told there."""


@dataclass(frozen=True, slots=True)
class PageText:
    """Markdown of a page, or what belongs to one, with all that it names."""

    path: str
    """Of the page."""
    body: str
    targets: Mapping[str, Entry]
    """What stands before `#` and `|` in a wikilink, to the page that it leads to."""
    sources: Mapping[str, Entry] = field(default_factory=dict)
    """Id of each source that it cites to the page of that source, in the order of their ids."""
    claims: tuple[Claim, ...] = ()
    """Claims whose quotes are folded below them; those of others stand as they are written."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """What it calls its pictures, to the files they are in the commit."""
    embeds: Mapping[str, tuple[Entry, PageText]] = field(default_factory=dict)
    """What stands before `|` in an embed (`![[…]]`), to the note and the part that it shows."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A text as HTML."""

    html: str
    """Cleaned: nothing in it runs or loads anything."""
    headings: tuple[tuple[str, str], ...]
    """Its headings of the second level: the id of each, and its text."""


class _Place:
    """What the rules know of the text that they render; handed through markdown-it's `env`."""

    def __init__(self, text: PageText, to: PageAddresses) -> None:
        self.to, self.text = to, text
        self.numbers = {ident: number for number, ident in enumerate(text.sources, start=1)}
        self.claims = {claim.id: claim for claim in text.claims}


def body_of(text: str) -> tuple[str, list[str]]:
    """What a page's file shows, and the ids of the sources that it cites: without frontmatter, the
    footnotes of sources, the record of a source's page, and what is hidden in it."""
    body: list[str] = []
    ids: list[str] = []
    in_record = False
    for _, line in lines_shown(without_asked(text[body_start(text) :])):
        in_record = line == RECORD or (in_record and line.startswith(">"))
        if in_record:
            continue
        if line.startswith("[^") and read_footnote(line):
            ids.append(line[2:].partition("]:")[0])
        else:
            body.append(line)
    return "\n".join(body), ids


def rendered(text: PageText, to: PageAddresses) -> RenderedPage:
    """A text as HTML."""
    env: dict[str, Any] = {"place": _Place(text, to)}
    tokens = _parser().parse(shown(text.body), env)
    html = _parser().renderer.render(tokens, _parser().options, env)
    return RenderedPage(cleaned(html), tuple(env["headings"]))


def cleaned(html: str) -> str:
    """HTML by an allow-list of elements, attributes and schemes of addresses."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
        strip_comments=True,
    )


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False)
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    parser.inline.ruler.before("link", "citation", _citation)
    parser.inline.ruler.before("emphasis", "mark", _mark)
    parser.core.ruler.after("block", "claims", _claims)
    parser.core.ruler.after("claims", "callouts", _callouts)
    parser.core.ruler.after("claims", "headings", _headings)
    parser.core.ruler.after("inline", "file_links", _file_links)
    parser.core.ruler.before("inline", "long_texts", _long_texts)
    parser.core.ruler.after("inline", "embeds", _embeds)
    parser.add_render_rule("image", _drawn(_image))
    parser.add_render_rule("picture", _drawn(_picture))
    parser.add_render_rule("embed", _drawn(_embed))
    parser.add_render_rule("long_text", _drawn(_long_text))
    parser.add_render_rule("claim_quotes", _drawn(_claim_quotes))
    return parser


def _drawn(draw: Callable[[Token, _Place], str]) -> Callable[..., str]:
    """The rule of a renderer that `draw` makes HTML of one token."""

    def rule(
        _renderer: object,
        tokens: Sequence[Token],
        at: int,
        _options: object,
        env: Mapping[str, Any],
    ) -> str:
        return draw(tokens[at], env["place"])

    return rule


# --- links -------------------------------------------------------------------------------------


def _wikilink(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "![":
        return False
    found = _LINK.match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        place: _Place = state.env["place"]
        named, label = found[1].rstrip("\\").strip(), (found[2] or "").strip()
        target, _, anchor = named.partition("#")
        if state.src[state.pos] == "!" and target.strip() in place.text.pictures:
            state.push("picture", "", 0).meta = {"path": place.text.pictures[target.strip()],
                                                 "label": label, "name": named}  # fmt: skip
            state.pos = found.end()
            return True
        text = label or (named.partition("#^")[0] or anchor).replace("#", " › ")
        _put_link(state, text, *_led(place, target.strip(), anchor))
    state.pos = found.end()
    return True


def _mark(state: StateInline, silent: bool) -> bool:
    """`==words==`."""
    found = _MARK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        most = state.posMax
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = found.start(1), found.end(1)
        state.md.inline.tokenize(state)
        state.posMax = most
        state.push("mark_close", "mark", -1)
    state.pos = found.end()
    return True


def _picture(token: Token, place: _Place) -> str:
    """A picture of the repository; of `|300` its width."""
    told = token.meta
    return _shown_picture(place, told["path"], told["label"], told["name"])


def _shown_picture(place: _Place, path: str, label: str, name: str) -> str:
    width = f' width="{label}"' if label.isdecimal() and len(label) < 5 else ""
    alt = escape(shown(name if width or not label else label))
    return f'<img src="{escape(place.to.picture(path))}" alt="{alt}" loading="lazy"{width}>'


def _embeds(state: StateCore) -> None:
    """A paragraph that is one embed: the note it names."""
    place: _Place = state.env["place"]
    tokens = state.tokens
    for at, token in enumerate(tokens[:-1]):
        found = _LINK.fullmatch(token.content.strip()) if token.type == "inline" else None
        if found is None or not found[0].startswith("!") or tokens[at - 1].type != "paragraph_open":
            continue
        note = place.text.embeds.get(found[1].rstrip("\\").strip())
        if note is not None:
            tokens[at - 1].hidden = tokens[at + 1].hidden = True
            token.type, token.meta, token.children = "embed", {"note": note}, None


def _embed(token: Token, place: _Place) -> str:
    """The note, without the notes that it embeds itself."""
    entry, note = token.meta["note"]
    html = rendered(note, place.to).html
    href, title = escape(place.to.entry(entry)), escape(shown(entry.title))
    link = f'<p class="from"><a class="page" href="{href}">{title}</a></p>'
    return f'<blockquote class="embed">{html}{link}</blockquote>\n'


def _led(place: _Place, target: str, anchor: str) -> tuple[str, str]:
    """The address of a wikilink and its class; no address where it leads nowhere."""
    fragment = anchor.removeprefix("^") if anchor.startswith("^") else _slug(anchor)
    if not target:
        return (f"#{fragment}", "inside") if fragment else ("", "")
    entry = place.text.targets.get(target)
    return (place.to.entry(entry, fragment), "page") if entry else ("", "missing")


def _put_link(state: StateInline, text: str, href: str, kind: str) -> None:
    opening = state.push("link_open" if href else "span_open", "a" if href else "span", 1)
    opening.attrs = {"href": href, "class": kind} if href else {"class": kind}
    if kind == "missing":
        opening.attrs["title"] = "There is no such page"
    state.push("text", "", 0).content = text
    state.push("link_close" if href else "span_close", "a" if href else "span", -1)


def _citation(state: StateInline, silent: bool) -> bool:
    """`[^id]` where `id` is a source of the page: its number, which leads to the source."""
    found = _CITATION.match(state.src, state.pos) if state.src[state.pos] == "[" else None
    place: _Place = state.env["place"]
    number = place.numbers.get(found[1]) if found else None
    if found is None or number is None:
        return False
    if not silent:
        opens = {"class": "cite", "href": place.to.source(found[1])}
        state.push("sup_open", "sup", 1).attrs = {"class": "cited"}
        state.push("link_open", "a", 1).attrs = {
            **opens,
            "title": place.text.sources[found[1]].title,
        }
        state.push("text", "", 0).content = str(number)
        state.push("link_close", "a", -1)
        state.push("sup_close", "sup", -1)
    state.pos = found.end()
    return True


def _file_links(state: StateCore) -> None:
    """Markdown links: to pages and sources by path, to the web, or to nothing."""
    place: _Place = state.env["place"]
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "link_open" and "class" not in child.attrs:
                href = str(child.attrs.get("href", ""))
                child.attrs.update(_link_of(place, href))


def _link_of(place: _Place, href: str) -> dict[str, str]:
    if _WEB.match(href):
        return {"class": "web", "rel": "noreferrer noopener nofollow"}
    if href.startswith("#"):
        return {"href": f"#{_slug(href[1:])}"}
    path = resolve(place.text.path, unquote(href.partition("#")[0].partition("?")[0]))
    if path.startswith("raw/"):
        return {"href": place.to.source(path), "class": "page"}
    return {"href": place.to.page(path), "class": "page"} if path else {"href": "#"}


def _slug(text: str) -> str:
    """The id of a heading: those of pages begin alike, so that none is one of the view's own."""
    return "h-" + _SLUG.sub("-", text.casefold()).strip("-") if text else ""


def _image(token: Token, place: _Place) -> str:
    alt, src = token.content or "picture", str(token.attrs.get("src", ""))
    if path := place.text.pictures.get(unquote(src)):
        return _shown_picture(place, path, "", token.content)
    if _WEB.match(src):
        named = escape(src, quote=True)
        return f'<a class="web" rel="noreferrer noopener nofollow" href="{named}">{escape(alt)}</a>'
    return f'<span class="picture">{escape(alt)}</span>'


def _long_texts(state: StateCore) -> None:
    """Shows very long paragraphs as they stand: some take time by the square of their length."""
    for token in state.tokens:
        if token.type == "inline" and len(token.content) > LONGEST_TEXT:
            token.type = "long_text"


def _long_text(token: Token, place: _Place) -> str:
    del place
    return escape(token.content)


# --- blocks ------------------------------------------------------------------------------------


def _headings(state: StateCore) -> None:
    """Gives headings their ids, and takes out the title, which the view shows by itself."""
    found: list[tuple[str, str]] = []
    tokens = state.tokens
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        del tokens[:3]
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        opening.attrs["id"] = _slug(inline.content)
        if opening.tag == "h2":
            found.append((str(opening.attrs["id"]), inline.content))
    state.env["headings"] = found


def _callouts(state: StateCore) -> None:
    """`> [!kind] title` at the beginning of a quotation; what `[!kind]-` begins is folded."""
    tokens = state.tokens
    for at, token in reversed([*enumerate(tokens)]):
        inner = tokens[at + 2] if token.type == "blockquote_open" and at + 2 < len(tokens) else None
        found = _CALLOUT.match(inner.content) if inner and inner.type == "inline" else None
        if inner is None or found is None:
            continue
        kind = found[1].lower()
        token.attrs["class"] = f"callout callout-{kind}"
        title = found[3].strip() or kind.replace("-", " ").capitalize()
        rest = inner.content[found.end() :]
        if found[2] != "-":
            inner.content = f"**{title}**  \n{rest}".rstrip()
            continue
        token.tag = tokens[_closing(tokens, at)].tag = "details"
        tokens[at + 1].tag = tokens[at + 3].tag = "summary"
        inner.content = f"**{title}**"
        if rest.strip():
            text = Token("inline", "", 0, content=rest, children=[], level=inner.level)
            opens = Token("paragraph_open", "p", 1, block=True)
            tokens[at + 4 : at + 4] = [opens, text, Token("paragraph_close", "p", -1, block=True)]


def _claims(state: StateCore) -> None:
    """List items that end with the id of a claim: marked, their quotes folded below them."""
    place: _Place = state.env["place"]
    kept: list[Token] = []
    tokens = state.tokens
    at = 0
    while at < len(tokens):
        token = tokens[at]
        kept.append(token)
        at += 1
        if token.type != "list_item_open" or at + 2 >= len(tokens):
            continue
        inline = tokens[at + 1]
        found = _CLAIM.fullmatch(inline.content) if inline.type == "inline" else None
        if found is None:
            continue
        inline.content = _GONE.sub("no longer in its source", found[1])
        claim = place.claims.get(found[2])
        struck = " struck" if claim and claim.successor is not None else ""
        token.attrs = {"id": found[2], "class": f"claim{struck}"}
        tokens[at].hidden = tokens[at + 2].hidden = False
        tokens[at].attrs["class"] = "said"
        if claim is not None and _is_quote(claim):
            inline.content = inline.content.replace(f" [^{claim.evidence[0].source}]", "", 1)
        kept += tokens[at : at + 2]
        behind = [tokens[at + 2], Token("claim_quotes", "", 0, meta={"id": found[2]})]
        # Where a claim that is its quote stands is told in its own line.
        kept += reversed(behind) if claim is not None and _is_quote(claim) else behind
        at += 3
        if claim is not None:
            at = _without_evidence(tokens, at, kept)
        elif at < len(tokens) and tokens[at].type == "bullet_list_open":
            tokens[at].attrs["class"] = "about"
            _without_brackets(tokens[at : _closing(tokens, at)])
    state.tokens[:] = kept


def _without_evidence(tokens: Sequence[Token], at: int, kept: list[Token]) -> int:
    """Takes over the list below a claim without its items of evidence; the place behind it."""
    if at >= len(tokens) or tokens[at].type != "bullet_list_open":
        return at
    end = _closing(tokens, at)
    rest: list[Token] = []
    place = at + 1
    while place < end:
        behind = _closing(tokens, place) + 1
        inline = tokens[place + 2] if place + 2 < end else tokens[place]
        if not (inline.type == "inline" and EVIDENCE.match(inline.content)):
            rest += tokens[place:behind]
        place = behind
    if rest:
        tokens[at].attrs["class"] = "about"
        _without_brackets(rest)
        kept += [tokens[at], *rest, tokens[end]]
    return end + 1


def _without_brackets(tokens: Sequence[Token]) -> None:
    """Ties are written in brackets, which a list of them does not need."""
    for token in tokens:
        if token.type == "inline" and (found := _TIES.fullmatch(token.content)):
            token.content = found[1]


def _closing(tokens: Sequence[Token], at: int) -> int:
    """The place of the token that closes the one at a place."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += tokens[place].nesting
        if not depth:
            return place
    return len(tokens) - 1


def _is_quote(claim: Claim) -> bool:
    """Whether the claim is one quote, word for word."""
    return len(claim.evidence) == 1 and claim.evidence[0].quote == claim.text


def _claim_quotes(token: Token, place: _Place) -> str:
    ident = token.meta["id"]
    claim = place.claims.get(ident)
    asked = place.to.why(ident)
    why = f'<a class="why" href="{escape(asked)}">why</a>' if asked else ""
    if claim is None or not claim.evidence:
        return f'<p class="marks">{why}</p>' if why else ""
    if _is_quote(claim):
        return f" {_cited(place, claim, 0)}"
    count = len(claim.evidence)
    told = f"{count} quotes" if count > 1 else "1 quote"
    names = dict.fromkeys(
        _title(place, each.source) for each in claim.evidence if not _is_own(place, each.source)
    )
    about = escape(shown("; ".join(names)))
    of = f' <span class="from">{about}</span>' if about else ""
    rows = "".join(_quote(place, claim, number) for number in range(count))
    return (
        f'<details class="quotes"><summary>{told}{of}</summary>'
        f'<div class="evidence">{rows}<p class="marks">{why}</p></div></details>'
    )


def _quote(place: _Place, claim: Claim, number: int) -> str:
    said = escape(shown(claim.evidence[number].quote))
    return f'<blockquote dir="auto"><q>{said}</q> {_cited(place, claim, number)}</blockquote>'


def _cited(place: _Place, claim: Claim, number: int) -> str:
    """Where a quote stands: the document, unless the page is of it, and the lines."""
    evidence = claim.evidence[number]
    title = "" if _is_own(place, evidence.source) else _title(place, evidence.source)
    where = ", ".join(filter(None, (title, evidence.span))) or "source"
    href = escape(place.to.quoted(claim, evidence))
    return f'<cite><a href="{href}">{escape(shown(where))}</a></cite>'


def _is_own(place: _Place, source: str) -> bool:
    """Whether the page is the one of a source."""
    entry = place.text.sources.get(source)
    return entry is not None and entry.path == place.text.path


def _title(place: _Place, source: str) -> str:
    entry: Entry | None = place.text.sources.get(source)
    return entry.title if entry else source
