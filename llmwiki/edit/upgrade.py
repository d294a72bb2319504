"""wiki upgrade: the pages of an earlier format in the grammar of this one, in one commit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from llmwiki.core.errors import StateError
from llmwiki.core.options import FORMAT
from llmwiki.core.text import fold
from llmwiki.memory.land import Landing, LandingOptions, Made, Operation, land
from llmwiki.memory.state import WikiState
from llmwiki.pages import write
from llmwiki.pages.claim_links import ClaimHome, claim_link, named_link
from llmwiki.pages.disputes import is_disputed
from llmwiki.pages.ids import CLAIM_ID
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Page
from llmwiki.pages.relations import read_relation
from llmwiki.pages.syntax import PageError
from llmwiki.pages.tombstones import claim_refs, enrol, ledger_path
from llmwiki.pages.upgrade import upgraded
from llmwiki.repo.layout import MARKER
from llmwiki.repo.repository import Repository

_BARE = re.compile(rf"\[\[[^\[\]|\n]*#\^({CLAIM_ID})\]\]")
_FORMAT_LINE = re.compile(r"^format[ \t]*=[ \t]*\d+", re.MULTILINE)
_CALLOUT = "> [!warning] Contradiction"
Shown = Callable[[str], str]
"""A piece of a page to the same with words in its links."""


def upgrade(
    repo: Repository, state: WikiState, terms: LandingOptions, *, dry_run: bool = False
) -> Landing[None]:
    """Lands every page in the grammar of this format, and the format in the settings' file.

    What is in that grammar already stays as it is: a second run changes nothing. Raises StateError
    where both sides of a merge still stand in a page, and what `land` raises.
    """

    def make(now: WikiState) -> Made[None]:
        pages = _changed(now)
        marker = _marker(repo)
        if not pages and not marker:
            return Made(None, None)
        operation = Operation(
            kind="upgrade",
            title=f"format {FORMAT}",
            pages=pages,
            constants=marker,
            notes=(f"The pages say what they said, in the grammar of format {FORMAT}.",),
            settles=True,
        )
        return Made(operation, None)

    return land(repo, state, make, operation="upgrade", terms=terms, dry_run=dry_run)


def _marker(repo: Repository) -> dict[str, bytes]:
    """The settings' file with this format in it; empty where it has it already."""
    held = repo.read(repo.head(), MARKER)
    text = (held or b"").decode("utf-8", "surrogateescape")
    line = f"format = {FORMAT}"
    found = _FORMAT_LINE.search(text)
    new = text.replace(found[0], line, 1) if found else f"{line}\n{text}"
    return {} if new == text else {MARKER: new.encode("utf-8", "surrogateescape")}


def _changed(state: WikiState) -> Mapping[str, Page]:
    """The pages that are to be written, as they shall be."""
    before = {entry.path: page for entry in state.entries() if (page := state.page(entry.path))}
    disputed = sorted(path for path, page in before.items() if is_disputed(page.text))
    if disputed:
        raise StateError(
            "both sides of a merge stand here between conflict marks, and nobody has chosen",
            where=disputed[0],
            fix="Keep one, or both, take the marks out, commit, and run it again.",
        )
    pages = {path: upgraded(page) for path, page in before.items()}
    homes = {home.id: home for page in pages.values() for home in _homes(page)}
    pages = {path: _worded(page, homes) for path, page in pages.items()}
    _relate(pages)
    for path in pages:
        if path.startswith("wiki/sources/") and _is_readable(pages[path]):
            pages[path] = _with_contributions(pages, path)
    pages = {path: _dated(pages, page) for path, page in pages.items()}
    return {path: page for path, page in sorted(pages.items()) if page.node != before[path].node}


def _is_readable(page: Page) -> bool:
    try:
        return page.values is not None
    except PageError:
        return False


def _homes(page: Page) -> Iterator[ClaimHome]:
    if _is_readable(page):
        for claim in page.claims:
            yield ClaimHome(page.stem, page.title, claim.id, claim.text)


# --- words ---------------------------------------------------------------------------------


def _worded(page: Page, homes: Mapping[str, ClaimHome]) -> Page:
    """The page with words in those links to claims that the tool wrote without."""
    if not _BARE.search(page.text):
        return page

    def shown(raw: str, *, is_named: bool = False) -> str:
        def link(found: re.Match[str]) -> str:
            home = homes.get(found[1])
            if home is None:
                return found[0]
            return named_link(home) if is_named else claim_link(home)

        return _BARE.sub(link, raw)

    def node(old: PageNode) -> PageNode:
        if old.kind == "ref":
            return PageNode(old.key, shown(old.raw), old.parts, old.gap)
        if old.kind == "x" and old.raw.startswith(_CALLOUT):
            raw = shown(old.raw, is_named=True)
            return PageNode(("x", raw, *old.key[2:]), raw, old.parts, old.gap)
        if old.kind not in ("c", "n"):
            return old
        text, arrow, successor = old.raw.rpartition("~~ → ")
        parts = tuple(_attributes(part, shown) if part.kind == "a" else part for part in old.parts)
        return PageNode(old.key, text + arrow + shown(successor) if arrow else old.raw, parts,
                        old.gap)  # fmt: skip

    new = tuple(map(node, page.body))
    return page if new == page.body else Page.parse(page.path, write.with_body(page, new).text)


def _attributes(node: PageNode, shown: Shown) -> PageNode:
    parts = tuple(PageNode(part.key, shown(part.raw), (), part.gap) for part in node.parts)
    return PageNode(node.key, node.raw if parts else shown(node.raw), parts, node.gap)


# --- between pages -------------------------------------------------------------------------


def _relate(pages: dict[str, Page]) -> None:
    """Each relation on the page of its other side too, where that is one page."""
    stems: dict[str, list[str]] = {}
    for path, page in pages.items():
        stems.setdefault(fold(page.stem), []).append(path)
    for path in sorted(pages):
        here = pages[path]
        for node in here.body:
            line = read_relation(node.raw) if node.kind == "rel" else None
            found = stems.get(fold(line.target), []) if line else []
            if line is None or line.direction != "out" or len(found) != 1 or found[0] == path:
                continue
            other = pages[found[0]]
            if not _is_readable(other):
                continue
            for part in node.parts:
                other = write.add_relation(other, here.stem, line.label, part.key[1], "in")
            pages[found[0]] = other


def _with_contributions(pages: Mapping[str, Page], path: str) -> Page:
    """A source's page with its roster, and what it said on other pages in words."""
    ledger = pages[path]
    ids = frozenset(claim_refs(ledger))
    held = {p: page for p, page in pages.items() if any(c.id in ids for c in page.claims)}
    for _, page in sorted(held.items()):
        ledger = enrol(ledger, [claim for claim in page.claims if claim.id in ids])
    return ledger


def _dated(pages: Mapping[str, Page], page: Page) -> Page:
    """The page with an entry and a footnote for each source it cites, with the source's date."""
    if not _is_readable(page) or "[^" not in page.text:
        return page
    for source_id in sorted(page.cited()):
        ledger = pages.get(ledger_path(source_id))
        own = ledger.own_source if ledger and ledger.path != page.path else None
        if ledger is not None and own is not None:
            page = write.set_source(page, own)
            date = ledger.value("date")
            page = write.add_footnote(page, source_id, ledger.title, own.resource, date)
    return page
