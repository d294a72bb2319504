"""The shape of what `wiki tidy` prints."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class LeftOutJson(TypedDict):
    """A part of an answer that does not count."""

    what: str
    reason: str


class TidiedPartJson(TypedDict):
    """What became of the answer to one part."""

    part: str
    id: str | None
    """Of the operation; null where nothing changed."""
    commit: str | None
    merges: int
    moves: int
    pairs: int
    relations: int
    leads: int
    pages_changed: list[str]
    left_out: list[LeftOutJson]


class TidyJson(TypedDict):
    """What a second reading of the wiki came to."""

    schema: Literal["llmwiki.tidy/1"]
    exit_code: int
    parts: int
    """Parts that there were to answer."""
    questions: NotRequired[dict[str, int]]
    """With --prepare: how many of each kind."""
    files: NotRequired[list[str]]
    """With --prepare: the job of each part, absolute."""
    model: NotRequired[str]
    tokens: NotRequired[int]
    cost_usd: NotRequired[float | None]
    """An estimate; null: the price is not known."""
    results: NotRequired[list[TidiedPartJson]]
