"""What is found, and what is answered: shapes of JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import LandedJson, MayLack, NullIfEmpty, Shape, at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llmwiki.app.context import ContextResult
    from llmwiki.app.query import QueryResult
    from llmwiki.app.search import SearchResult, SearchRow
    from llmwiki.query.ask import CheckedAnswer
    from llmwiki.query.citations import CitedPassage
    from llmwiki.query.retrieval.passage import Passage

NO_MATCH = 1
"""The exit code where nothing was found."""


def _without_secrets(passage: Passage | SearchRow) -> str:
    from llmwiki.core.secrets import redacted

    return redacted(passage.text)


def _passages(found: ContextResult) -> Iterator[dict[str, Any]]:
    return (PassageJson.of(each.passage, score=each.score) for each in found.context.shown)


def _evidence(cited: CitedPassage) -> Iterator[dict[str, Any]]:
    for each, resource in zip(cited.evidence, cited.resources, strict=True):
        yield QuotedEvidenceJson.of(each, resource=resource)


def _markdown(answered: CheckedAnswer) -> str:
    from llmwiki.query.answer_file import markdown

    return markdown(answered)


def one_line(error: Exception | None) -> str | None:
    """What went wrong, in one line."""
    return " ".join(str(error).split()) if error else None


class ScoreJson(Shape):
    """What a score is made of, in millionths; with --explain."""

    parts: MayLack[dict[str, int]]
    reasons: MayLack[list[str]]
    """By which titles and links a page was reached."""


class SearchRowJson(ScoreJson):
    """One page that was found."""

    path: str
    type: str
    title: str
    description: str = at("found.card.description")
    text: str = at(_without_secrets)
    """The passage; the page's description where it was found by its names and links alone."""
    line: int | None
    """Where the passage stands, from 1: in `source`, else in the page; null for a description."""
    source: str | None
    """The file below raw/ that the passage is a line of or quotes."""
    handle: str
    """How a citation names the passage."""
    updated_by: list[str]
    """Of a passage that is a claim: the handles of those that tell what has become of it since."""
    score: int = at("found.score")
    """In millionths."""


class TermJson(Shape):
    """One word or name of a question."""

    term: str = at("text")
    pages: int = at("df")
    """Pages that have it."""
    weight: int = at("idf")
    """Its rarity, in millionths."""
    whole: bool
    """Whether all pages that have it were looked at."""


class TermsJson(Shape):
    """The question as it was understood; with --explain."""

    terms: MayLack[list[TermJson]]
    titles: MayLack[list[str]]
    """Titles that the question names."""


class SearchJson(TermsJson):
    """The pages that words lead to."""

    schema: Literal["llmwiki.search/1"]
    question: str
    exit_code: int = at(lambda found: 0 if found.rows else NO_MATCH)
    results: list[SearchRowJson] = at("rows")
    nowhere: list[str]
    """The other words that stand nowhere in the wiki and its sources, as they were typed."""
    instead: dict[str, str]
    """Words that stand nowhere, each with the one that was looked for in its place."""


class PassageJson(Shape):
    """One passage of a context."""

    handle: str
    """How an answer cites it."""
    path: str
    title: str
    kind: str
    line: int
    text: str = at(_without_secrets)
    successor: str | None
    """What took the place of a superseded claim; null: nothing did."""
    updated_by: list[str] = at(lambda passage: [pointer.handle for pointer in passage.updated_by])
    """The handles of the claims that tell what has become of it since."""
    score: int
    """In millionths."""


class ContextJson(TermsJson):
    """The passages that bear on a question, as a model is shown them."""

    schema: Literal["llmwiki.context/1"]
    question: str = at("context.question")
    text: str = at(lambda found: found.context.text if found.context.shown else "")
    tokens: int = at("context.tokens")
    budget: int = at("context.budget")
    exit_code: int = at(lambda found: 0 if found.context.shown else NO_MATCH)
    passages: list[PassageJson] = at(_passages)


class StatementJson(Shape):
    """One sentence or list item of an answer."""

    text: str = at("statement.text")
    status: str
    citations: list[str] = at(lambda each: [cited.handle for cited in each.cited])
    unknown: list[str]
    """Citations of what was not in the context."""


