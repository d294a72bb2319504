"""Whether the wiki has read a source already, and which ledger a reading of it goes to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.core.text import sha256_hex
from llmwiki.git.repository import Repository
from llmwiki.git.store.private_files import RecordFolder, worktree_files
from llmwiki.pages.tombstones import RETRACTED, ledger_path, retracted_hashes
from llmwiki.version import is_offline

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.index.page_facts_record import PageFacts
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.sources.quotes import QuoteFinder
    from llmwiki.sources.source_file import NamedSource


UNCHANGED = "unchanged"
UNREADABLE = "cannot be read, as before"
NOTHING_NEW = "read again, and nothing came of it that was not there"
NOTHING_QUOTED = "read again, and the answer quotes nothing: all is as it was"
_FRONT = 4_096
"""Bytes of a ledger in which its `generated` stands."""
_SIGNED = re.compile(rb'^generated: "?([!-~]+)', re.MULTILINE)
OVERWRITE = "named by its own path, --again takes this over it"
READ_AGAIN = "--again reads it once more"
_HINT = "named by its own path, --again reads it all the same"


class KnownSource(NamedTuple):
    """What the wiki has of a source."""

    reason: str = ""
    """Why there is nothing to read: `UNCHANGED`, `retracted`, `the same bytes as PATH`; empty: it
    is to be read."""
    ledger: PageFacts | None = None
    """The one that a reading brings up to date; None: the source is new."""
    renamed: str | None = None
    """The path the same bytes had when they were read, where no file is left there."""
    is_same: bool = False
    """Whether the same bytes were read before, and are to be read once more."""


def known_source(
    state: WikiState,
    item: NamedSource,
    sha256: str,
    *,
    again: bool = False,
    anew: bool = False,
) -> KnownSource:
    """What the wiki has of a source whose bytes have that hash.

    A retracted source is read only where a person names it itself and asks for it `again`, and
    bytes that were read before only where they are to be read `anew`. Where it is a copy, a file
    that a person has edited since it was copied stays as it is, unless that person names it
    `again`. Asked before anything is paid for, and again under the lock.
    """
    path, again = item.path, again and item.is_named
    own = state.ledger_of(path)
    if not again and (reason := _retracted(state, own, sha256)):
        return KnownSource(reason)
    if own is not None and own.sha256 == sha256:
        return _unchanged(own, anew=anew)
    renamed: PageFacts | None = None
    for ledger in state.ledgers_with(sha256):
        if ledger.resource == path:
            return _unchanged(ledger, anew=anew)
        if state.repo.has_file(ledger.resource):
            return KnownSource(f"the same bytes as {ledger.resource}")
        renamed = renamed or ledger
    if own is not None:
        is_kept = item.origin is not None and not again
        edited = _edited(state.repo, own, sha256) if is_kept else ""
        return KnownSource(edited, own)
    return KnownSource(ledger=renamed, renamed=renamed.resource if renamed else None)


def _retracted(state: WikiState, own: PageFacts | None, sha256: str) -> str:
    """Why a source that was retracted is not read; empty where it was not."""
    if own is not None and own.is_retracted:
        return f"{RETRACTED}; {_HINT}"
    for page in state.retracted():
        if sha256 in retracted_hashes(page):
            held = state.fact(page.path)
            where = (held.resource if held else "") or page.stem
            return f"{RETRACTED} as {where}; {READ_AGAIN}"
    return ""


def _edited(repo: Repository, own: PageFacts, sha256: str) -> str:
    """Why a copy is not made anew; empty where nobody has edited the one there is."""
    if own.copied and sha256.startswith(own.copied):
        return UNCHANGED
    if not own.origin or is_as_copied(repo, own, sha256):
        return ""
    return f"{own.resource} was edited since it was copied; {OVERWRITE}"


def is_as_copied(repo: Repository, ledger: PageFacts, sha256: str = "") -> bool:
    """Whether the commit has the file of a source as it was copied, or with the bytes that have
    that hash already, or not at all."""
    held = repo.read(repo.head(), ledger.resource)
    was = ledger.copied or ledger.sha256
    digest = "" if held is None else sha256_hex(held)
    return not (was and digest) or digest == sha256 or digest.startswith(was)


def read_offline(repo: Repository, ledgers: Iterable[PageFacts]) -> list[str]:
    """The files of those sources that nobody but the reader without a model has read, by path."""
    rows = (row for row in ledgers if row.sha256 and not row.is_retracted)
    return sorted(row.resource for row in rows if is_signed_offline(repo, row.path))


def is_signed_offline(repo: Repository, ledger: str) -> bool:
    """Whether the page of a source says that the reader without a model wrote it."""
    front = (repo.read(repo.head(), ledger) or b"")[:_FRONT]
    found = _SIGNED.search(front)
    return found is not None and is_offline(found[1].decode())


def _unchanged(ledger: PageFacts, *, anew: bool) -> KnownSource:
    return KnownSource("" if anew else UNCHANGED, ledger, is_same=True)


# --- a file that was moved and changed at once ----------------------------------------------------

_LEAST, _HALF = 3, 0.5
"""Quotes of a source that must stand in a text before it counts as the same, all of fewer; and the
part of them."""
_TELLING = 24
"""UTF-8 bytes of a quote, at least, that tells a text from others."""


def moved_source(state: WikiState, document: Document, names: Iterable[str]) -> KnownSource | None:
    """The source that a document was before its file was moved and changed; None: it is new.

    That is a source without a file in raw/, of whose quotes at least half stand in the document,
    and at least three or all of them; the one of which most do. Looked at are the sources of pages
    that have one of the `names`, those of the document and of its subjects.
    """
    cited = {
        (source.id, source.resource.removeprefix("/"))
        for facts in state.facts(state.names.by_title(*names)).values()
        for source in facts.sources
        if source.resource
    }
    best, found = _HALF, None
    finder: QuoteFinder | None = None
    for ident, resource in sorted(cited):
        # Almost every source has its file, and a page may rest on thousands.
        ledger = state.ledger_of(resource) if not state.repo.has_file(resource) else None
        if ledger is None or ledger.stem != ident or ledger.is_retracted or not ledger.sha256:
            continue
        if finder is None:
            from llmwiki.sources.quotes import QuoteFinder

            finder = QuoteFinder(document)
        share = _share(state, ident, finder)
        if share >= best and (found is None or share > best):
            best, found = share, KnownSource("", ledger, resource)
    return found


def _share(state: WikiState, source: str, finder: QuoteFinder) -> float:
    """The part of the quotes from a source that stand in a text; 0 where they are too few."""
    from llmwiki.landing.evidence_in_changed_source import GONE

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


# --- files that could not be read ----------------------------------------------------------------


class RefusedFile(NamedTuple):
    """A file as it was when it could not be read."""

    size: int
    modified: int
    """Its time of change in nanoseconds."""
    why: str
    """And what to do, in sentences."""
    code: int
    """The exit code that told it first; 0: it may be read though it has not changed."""


def refused_files(repo: Repository) -> dict[str, RefusedFile]:
    """The files that could not be read, and are as they were then, by absolute path."""
    known = _refusals(repo).get("files", _read_refused) or {}
    return {path: held for path, held in known.items() if _stands(path) == held[:2]}


def keep_refused(repo: Repository, file: Path, why: str, code: int = 0) -> None:
    """Keeps why a file cannot be read as it is now; empty: it could be."""
    known = refused_files(repo)
    held = _stands(str(file))
    if not why and str(file) not in known:
        return
    known.pop(str(file), None)
    if why and held is not None:
        known[str(file)] = RefusedFile(*held, why, code)
    _refusals(repo).put("files", {"files": known})


def _refusals(repo: Repository) -> RecordFolder:
    return RecordFolder(worktree_files(repo), "refused", "llmwiki.refused/2")


def _read_refused(data: dict[str, Any]) -> dict[str, RefusedFile]:
    return {
        str(path): RefusedFile(int(size), int(modified), str(why), int(code))
        for path, (size, modified, why, code) in data["files"].items()
    }


def _stands(path: str) -> tuple[int, int] | None:
    try:
        held = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return held.st_size, held.st_mtime_ns
