"""The memory read once more: notes that say the same and outdated ones, by a model or an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llmwiki.app.part_answers import AnsweredParts, PartJobs, ask, reader

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.app.tidy import TidyOptions
    from llmwiki.learn.tidy.answer import TidiedSteps
    from llmwiki.learn.tidy.land import TidiedNotes
    from llmwiki.learn.tidy.question import NotesPart
    from llmwiki.store.records import RecordFolder

MAX_READ = 200
"""Parts that are remembered as read."""


@dataclass(frozen=True, slots=True)
class TidiedMemory(AnsweredParts):
    """What a second reading of the memory came to; what was read and has not changed is no part."""

    results: tuple[TidiedNotes, ...] = ()
    files: tuple[str, ...] = ()
    """The jobs for an agent, absolute."""


def prepare_memory_tidying(wiki: OpenWiki) -> TidiedMemory:
    """Writes the jobs for an agent into the git directory."""
    from llmwiki.learn.tidy.prompt import render_job

    made = _parts(wiki)
    return TidiedMemory(len(made), files=tidy_jobs(wiki).prepare(made, render_job))


def tidy_memory(wiki: OpenWiki, options: TidyOptions) -> TidiedMemory:
    """Lets a model answer, part after part, a commit for each.

    Raises InputError where there is no model, and what landing raises.
    """
    from llmwiki.learn.tidy.land import apply_tidied_notes
    from llmwiki.learn.tidy.prompt import MAX_OUTPUT_TOKENS, notes_task

    settings = reader(wiki, "memory tidy", options.model, MAX_OUTPUT_TOKENS)
    made = _parts(wiki)
    results: list[TidiedNotes] = []

    def take(part: NotesPart, answer: TidiedSteps) -> None:
        results.append(
            apply_tidied_notes(
                wiki.repo,
                wiki.state,
                part,
                answer,
                model=settings.model,
                terms=wiki.landing(options.allow_detached),
                dry_run=options.dry_run,
            )
        )
        if not options.dry_run:
            _note_read(wiki, part)

    if not made:
        return TidiedMemory(0, settings.model)
    tasks = ((part, notes_task(part)) for part in made[: options.parts])
    run = ask(wiki, settings, options.max_cost, tasks, take)
    return TidiedMemory(len(made), settings.model, run, tuple(results))


def take_tidied_notes(
    wiki: OpenWiki, name: str, data: Mapping[str, object], model: str, *, dry_run: bool
) -> TidiedNotes:
    """Checks and lands an agent's answer (llmwiki.notes/1).

    Raises ModelOutputError for what is no such answer, InputError for a part that nobody prepared.
    """
    from llmwiki.learn.tidy.answer import NotesFile
    from llmwiki.learn.tidy.land import apply_tidied_notes
    from llmwiki.models.agent import ParsedAnswer

    answer = ParsedAnswer(name, data).valid(NotesFile)
    jobs = tidy_jobs(wiki)
    part = jobs.part(answer.part, name)
    wiki.state.follow()
    result = apply_tidied_notes(
        wiki.repo,
        wiki.state,
        part,
        answer,
        model=model or "agent",
        terms=wiki.landing(),
        dry_run=dry_run,
    )
    if not dry_run:
        jobs.settle(part)
        _note_read(wiki, part)
    return result


def tidy_jobs(wiki: OpenWiki) -> PartJobs[NotesPart]:
    """The parts that wait for an agent."""
    return PartJobs(wiki, "memory tidy", "memory-tidy", _part_of)


def _parts(wiki: OpenWiki) -> tuple[NotesPart, ...]:
    from llmwiki.learn.book import MemoryBook
    from llmwiki.learn.tidy.question import parts

    wiki.state.follow()
    read = _read(wiki)
    return tuple(part for part in parts(MemoryBook(wiki.state).notes()) if part.id not in read)


def _records(wiki: OpenWiki) -> RecordFolder:
    from llmwiki.store.private import common_files
    from llmwiki.store.records import RecordFolder

    return RecordFolder(common_files(wiki.repo), "memory/tidied", "llmwiki.notes-part/1")


def _read(wiki: OpenWiki) -> list[str]:
    """The parts that were answered as they stand, the last one last."""
    return _records(wiki).get("parts", lambda data: list(map(str, data["ids"]))) or []


def _note_read(wiki: OpenWiki, part: NotesPart) -> None:
    ids = [*(each for each in _read(wiki) if each != part.id), part.id]
    _records(wiki).put("parts", {"ids": ids[-MAX_READ:]})


def _part_of(data: Mapping[str, Any]) -> NotesPart:
    from llmwiki.learn.tidy.question import NotesPart

    return NotesPart(tuple(map(str, data["notes"])), str(data["text"]))
