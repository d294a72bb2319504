"""The rule about headings and blocks that links lead to."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from llmwiki.core.language.name_keys import one_apart, words_of
from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.core.language.word_forms import singular
from llmwiki.core.text import listed
from llmwiki.lint.findings import Finding, short
from llmwiki.lint.links_and_anchors import (
    ANY,
    LinkRow,
    has_heading,
    heading_key,
    titles,
)
from llmwiki.lint.own_and_foreign_pages import beside, is_clipping
from llmwiki.lint.rule import beside_tea, rule
from llmwiki.lint.rules.files_by_name import followed
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.page_file_names import name_key, stem_of

_NO_HEADING = re.compile(r"(?:fn|cite|top\Z|L\d|:~:|[/!^?])", re.IGNORECASE)
"""Begins a fragment that leads to a footnote, a line, a passage, or is an address of a program."""
_REPEATED = re.compile(r"[-_]\d{1,2}\Z")
_COMPARED = 200
"""Headings of a page that a wrong one is compared with."""
_SHOWN = 3
"""Headings of one page that are named where several are not there."""
_PAGES = 4
"""Pages that lead astray on one page, from which on they are told as one."""
_NUMBER = re.compile(r"\d|[ivx]\Z")
_SLIP = 8
"""Letters from which on two words that differ in one are likely one word misspelled."""


@rule(
    "WK102 warning broken-anchor",
    was="WK103 WK312 broken-heading broken-block successor-missing",
    bad=beside_tea("See [[Tea#Brewing]]."),
    good=beside_tea("See [[Tea#making]], [[Tea#^how]] and [making](Tea.md#making)."),
)
def broken_anchor(wiki: LintedWiki) -> Iterator[Finding]:
    """A link leads to a heading or a block, such as a claim or what a struck one was replaced by,
    that its page does not have. All links of a page that lead astray on one other are told at once,
    and in notes of another tool those of many pages; the anchors of Markdown links not where the
    page was copied from the web. Case, blanks and punctuation of headings do not count, nor the
    number behind one that is repeated; anchors written as HTML or `{#name}` do, and a page with
    headings in HTML, or that a program fills in, may have any.

    Correct the heading or the block in the link.
    """
    lost: dict[str, dict[str, list[LinkRow]]] = {}
    for link, page in (*_broken_headings(wiki), *_broken_fragments(wiki), *_broken_blocks(wiki)):
        if link.block.startswith(("c-", "n-")):
            yield from _of_claim(link, page, wiki)
        else:
            lost.setdefault(page, {}).setdefault(link.path, []).append(link)
    for page, by_path in lost.items():
        found = [(sorted(links), _told(sorted(links), page, wiki)) for links in by_path.values()]
        unsure = [links for links, told in found if not told.mend and links[0].path != page]
        is_one = len(unsure) >= _PAGES and wiki.vaults.foreign(page)
        yield from (told for links, told in found if not (is_one and links in unsure))
        if is_one:
            yield _of_target(unsure, page)


def _of_target(links: Sequence[Sequence[LinkRow]], page: str) -> Finding:
    """What is said where many pages lead to headings that one page has lost."""
    every = [link for of_page in links for link in of_page]
    uses = Counter(link.anchor for link in every)
    most = sorted(uses, key=lambda name: (-uses[name], name))
    shown = [f"`{short(name)}` ({uses[name]})" for name in most[:_SHOWN]]
    shown += [f"{len(most) - _SHOWN} more"] if len(most) > _SHOWN else []
    first = min(every)
    where = _where(first, page)
    kinds = _kinds(every)
    message = (
        f"{len(every)} links of {len(links)} pages lead to {kinds} that {where} does not have: "
    )
    mend = f"Give {where} these {kinds}, or correct the links of {_among(links)}."
    return first.found(message + listed(shown), f"{page} {' '.join(most)}", mend)


def _among(links: Sequence[Sequence[LinkRow]]) -> str:
    paths = sorted({link.path for of_page in links for link in of_page})
    shown = [f"`{path}`" for path in paths[:_SHOWN]]
    return listed([*shown, *([f"{len(paths) - _SHOWN} more"] if len(paths) > _SHOWN else [])])


def _told(links: Sequence[LinkRow], page: str, wiki: LintedWiki) -> Finding:
    """What is said of the links of one page that lead to nothing on another, or on itself."""
    first = links[0]
    names = list(dict.fromkeys(link.anchor for link in links))
    where = _where(first, page)
    meant = {link.anchor: _meant(link, page, wiki) for link in links}
    asked = [(name, found) for name in names if (found := meant.get(name))][:_SHOWN]
    if len(names) == 1:
        kind = "block" if first.block else "heading"
        message = f"{first.shown} leads to a {kind} that {where} does not have"
        mend = f"Did you mean {asked[0][1]}?" if asked else ""
        return first.found(message, f"{first.target}{first.anchor}", mend)
    shown = [f"`{short(name)}`" for name in names[:_SHOWN]]
    shown += [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    message = f"{len(links)} links lead to {_kinds(links)} that {where} does not have: "
    told = listed([f"{found} for `{short(name)}`" for name, found in asked])
    about = f"{first.target}{''.join(names)}"
    mend = f"Did you mean {told}?" if told else ""
    return first.found(message + listed(shown), about, mend)


def _kinds(links: Sequence[LinkRow]) -> str:
    is_block = {bool(link.block) for link in links}
    return listed([kind for kind, at in (("headings", False), ("blocks", True)) if at in is_block])


def _where(link: LinkRow, page: str) -> str:
    if not link.target:
        return "this page"
    return f"`{page}`" if link.resolved else f"[[{stem_of(page)}]]"


def _of_claim(link: LinkRow, page: str, wiki: LintedWiki) -> Iterator[Finding]:
    places = wiki.places(link.block)
    if not places and link.path.startswith("wiki/sources/"):
        # That a recorded claim is gone is told by another rule.
        return
    message = f"{link.shown} leads to a block that {_where(link, page)} does not have"
    at = f"[[{stem_of(places[0].path)}#^{link.block}]]" if places else ""
    mend = f"It stands on another page: {at}." if at else ""
    yield link.found(message, f"{link.target}{link.anchor}", mend)._replace(claims=(link.block,))


# --- links that lead to no heading or block ----------------------------------------------------


def _led(link: LinkRow, wiki: LintedWiki) -> str | None:
    """The page a link with an anchor leads to; None: to none of the name."""
    return wiki.homes(link.stem).lead(link.key, link.path) if link.target else link.path


def _broken_headings(wiki: LintedWiki) -> Iterator[tuple[LinkRow, str]]:
    for link in wiki.links("form IN ('wiki', 'embed') AND heading != ''"):
        page = _led(link, wiki)
        if page is None or has_heading(wiki.anchors(page), link.heading):
            continue
        wanted = {heading_key(part) for part in link.heading.split("#")} - {""}
        if (top := wiki.catalogue.get(link.key)) and wanted <= {
            heading_key(had.title) for had in top.headings
        }:
            continue
        yield link, page


def _broken_fragments(wiki: LintedWiki) -> Iterator[tuple[LinkRow, str]]:
    """The anchors of Markdown links, as sites and forges make them of headings."""
    view = lru_cache(maxsize=2)(wiki.page)
    for link in wiki.links("form = 'file' AND heading != ''"):
        page = _page_of(link, wiki)
        if (
            not page
            or _NO_HEADING.match(link.heading)
            or _has_slug(wiki.anchors(page), link.heading)
        ):
            continue
        # Among wikilinks, which name headings by their words, such anchors came with a copied text.
        is_wont = wiki.is_by_path or not wiki.vaults.foreign(link.path)
        if (is_wont or _meant(link, page, wiki)) and not is_clipping(view(link.path)):
            yield link, page


def _broken_blocks(wiki: LintedWiki) -> Iterator[tuple[LinkRow, str]]:
    # Asked of all pages of a name first: few links remain to be looked at.
    lacking = (
        "form IN ('wiki', 'embed') AND block != '' AND (target = '' OR EXISTS ("
        "SELECT 1 FROM lint.head AS head WHERE head.stem = link.stem AND NOT EXISTS (SELECT 1 FROM "
        "lint.anchor AS anchor WHERE anchor.key = '^' || link.block AND anchor.page = head.page)))"
    )
    for link in wiki.links(lacking):
        page = _led(link, wiki)
        if page is not None and f"^{link.block}" not in wiki.anchors(page):
            yield link, page


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
    if ANY in had or not keys or any(f"#{key}" in had for key in keys):
        return True
    return not keys.isdisjoint(_in_ascii(had))


@lru_cache(maxsize=4)
def _in_ascii(had: frozenset[str]) -> frozenset[str]:
    """The keys of a page's anchors without what is not ASCII."""
    return frozenset("".join(filter(str.isascii, key[1:])) for key in had)


