"""The shape of every JSON object that a command prints: `llmwiki.NAME/1`.

Types only: `app.as_json` makes the objects, and `app.schemas` makes JSON Schemas from these types.
Keys are never taken away or given another meaning within a version.
"""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

# --- asking ------------------------------------------------------------------------------


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


class LandedJson(TypedDict):
    """What became of an operation."""

    id: str | None
    """Of the operation; null: there was nothing to change."""
    commit: str | None
    pending: list[str]
    """Paths committed but not yet in the work tree."""
    kept: list[str]
    """Paths that somebody changed meanwhile: the work tree has their bytes."""


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


# --- sources and answers -----------------------------------------------------------------


class RefusedJson(TypedDict):
    """A claim, statement or edge that does not count."""

    text: str
    quote: str
    reason: str
    claim: str | None
    """The id it has in the answer, such as `k7`, or `2:k7` for one of the second segment."""


class RemarkJson(TypedDict):
    """A part of an answer that is kept in another way than it was given."""

    claim: str | None
    what: str
    became: str


class UnquotedJson(TypedDict):
    """A stretch of a source's prose from which nothing was quoted."""

    lines: list[int]
    """The first and the last."""
    characters: int


class JoinedJson(TypedDict):
    """A name that was filed under a page of another title."""

    name: str
    title: str
    why: str


class KeptApartJson(TypedDict):
    """Two names that may mean one thing, and were kept apart."""

    name: str
    title: str


class RefusedAliasJson(TypedDict):
    """Another name of a subject that was not recorded."""

    alias: str
    name: str
    reason: str


class OperationJson(LandedJson):
    """What became of one source, or of one answer of an agent."""

    source: str
    sha256: str | None
    status: str
    pages_created: list[str]
    pages_changed: list[str]
    claims_added: int
    evidence_added: int
    refused: list[RefusedJson]
    remarks: list[RemarkJson]
    joined: list[JoinedJson]
    kept_apart: list[KeptApartJson]
    aliases_refused: list[RefusedAliasJson]
    leads_to_renew: list[str]
    """Pages with new claims whose lead the reader was not shown."""
    unquoted: list[UnquotedJson]
    tokens: int
    cost_usd: float | None
    exit_code: int
    error: str | None


class JudgedFindingJson(TypedDict):
    """What an agent found about claims."""

    code: str
    path: str
    line: int
    message: str
    claims: list[str]


class RejectedFindingJson(TypedDict):
    """What of an agent's judgement does not count."""

    kind: str
    reason: str


class JudgedJson(TypedDict):
    """An agent's judgement of claims that was kept."""

    part: str
    findings: list[JudgedFindingJson]
    left_out: list[RejectedFindingJson]
    outdated: int
    """Findings about what has changed since."""


class IngestJson(TypedDict):
    """What became of sources, or of answers of agents."""

    schema: Literal["llmwiki.ingest/1"]
    operations: list[OperationJson]
    judged: NotRequired[list[JudgedJson]]


# --- looking after the wiki --------------------------------------------------------------


class FindingJson(TypedDict):
    """One finding of a lint."""

    code: str
    name: str
    severity: str
    path: str
    """Empty: it is about the wiki as a whole."""
    line: int
    column: int
    message: str
    mend: str
    about: str
    claims: list[str]
    fingerprint: str
    fixable: bool


class CoverageJson(TypedDict):
    """What was looked at."""

    pages: int
    claims: int
    quotes: int
    compared: int
    """Quotes that were compared with their texts."""
    rules: int


class CountsJson(TypedDict):
    """How many findings there are."""

    error: int
    warning: int
    note: int
    ignored: int
    """Silenced by pages; not listed."""
    baseline: int
    """Known to the baseline; not listed."""


class LintJson(TypedDict):
    """The findings of a lint."""

    schema: Literal["llmwiki.lint/1"]
    exit_code: int
    findings: list[FindingJson]
    coverage: CoverageJson
    counts: CountsJson


class IndexJson(TypedDict):
    """What the search index holds."""

    schema: Literal["llmwiki.index/1"]
    pages: int
    words: int
    commit: str | None
    uncommitted: int
    differences: list[str] | None
    """Where it differs from one made anew; null: it was not compared."""


class RecoverJson(TypedDict):
    """What became of an operation that was cut off."""

    schema: Literal["llmwiki.recover/1"]
    outcome: Literal["clean", "finished", "dropped", "unfinished"]
    operation: str | None
    commit: str | None
    kept: list[str]
    failed: list[str]


