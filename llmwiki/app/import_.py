"""Pages of another tool become pages of the wiki, in one commit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.errors import InputError
from llmwiki.version import __version__

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.exchange.folder import LeftOut
    from llmwiki.exchange.readings import ForeignReadings
    from llmwiki.ingest.together import CompiledTogether
    from llmwiki.memory.land import OperationOutcome
    from llmwiki.memory.state import WikiState
    from llmwiki.sources.limits import SourceLimits

FORMS = ("okf", "llm-wiki-agent", "obsidian")
"""Whose pages can be imported."""
_MOST_SOURCES = 200
"""Sources that the commit's trailers name."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How a folder is imported."""

    name: str = ""
    """By which it is known: its files stand below raw/imports/NAME/. Empty: the folder's name."""
    dry_run: bool = False
    review: bool = False
    """Whether it goes to a branch that waits for review."""
    memory: bool = False
    """Whether memory, daily notes and skills of an exported wiki are taken over too."""
    allow_secret: tuple[str, ...] = ()
    allow_detached: bool = False


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """What became of one page of the folder."""

    path: str
    """In the folder."""
    status: str
    """`restored`, `read`, `unchanged` or `left out`."""
    verified: int = 0
    """Claims whose quotes stand in a document."""
    second_hand: int = 0
    """Claims that rest on the imported page alone."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import changed."""

    form: str
    name: str
    outcome: OperationOutcome
    dry_run: bool
    pages: tuple[ImportedPage, ...]
    documents: tuple[str, ...]
    """Sources that were copied into raw/ because claims rest on them."""
    notes: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def verified(self) -> int:
        """Claims whose quotes stand in a document."""
        return sum(page.verified for page in self.pages)

    @property
    def second_hand(self) -> int:
        """Claims that rest on an imported page alone."""
        return sum(page.second_hand for page in self.pages)


class _Imported(NamedTuple):
    together: CompiledTogether


def import_folder(wiki: OpenWiki, form: str, place: Path, options: ImportOptions) -> ImportResult:
    """Takes the pages of a folder into the wiki; see `Wiki.import_`."""
    from llmwiki.exchange.folder import read_folder
    from llmwiki.exchange.readings import ReadingTerms, folder_name, plan_folder, read_foreign
    from llmwiki.memory.land import Made, Operation, land

    if form not in FORMS:
        raise InputError("no such format", where=form, fix=f"One of: {', '.join(FORMS)}.")
    _refuse_own(wiki, place)
    folder = read_folder(place)
    name = folder_name(options.name or place.resolve().name)
    terms = ReadingTerms(
        form, name, f"llmwiki-import/{__version__}", _limits(wiki), frozenset(options.allow_secret)
    )
    plan = plan_folder(folder, form)
    if not plan.pages:
        raise InputError("holds no pages", where=str(place), fix="Name the folder of the pages.")
    found = read_foreign(folder, plan, terms)

    def make(now: WikiState) -> Made[_Imported]:
        from llmwiki.ingest.together import compile_together

        done = compile_together(wiki.repo, now, found.readings, {})
        if not done.pages:
            return Made(None, _Imported(done))
        operation = Operation(
            kind="import",
            title=f"{name} ({form})",
            pages=done.pages,
            new_files=done.new_files,
            adopts=done.adopts,
            renews=frozenset(done.renewed),
            notes=_notes(found, done),
            trailers={"Wiki-Source": _trailers(found, done), "Wiki-Model": terms.by},
        )
        return Made(operation, _Imported(done))

    landing = land(
        wiki.repo,
        wiki.state,
        make,
        operation="import",
        terms=wiki.landing(options.allow_detached, review=options.review),
        dry_run=options.dry_run,
    )
    return _result(
        form, name, options, found, landing.extra.together, landing.outcome, folder.left_out
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
    from llmwiki.sources.limits import SourceLimits

    return SourceLimits(max_bytes=int(wiki.config.number("ingest.max_size")))


def _trailers(found: ForeignReadings, done: CompiledTogether) -> tuple[str, ...]:
    named = [
        f"{each.document.path} sha256:{each.document.sha256}"
        for each in found.readings
        if each.document.path in done.read
    ]
    return tuple(named[:_MOST_SOURCES])


def _notes(found: ForeignReadings, done: CompiledTogether) -> tuple[str, ...]:
    second = sum(
        count for path, count in found.second_hand.items()
        if found.places.get(path) in done.read
    )  # fmt: skip
    notes = [f"Read {len(done.read)} files below raw/imports/."]
    if second:
        notes.append(f"{second} claims rest on imported pages alone (status: second-hand).")
    return tuple(notes)


def _result(
    form: str,
    name: str,
    options: ImportOptions,
    found: ForeignReadings,
    done: CompiledTogether,
    outcome: OperationOutcome,
    left_out: list[LeftOut],
) -> ImportResult:
    from llmwiki.exchange.folder import LeftOut

    pages = []
    more: list[LeftOut] = []
    for path in sorted({*found.verified, *found.second_hand}):
        target = found.places.get(path, "")
        reason = done.skipped.get(target, "")
        if reason and reason != "unchanged":
            more.append(LeftOut(path, reason))
        nothing = path not in found.places and not found.verified[path]
        status = "left out" if nothing or reason else "read"
        status = "unchanged" if reason == "unchanged" else status
        pages.append(
            ImportedPage(
                path,
                status,
                found.verified[path],
                0 if reason else found.second_hand.get(path, 0) - len(done.refused.get(target, ())),
            )
        )
    return ImportResult(
        form=form,
        name=name,
        outcome=outcome,
        dry_run=options.dry_run,
        pages=tuple(pages),
        documents=tuple(sorted(p for p in found.documents if p in done.read)),
        notes=tuple(done.notes),
        left_out=tuple(sorted({*left_out, *found.left_out, *more})),
    )
