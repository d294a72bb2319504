"""Readings of many sources as one operation: each is compiled on top of those before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from llmwiki.git.repository import Repository
from llmwiki.ingest.compile import CompiledPages
from llmwiki.ingest.extraction.types import ReadDocument
from llmwiki.ingest.known import StateLedgers, known_source
from llmwiki.ingest.run import compile_reading, reading_of
from llmwiki.ingest.verify import RefusedClaim
from llmwiki.landing.state import WikiState
from llmwiki.pages.page import Page


@dataclass(slots=True)
class CompiledTogether:
    """The state of pages after all readings."""

    pages: dict[str, Page | None] = field(default_factory=dict)
    new_files: dict[str, bytes] = field(default_factory=dict)
    adopts: dict[str, bytes | None] = field(default_factory=dict)
    """Files below raw/ that the commit has already: an undo leaves sources where they are."""
    renewed: set[str] = field(default_factory=set)
    """Those of them that were there in an older version."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Path of a source to why it was not read."""
    refused: dict[str, tuple[RefusedClaim, ...]] = field(default_factory=dict)
    """Path of a source to what of its reading is lost."""
    read: set[str] = field(default_factory=set)
    """The sources that were read."""
    notes: list[str] = field(default_factory=list)
    """What somebody may want to check."""


def compile_together(
    repo: Repository,
    state: WikiState,
    readings: Iterable[ReadDocument],
    by: str,
) -> CompiledTogether:
    """The pages after all `readings`, which pages name `by` for. The state is left as it was;
    sources that the wiki has read already are skipped."""
    done = CompiledTogether()
    shown = state.preview({})
    try:
        for each in readings:
            compiled = _compiled(repo, state, each, by, done)
            if compiled is not None:
                state.preview(compiled.pages)
                done.pages.update(compiled.pages)
                done.notes += _notes(compiled)
    finally:
        state.restore(shown)
    return done


def _compiled(
    repo: Repository, state: WikiState, each: ReadDocument, by: str, done: CompiledTogether
) -> CompiledPages | None:
    document = each.document
    path = document.path
    known = known_source(repo, StateLedgers(state), path, document.sha256)
    if known.reason or known.renamed:
        done.skipped[path] = known.reason or f"the same bytes as {known.renamed}"
        return None
    reading, refused = reading_of(document, [each.extraction], by=by, embedded=True)
    trusted = replace(reading, aliases_count=True)
    compiled = compile_reading(repo, state, trusted, known)
    done.read.add(path)
    done.refused[path] = (*refused, *compiled.refused)
    if repo.read(state.commit, path) == each.data:
        done.adopts[path] = each.data
    else:
        done.new_files[path] = each.data
    if known.ledger is not None:
        done.renewed.add(path)
    if document.text_path and document.text_bytes is not None:
        done.new_files[document.text_path] = document.text_bytes
    return compiled


def _notes(compiled: CompiledPages) -> list[str]:
    told = [f"{j.name} is filed under {j.title}: {j.why}" for j in compiled.merged]
    told += [f"kept apart, and perhaps one: {name} and {title}" for name, title in compiled.near]
    told += [f"no other name of {r.name}: {r.alias} ({r.reason})" for r in compiled.unnamed]
    return told
