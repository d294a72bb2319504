"""The rule about headings and blocks that links lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice

from llmwiki.core.text import listed
from llmwiki.lint.files_by_name import followed
from llmwiki.lint.finding import Finding, short
from llmwiki.lint.links_and_anchors import ANY, LinkRow, heading_key
from llmwiki.lint.own_and_foreign_pages import is_clipping
from llmwiki.lint.rule import beside_tea, rule
from llmwiki.lint.view import PageView
from llmwiki.lint.wiki import LintedWiki
from llmwiki.pages.names import name_key, stem_of

_NUMBER = re.compile(r"\d|\b[IVX]+\b")
_NO_HEADING = re.compile(r"(?:fn|cite|top\Z|L\d|:~:|[/!^?])", re.IGNORECASE)
"""Begins a fragment that leads to a footnote, a line, a passage, or is an address of a program."""
_REPEATED = re.compile(r"[-_]\d{1,2}\Z")
_ALIKE = 0.65
"""How alike a heading is to one that is named, as `difflib` tells it, to be asked about."""
_COMPARED = 200
"""Headings of a page that a wrong one is compared with."""


@rule(
    "WK102 warning broken-anchor",
    was="WK103 WK312 broken-heading broken-block successor-missing",
    bad=beside_tea("See [[Tea#Brewing]]."),
    good=beside_tea("See [[Tea#making]], [[Tea#^how]] and [making](Tea.md#making)."),
)
def broken_anchor(wiki: LintedWiki) -> Iterator[Finding]:
    """A link leads to a heading or a block, such as a claim or what a struck one was replaced by,
    that its page does not have; so does the anchor of a Markdown link, told once for all of a page
    that lead to one other, and not where the page was copied from the web. Case, blanks and
    punctuation of headings do not count, nor the number behind one that is repeated; anchors
    written as HTML or `{#name}` do, and a page with headings in HTML, or that a program fills in,
    may have any.

    Correct the heading or the block in the link.
    """
    yield from _broken_headings(wiki)
    yield from _broken_fragments(wiki)
    yield from _broken_blocks(wiki)


def _led(link: LinkRow, wiki: LintedWiki) -> str | None:
    """The page a link with an anchor leads to; None: to none of the name."""
    return wiki.homes(link.stem).lead(link.key, link.path) if link.target else link.path


def _has(had: frozenset[str], keys: set[str]) -> bool:
    """Whether a page has all these anchors, or may have any."""
    return keys <= had or ANY in had


def _broken_headings(wiki: LintedWiki) -> Iterator[Finding]:
    for link in wiki.links("form IN ('wiki', 'embed') AND heading != ''"):
        wanted = {heading_key(part) for part in link.heading.split("#")} - {""}
        page = _led(link, wiki) if wanted else None
        if page is None or _has(wiki.anchors(page), {f"#{key}" for key in wanted}):
            continue
        if (top := wiki.catalogue.get(link.key)) and wanted <= {
            heading_key(had.title) for had in top.headings
        }:
            continue
        where = f"[[{stem_of(page)}]]" if link.target else "this page"
        message = f"{link.shown} leads to a heading that {where} does not have"
        mend = _meant_heading(wiki.page(page), link.heading.rpartition("#")[2])
        yield link.found(message, f"{link.target}#{link.heading}", mend)


def _broken_fragments(wiki: LintedWiki) -> Iterator[Finding]:
    """The anchors of Markdown links, as sites and forges make them of headings."""
    lost: dict[tuple[str, str], list[LinkRow]] = {}
    for link in wiki.links("form = 'file' AND heading != ''"):
        page = _page_of(link, wiki)
        if (
            page
            and not _NO_HEADING.match(link.heading)
            and not _has_slug(wiki.anchors(page), link.heading)
        ):
            lost.setdefault((link.path, page), []).append(link)
    for (path, page), found in lost.items():
        first, view = found[0], wiki.page(page)
        mend = next(filter(None, (_meant_heading(view, link.heading) for link in found)), "")
        # Among wikilinks, which name headings by their words, such anchors came with a copied text.
        is_copied = wiki.vaults.foreign(path) and not (wiki.is_by_path or mend)
        if is_copied or is_clipping(wiki.page(path)):
            continue
        where = "this page" if page == path else f"`{page}`"
        count = (
            f"{len(found)} links lead to headings"
            if len(found) > 1
            else "A link leads to a heading"
        )
        names = listed([f"`#{short(link.heading)}`" for link in found[:3]])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        yield first.found(f"{count} that {where} does not have: {names}{more}", f"{page}#", mend)


def _page_of(link: LinkRow, wiki: LintedWiki) -> str | None:
    """The page that a Markdown link leads to by its path; None: to none."""
    if not link.target:
        return link.path
    path = name_key(followed(link.resolved, wiki))
    wanted = (path, f"{path}.md")
    return next((page for page in wiki.of_stem(link.stem) if name_key(page) in wanted), None)


def _has_slug(had: frozenset[str], written: str) -> bool:
    """Whether a page has the heading that a fragment of an address was made of. Some sites leave
    out what is not ASCII; of headings that are alike all but the first get a number."""
    name = written.removeprefix("user-content-")
    # Gollum writes the headings that one stands below before it.
    ways = (name, _REPEATED.sub("", name), name.rpartition("_")[2])
    keys = {*map(heading_key, ways)} - {""}
    if ANY in had or not keys or _has(had, {f"#{heading_key(name)}"}):
        return True
    plain = {"".join(filter(str.isascii, key[1:])) for key in had if key[0] == "#"}
    return bool(keys & (plain | {key[1:] for key in had}))


def _meant_heading(view: PageView | None, written: str) -> str:
    """Names the heading that is most like one that is not there; numbers tell headings apart."""
    headings = islice(view.headings if view else (), _COMPARED)
    numbers = _NUMBER.findall(written)
    titles = {
        heading_key(h.title): h.title for h in headings if _NUMBER.findall(h.title) == numbers
    }
    near = get_close_matches(heading_key(written), titles, 1, _ALIKE)
    return f"Did you mean the heading “{titles[near[0]]}”?" if near else ""


def _broken_blocks(wiki: LintedWiki) -> Iterator[Finding]:
    # Asked of all pages of a name first: few links remain to be looked at.
    lacking = (
        "form IN ('wiki', 'embed') AND block != '' AND (target = '' OR EXISTS ("
        "SELECT 1 FROM lint.head AS head WHERE head.stem = link.stem AND NOT EXISTS (SELECT 1 FROM "
        "lint.anchor AS anchor WHERE anchor.key = '^' || link.block AND anchor.page = head.page)))"
    )
    for link in wiki.links(lacking):
        page = _led(link, wiki)
        if page is None or f"^{link.block}" in wiki.anchors(page):
            continue
        is_claim = link.block.startswith(("c-", "n-"))
        places = wiki.places(link.block) if is_claim else []
        if is_claim and not places and link.path.startswith("wiki/sources/"):
            # That a recorded claim is gone is told by another rule.
            continue
        where = f"[[{stem_of(page)}]]" if link.target else "this page"
        at = f"[[{stem_of(places[0].path)}#^{link.block}]]" if places else ""
        yield link.found(
            f"{link.shown} leads to a block that {where} does not have",
            f"{link.target}#^{link.block}",
            f"It stands on another page: {at}." if at else "",
        )._replace(claims=(link.block,) if is_claim else ())
