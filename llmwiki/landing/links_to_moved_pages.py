"""Links and words of the whole wiki, where pages or claims move or are no more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace

from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages import page_tree, write
from llmwiki.pages.claim_links import shown_title
from llmwiki.pages.id_and_evidence_patterns import CLAIM_ID
from llmwiki.pages.link_targets import OutgoingLink, link_key, name_in
from llmwiki.pages.page import Page, title_of
from llmwiki.pages.page_file_names import name_key, stem_of
from llmwiki.pages.page_tree import Key, PageNode
from llmwiki.pages.redirect_links import plain_lines, relinked
from llmwiki.pages.tombstones import claim_refs, without_claims, without_links

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


def lead_links(state: WikiState, edited: Pages, moved: Mapping[str, str]) -> LedLinks:
    """The pages of an operation, and all others whose links lead to what it moves: pages, and
    claims that stand on another page then, or on one of another title.

    `edited` are the pages as they shall be; `moved` gives the new path of a page whose links shall
    lead elsewhere. What a link shows stays, except words that the tool wrote.
    """
    done = LedLinks(dict(edited))
    homes = _homes(edited)
    claims = _moving(state, homes)
    for path in _concerned(state, edited, moved, claims):
        page = done.pages[path] if path in done.pages else state.page(path)
        if page is not None:
            led = _led(state, done, page, moved, homes, claims)
            if path in done.pages or led.text != page.text:
                done.pages[path] = led
    return done


def _homes(edited: Pages) -> dict[str, Page]:
    """The page on which each claim of these will stand."""
    return {claim.id: page for page in edited.values() if page for claim in page.claims}


def _moving(state: WikiState, homes: Mapping[str, Page]) -> Set[str]:
    """Those of the claims whose page has another path or title now."""
    before = state.claim_pages(sorted(homes))
    held = {path: state.page(path) for path in sorted({*before.values()})}
    names = {path: title_of(page) for path, page in held.items() if page is not None}
    return {
        ident
        for ident, path in before.items()
        if (path, names.get(path)) != (homes[ident].path, title_of(homes[ident]))
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
    claims: Set[str],
) -> Page:
    resolver = state.resolver
    came_from = {new: old for old, new in moved.items()}.get(page.path, page.path)

    def leads(link: OutgoingLink) -> str | None:
        # A link that names no page led to a claim of the page that it stood on.
        home = homes.get(link.block) if link.block in claims or not link.target else None
        if home is not None:
            return home.path if link.target or home.path != page.path else None
        old = resolver.lead(link.key, came_from) if link.key else None
        if old is None or old not in moved:
            return None
        if len(resolver.fitting(link.key)) > 1:
            line = page.text.count("\n", 0, link.start) + 1
            done.left.append(UnledLink(page.path, line, "more than one page has that name"))
            return None
        to = moved[old]
        # The names may differ in case alone.
        return None if link.target.rpartition("/")[2] == stem_of(to) else to

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
    led = _retitled(state, led, homes)
    return _once(Page.parse(page.path, led.text))


def _link_name(state: WikiState, edited: Pages, path: str) -> str:
    """What a link to a page at a path says: its file name, with folders where two have that."""
    stem = stem_of(path)
    other = state.file_named(name_key(stem))
    is_other = other not in (None, path) and edited.get(other or "", other) is not None
    return path.removeprefix("wiki/").removesuffix(".md") if is_other else stem


_TITLED = re.compile(rf"(\[\[[^\[\]|\n]*#\^({CLAIM_ID})\|)([^\[\]\n]*)(?=\]\])")


def _retitled(state: WikiState, page: Page, homes: Mapping[str, Page]) -> Page:
    """The page with the titles that the tool wrote into links to claims as the pages have them
    now: in attributes and behind the arrow of a struck claim."""

    def title(found: re.Match[str]) -> str:
        home = homes.get(found[2])
        before = state.claim_page(found[2]) if home else None
        held = state.page(before) if before else None
        if home is None or held is None or found[3] != shown_title(held.title):
            return found[0]
        return found[1] + shown_title(home.title)

    def led(node: PageNode) -> PageNode:
        if node.kind in ("a", "p"):
            raw = _TITLED.sub(title, node.raw)
        else:
            text, arrow, successor = node.raw.rpartition("~~ → ")
            raw = text + arrow + _TITLED.sub(title, successor) if arrow else node.raw
        return replace(node, raw=raw, parts=tuple(map(led, node.parts)))

    body = tuple(led(node) if node.kind in ("c", "n") else node for node in page.body)
    return page if body == page.body else write.with_body(page, body)


def _once(page: Page) -> Page:
    """The page with one line for all that the tool wrote of one page in one direction."""
    body: dict[Key, PageNode] = {}
    sizes = {"rel": 4}
    for node in page.body:
        key = node.key[: sizes.get(node.kind, len(node.key))]
        held = body.get(key)
        if held is None:
            body[key] = replace(node, key=key)
        else:
            whole = page_tree.union(held, node)
            body[key] = replace(whole, parts=tuple(sorted(whole.parts, key=lambda p: p.key)))
    return page if len(body) == len(page.body) else write.with_body(page, list(body.values()))


# --- claims that are no more ---------------------------------------------------------------------


def lost_claims(state: WikiState, pages: Mapping[str, Page | None]) -> Set[str]:
    """The claims that stand in the wiki and shall not once these pages are as given."""
    had = {claim.id for page in state.pages(pages).values() for claim in page.claims}
    return had - {claim.id for page in pages.values() if page for claim in page.claims}


def without_words(
    state: WikiState, pages: Mapping[str, Page | None], gone: Set[str]
) -> dict[str, Page | None]:
    """`pages`, as they shall be, and the other pages that name those claims, without their words.

    The record of a source keeps the id: that is how its next reading knows what was deleted. Of a
    link to a page that goes, inside what another one says, the words stay.
    """
    after = dict(pages)
    for path in state.naming(gone) if gone else ():
        page = after[path] if path in after else state.page(path)
        if page is None:
            continue
        page = without_claims(page, gone)
        if path in after or page != state.page(path):
            after[path] = page
    for path in [path for path, page in after.items() if page is None]:
        _unlink(state, after, path)
    return after


def _unlink(state: WikiState, after: dict[str, Page | None], gone: str) -> None:
    """Takes links to a page that goes out of what others say, where no other has its file name."""
    name = name_key(stem_of(gone))
    if any(name_key(stem_of(path)) == name for path, page in after.items() if page is not None):
        return
    for path in state.linking(gone):
        page = after[path] if path in after else state.page(path)
        if page is not None:
            plain = without_links(page, lambda target: name_in(link_key(target, path)) == name)  # noqa: B023
            if path in after or plain != page:
                after[path] = plain


def deleted_by_hand(
    state: WikiState, ledger: Page, kept: Page | None = None
) -> dict[str, tuple[str, ...]]:
    """The claims in the record of a source that stand nowhere: id to the hash of its quote.

    With `kept`, the ledger as it shall be: those alone that its record has no more.
    """
    still = frozenset(claim_refs(kept)) if kept else frozenset()
    asked = [claim for claim in claim_refs(ledger) if claim not in still]
    standing = {*state.claim_pages(asked), *still}
    return {ident: q for ident, q in claim_refs(ledger).items() if ident not in standing}
