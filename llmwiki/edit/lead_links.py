"""Links of the whole wiki led on, where a page gets another name or claims get another page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace

from llmwiki.memory.state import WikiState
from llmwiki.pages import link_words, nodes, write
from llmwiki.pages.claim_links import ClaimHome, claim_link
from llmwiki.pages.contributions import set_contributions
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.nodes import Key, PageNode
from llmwiki.pages.outgoing import OutgoingLink
from llmwiki.pages.page import Page
from llmwiki.pages.relink import plain_lines, relinked
from llmwiki.pages.tombstones import claim_refs, ledger_path

Pages = Mapping[str, Page | None]
"""Pages as they shall be, by path; None: the page goes."""


@dataclass(frozen=True, slots=True)
class UnledLink:
    """A link that was left as it is."""

    path: str
    line: int
    """From 1."""
    why: str


@dataclass(slots=True)
class LedLinks:
    """What became of the links."""

    pages: dict[str, Page | None]
    """All pages as they shall be."""
    left: list[UnledLink] = field(default_factory=list)


def lead_links(
    state: WikiState, edited: Pages, moved: Mapping[str, str], claims: Set[str]
) -> LedLinks:
    """The pages of an operation, and all others whose links lead to what it moves.

    `edited` are the pages as they shall be; `moved` gives the new path of a page whose links shall
    lead elsewhere, and `claims` are the ids of the claims that stand on another page, or on one of
    another name, then. What a link shows stays, except words that the tool wrote.
    """
    done = LedLinks(dict(edited))
    homes = _homes(edited, claims)
    for path in _concerned(state, edited, moved, claims):
        page = done.pages[path] if path in done.pages else state.page(path)
        if page is not None:
            led = _led(state, done, page, moved, homes)
            if path in done.pages or led.text != page.text:
                done.pages[path] = led
    _tell_ledgers(state, done, homes)
    return done


def _homes(edited: Pages, claims: Set[str]) -> dict[str, Page]:
    """The page on which each of the claims will stand."""
    return {
        claim.id: page
        for page in edited.values()
        if page is not None
        for claim in page.claims
        if claim.id in claims
    }


def _concerned(
    state: WikiState, edited: Pages, moved: Mapping[str, str], claims: Set[str]
) -> list[str]:
    """The pages that may have links to lead, by path."""
    names: set[str] = set()
    for path in moved:
        page = state.page(path)
        names |= {stem_of(path), *((page.title, *page.aliases) if page else ())}
    found = {*edited, *state.linking_by(names), *state.naming(sorted(claims))}
    return sorted(path for path in found if edited.get(path, path) is not None)


def _led(
    state: WikiState,
    done: LedLinks,
    page: Page,
    moved: Mapping[str, str],
    homes: Mapping[str, Page],
) -> Page:
    resolver = state.resolver
    came_from = {new: old for old, new in moved.items()}.get(page.path, page.path)

    def leads(link: OutgoingLink) -> str | None:
        home = homes.get(link.block)
        if home is not None:
            return home.path if link.target or home.path != page.path else None
        old = resolver.lead(link.key, came_from) if link.key else None
        if old is None or old not in moved:
            return None
        if len(resolver.fitting(link.key)) > 1:
            line = page.text.count("\n", 0, link.start) + 1
            done.left.append(UnledLink(page.path, line, "more than one page has that name"))
            return None
        return moved[old]

    def name(path: str) -> str:
        return _link_name(state, done.pages, path)

    found = relinked(page.path, page.text, leads, name)
    done.left += [UnledLink(page.path, n, "it may be the cell of a table") for n in found.left]
    if found.text == page.text:
        return page
    led = Page.parse(page.path, found.text)
    for old, new in sorted(moved.items()):
        lines = [plain_lines(node, name(new), stem_of(old)) for node in led.body]
        led = write.with_body(led, lines)
    led = _reworded(state, led, homes)
    return _once(Page.parse(page.path, led.text))


def _link_name(state: WikiState, edited: Pages, path: str) -> str:
    """What a link to a page at a path says: its file name, with folders where two have that."""
    stem = stem_of(path)
    other = state.file_names.get(name_key(stem))
    is_other = other not in (None, path) and edited.get(other or "", other) is not None
    return path.removeprefix("wiki/").removesuffix(".md") if is_other else stem


def _reworded(state: WikiState, page: Page, homes: Mapping[str, Page]) -> Page:
    """The page with the words that the tool wrote into links to claims as it writes them now."""

    def link(found: re.Match[str]) -> str:
        home = homes.get(found["id"])
        before = _home_before(state, found["id"]) if home else None
        claim = home.claim(found["id"]) if home else None
        if home is None or claim is None or before is None:
            return found[0]
        if found["words"] != link_words.words_for(before):
            return found[0]
        target = found[0][2:].partition("#^")[0]
        return claim_link(ClaimHome(target, home.title, claim.id, claim.text))

    return link_words.reworded(page, link)


def _home_before(state: WikiState, claim_id: str) -> ClaimHome | None:
    path = state.claim_page.get(claim_id)
    page = state.page(path) if path else None
    claim = page.claim(claim_id) if page else None
    return ClaimHome(page.stem, page.title, claim_id, claim.text) if page and claim else None


def _once(page: Page) -> Page:
    """The page with one line for all that the tool wrote of one page in one direction."""
    body: dict[Key, PageNode] = {}
    sizes = {"rel": 4, "on": 2}
    for node in page.body:
        key = node.key[: sizes.get(node.kind, len(node.key))]
        held = body.get(key)
        if held is None:
            body[key] = replace(node, key=key)
        else:
            whole = nodes.union(held, node)
            body[key] = replace(whole, parts=tuple(sorted(whole.parts, key=lambda p: p.key)))
    return page if len(body) == len(page.body) else write.with_body(page, list(body.values()))


def _tell_ledgers(state: WikiState, done: LedLinks, homes: Mapping[str, Page]) -> None:
    """Lets the pages of sources say on which pages their claims stand."""
    for path in _ledgers(done.pages.values(), homes):
        ledger = done.pages[path] if path in done.pages else state.page(path)
        if ledger is None or ledger.type != "source":
            continue
        ids = frozenset(claim_refs(ledger))
        held: dict[str, Page] = {}
        for other in {*state.claim_page.among(sorted(ids)).values(), *done.pages}:
            page = done.pages[other] if other in done.pages else state.page(other)
            if page is not None:
                held[other] = page
        told = set_contributions(ledger, held | {path: ledger}, ids)
        if path in done.pages or told.text != ledger.text:
            done.pages[path] = told


def _ledgers(pages: Iterable[Page | None], homes: Mapping[str, Page]) -> list[str]:
    cited = {
        evidence.source
        for page in pages
        if page is not None
        for claim in page.claims
        if claim.id in homes
        for evidence in claim.evidence
    }
    return [ledger_path(source) for source in sorted(cited)]
