"""The wiki as a bundle that other programs read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.declared_options import CheckedOptions, allow_secret, opt
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.page_and_note_kinds import KIND_OF_FOLDER, MEMORY, folder_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from llmwiki.git.file_history import HistoryStep
    from llmwiki.git.repository import Repository
    from llmwiki.ingest.okf import BundleInput, OmittedFile
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.pages.page import Page

FORMATS = ("okf",)
"""What `wiki export` writes."""
_PRIVATE = frozenset({"memory", "daily", "skill"})
"""Kinds of pages that are left out unless they are asked for."""


@dataclass(frozen=True, slots=True)
class ExportOptions(CheckedOptions):
    """What of a wiki is exported, and how."""

    documents: bool = opt(
        True,
        "Leave the sources out: quotes stay, and nobody there can check them.",
        names=("--no-documents",),
    )
    memory: bool = opt(False, "Take memory, daily notes and skills along too.")
    allow_secret: tuple[str, ...] = allow_secret()


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What was exported."""

    place: Path
    commit: str
    pages: int
    claims: int
    documents: int
    files: int
    written: int
    """Files that were not there with these bytes."""
    removed: tuple[str, ...]
    """Files of the earlier export that are no more."""
    left_out: tuple[OmittedFile, ...]


def export(
    wiki: OpenWiki, form: str, place: str | os.PathLike[str], options: ExportOptions | None = None
) -> ExportResult:
    """Writes the pages of HEAD into the folder `place`, in a format of other programs (`okf`).

    Raises PolicyError for a folder that holds something else than an earlier export, and where
    a secret would leave; InputError for no such format.
    """
    from llmwiki.core.secrets import may_hold, refuse
    from llmwiki.git.store.derived_folder import LIST, derive_folder
    from llmwiki.ingest.okf import make_bundle
    from llmwiki.pages.id_and_evidence_patterns import ID_AT_END

    if form not in FORMATS:
        raise InputError("no such format", where=form, fix=f"One of: {', '.join(FORMATS)}.")
    chosen, place = options or ExportOptions(), wiki.named(place)
    _refuse_place(wiki.repo, place)
    head = wiki.state.follow()
    if head is None:
        raise InputError("nothing is committed yet", fix="`wiki init`, then `wiki ingest`.")
    given = _given(wiki.state, head, chosen)
    bundle = make_bundle(given)
    for path, text in _texts(wiki.repo, head, bundle.files, given.documents):
        if may_hold(text):
            refuse(
                [ID_AT_END.sub("", text)], allowed=chosen.allow_secret, what="the export",
                where=path,
                fix="`wiki lint` names the page. Take it out, or run it again with {allow}",
            )  # fmt: skip
    done = derive_folder(place, bundle.files)
    return ExportResult(
        place=place,
        commit=head,
        pages=bundle.pages,
        claims=bundle.claims,
        documents=bundle.documents,
        files=len(bundle.files) + len((LIST,)),
        written=done.written,
        removed=done.removed,
        left_out=tuple(bundle.left_out),
    )


def _refuse_place(repo: Repository, place: Path) -> None:
    """Raises PolicyError for a folder in which an export would be taken for something else."""
    real = Path(os.path.realpath(place))
    kept = [repo.root / "wiki", repo.root / "raw", repo.git_dir, repo.common_dir]
    notes = repo.layout.notes
    if notes is not None and real.is_relative_to(repo.root / notes):
        kept.append(repo.root / notes)
    for folder in kept:
        inner = Path(os.path.realpath(folder))
        if real.is_relative_to(inner) or inner.is_relative_to(real):
            raise PolicyError(
                f"an export cannot stand there: it would be mixed with {inner}",
                where=str(place),
                fix="Name a folder of its own, outside of the wiki or below graph/.",
            )
    if real.is_relative_to(repo.root) and place.absolute().parent.resolve() != real.parent:
        raise PolicyError("a link leads there", where=str(place), fix="Name the folder itself.")


def _texts(
    repo: Repository, head: str, files: Mapping[str, bytes], documents: Mapping[str, bytes]
) -> Iterable[tuple[str, str]]:
    """What can be read in a bundle, by path: of a converted document its text."""
    from llmwiki.core.text import sha256_hex
    from llmwiki.ingest.okf import document_places
    from llmwiki.sources.read_source import text_path

    origins = {place: path for path, place in document_places(documents).items()}
    for path, data in sorted(files.items()):
        origin = origins.get(path)
        text = repo.read(head, text_path(sha256_hex(data))) if origin else None
        yield origin or path, (data if text is None else text).decode("utf-8", "replace")


def _given(state: WikiState, head: str, options: ExportOptions) -> BundleInput:
    from llmwiki.git import file_history
    from llmwiki.ingest.okf import BundleInput
    from llmwiki.pages.tombstones import is_retracted

    pages = [
        page
        for page in _pages(state)
        if options.memory or not (page.type in _PRIVATE or _is_private(page.path))
    ]
    documents: dict[str, bytes] = {}
    for page in pages if options.documents else ():
        if is_retracted(page):
            continue
        own = page.own_source if page.type == "source" else None
        path = own.resource.removeprefix("/") if own else ""
        data = state.repo.read(head, path) if path.startswith("raw/") else None
        if data is not None:
            documents[path] = data
    repo = state.repo
    steps = [] if repo.incomplete else list(file_history.steps(repo, head, ["wiki"]))
    return BundleInput(
        pages=tuple(pages),
        lead=state.resolver.lead,
        documents=documents,
        changed=_changed(repo, steps),
    )


def _is_private(path: str) -> bool:
    """Whether a file stands where memory, daily notes or skills do: not all of them say so."""
    return path == MEMORY or KIND_OF_FOLDER.get(folder_of(path)) in _PRIVATE


def _pages(state: WikiState) -> Iterable[Page]:
    for entry in state.entries():
        page = state.page(entry.path)
        if page is not None:
            yield page


def _changed(repo: Repository, steps: Iterable[HistoryStep]) -> Mapping[str, str]:
    """When each page was last changed; empty in a clone that lacks history."""
    last: dict[str, str] = {}
    for step in steps:
        for change in step.changes:
            last.setdefault(change.path, step.commit)
    dates = {each.oid: each.date for each in repo.commits(sorted(set(last.values())))}
    return {path: dates[oid].strftime("%Y-%m-%dT%H:%M:%SZ") for path, oid in last.items()}
