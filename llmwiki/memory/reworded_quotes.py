"""Claims that were their quotes until a person reworded them in place: the quotes go below them.

The roster of the source has the hash of each claim's quote, and an earlier commit its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from llmwiki.core.errors import WikiError
from llmwiki.memory.earlier import EarlierTexts, page_versions
from llmwiki.memory.state import WikiState
from llmwiki.pages import write
from llmwiki.pages.disputes import is_disputed
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Evidence, Page, SourceRef, read_claim, read_evidence
from llmwiki.pages.retraction import retraction
from llmwiki.pages.syntax import is_inline, seated
from llmwiki.pages.tombstones import ledger_path, quote_hash, recorded_quotes
from llmwiki.pages.write_claims import evidence_node

_Wanted = dict[str, tuple[str, str]]
"""Claim id to the source of its quote and the quote's hash."""


def with_quotes(state: WikiState, pages: Mapping[str, Page]) -> dict[str, Page]:
    """Those of the pages on which a reworded claim gets its quote again, with it below the claim.

    Where no commit at hand has the words whose hash the roster has, the claim stays as it is.
    """
    after: dict[str, Page] = {}
    for path, page in sorted(pages.items()):
        wanted = {} if is_disputed(page.text) else _wanted(state, page)
        for ident, quote in _found(state, path, wanted).items() if wanted else ():
            after[path] = _quoted(after.get(path, page), ident, quote)
    return {path: Page.parse(path, page.text) for path, page in after.items()}


def _wanted(state: WikiState, page: Page) -> _Wanted:
    found: _Wanted = {}
    for node in page.body:
        own = _own(node) if node.kind == "c" and len(node.key) == 2 else None
        if own is None:
            continue
        claim, written, source = read_claim(node), read_evidence(own), own.key[1]
        others = (each for each in claim.evidence if each != written)
        if claim.successor is not None or any(each.source == source for each in others):
            continue
        ledger = state.page(ledger_path(source))
        if ledger is None or retraction(ledger) is not None:
            continue
        digest = "".join(recorded_quotes(ledger).get(claim.id, ()))
        if digest and not _stands(state, ledger.own_source, written, digest):
            found[claim.id] = source, digest
    return found


def _own(node: PageNode) -> PageNode | None:
    """The quote that a claim is, or what is left of it."""
    return next((part for part in node.parts if is_inline(part) and part.kind != "a"), None)


def _stands(
    state: WikiState, source: SourceRef | None, written: Evidence | None, digest: str
) -> bool:
    """Whether the words in a claim's quotation marks are a quote of the version that was read."""
    if written is None or quote_hash(written.quote) == digest:
        return written is not None
    if source is None:
        return True
    path = source.resource.removeprefix("/")
    return EarlierTexts(state.repo, state.commit, path, source.sha256).held(written)


def _found(state: WikiState, path: str, wanted: _Wanted) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    try:
        for page in page_versions(state.repo, state.commit, path):
            for claim in page.claims:
                source, digest = wanted.get(claim.id, ("", ""))
                for each in claim.evidence if source and claim.id not in found else ():
                    if each.source == source and quote_hash(each.quote) == digest:
                        found[claim.id] = each
                        break
            if len(found) == len(wanted):
                break
    except WikiError:
        # A clone may lack the bytes of older commits: lint tells of the claim.
        pass
    return found


def _quoted(page: Page, ident: str, quote: Evidence) -> Page:
    """The page with the quote below a claim, in place of what its line has of it."""
    node = next(each for each in page.body if each.key == ("c", ident))
    parts = [part for part in node.parts if part is not _own(node)]
    at = next((i for i, part in enumerate(parts) if not is_inline(part)), len(parts))
    parts.insert(at, evidence_node(quote))
    return write.replace_node(page, seated(replace(node, parts=tuple(parts))))
