"""Pages of another tool become pages of the wiki, in one commit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.declared_options import CheckedOptions, allow_detached, allow_secret, opt, review
from llmwiki.core.errors import InputError
from llmwiki.core.text import counted
from llmwiki.version import __version__

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.git.store.outcome import Outcome
    from llmwiki.ingest.exchange.foreign_pages import ForeignFolder, ForeignReadings, ReadingTerms
    from llmwiki.ingest.exchange.okf import OmittedFile
    from llmwiki.ingest.together import CompiledTogether
    from llmwiki.landing.land import Operation
    from llmwiki.landing.state import WikiState
    from llmwiki.sources.converted import SourceLimits

FORMS = ("okf", "obsidian")
"""Whose pages can be imported."""
_MOST_SOURCES = 200
"""Sources that the commit's trailers name."""


@dataclass(frozen=True, slots=True)
class ImportOptions(CheckedOptions):
    """How a folder is imported."""

    name: str = opt("", "What the folder is known by; default: its name.", metavar="NAME")
    dry_run: bool = opt(False, "Say what would change; write nothing.")
    review: bool = review()
    allow_secret: tuple[str, ...] = allow_secret()
    allow_detached: bool = allow_detached()


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """What became of one page of the folder."""

    path: str
    """In the folder."""
    status: str
    """`read`, `unchanged` or `left out`."""
    second_hand: int = 0
    """Claims that rest on the imported page alone."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import changed."""

    form: str
    name: str
    outcome: Outcome
    dry_run: bool
    pages: tuple[ImportedPage, ...]
    notes: tuple[str, ...]
    left_out: tuple[OmittedFile, ...]

    @property
    def second_hand(self) -> int:
        """Claims that rest on an imported page alone."""
        return sum(page.second_hand for page in self.pages)


class _Imported(NamedTuple):
    found: ForeignReadings
    together: CompiledTogether


def import_folder(
    wiki: OpenWiki, form: str, place: str | os.PathLike[str], options: ImportOptions | None = None
) -> ImportResult:
    """Takes the pages in the folder `place` into the wiki, in one commit.

    `form` says whose they are: `okf` or `obsidian`. What was imported before is left as it is.
    Raises InputError for no such format or a folder without pages, PolicyError for one that is a
    link or too large, and what a landing raises.
    """
    from llmwiki.ingest.exchange.foreign_pages import ReadingTerms, folder_name, read_folder
    from llmwiki.landing.land import Made, land, review_base

    if form not in FORMS:
        raise InputError("no such format", where=form, fix=f"One of: {', '.join(FORMS)}.")
    chosen, place = options or ImportOptions(), wiki.named(place)
    _refuse_own(wiki, place)
    limits = _limits(wiki)
    folder = read_folder(wiki.repo.root, place, limits, form)
    name = folder_name(chosen.name or place.resolve().name)
    terms = ReadingTerms(
        form, name, f"llmwiki-import/{__version__}", limits, frozenset(chosen.allow_secret)
    )
    if not folder.pages:
        raise InputError("holds no pages", where=str(place), fix="Name the folder of the pages.")

    def compiled(now: WikiState) -> _Imported:
        return _compiled(wiki, now, folder, terms)

    landing_terms = wiki.landing(chosen.allow_detached, review=chosen.review)
    wiki.tell.step(f"reading {len(folder.pages):,} pages of {place.name}", 0, 0)
    # A large folder takes minutes, in which nobody else shall wait for the lock.
    if chosen.review:
        review_base(wiki.repo, wiki.state, landing_terms, "import")
    else:
        wiki.state.follow()
    ready = (wiki.state.commit, compiled(wiki.state))

    def make(now: WikiState) -> Made[_Imported]:
        is_ready = ready[0] == now.commit and not now.has_previews
        done = ready[1] if is_ready else compiled(now)
        return Made(_operation(done, terms), done)

    landing = land(
        wiki.repo,
        wiki.state,
        make,
        operation="import",
        terms=landing_terms,
        dry_run=chosen.dry_run,
    )
    return _result(terms, chosen, landing.extra, landing.outcome, folder.left_out)


def _compiled(
    wiki: OpenWiki, now: WikiState, folder: ForeignFolder, terms: ReadingTerms
) -> _Imported:
    """What the folder makes of the pages of a state, which is left as it is."""
    from llmwiki.ingest.exchange.foreign_pages import read_foreign
    from llmwiki.ingest.together import compile_together

    found = read_foreign(folder, terms)
    return _Imported(found, compile_together(wiki.repo, now, found.readings.values(), terms.by))


def _operation(done: _Imported, terms: ReadingTerms) -> Operation | None:
    from llmwiki.landing.land import Operation

    together = done.together
    if not together.pages:
        return None
    return Operation(
        kind="import",
        title=f"{terms.name} ({terms.form})",
        pages=together.pages,
        new_files=together.new_files,
        adopts=together.adopts,
        renews=frozenset(together.renewed),
        notes=_notes(done),
        trailers={"Wiki-Source": _trailers(done), "Wiki-Model": terms.by},
    )


def _refuse_own(wiki: OpenWiki, place: Path) -> None:
    root = wiki.repo.root
    real = place.resolve()
    for own in (root / "wiki", root / "raw"):
        if real == root or real.is_relative_to(own.resolve()):
            raise InputError(
                "this is a folder of the wiki itself",
                where=str(place),
                fix="Sources in raw/ are read by `wiki ingest`.",
            )


def _limits(wiki: OpenWiki) -> SourceLimits:
    from llmwiki.sources.converted import SourceLimits

    return SourceLimits(max_bytes=int(wiki.config.number("ingest.max_size")))


def _trailers(done: _Imported) -> tuple[str, ...]:
    named = [
        f"{each.document.path} sha256:{each.document.sha256}"
        for each in done.found.readings.values()
        if each.document.path in done.together.read
    ]
    return tuple(named[:_MOST_SOURCES])


def _notes(done: _Imported) -> tuple[str, ...]:
    found, read = done.found, done.together.read
    notes = [f"Read {counted(len(read), 'file')} of the folder."] if read else []
    readings = (each for each in found.readings.values() if each.document.path in read)
    second = sum(len(each.extraction.claims) for each in readings)
    if second:
        notes.append(f"{second} claims rest on imported pages alone (status: second-hand).")
    return tuple(notes)


def _result(
    terms: ReadingTerms,
    options: ImportOptions,
    done: _Imported,
    outcome: Outcome,
    left_out: list[OmittedFile],
) -> ImportResult:
    from llmwiki.ingest.exchange.okf import OmittedFile

    found, together = done.found, done.together
    pages = []
    for path, each in sorted(found.readings.items()):
        target = each.document.path
        reason, refused = together.skipped.get(target, ""), together.refused.get(target, ())
        status = "read" if not reason else "unchanged" if reason == "unchanged" else "left out"
        if status == "left out":
            left_out.append(OmittedFile(path, reason))
        lost = len({claim.claim for claim in refused} - {""})
        told = max(len(each.extraction.claims) - lost, 0) if status == "read" else 0
        pages.append(ImportedPage(path, status, told))
    return ImportResult(
        form=terms.form,
        name=terms.name,
        outcome=outcome,
        dry_run=options.dry_run,
        pages=tuple(pages),
        notes=tuple(dict.fromkeys(together.notes)),
        left_out=tuple(sorted({*left_out, *found.left_out})),
    )
