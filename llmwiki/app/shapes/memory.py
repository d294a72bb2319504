"""The shapes of what `wiki memory` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import MayLack, Shape, at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from llmwiki.app.learning import LearnReport
    from llmwiki.memory.private_memory import PendingItem


def _sentences(story: Any) -> Iterator[dict[str, Any]]:
    for said, sealed, heard in zip(story.sentences, story.sealed, story.heard, strict=True):
        yield SentenceJson.of(said, sealed=sealed, heard=heard)


def _learned(report: LearnReport) -> list[dict[str, Any]]:
    landed = [(item, turn.outcome.commit) for turn in report.learned for item in turn.items]
    items = [LearnedItemJson.of(item, commit=commit) for item, commit in landed]
    return [*items, *waiting_json(report.pending)]


def waiting_json(items: Iterable[PendingItem]) -> Iterator[dict[str, Any]]:
    """What was learned and waits for a yes."""
    return (LearnedItemJson.of(each.item, pending=each.id) for each in items)


class SentenceJson(Shape):
    """A sentence that a note rests on."""

    id: str
    page: str = at("path")
    words: str = at("text")
    told_by: str
    on: str
    session: str
    turn: int
    sealed: bool
    """Whether the id is that of the words: false, and somebody changed them."""
    heard: bool | None
    """Whether this clone's transcript has them; null: it has no transcript."""


class MemoryNoteJson(Shape):
    """A note of the memory."""

    id: str
    path: str
    text: str
    kind: str
    """Empty where the note does not say; `said` for a sentence."""
    told_by: str
    key: str
    value: str
    day: str
    """When it was last told; empty where the note does not say."""
    sources: list[str] = at(lambda note: [f"[[{page}#^{ident}]]" for page, ident in note.sources])
    """Handles of the sentences it rests on."""
    replaced_by: str | None = at(lambda note: note.successor_id or note.successor)
    """The id of what took its place, or `gone in …`; null: it stands."""


class MemoryJson(Shape):
    """The notes of the memory."""

    schema: Literal["llmwiki.memory/1"]
    exit_code: int = 0
    notes: list[MemoryNoteJson]


class MemoryStatusJson(Shape):
    """How the memory stands in this clone."""

    schema: Literal["llmwiki.memory-status/1"]
    exit_code: int = 0
    commit: str = at("rule")
    """`ask`, `always` or `never`."""
    origin: str
    reviewed: bool = at("is_reviewed")
    kinds: dict[str, int]
    sentences: int
    days: int
    replaced: int
    pending: int
    counted: int
    resident_tokens: int
    resident_cap: int


class NoteStoryJson(Shape):
    """Why the memory holds a note."""

    note: MemoryNoteJson
    sentences: list[SentenceJson] = at(_sentences)
    earlier: list[MemoryNoteJson]
    now: MemoryNoteJson | None
    commits: list[str]


class MemoryWhyJson(Shape):
    """The stories of notes."""

    schema: Literal["llmwiki.memory-why/1"]
    exit_code: int = 0
    notes: list[NoteStoryJson]


class LearnedItemJson(Shape):
    """One thing that was learned."""

    turn: int
    kind: str = at("item.kind")
    text: str = at("item.text")
    told_by: str
    key: str = at("item.key")
    value: str = at("item.value")
    quotes: list[str] = at(lambda found: [quote.words for quote in found.quotes])
    commit: str | None = None
    pending: str | None = None
    """The id under which it waits for a yes."""


class RefusedItemJson(Shape):
    """One that was not taken."""

    text: str
    reason: str


class MemoryObserveJson(Shape):
    """What a conversation taught."""

    schema: Literal["llmwiki.memory-observe/1"]
    exit_code: int = 0
    session: str
    host: MayLack[str]
    turns: MayLack[int]
    statements: int
    skipped: MayLack[int]
    commit: MayLack[str] = at("rule")
    extractor: MayLack[str]
    learned: MayLack[list[LearnedItemJson]] = at(_learned)
    refused: MayLack[list[RefusedItemJson]]
    job: MayLack[str] = at("id")
    """With --prepare: the id of the job."""
    file: MayLack[str]
    """With --prepare: the job, absolute; empty where nothing is to be read."""


class MemoryReviewJson(Shape):
    """What waits, or what became of it."""

    schema: Literal["llmwiki.memory-review/1"]
    exit_code: int = 0
    waiting: list[LearnedItemJson]
    commits: list[str]


class MemoryStepJson(Shape):
    """One thing that a sweep or a promotion does."""

    code: str
    id: str = at("note.id")
    text: str = at("note.text")
    why: str
    other: str | None = at("other.id")


class MemoryChangeJson(Shape):
    """What a sweep, a promotion or a forgetting does, or did."""

    schema: Literal["llmwiki.memory-change/1"]
    exit_code: int = 0
    applied: bool = at(lambda report: report.outcome is not None)
    steps: list[MemoryStepJson]
    commit: str | None = at("outcome.commit")
    sessions: MayLack[list[str]]
    """Transcripts in which words were overwritten."""
