"""What is found, and what is answered: shapes of JSON objects."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from llmwiki.app.shapes.landed import LandedJson


class ScoreJson(TypedDict):
    """What a score is made of, in millionths; with --explain."""

    parts: NotRequired[dict[str, int]]
    reasons: NotRequired[list[str]]
    """By which titles and links a page was reached."""


class SearchRowJson(ScoreJson):
    """One page that was found."""

    path: str
    type: str
    title: str
    description: str
    text: str
    """The description, or the passage that fits best."""
    line: int | None
    """Where that passage stands in the page, from 1; null for a description."""
    updated_by: list[str]
    """Of a passage that is a claim: the handles of those that tell what has become of it since."""
    score: int
    """In millionths."""


class TermJson(TypedDict):
    """One word or name of a question."""

    term: str
    pages: int
    """Pages that have it."""
    weight: int
    """Its rarity, in millionths."""
    whole: bool
    """Whether all pages that have it were looked at."""


class TermsJson(TypedDict):
    """The question as it was understood; with --explain."""

    terms: NotRequired[list[TermJson]]
    titles: NotRequired[list[str]]
    """Titles that the question names."""
    coverage: NotRequired[int]
    """How much of the question one page has, in millionths."""


class SearchJson(TermsJson):
    """The pages that words lead to."""

    schema: Literal["llmwiki.search/1"]
    question: str
    exit_code: int
    results: list[SearchRowJson]


class PassageJson(TypedDict):
    """One passage of a context."""

    handle: str
    """How an answer cites it."""
    path: str
    title: str
    kind: str
    line: int
    text: str
    successor: str | None
    """What took the place of a superseded claim; null: nothing did."""
    updated_by: list[str]
    """The handles of the claims that tell what has become of it since."""
    score: int
    """In millionths."""


class ContextJson(TermsJson):
    """The passages that bear on a question, as a model is shown them."""

    schema: Literal["llmwiki.context/1"]
    question: str
    text: str
    tokens: int
    budget: int
    exit_code: int
    passages: list[PassageJson]


class StatementJson(TypedDict):
    """One sentence or list item of an answer."""

    text: str
    status: str
    citations: list[str]
    unknown: list[str]
    """Citations of what was not in the context."""


class QuotedEvidenceJson(TypedDict):
    """Where a cited claim has its words from."""

    source: str
    resource: str
    lines: list[int]
    place: str | None
    quote: str


class CitationJson(TypedDict):
    """One passage that an answer cites."""

    handle: str
    path: str
    title: str
    kind: str
    text: str
    line: int
    successor: str | None
    updated_by: list[str]
    rests_on: list[str]
    evidence: list[QuotedEvidenceJson]


class UnfiledJson(TypedDict):
    """A statement that was not filed."""

    text: str
    citation: str | None
    reason: str


class FiledJson(LandedJson):
    """What became of --save."""

    path: str
    title: str
    notes: int
    left_out: list[UnfiledJson]


class AnswerJson(TypedDict):
    """An answer, every citation checked."""

    schema: Literal["llmwiki.query/1"]
    question: str
    answer: str
    """Markdown, without the statements that cite only what they may not."""
    statements: list[StatementJson]
    citations: list[CitationJson]
    left_out: list[StatementJson]
    nearest: list[CitationJson]
    """Where no statement answers: what comes nearest."""
    looks: list[str]
    """What the model asked the wiki itself, in order."""
    model: str | None
    tokens: int
    cost_usd: float | None


class QueryJson(AnswerJson):
    """An answer, and what became of it."""

    saved: FiledJson | None
    error: str | None
    exit_code: int


class ChatCallJson(TypedDict):
    """One call of a tool in a turn."""

    name: str
    call: str
    """The call in one line."""
    status: str
    """`done`, `failed` or `refused`."""
    result: str
    """What it gave, or why not, in one line."""
    commit: str | None


class ChatJson(TypedDict):
    """One turn of a conversation."""

    schema: Literal["llmwiki.chat/1"]
    session: str
    turn: int
    answer: str
    stop: str
    """`end_turn`, `max_tokens`, `refusal`, `interrupted`, `limit`, `error` or `offline`."""
    citations: list[str]
    """Handles that the answer cites and that it was shown."""
    unknown_citations: list[str]
    """Handles that it cites and that lead to nothing it was shown."""
    calls: list[ChatCallJson]
    model: str
    tokens: int
    cost_usd: float | None
    error: str | None
    exit_code: int