# --- which heading is meant --------------------------------------------------------------------


def _meant(link: LinkRow, page: str, wiki: LintedWiki) -> str:
    """The heading that a link means which leads to none, in words: one of the page that holds the
    words asked for; else the very heading, where it stands on one other page alone; else one of the
    page that holds nearly all of the words. Empty where it is none of these for sure."""
    if link.block:
        places = _with_anchor(f"^{link.block}", wiki)
        return f"[[{stem_of(places[0])}#^{link.block}]]" if len(places) == 1 else ""
    written = link.heading.rpartition("#")[2]
    if "=" in written:
        # `bookmark=id.x` is the address of a word processor.
        return ""
    holding, held = _nearest(written, _titles(page, wiki))
    elsewhere = "" if holding or not link.target else _on_another(link, page, wiki)
    if elsewhere and not link.resolved:
        return f"[[{'' if elsewhere == link.path else stem_of(elsewhere)}#{written}]]"
    if elsewhere:
        path = posixpath.relpath(elsewhere, posixpath.dirname(link.path))
        return f"(<{path}#{written}>)" if " " in path else f"({path}#{written})"
    # As a link has to write it: without the brackets and bars of links in it.
    found = (holding or held).replace("[[", "").replace("]]", "").replace("|", " ")
    return f"the heading “{short(found)}”" if found else ""


