"""The types that methods of `Wiki` take and return, from the modules that define them."""

from llmwiki.app.apply import AgentAnswer as AgentAnswer
from llmwiki.app.apply import ApplyOptions as ApplyOptions
from llmwiki.app.apply import ApplyReport as ApplyReport
from llmwiki.app.context import ContextResult as ContextResult
from llmwiki.app.estimate import IngestEstimate as IngestEstimate
from llmwiki.app.estimate import SourceEstimate as SourceEstimate
from llmwiki.app.graph import GraphOptions as GraphOptions
from llmwiki.app.graph import Neighbourhood as Neighbourhood
from llmwiki.app.graph import PagePath as PagePath
from llmwiki.app.graph import WikiGraph as WikiGraph
from llmwiki.app.graph_edges import EdgesRead as EdgesRead
from llmwiki.app.index import IndexReport as IndexReport
from llmwiki.app.ingest_types import IngestOptions as IngestOptions
from llmwiki.app.ingest_types import IngestReport as IngestReport
from llmwiki.app.init import InitResult as InitResult
from llmwiki.app.judged_answer import AcceptedAnswer as AcceptedAnswer
from llmwiki.app.judgement import JudgementForecast as JudgementForecast
from llmwiki.app.judgement import JudgementJobs as JudgementJobs
from llmwiki.app.judgement import JudgementOptions as JudgementOptions
from llmwiki.app.judgement import JudgementResult as JudgementResult
from llmwiki.app.lint import LintOptions as LintOptions
from llmwiki.app.lint import LintResult as LintResult
from llmwiki.app.lint_fix import FixResult as FixResult
from llmwiki.app.log import OperationLog as OperationLog
from llmwiki.app.named_sources import SourceStream as SourceStream
from llmwiki.app.operation_report import OperationReport as OperationReport
from llmwiki.app.query import QueryOptions as QueryOptions
from llmwiki.app.query import QueryResult as QueryResult
from llmwiki.app.search import SearchResult as SearchResult
from llmwiki.app.search import SearchRow as SearchRow
from llmwiki.app.show import ShownPage as ShownPage
from llmwiki.core.config import Config as Config
from llmwiki.core.plan import Landed as Landed
from llmwiki.edit.merging import ResolveResult as ResolveResult
from llmwiki.graph.build import BuiltGraph as BuiltGraph
from llmwiki.graph.model import GraphEdge as GraphEdge
from llmwiki.graph.survey import GraphSurvey as GraphSurvey
from llmwiki.history.undo import UndoResult as UndoResult
from llmwiki.ingest.status import WikiStatus as WikiStatus
from llmwiki.lint.finding import Finding as Finding
from llmwiki.lint.report.lint_report import LintReport as LintReport
from llmwiki.memory.land import OperationOutcome as OperationOutcome
from llmwiki.models.task import Estimate as Estimate
from llmwiki.pages.page import Page as Page
from llmwiki.query.ask import CheckedAnswer as CheckedAnswer
from llmwiki.query.ask import Event
from llmwiki.query.citations import CheckedStatement as CheckedStatement
from llmwiki.query.citations import CitedPassage as CitedPassage
from llmwiki.query.note import NoteResult as NoteResult
from llmwiki.repo.log import Commit as Commit
from llmwiki.retrieval.context import Context as Context
from llmwiki.retrieval.rank import Ranking as Ranking
from llmwiki.retrieval.rank import SearchHit as SearchHit
from llmwiki.store.recover import Recovery as Recovery

QueryEvent = Event
