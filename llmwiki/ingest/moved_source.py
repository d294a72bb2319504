"""A source whose file was moved and changed at once, known by what was quoted from it."""

from __future__ import annotations

from collections.abc import Iterable

from llmwiki.core.document import PIPED, Document
from llmwiki.core.language.tokens import words
from llmwiki.git.repository import Repository
from llmwiki.index.facts import PageFacts
from llmwiki.ingest.known import KnownSource, is_as_copied
from llmwiki.landing.relocate import GONE
from llmwiki.landing.state import WikiState
from llmwiki.pages.tombstones import ledger_path
from llmwiki.sources.quotes import QuoteFinder

_LEAST = 3
"""Quotes of a source that must stand in a text before it counts as the same; all, of fewer."""
_TELLING = 24
"""UTF-8 bytes of a quote, at least, that tells a text from others."""
_HALF = 0.5
_MOST_OF_THEM = 2 / 3
"""The part of the quotes, of a source that shares no name with the text."""
_CLAIMS, _WORDS, _PAGES = 5, 6, 100
"""Claims of the text that are looked for in the wiki, words of each, pages that may hold them."""


def moved_source(
    repo: Repository,
    state: WikiState,
    document: Document,
    names: Iterable[str],
    claims: Iterable[str],
    *,
    is_copy: bool,
) -> KnownSource | None:
    """The source that a document was before its file was moved and changed; None: it is new.

    That is a source without a file in raw/ or, where the document `is_copy` of a file outside of
    it, with a copy there of one that lies in the repository no more, of whose quotes at least half
    stand in the document, and at least three or all of them; the one of which most do. Looked at
    are the sources of pages that have one of the `names`, those of the document and of its
    subjects. Where none of these is it, those of pages that hold the words of `claims`, what the
    document says: of such a source two thirds of the quotes must stand in it.
    """
    named = state.names.by_title(*names)
    found = _best(repo, state, document, named, _HALF, is_copy=is_copy)
    if found is None:
        holding = state.saying(_phrases(claims))[:_PAGES]
        found = _best(repo, state, document, holding, _MOST_OF_THEM, is_copy=is_copy)
    return found


def _phrases(claims: Iterable[str]) -> set[str]:
    """The longest words of the longest claims."""
    longest = sorted(set(claims), key=lambda text: (-len(text), text))[:_CLAIMS]
    return {
        " ".join(sorted(set(words(text)), key=lambda word: (-len(word), word))[:_WORDS])
        for text in longest
    }


def _best(
    repo: Repository,
    state: WikiState,
    document: Document,
    pages: Iterable[str],
    least: float,
    *,
    is_copy: bool,
) -> KnownSource | None:
    """The source of these pages, without a file, of which most quotes stand in a text."""
    cited = {
        (source.id, source.resource.removeprefix("/"))
        for facts in state.facts(pages).values()
        for source in facts.sources
    }
    best = least
    finder: QuoteFinder | None = None
    found: KnownSource | None = None
    for ident, resource in sorted(cited):
        # Almost every source has its file, and a page may rest on thousands.
        is_here = bool(resource) and repo.has_file(resource)
        if not resource or (is_here and not is_copy):
            continue
        ledger = state.ledger_of(resource)
        if ledger is None or ledger.stem != ident or ledger.is_retracted or not ledger.sha256:
            continue
        if is_here and not _has_lost_its_origin(repo, ledger):
            continue
        finder = finder or QuoteFinder(document)
        share = _share(state, ident, finder)
        if share >= best and (found is None or share > best):
            best = share
            found = KnownSource(
                ledger=ledger,
                renamed=None if is_here else resource,
                gone=ledger.origin if is_here else "",
            )
    return found


def _has_lost_its_origin(repo: Repository, ledger: PageFacts) -> bool:
    """Whether a file below raw/ is as it was copied, from a place of the repository where no file
    is left."""
    place = ledger.origin
    if place in ("", PIPED) or place.startswith("file:") or "://" in place:
        return False
    return not repo.has_file(place) and is_as_copied(repo, ledger)


def _share(state: WikiState, source: str, finder: QuoteFinder) -> float:
    """The part of the quotes from a source that stand in a text; 0 where they are too few."""
    pages = (state.page(path) for path in (*state.citing(source), ledger_path(source)))
    quotes = {
        evidence.quote
        for page in pages
        if page is not None
        for claim in page.claims
        if not (claim.successor or "").startswith(GONE)
        for evidence in claim.evidence
        if evidence.source == source and len(evidence.quote.encode()) >= _TELLING
    }
    here = sum(finder.find_nth(quote) is not None for quote in quotes)
    return here / len(quotes) if here and here >= min(_LEAST, len(quotes)) else 0.0