@lru_cache(maxsize=16)
def _titles(page: str, wiki: LintedWiki) -> Sequence[str]:
    view = wiki.page(page)
    return list(dict.fromkeys(islice(titles(view), _COMPARED))) if view else []


def _on_another(link: LinkRow, page: str, wiki: LintedWiki) -> str:
    """The one other page that has the heading; empty where none or several have it."""
    written = link.heading.rpartition("#")[2]
    held = _with_anchor(f"#{heading_key(written)}", wiki)
    paths = beside(held, page)
    # No page shows itself.
    is_own = bool(paths) and link.path == paths[0] and link.form == "embed"
    is_sure = len(held) == 1 and len(_words(written)) > 1 and not is_own
    return paths[0] if is_sure and paths else ""


def _with_anchor(key: str, wiki: LintedWiki) -> list[str]:
    """The first two pages that have a heading or a block, by path."""
    rows = wiki.rows(
        "SELECT path FROM lint.anchor AS anchor JOIN lint.page AS page ON page.id = anchor.page "
        "WHERE key = ? ORDER BY path LIMIT 2",
        key,
    )
    return [path for (path,) in rows]


def _nearest(written: str, headings: Sequence[str]) -> tuple[str, str]:
    """Of the headings of a page the one that holds all words asked for; and the one of which all
    words are asked for, with at most a third more and no number. Empty: none does, or several."""
    wanted, key = _words(written), heading_key(written)
    holding: dict[str, tuple[bool, int]] = {}
    held: dict[str, tuple[bool, int]] = {}
    for title in headings if wanted else ():
        words = _words(title)
        more, less = _lacking(words, wanted), _lacking(wanted, words)
        if not less or (len(key) >= _SLIP and heading_key(title).startswith(key)):
            holding[title] = words[: len(wanted)] != wanted, len(more)
        is_near = 3 * len(less) <= len(wanted) and not any(map(_NUMBER.search, less))
        if less and words and not more and is_near:
            held[title] = False, len(less)
    return _best(holding), _best(held)


def _best(ranks: Mapping[str, tuple[bool, int]]) -> str:
    least = min(ranks.values(), default=None)
    found = [title for title, rank in ranks.items() if rank == least]
    return found[0] if len(found) == 1 else ""


@lru_cache(maxsize=1 << 10)
def _words(title: str) -> Sequence[str]:
    """The words of a heading, without those that carry no subject where it has others."""
    plain = ("".join(filter(str.isalnum, word)) for word in words_of(title))
    words = [singular(word) for word in plain if word]
    return [word for word in words if word not in STOP_WORDS] or words


def _lacking(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words that are none of the others, nor a slip of the pen away from one."""
    return [word for word in words if not any(_is_alike(word, other) for other in others)]


def _is_alike(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= _SLIP and one_apart(one, other) > 0)