class UnresolvedJson(TypedDict):
    """A path that a person must look at."""

    path: str
    why: str
    about: str
    """The claim's id, or what else both sides worded differently; empty for anything else."""
    ours: str
    """The wording of the branch that git merges into."""
    theirs: str


class ResolveJson(TypedDict):
    """What was merged of a stopped merge."""

    schema: Literal["llmwiki.resolve/1"]
    merged: list[str]
    removed: list[str]
    left: list[UnresolvedJson]
    dry_run: bool


class SettingJson(TypedDict):
    """One setting."""

    key: str
    value: str | int | float | bool
    origin: str
    variable: str
    """The environment variable that sets it."""
    from_repository: bool
    """Whether .llmwiki.toml may set it."""
    meaning: str


class ConfigJson(TypedDict):
    """The settings in force."""

    schema: Literal["llmwiki.config/1"]
    settings: list[SettingJson]


class ConfinementJson(TypedDict):
    """What confines the processes that read documents."""

    schema: Literal["llmwiki.confinement/1"]
    in_force: list[str]


# --- history and direct edits ------------------------------------------------------------


class SourcesJson(TypedDict):
    """The files in raw/, by what is known of them."""

    ingested: list[str]
    without_claims: list[str]
    """Those of the ingested that gave no claim."""
    new: list[str]
    changed: list[str]
    missing: list[str]
    retracted: list[str]
    unread: list[str]
    mailboxes: list[str]


class StatusJson(TypedDict):
    """What the wiki holds, and what is unfinished."""

    schema: Literal["llmwiki.status/1"]
    pages: dict[str, int]
    """By type."""
    claims: int
    struck: int
    sources: SourcesJson
    jobs: list[str]
    reviews: list[str]
    dirty: list[str]
    unfinished: str | None
    in_progress: str | None
    unmerged: list[str]
    last: str | None
    clone: str | None


class EvidenceJson(TypedDict):
    """Where a claim has its words from."""

    source: str
    lines: list[int]
    place: str | None
    quote: str


class ClaimJson(TypedDict):
    """One claim of a page."""

    id: str
    text: str
    successor: str | None
    attributes: list[list[str]]
    """Pairs of name and value."""
    evidence: list[EvidenceJson]


class ShowJson(TypedDict):
    """One page."""

    schema: Literal["llmwiki.show/1"]
    path: str
    type: str
    title: str
    description: str
    aliases: list[str]
    claims: list[ClaimJson]


class LogRowJson(TypedDict):
    """One operation."""

    id: str
    commit: str
    kind: str
    title: str
    date: str
    author: str
    batch: str | None
    source: str | None
    model: str | None
    undoes: list[str]


class LogJson(TypedDict):
    """Operations, newest first."""

    schema: Literal["llmwiki.log/1"]
    complete: bool
    """Whether the clone holds all that were asked for."""
    operations: list[LogRowJson]


class ModelCostJson(TypedDict):
    """What some operations took."""

    name: str
    """The day, the model or the source; empty for the sum of all."""
    operations: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    """At the prices of their time, an estimate."""
    unpriced: int
    """Operations among them whose price is not known."""


class CostJson(TypedDict):
    """What models took, by the commits that they had a part in."""

    schema: Literal["llmwiki.cost/1"]
    complete: bool
    """Whether the clone holds all operations."""
    total: ModelCostJson
    days: list[ModelCostJson]
    models: list[ModelCostJson]
    sources: list[ModelCostJson]


class UndoConflictJson(TypedDict):
    """What could not be taken back, as somebody changed it since."""

    page: str
    kept: str


class UndoNoteJson(TypedDict):
    """A claim that a person had reworded or written under, and that is a note of theirs now."""

    page: str
    claim: str
    note: str


class UndoJson(LandedJson):
    """What was taken back."""

    schema: Literal["llmwiki.undo/1"]
    undone: list[str]
    """Ids of the operations."""
    pages_changed: list[str]
    conflicts: list[UndoConflictJson]
    notes: list[UndoNoteJson]
    dry_run: bool


class VaultSurveyJson(TypedDict):
    """What was found in a folder of notes."""

    form: str
    """Whose form it has, in words."""
    folder: str
    """Where its pages lie, from the root; empty: everywhere."""
    pages: int
    links: int
    """Links from page to page."""
    names_without_page: int
    pages_without_type: int
    pages_without_description: int
    kept: list[str]
    """Its own index, overview and log, which no operation writes."""
    has_carriage_returns: bool
    """Whether a page below wiki/ has the line ends of Windows: then .gitattributes is not
    written."""


