"""The rows of a page's links, and of what links to it may point to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from itertools import pairwise
from typing import Any, NamedTuple

from llmwiki.core.claim_attributes import ABOUT
from llmwiki.core.text import fold
from llmwiki.lint.findings import Finding, found_at
from llmwiki.lint.page_view import PageView
from llmwiki.lint.vault_and_archive_folders import VaultKind, lies_among_templates
from llmwiki.pages.find_links import PLACEHOLDER, has_placeholder
from llmwiki.pages.link_targets import OutgoingLink, is_attachment, link_key, name_in, outgoing
from llmwiki.pages.page_file_names import name_key, stem_of

_HEADING = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?#{1,6}[ \t]+(.*)$")
_LINKED = re.compile(r"\]\([^()\n]{0,2000}\)")
_TAG = re.compile(r"<[^<>\n]{1,300}>|\{[#:][^{}\n]{1,200}\}")
_OWN_ANCHOR = re.compile(
    r"<[a-z][^<>\n]{0,200}\s(?:id|name)=[\"']?([^\s\"'<>]{1,200})"
    r"|\{:? ?(?:#|id=[\"']?)([^\s{}\"']{1,200})",
    re.IGNORECASE,
)
_ANY_ANCHOR = re.compile(
    r"<h[1-6][\s>]|^::: |--8<--|<!-- ?[a-z]{1,20}:[a-z]", re.IGNORECASE | re.MULTILINE
)
"""Headings that are written as HTML, or put in when a site is made."""
_RANGE = re.compile(r"(?:,\d+)?(?::#.*)?\Z")
"""Behind the heading at which Dendron begins to show a page: how far from it, and where it ends."""
_DENDRON = re.compile(r"dendron://|[^\s./#]+(?:\.[^\s./#]+)+(?:#.*)?\Z")
_ABOUT = f"{ABOUT}: "
"""Before a link that may lead to a page which is still to come."""
_OF_SOURCES = "sources/"
_FOOTNOTE = "]: "
"""What stands before a link to a source's page in a footnote: most links are these, and rules on
evidence look at what they lead to."""
_ADDRESS = re.compile(r"(https?|ftp)://|[A-Za-z][A-Za-z0-9+.-]{1,31}://")
"""Of the web; or of a program, as `dendron://` and `obsidian://` lead to pages of other vaults."""
ANY = "#*"
"""Among the anchors of a page: it has some of its own making, any may be there."""


class LinkRow(NamedTuple):
    """A link and the page it stands on."""

    path: str
    line: int
    column: int
    form: str
    """As in `rows.TABLES`."""
    stem: str
    key: str
    """See `pages.link_targets`; empty of one to another file, or to a place on its own page."""
    target: str
    """As written; of a Markdown link the path that is meant."""
    heading: str
    block: str
    resolved: str
    """Of a Markdown link: the file it means, from the wiki's root."""

    @property
    def anchor(self) -> str:
        """What it asks for of its page: `#Making`, `#^how`; empty: nothing."""
        return f"#^{self.block}" if self.block else f"#{self.heading}" if self.heading else ""

    @property
    def shown(self) -> str:
        """The link without its label."""
        if self.form in ("file", "shown"):
            return f"({self.target}{self.anchor})"
        return f"{'!' if self.form == 'embed' else ''}[[{self.target}{self.anchor}]]"

    def found(self, message: str, about: str, mend: str = "") -> Finding:
        """A finding at its place."""
        return found_at(self.line, message, self.path, self.column, mend, about)


def has_heading(anchors: frozenset[str], heading: str) -> bool:
    """Whether a page with these anchors has a heading, and those named before it (`Part#Section`),
    or may have any."""
    wanted = {f"#{heading_key(part)}" for part in heading.split("#")} - {"#"}
    return wanted <= anchors or ANY in anchors


def heading_key(title: str) -> str:
    """What two spellings of a heading share: its letters and digits, folded."""
    return "".join(filter(str.isalnum, fold(title)))


@lru_cache(maxsize=2)
def _outgoing(view: PageView) -> tuple[OutgoingLink, ...]:
    found = outgoing(view.path, view.text, view.links)
    if view.is_foreign and view.vault not in (VaultKind.OBSIDIAN, VaultKind.LOGSEQ):
        is_gollum = view.vault is VaultKind.GOLLUM
        found = (_turned(link, view.path, is_gollum=is_gollum) for link in found)
    return tuple(found)


