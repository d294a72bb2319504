"""The memory read once more: notes that say the same and outdated ones, by a model or an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from llmwiki.app.learning import SIGNED
from llmwiki.app.models import client_for, model_to_call
from llmwiki.core.errors import InputError
from llmwiki.core.plain_line import plain_line

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.app.tidy import TidyOptions
    from llmwiki.core.errors import WikiError
    from llmwiki.learn.tidy.answer import NotesAnswer
    from llmwiki.learn.tidy.land import TidiedNotes
    from llmwiki.learn.tidy.question import NotesPart
    from llmwiki.models.run import TaskRun
    from llmwiki.store.records import RecordFolder

_JOBS = "memory/tidy"
_TEXTS = "memory/tidy-texts"
_READ = "memory/tidied"
MAX_READ = 200
"""Parts that are remembered as read."""


@dataclass(frozen=True, slots=True)
class TidiedMemory:
    """What a second reading of the memory came to."""

    parts: int
    """Parts that there were to answer; those that were read and have not changed are none."""
    results: tuple[TidiedNotes, ...] = ()
    model: str = ""
    run: TaskRun | None = None
    """How far a model came; None: none was called."""
    files: tuple[str, ...] = ()
    """The jobs for an agent, absolute."""

    @property
    def failure(self) -> WikiError | None:
        """What kept a part from being answered."""
        return (self.run.failure or self.run.over_budget) if self.run else None

    @property
    def exit_code(self) -> int:
        """That of `wiki`: of the failure; 0: there was none."""
        return self.failure.exit_code if self.failure else 0


def prepare_memory_tidying(wiki: OpenWiki) -> TidiedMemory:
    """Writes the jobs for an agent into the git directory."""
    from llmwiki.learn.tidy.prompt import render_job
    from llmwiki.store.private import common_files

    made, files, jobs = _parts(wiki), common_files(wiki.repo), _records(wiki, _JOBS)
    forget_tidy_jobs(wiki)
    written = []
    for number, part in enumerate(made, start=1):
        jobs.put(part.id, part._asdict())
        name = f"{_TEXTS}/{number:03d}-{part.id[:8]}.md"
        files.write(name, render_job(part, number, len(made)).encode())
        written.append(files.path(name).absolute().as_posix())
    return TidiedMemory(len(made), files=tuple(written))


def tidy_memory(wiki: OpenWiki, options: TidyOptions) -> TidiedMemory:
    """Lets a model answer, part after part, a commit for each.

    Raises InputError where there is no model, and what landing raises.
    """
    from llmwiki.learn.tidy.land import apply_tidied_notes
    from llmwiki.learn.tidy.prompt import MAX_OUTPUT_TOKENS, notes_task
    from llmwiki.models.run import run_tasks

    settings = model_to_call(wiki, options.model)
    if settings is None:
        raise InputError(
            "`wiki memory tidy` needs a model",
            fix="Set a key, or let an agent answer: wiki memory tidy --prepare.",
        )
    limit = min(settings.max_output_tokens, MAX_OUTPUT_TOKENS)
    settings = replace(settings, max_output_tokens=limit)
    made = _parts(wiki)
    asked = made if options.parts is None else made[: options.parts]
    results: list[TidiedNotes] = []

    def take(part: NotesPart, answer: NotesAnswer) -> None:
        results.append(
            apply_tidied_notes(
                wiki.repo,
                wiki.state,
                part,
                answer,
                by=SIGNED,
                model=settings.model,
                terms=wiki.landing(options.allow_detached),
                dry_run=options.dry_run,
            )
        )
        if not options.dry_run:
            _note_read(wiki, part)

    if not asked:
        return TidiedMemory(0, model=settings.model)
    with client_for(wiki.config, settings, options.max_cost) as client:
        tasks = ((part, notes_task(part)) for part in asked)
        ran = run_tasks(tasks, client, take, parallel=wiki.config.whole("ingest.parallel"))
    return TidiedMemory(len(made), tuple(results), settings.model, ran)


def take_tidied_notes(
    wiki: OpenWiki, name: str, data: Mapping[str, object], model: str, *, dry_run: bool
) -> TidiedNotes:
    """Checks and lands an agent's answer (llmwiki.notes/1).

    Raises ModelOutputError for what is no such answer, InputError for a part that nobody prepared.
    """
    from llmwiki.learn.tidy.answer import NotesFile
    from llmwiki.learn.tidy.land import apply_tidied_notes
    from llmwiki.models.agent import ParsedAnswer
    from llmwiki.models.task import validated

    answer = ParsedAnswer(name, data).read(partial(validated, NotesFile))
    is_id = len(answer.part) == 16 and set(answer.part) <= set("0123456789abcdef")
    part = _records(wiki, _JOBS).get(answer.part, _part_of) if is_id else None
    if part is None:
        raise InputError(
            f"no part {plain_line(answer.part, 40)} waits here: it was answered, or prepared anew",
            where=name,
            fix="Run: wiki memory tidy --prepare",
        )
    wiki.state.follow()
    result = apply_tidied_notes(
        wiki.repo,
        wiki.state,
        part,
        answer,
        by=SIGNED,
        model=model or "agent",
        terms=wiki.landing(),
        dry_run=dry_run,
    )
    if not dry_run:
        _records(wiki, _JOBS).delete(part.id)
        _note_read(wiki, part)
    return result


def forget_tidy_jobs(wiki: OpenWiki) -> None:
    """Drops all jobs that wait: they hold the words of notes."""
    from llmwiki.store.private import common_files
    from llmwiki.store.records import remove_folder

    for folder in (_JOBS, _TEXTS):
        remove_folder(common_files(wiki.repo), folder)


def _parts(wiki: OpenWiki) -> tuple[NotesPart, ...]:
    from llmwiki.learn.book import MemoryBook
    from llmwiki.learn.tidy.question import parts

    wiki.state.follow()
    read = _read(wiki)
    return tuple(
        part for part in parts(MemoryBook(wiki.state, SIGNED).notes()) if part.id not in read
    )


def _records(wiki: OpenWiki, folder: str) -> RecordFolder:
    from llmwiki.store.private import common_files
    from llmwiki.store.records import RecordFolder

    return RecordFolder(common_files(wiki.repo), folder, "llmwiki.notes-part/1")


def _read(wiki: OpenWiki) -> list[str]:
    """The parts that were answered as they stand, the last one last."""
    return _records(wiki, _READ).get("parts", lambda data: list(map(str, data["ids"]))) or []


def _note_read(wiki: OpenWiki, part: NotesPart) -> None:
    ids = [*(each for each in _read(wiki) if each != part.id), part.id]
    _records(wiki, _READ).put("parts", {"ids": ids[-MAX_READ:]})


def _part_of(data: Mapping[str, Any]) -> NotesPart:
    from llmwiki.learn.tidy.question import NotesPart

    return NotesPart(tuple(map(str, data["notes"])), str(data["text"]))