class AdoptJson(LandedJson):
    """Notes that were made a wiki."""

    schema: Literal["llmwiki.adopt/1"]
    root: str
    """The wiki's root from now on."""
    found: VaultSurveyJson
    files: list[str]
    """The files that were written; of a dry run those that would be."""
    dry_run: bool


class UpgradeJson(LandedJson):
    """A wiki brought into the format of this version."""

    schema: Literal["llmwiki.upgrade/1"]
    pages_changed: list[str]
    """By path; of a dry run those that would change."""
    dry_run: bool


class RememberJson(LandedJson):
    """A note that was added."""

    schema: Literal["llmwiki.remember/1"]


class OverviewJson(LandedJson):
    """An opening that was rewritten."""

    schema: Literal["llmwiki.overview/1"]


# --- the graph ---------------------------------------------------------------------------


class HubJson(TypedDict):
    """A page of high rank."""

    path: str
    title: str
    rank: float
    edges: int


class CommunityJson(TypedDict):
    """Pages that hang together."""

    name: str
    pages: int
    first: list[str]


class BridgePageJson(TypedDict):
    """A page whose loss would split the graph."""

    path: str
    parted: int
    """Pages that hang on it."""


BridgeEdgeJson = TypedDict("BridgeEdgeJson", {"from": str, "to": str, "parted": int})


class BridgesJson(TypedDict):
    """What holds parts of the graph together alone."""

    pages: list[BridgePageJson]
    edges: list[BridgeEdgeJson]


class IsolatedJson(TypedDict):
    """What is not joined to the rest."""

    parts: list[list[str]]
    unlinked: list[str]
    unlinked_count: int


MissingLinkJson = TypedDict(
    "MissingLinkJson", {"from": str, "to": str, "shared": list[str], "times": int, "score": int}
)

PhantomJson = TypedDict("PhantomJson", {"name": str, "count": int, "from": list[str]})


class HealthJson(TypedDict):
    """How well the graph hangs together."""

    in_largest: float
    unlinked: int
    broken_links: int
    remarks: list[str]


class WrittenFileJson(TypedDict):
    """A file that was written."""

    path: str
    bytes: int


class GraphJson(TypedDict):
    """What the graph shows."""

    schema: Literal["llmwiki.graph/1"]
    pages: int
    edges: int
    kinds: dict[str, int]
    types: dict[str, int]
    edges_per_page: float
    hubs: list[HubJson]
    modularity: float
    communities: list[CommunityJson]
    bridges: BridgesJson
    isolated: IsolatedJson
    orphans: list[str]
    missing: list[MissingLinkJson]
    phantoms: list[PhantomJson]
    health: HealthJson
    texts_read: bool
    files: list[WrittenFileJson]


GraphEdgeJson = TypedDict(
    "GraphEdgeJson", {"from": str, "to": str, "kind": str, "weight": float, "why": str}
)


class PathStepJson(TypedDict):
    """A page on a way, and the edge that leads to it."""

    path: str
    title: str
    edge: GraphEdgeJson | None


GraphPathJson = TypedDict(
    "GraphPathJson",
    {
        "schema": Literal["llmwiki.graph/1"],
        "from": str,
        "to": str,
        "length": int | None,
        "steps": list[PathStepJson],
        "exit_code": int,
    },
)


class NearPageJson(TypedDict):
    """A page near another one."""

    path: str
    title: str
    distance: int
    via: str
    edge: GraphEdgeJson


class NeighboursJson(TypedDict):
    """The pages around one, by their distance."""

    schema: Literal["llmwiki.graph/1"]
    page: str
    rings: list[list[NearPageJson]]


class GraphAboutJson(TypedDict):
    """What is told of a whole graph."""

    schema: Literal["llmwiki.graph-file/1"]
    communities: list[str]
    modularity: float


class GraphNodeJson(TypedDict):
    """One page."""

    id: str
    title: str
    type: str
    path: str
    description: str
    tags: list[str]
    claims: int
    rank: float
    community: int


class GraphLinkJson(TypedDict):
    """One edge."""

    source: str
    target: str
    kind: str
    weight: float
    why: str


class GraphFileJson(TypedDict):
    """The graph in networkx's node-link form."""

    directed: bool
    multigraph: bool
    graph: GraphAboutJson
    nodes: list[GraphNodeJson]
    edges: list[GraphLinkJson]