def links(view: PageView) -> Iterator[tuple[Any, ...]]:
    """The rows of a page's links."""
    text, own = view.text, name_key(view.stem)
    # Asked of the page as a whole first: most hold neither.
    is_odd = "%%" in text or ":[[" in text or has_placeholder(text)
    is_ours, is_template = not view.is_foreign, lies_among_templates(view.path)
    for link in _outgoing(view):
        is_record = is_ours and link.key.startswith(_OF_SOURCES)
        if is_record and text.startswith(_FOOTNOTE, link.start - len(_FOOTNOTE)):
            continue
        stem = name_in(link.key) or (name_key(stem_of(link.resolved)) if link.resolved else own)
        is_about = text.startswith(_ABOUT, max(0, link.start - len(_ABOUT)))
        if is_template or link.is_loose or is_about or (is_odd and _is_faint(view, link)):
            form = "faint"
        elif address := _ADDRESS.match(link.target):
            form = "address" if address[1] and view.vault is not VaultKind.LOGSEQ else "faint"
        elif link.resolved or not (link.key or link.wikilink):
            form = "shown" if link.embed else "file"
        else:
            form = "embed" if link.embed else "wiki"
        heading = link.heading if is_ours or not link.embed else _RANGE.sub("", link.heading)
        yield (
            *view.place(link.start), form, stem, link.key, link.target,
            heading, link.block.lower(), link.resolved,
        )  # fmt: skip


def _turned(link: OutgoingLink, path: str, *, is_gollum: bool) -> OutgoingLink:
    """A wikilink as Gollum reads it: `[[words|page]]`, but `[[picture|width=…]]`; addresses and
    what a macro puts in are no pages. Dendron does so too, whose names have points in them."""
    if not link.wikilink:
        return link
    label = link.wikilink.label
    is_page = label and "=" not in label and not is_attachment(link.target)
    # What is a path in front of the bar is no words.
    if is_page if is_gollum else "/" not in link.target and _DENDRON.match(label):
        target, _, heading = label.partition("#")
        block = heading[1:] if heading.startswith("^") else ""
        link = link._replace(
            target=target, key=link_key(target, path), heading="" if block else heading, block=block
        )
    return link._replace(is_loose=link.is_loose or (is_gollum and ":" in link.target))


def _is_faint(view: PageView, link: OutgoingLink) -> bool:
    """Whether a link is what a template engine fills in, stands in a comment, or is a variable of
    a pattern, ` :[[name]]`."""
    before = view.text[max(0, link.start - 2) : link.start]
    is_variable = before[-1:] == ":" and not before[:-1].strip()
    return is_variable or bool(PLACEHOLDER.search(link.target)) or _is_comment(view, link.start)


def _is_comment(view: PageView, offset: int) -> bool:
    """Whether it stands in a comment of Obsidian's, `%% … %%`."""
    return bisect_right(_percent_signs(view), offset) % 2 == 1


@lru_cache(maxsize=2)
def _percent_signs(view: PageView) -> tuple[int, ...]:
    """The offsets of `%%` by twos: what opens and what closes a comment."""
    found = [match.start() for match in re.finditer("%%", view.text)]
    return tuple(found[: len(found) // 2 * 2])


def titles(view: PageView) -> Iterator[str]:
    """The headings of a page that are written with `#`, as they are written."""
    for line in view.visible.split("\n"):
        if "#" in line and (match := _HEADING.match(line)):
            yield match[1].rstrip(" \t\r#")


def anchors(view: PageView) -> Iterator[tuple[str]]:
    """The keys of all that may be a heading (code is no reason to miss one), and of blocks."""
    text, lines = view.text, view.lines
    found = [match[1] for line in lines if "#" in line and (match := _HEADING.match(line))]
    found += [above for above, line in pairwise(lines) if line and not line.strip(" \t\r>=-")]
    keys = {heading_key(title) for title in found}
    keys |= {heading_key(_LINKED.sub("]", title)) for title in found if "](" in title}
    keys |= {heading_key(title.rpartition("^")[0]) for title in found if " ^" in title}
    for title in found:
        if "<" in title or "&" in title or "{" in title:
            keys.add(heading_key(unescape(_TAG.sub("", _LINKED.sub("]", title)))))
    if "<" in text or "{" in text:
        keys |= {heading_key(found[1] or found[2]) for found in _OWN_ANCHOR.finditer(text)}
    yield from ((f"#{key}",) for key in sorted(keys - {""}))
    if has_placeholder(text) or (("<" in text or "::: " in text) and _ANY_ANCHOR.search(text)):
        yield (ANY,)
    yield from ((f"^{block.lower()}",) for block in sorted(view.blocks))
