"""The shapes of what `wiki memory` prints."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from llmwiki.app.shapes.tidy import LeftOutJson


class SentenceJson(TypedDict):
    """A sentence that a note rests on."""

    id: str
    page: str
    words: str
    told_by: str
    on: str
    session: str
    turn: int
    sealed: bool
    """Whether the id is that of the words: false, and somebody changed them."""
    heard: bool | None
    """Whether this clone's transcript has them; null: it has no transcript."""


class MemoryNoteJson(TypedDict):
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
    sources: list[str]
    """Handles of the sentences it rests on."""
    replaced_by: str | None
    """The id of what took its place, or `gone in …`; null: it stands."""


class MemoryJson(TypedDict):
    """The notes of the memory."""

    schema: Literal["llmwiki.memory/1"]
    exit_code: int
    notes: list[MemoryNoteJson]


class MemoryStatusJson(TypedDict):
    """How the memory stands in this clone."""

    schema: Literal["llmwiki.memory-status/1"]
    exit_code: int
    commit: str
    """`ask`, `always` or `never`."""
    origin: str
    reviewed: bool
    kinds: dict[str, int]
    sentences: int
    days: int
    replaced: int
    pending: int
    counted: int
    resident_tokens: int
    resident_cap: int


class NoteStoryJson(TypedDict):
    """Why the memory holds a note."""

    note: MemoryNoteJson
    sentences: list[SentenceJson]
    earlier: list[MemoryNoteJson]
    now: MemoryNoteJson | None
    commits: list[str]


class MemoryWhyJson(TypedDict):
    """The stories of notes."""

    schema: Literal["llmwiki.memory-why/1"]
    exit_code: int
    notes: list[NoteStoryJson]


class LearnedItemJson(TypedDict):
    """One thing that was learned."""

    turn: int
    kind: str
    text: str
    told_by: str
    key: str
    value: str
    quotes: list[str]
    commit: str | None
    pending: str | None
    """The id under which it waits for a yes."""


class RefusedItemJson(TypedDict):
    """One that was not taken."""

    text: str
    reason: str


class MemoryObserveJson(TypedDict):
    """What a conversation taught."""

    schema: Literal["llmwiki.memory-observe/1"]
    exit_code: int
    session: str
    host: NotRequired[str]
    turns: NotRequired[int]
    statements: int
    skipped: NotRequired[int]
    commit: NotRequired[str]
    extractor: NotRequired[str]
    learned: NotRequired[list[LearnedItemJson]]
    refused: NotRequired[list[RefusedItemJson]]
    job: NotRequired[str]
    """With --prepare: the id of the job."""
    file: NotRequired[str]
    """With --prepare: the job, absolute; empty where nothing is to be read."""


class MemoryReviewJson(TypedDict):
    """What waits, or what became of it."""

    schema: Literal["llmwiki.memory-review/1"]
    exit_code: int
    waiting: list[LearnedItemJson]
    commits: list[str]


class MemoryStepJson(TypedDict):
    """One thing that a sweep or a promotion does."""

    code: str
    id: str
    text: str
    why: str
    other: str | None


class NoteStepJson(TypedDict):
    """A note that was struck for another one."""

    note: str
    into: str
    how: str
    """`same`: both say it; `outdated`: it no longer holds."""
    why: str


class TidiedNotesJson(TypedDict):
    """What became of the answer to one part."""

    part: str
    id: str | None
    """Of the operation; null where nothing changed."""
    commit: str | None
    steps: list[NoteStepJson]
    left_out: list[LeftOutJson]


class MemoryTidyJson(TypedDict):
    """What a second reading of the memory came to."""

    schema: Literal["llmwiki.memory-tidy/1"]
    exit_code: int
    parts: int
    """Parts that there were to answer."""
    files: NotRequired[list[str]]
    """With --prepare: the job of each part, absolute."""
    model: NotRequired[str]
    tokens: NotRequired[int]
    cost_usd: NotRequired[float | None]
    """An estimate; null: the price is not known."""
    results: NotRequired[list[TidiedNotesJson]]


class MemoryChangeJson(TypedDict):
    """What a sweep, a promotion or a forgetting does, or did."""

    schema: Literal["llmwiki.memory-change/1"]
    exit_code: int
    applied: bool
    steps: list[MemoryStepJson]
    commit: str | None
    sessions: NotRequired[list[str]]
    """Transcripts in which words were overwritten."""
