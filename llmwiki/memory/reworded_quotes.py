"""Claims that were their quotes until a person reworded them in place: the quotes go below them.

The roster of the source has the hash of each claim's quote, and an earlier commit its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from llmwiki.core.errors import WikiError
from llmwiki.index.facts import is_page
from llmwiki.memory.catch_up import LOOK_BACK, newest_commit
from llmwiki.memory.earlier_texts import EarlierTexts
from llmwiki.memory.state import WikiState
from llmwiki.pages import write
from llmwiki.pages.disputes import is_disputed
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Evidence, Page, SourceRef, read_claim, read_evidence
from llmwiki.pages.retraction import retraction
from llmwiki.pages.syntax import is_inline, seated
from llmwiki.pages.tombstones import ledger_path, quote_hash, recorded_quotes
from llmwiki.pages.write_claims import evidence_node
from llmwiki.repo.file_history import versions
from llmwiki.repo.log import Commit

_MOST = 50
"""Versions of a page in which its quotes are looked for."""
_Wanted = dict[str, tuple[str, str]]
"""Claim id to the source of its quote and the quote's hash."""


def edited_pages(state: WikiState, base: str | None) -> dict[str, Page]:
    """The pages at `base` that differ from those of the newest operation behind it that looked at
    what people had edited: those of lint mend what is asked for."""
    if base is None or _has_looked(newest_commit(state, base)):
        return {}
    log = state.repo.log(base, limit=LOOK_BACK)
    newest = next((commit.oid for commit in log if _has_looked(commit)), None)
    if newest is None:
        return {}
    paths = (each.path for each in state.repo.diff_trees(newest, base, "wiki"))
    found = ((path, state.page(path)) for path in paths if is_page(path))
    return {path: page for path, page in found if page is not None}


def _has_looked(commit: Commit) -> bool:
    return bool(commit.operation) and commit.kind != "lint"


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
        for page in _earlier(state, path):
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


def _earlier(state: WikiState, path: str) -> Iterator[Page]:
    """The page as it has been, the newest version first."""
    if state.commit is None:
        return
    for blob in islice(versions(state.repo, state.commit, path), _MOST):
        text = state.repo.read_many([blob])[0].decode("utf-8", "surrogateescape")
        yield Page.parse(path, text)


def _quoted(page: Page, ident: str, quote: Evidence) -> Page:
    """The page with the quote below a claim, in place of what its line has of it."""
    node = next(each for each in page.body if each.key == ("c", ident))
    parts = [part for part in node.parts if part is not _own(node)]
    at = next((i for i, part in enumerate(parts) if not is_inline(part)), len(parts))
    parts.insert(at, evidence_node(quote))
    return write.replace_node(page, seated(replace(node, parts=tuple(parts))))
