"""The memory as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.learning import LearnJob, LearnReport
    from llmwiki.app.memory import ForgetReport, MemoryStatus, PromotionReport, SweepReport
    from llmwiki.app.memory_story import NoteStory
    from llmwiki.app.memory_tidy import TidiedMemory
    from llmwiki.app.shapes import memory as shapes
    from llmwiki.learn.gate import CheckedItem
    from llmwiki.learn.land import LearnedTurn
    from llmwiki.learn.private_memory import PendingItem
    from llmwiki.learn.tidy.land import TidiedNotes
    from llmwiki.memory.land import OperationOutcome
    from llmwiki.pages.memory_notes import MemoryNote


def memory_json(notes: Iterable[MemoryNote]) -> shapes.MemoryJson:
    """A list of notes."""
    return {"schema": "llmwiki.memory/1", "exit_code": 0, "notes": [_note(n) for n in notes]}


def memory_status_json(status: MemoryStatus) -> shapes.MemoryStatusJson:
    """How the memory stands."""
    return {
        "schema": "llmwiki.memory-status/1",
        "exit_code": 0,
        "commit": status.rule,
        "origin": status.origin,
        "reviewed": status.is_reviewed,
        "kinds": dict(status.kinds),
        "sentences": status.sentences,
        "days": status.days,
        "replaced": status.replaced,
        "pending": status.pending,
        "counted": status.counted,
        "resident_tokens": status.resident_tokens,
        "resident_cap": status.resident_cap,
    }


def memory_why_json(stories: Iterable[NoteStory]) -> shapes.MemoryWhyJson:
    """The stories of notes."""
    return {
        "schema": "llmwiki.memory-why/1",
        "exit_code": 0,
        "notes": [_story(story) for story in stories],
    }


def memory_observe_json(report: LearnReport) -> shapes.MemoryObserveJson:
    """What a conversation taught."""
    learned = [
        _item(item, turn.outcome.commit, None) for turn in report.learned for item in turn.items
    ]
    return {
        "schema": "llmwiki.memory-observe/1",
        "exit_code": 0,
        "session": report.session,
        "host": report.host,
        "turns": report.turns,
        "statements": report.statements,
        "skipped": report.skipped,
        "commit": report.rule,
        "extractor": report.extractor,
        "learned": [*learned, *(_item(each.item, None, each.id) for each in report.pending)],
        "refused": [{"text": each.text, "reason": each.reason} for each in report.refused],
    }


def memory_job_json(job: LearnJob) -> shapes.MemoryObserveJson:
    """A job for an agent."""
    return {
        "schema": "llmwiki.memory-observe/1",
        "exit_code": 0,
        "session": job.session,
        "statements": job.statements,
        "job": job.id,
        "file": job.file,
    }


def memory_review_json(
    waiting: Iterable[PendingItem], done: Iterable[LearnedTurn] = ()
) -> shapes.MemoryReviewJson:
    """What waits, and what landed of it."""
    return {
        "schema": "llmwiki.memory-review/1",
        "exit_code": 0,
        "waiting": [_item(each.item, None, each.id) for each in waiting],
        "commits": [turn.outcome.commit for turn in done if turn.outcome.commit],
    }


def memory_sweep_json(report: SweepReport) -> shapes.MemoryChangeJson:
    """What a sweep does."""
    steps = [
        _step(each.code, each.note.id, each.note.text, each.why, each.other)
        for each in report.steps
    ]
    return _change(steps, report.outcome)


def memory_promote_json(report: PromotionReport) -> shapes.MemoryChangeJson:
    """What use promotes."""
    steps = [
        _step("promoted", each.note.id, each.note.text, each.numbers) for each in report.promotions
    ]
    return _change(steps, report.outcome)


def memory_forget_json(report: ForgetReport) -> shapes.MemoryChangeJson:
    """What was forgotten."""
    steps = [_step("forgotten", ident, "", "asked for") for ident in report.ids]
    return {**_change(steps, report.outcome), "sessions": list(report.sessions)}


def _change(
    steps: list[shapes.MemoryStepJson], outcome: OperationOutcome | None
) -> shapes.MemoryChangeJson:
    return {
        "schema": "llmwiki.memory-change/1",
        "exit_code": 0,
        "applied": outcome is not None,
        "steps": steps,
        "commit": outcome.commit if outcome else None,
    }


def _step(
    code: str, ident: str, text: str, why: str, other: MemoryNote | None = None
) -> shapes.MemoryStepJson:
    named = other.id if other else None
    return {"code": code, "id": ident, "text": text, "why": why, "other": named}


def memory_tidy_json(report: TidiedMemory) -> shapes.MemoryTidyJson:
    """What a second reading of the memory came to, or the jobs for it."""
    row: shapes.MemoryTidyJson = {
        "schema": "llmwiki.memory-tidy/1",
        "exit_code": report.exit_code,
        "parts": report.parts,
    }
    if not report.model:
        return {**row, "files": list(report.files)}
    run = report.run
    return {
        **row,
        "model": report.model,
        "tokens": run.usage.total if run else 0,
        "cost_usd": run.cost if run else 0.0,
        "results": [_tidied(each) for each in report.results],
    }


def _tidied(result: TidiedNotes) -> shapes.TidiedNotesJson:
    return {
        "part": result.part,
        "id": result.outcome.id or None,
        "commit": result.outcome.commit,
        "steps": [
            {
                "note": step.old.id,
                "into": step.new.id,
                "how": "same" if step.is_same else "outdated",
                "why": step.why,
            }
            for step in result.checked.steps
        ],
        "left_out": [{"what": each.what, "reason": each.reason} for each in result.left_out],
    }


def _note(note: MemoryNote) -> shapes.MemoryNoteJson:
    return {
        "id": note.id,
        "path": note.path,
        "text": note.text,
        "kind": note.kind,
        "told_by": note.told_by,
        "key": note.key,
        "value": note.value,
        "day": note.day,
        "sources": [f"[[{page}#^{ident}]]" for page, ident in note.sources],
        "replaced_by": note.successor_id or note.successor,
    }


def _story(story: NoteStory) -> shapes.NoteStoryJson:
    rows = zip(story.sentences, story.sealed, story.heard, strict=True)
    return {
        "note": _note(story.note),
        "sentences": [
            {
                "id": said.id,
                "page": said.path,
                "words": said.text,
                "told_by": said.told_by,
                "on": said.on,
                "session": said.session,
                "turn": said.turn,
                "sealed": sealed,
                "heard": heard,
            }
            for said, sealed, heard in rows
        ],
        "earlier": [_note(note) for note in story.earlier],
        "now": _note(story.now) if story.now else None,
        "commits": list(story.commits),
    }


def _item(found: CheckedItem, commit: str | None, pending: str | None) -> shapes.LearnedItemJson:
    return {
        "turn": found.turn,
        "kind": found.item.kind,
        "text": found.item.text,
        "told_by": found.told_by,
        "key": found.item.key,
        "value": found.item.value,
        "quotes": [quote.words for quote in found.quotes],
        "commit": commit,
        "pending": pending,
    }