class QuotedEvidenceJson(Shape):
    """Where a cited claim has its words from."""

    source: str
    resource: str
    lines: list[int] | None = at(lambda each: (each.first, each.last) if each.first else None)
    """None where the source is not at hand, or does not hold the quote."""
    place: NullIfEmpty[str]
    quote: str


class CitationJson(Shape):
    """One passage that an answer cites."""

    handle: str
    path: str
    title: str
    kind: str
    text: str
    line: int
    successor: NullIfEmpty[str]
    updated_by: list[str]
    rests_on: list[str]
    evidence: list[QuotedEvidenceJson] = at(_evidence)


class UnfiledJson(Shape):
    """A statement that was not filed."""

    text: str
    citation: NullIfEmpty[str]
    reason: str


class FiledJson(LandedJson):
    """What became of --save."""

    path: str
    title: str
    notes: int
    left_out: list[UnfiledJson]


class AnswerJson(Shape):
    """An answer, every citation checked."""

    schema: Literal["llmwiki.query/1"]
    question: str
    answer: str = at(_markdown)
    """Markdown, without the statements that cite only what they may not."""
    statements: list[StatementJson]
    citations: list[CitationJson] = at("cited")
    left_out: list[StatementJson]
    nearest: list[CitationJson]
    """Without a model: what comes nearest beside what is quoted."""
    looks: list[str]
    """What the model asked the wiki itself, in order."""
    model: str | None
    tokens: int = at("usage.total")
    cost_usd: float | None = at(lambda each: None if each.cost is None else round(each.cost, 6))


class QueryJson(AnswerJson):
    """An answer, and what became of it."""

    saved: FiledJson | None
    error: str | None
    exit_code: int


class ChatCallJson(Shape):
    """One call of a tool in a turn."""

    name: str
    call: str
    """The call in one line."""
    status: str
    """`done`, `failed` or `refused`."""
    result: str = at("brief")
    """What it gave, or why not, in one line."""
    commit: NullIfEmpty[str]


class ChatJson(Shape):
    """One turn of a conversation."""

    schema: Literal["llmwiki.chat/1"]
    session: str
    turn: int
    answer: str
    stop: str
    """`end_turn`, `max_tokens`, `refusal`, `interrupted`, `limit`, `error` or `offline`."""
    citations: list[str] = at("cited")
    """Handles that the answer cites and that it was shown."""
    unknown_citations: list[str] = at("unknown")
    """Handles that it cites and that lead to nothing it was shown."""
    calls: list[ChatCallJson]
    model: str
    tokens: int = at("usage.total")
    cost_usd: float | None = at("cost")
    error: str | None = at(lambda ended: one_line(ended.error))
    exit_code: int


def search_json(found: SearchResult, *, explain: bool) -> dict[str, Any]:
    """The pages that words lead to."""
    if not explain:
        return SearchJson.of(found)
    rows = [SearchRowJson.of(row, **ScoreJson.of(row.found)) for row in found.rows]
    return SearchJson.of(found, results=rows, **TermsJson.of(found.ranking))


def context_json(found: ContextResult, *, explain: bool) -> dict[str, Any]:
    """The passages most relevant to a question."""
    return ContextJson.of(found, **(TermsJson.of(found.ranking) if explain else {}))


def query_json(result: QueryResult, exit_code: int) -> dict[str, Any]:
    """An answer, without the statements that cite only what they may not."""
    if result.answer is None:
        return no_answer_json(result.found.context.question, exit_code)
    error = one_line(result.failure)
    return QueryJson.of(result.answer, saved=result.filed, error=error, exit_code=exit_code)


def no_answer_json(question: str, exit_code: int, error: str | None = None) -> dict[str, Any]:
    """What is said where nothing was found, or asking failed."""
    lists = ("statements", "citations", "left_out", "nearest", "looks")
    return QueryJson.of(
        **dict.fromkeys(lists, ()),
        question=question,
        answer="",
        model=None,
        tokens=0,
        cost_usd=0.0,
        saved=None,
        error=error,
        exit_code=exit_code,
    )
