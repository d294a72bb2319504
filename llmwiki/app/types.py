"""The types of what `Wiki` takes and gives, from the rooms where they are at home."""

from llmwiki.app.apply import AgentAnswer, ApplyOptions, ApplyReport
from llmwiki.app.context import ContextResult
from llmwiki.app.estimate import IngestEstimate, SourceEstimate
from llmwiki.app.graph import GraphOptions, Neighbourhood, PagePath, WikiGraph
from llmwiki.app.graph_edges import EdgesRead
from llmwiki.app.index import IndexReport
from llmwiki.app.ingest_types import IngestOptions, IngestReport
from llmwiki.app.init import InitResult
from llmwiki.app.judged_answer import AcceptedAnswer
from llmwiki.app.judgement import (
    JudgementForecast,
    JudgementJobs,
    JudgementOptions,
    JudgementResult,
)
from llmwiki.app.lint import LintOptions, LintResult
from llmwiki.app.lint_fix import FixResult
from llmwiki.app.log import OperationLog
from llmwiki.app.named_sources import SourceStream
from llmwiki.app.operation_report import OperationReport
from llmwiki.app.query import QueryOptions, QueryResult
from llmwiki.app.search import SearchResult, SearchRow
from llmwiki.app.show import ShownPage
from llmwiki.core.config import Config
from llmwiki.core.plan import Landed
from llmwiki.edit.merging import ResolveResult
from llmwiki.graph.build import BuiltGraph
from llmwiki.graph.model import GraphEdge
from llmwiki.graph.survey import GraphSurvey
from llmwiki.history.undo import UndoResult
from llmwiki.ingest.status import WikiStatus
from llmwiki.lint.finding import Finding
from llmwiki.lint.report.lint_report import LintReport
from llmwiki.memory.land import OperationOutcome
from llmwiki.models.task import Estimate
from llmwiki.pages.page import Page
from llmwiki.query.ask import CheckedAnswer
from llmwiki.query.ask import Event as QueryEvent
from llmwiki.query.citations import CheckedStatement, CitedPassage
from llmwiki.query.note import NoteResult
from llmwiki.repo.log import Commit
from llmwiki.retrieval.context import Context
from llmwiki.retrieval.rank import Ranking, SearchHit
from llmwiki.store.recover import Recovery

__all__ = [
    "AcceptedAnswer",
    "AgentAnswer",
    "ApplyOptions",
    "ApplyReport",
    "BuiltGraph",
    "CheckedAnswer",
    "CheckedStatement",
    "CitedPassage",
    "Commit",
    "Config",
    "Context",
    "ContextResult",
    "EdgesRead",
    "Estimate",
    "Finding",
    "FixResult",
    "GraphEdge",
    "GraphOptions",
    "GraphSurvey",
    "IndexReport",
    "IngestEstimate",
    "IngestOptions",
    "IngestReport",
    "InitResult",
    "JudgementForecast",
    "JudgementJobs",
    "JudgementOptions",
    "JudgementResult",
    "Landed",
    "LintOptions",
    "LintReport",
    "LintResult",
    "Neighbourhood",
    "NoteResult",
    "OperationLog",
    "OperationOutcome",
    "OperationReport",
    "Page",
    "PagePath",
    "QueryEvent",
    "QueryOptions",
    "QueryResult",
    "Ranking",
    "Recovery",
    "ResolveResult",
    "SearchHit",
    "SearchResult",
    "SearchRow",
    "ShownPage",
    "SourceEstimate",
    "SourceStream",
    "UndoResult",
    "WikiGraph",
    "WikiStatus",
]
