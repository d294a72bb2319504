"""Values as the JSON objects that commands print, in the shapes of `app.json_models`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.app import json_models as shapes
    from llmwiki.app.adopt import AdoptResult
    from llmwiki.app.apply import ApplyReport
    from llmwiki.app.context import ContextResult
    from llmwiki.app.cost import CostReport, ModelCost
    from llmwiki.app.graph import Neighbourhood, PagePath, WikiGraph
    from llmwiki.app.index import IndexReport
    from llmwiki.app.ingest_types import IngestReport
    from llmwiki.app.judged_answer import AcceptedAnswer
    from llmwiki.app.log import OperationLog
    from llmwiki.app.operation_report import OperationReport
    from llmwiki.app.query import QueryResult
    from llmwiki.app.search import SearchResult, SearchRow
    from llmwiki.core.config import Config
    from llmwiki.edit.merging import ResolveResult, UnresolvedPath
    from llmwiki.graph.ground import GraphInput
    from llmwiki.graph.model import GraphEdge
    from llmwiki.graph.survey import GraphSurvey
    from llmwiki.history.undo import UndoResult
    from llmwiki.ingest.status import WikiStatus
    from llmwiki.lint.report.lint_report import LintReport
    from llmwiki.memory.land import OperationOutcome
    from llmwiki.pages.page import Page
    from llmwiki.query.ask import CheckedAnswer
    from llmwiki.query.citations import CheckedStatement, CitedPassage
    from llmwiki.query.note import NoteResult
    from llmwiki.repo.log import Commit
    from llmwiki.retrieval.rank import Ranking
    from llmwiki.store.recover import Recovery

NO_MATCH = 1
"""The exit code where nothing was found."""
TOLD = 1000
"""Rows of a list of the graph at most."""
SHOWN = 10
"""Pages of a community that are named."""

# --- asking ------------------------------------------------------------------------------


def search_json(found: SearchResult, *, explain: bool) -> shapes.SearchJson:
    """The pages that words lead to."""
    return {
        "schema": "llmwiki.search/1",
        "question": found.question,
        "exit_code": 0 if found.rows else NO_MATCH,
        "results": [_search_row(row, explain=explain) for row in found.rows],
        **_terms(found.ranking, explain=explain),
    }


def _search_row(row: SearchRow, *, explain: bool) -> shapes.SearchRowJson:
    card = row.hit.card
    scored: shapes.ScoreJson = {}
    if explain:
        scored = {"parts": row.hit.parts._asdict(), "reasons": list(row.hit.reasons)}
    return {
        "path": card.path,
        "type": card.type,
        "title": card.title,
        "description": card.description,
        "text": row.text,
        "line": row.line,
        "updated_by": list(row.updated_by),
        "score": row.hit.score,
        **scored,
    }


def _terms(ranking: Ranking, *, explain: bool) -> shapes.TermsJson:
    if not explain:
        return {}
    return {
        "terms": [
            {"term": term.text, "pages": term.df, "weight": term.idf, "whole": term.whole}
            for term in ranking.terms
        ],
        "titles": list(ranking.titles),
        "coverage": ranking.coverage,
    }


def context_json(found: ContextResult, *, explain: bool) -> shapes.ContextJson:
    """The passages most relevant to a question."""
    from llmwiki.core.secrets import redacted

    context = found.context
    return {
        "schema": "llmwiki.context/1",
        "question": context.question,
        "text": context.text if context.shown else "",
        "tokens": context.tokens,
        "budget": context.budget,
        "exit_code": 0 if context.shown else NO_MATCH,
        "passages": [
            {
                "handle": shown.passage.handle,
                "path": shown.passage.path,
                "title": shown.passage.title,
                "kind": shown.passage.kind,
                "line": shown.passage.line,
                "text": redacted(shown.passage.text),
                "successor": shown.passage.successor,
                "updated_by": [pointer.handle for pointer in shown.passage.updated_by],
                "score": shown.score,
            }
            for shown in context.shown
        ],
        **_terms(found.ranking, explain=explain),
    }


def query_json(result: QueryResult, exit_code: int) -> shapes.QueryJson:
    """An answer, without the statements that cite only what they may not."""
    if result.answer is None:
        return no_answer_json(result.found.context.question, exit_code)
    return {
        **_answer(result.answer),
        "saved": _filed(result.filed) if result.filed else None,
        "error": " ".join(str(result.failure).split()) if result.failure else None,
        "exit_code": exit_code,
    }


def no_answer_json(question: str, exit_code: int, error: str | None = None) -> shapes.QueryJson:
    """What is said where nothing was found, or asking failed."""
    return {
        "schema": "llmwiki.query/1",
        "question": question,
        "answer": "",
        "statements": [],
        "citations": [],
        "left_out": [],
        "nearest": [],
        "looks": [],
        "model": None,
        "tokens": 0,
        "cost_usd": 0.0,
        "saved": None,
        "error": error,
        "exit_code": exit_code,
    }


def _answer(answered: CheckedAnswer) -> shapes.AnswerJson:
    from llmwiki.query.markdown import markdown

    return {
        "schema": "llmwiki.query/1",
        "question": answered.question,
        "answer": markdown(answered),
        "statements": [_statement(each) for each in answered.statements],
        "citations": [_citation(each) for each in answered.cited],
        "left_out": [_statement(each) for each in answered.left_out],
        "nearest": [_citation(each) for each in answered.nearest],
        "looks": list(answered.looks),
        "model": answered.model,
        "tokens": answered.usage.total,
        "cost_usd": None if answered.cost is None else round(answered.cost, 6),
    }


def _filed(filed: NoteResult) -> shapes.FiledJson:
    return {
        **landed_json(filed.outcome),
        "path": filed.path,
        "title": filed.title,
        "notes": filed.notes,
        "left_out": [
            {"text": each.text, "citation": each.citation or None, "reason": each.reason}
            for each in filed.left_out
        ],
    }


def _statement(each: CheckedStatement) -> shapes.StatementJson:
    return {
        "text": each.statement.text,
        "status": each.status,
        "citations": [cited.handle for cited in each.cited],
        "unknown": list(each.unknown),
    }


def _citation(each: CitedPassage) -> shapes.CitationJson:
    return {
        "handle": each.handle,
        "path": each.path,
        "title": each.title,
        "kind": each.kind,
        "text": each.text,
        "line": each.line,
        "successor": each.successor or None,
        "updated_by": list(each.updated_by),
        "rests_on": list(each.rests_on),
        "evidence": [
            {
                "source": evidence.source,
                "resource": resource,
                "lines": [evidence.first, evidence.last],
                "place": evidence.place or None,
                "quote": evidence.quote,
            }
            for evidence, resource in zip(each.evidence, each.resources, strict=True)
        ],
    }


def landed_json(outcome: OperationOutcome | None) -> shapes.LandedJson:
    """What became of an operation: the fields that every command's JSON has for it."""
    if outcome is None:
        return {"id": None, "commit": None, "pending": [], "kept": []}
    return {
        "id": outcome.id or None,
        "commit": outcome.commit,
        "pending": list(outcome.pending),
        "kept": list(outcome.kept),
    }


# --- sources and answers -----------------------------------------------------------------


def ingest_json(report: IngestReport | ApplyReport) -> shapes.IngestJson:
    """What became of sources, or of answers of agents but those that judge claims."""
    return {
        "schema": "llmwiki.ingest/1",
        "operations": [_operation(each) for each in report.operations],
    }


def apply_json(report: ApplyReport) -> shapes.IngestJson:
    """What became of answers of agents."""
    told = ingest_json(report)
    if report.judged:
        told["judged"] = [_judged(each) for each in report.judged]
    return told


def _operation(report: OperationReport) -> shapes.OperationJson:
    return {
        "id": report.id or None,
        "commit": report.commit,
        "pending": list(report.pending),
        "kept": list(report.kept),
        "source": report.source,
        "sha256": report.sha256 or None,
        "status": report.status,
        "pages_created": list(report.pages_created),
        "pages_changed": list(report.pages_changed),
        "claims_added": report.claims_added,
        "evidence_added": report.evidence_added,
        "refused": [
            {
                "text": each.text,
                "quote": each.quote,
                "reason": each.reason,
                "claim": each.claim or None,
            }
            for each in report.refused
        ],
        "remarks": [
            {"claim": each.claim or None, "what": each.what, "became": each.became}
            for each in report.remarks
        ],
        "joined": [
            {"name": each.name, "title": each.title, "why": each.why} for each in report.merged
        ],
        "kept_apart": [{"name": name, "title": title} for name, title in report.near],
        "aliases_refused": [
            {"alias": each.alias, "name": each.name, "reason": each.reason}
            for each in report.unnamed
        ],
        "leads_to_renew": list(report.to_renew),
        "unquoted": [
            {"lines": [each.first, each.last], "characters": each.characters}
            for each in report.unquoted
        ],
        "tokens": report.tokens,
        "cost_usd": report.cost_usd,
        "exit_code": report.exit_code,
        "error": report.error or None,
    }


def _judged(answer: AcceptedAnswer) -> shapes.JudgedJson:
    return {
        "part": answer.part,
        "findings": [
            {
                "code": each.code,
                "path": each.path,
                "line": each.line,
                "message": each.message,
                "claims": list(each.claims),
            }
            for each in answer.findings
        ],
        "left_out": [{"kind": each.kind, "reason": each.reason} for each in answer.left_out],
        "outdated": answer.outdated,
    }


# --- looking after the wiki --------------------------------------------------------------


def lint_json(report: LintReport, exit_code: int) -> shapes.LintJson:
    """The findings of a lint: nothing in it but what the same wiki gives again."""
    from llmwiki.lint.report.lint_report import mending_of, plain

    seen, counts = report.coverage, report.counts
    return {
        "schema": "llmwiki.lint/1",
        "exit_code": exit_code,
        "findings": [
            {
                "code": finding.code,
                "name": report.rules[finding.code].name,
                "severity": report.severity(finding).word,
                "path": finding.path,
                "line": finding.line,
                "column": finding.column,
                "message": plain(finding.message),
                "mend": mending_of(finding, report.rules[finding.code]),
                "about": finding.about,
                "claims": list(finding.claims),
                "fingerprint": mark,
                "fixable": report.rules[finding.code].fixable,
            }
            for finding, mark in report.marked()
        ],
        "coverage": {
            "pages": seen.pages,
            "claims": seen.claims,
            "quotes": seen.quotes,
            "compared": seen.compared,
            "rules": report.ran,
        },
        "counts": {
            "error": counts["error"],
            "warning": counts["warning"],
            "note": counts["note"],
            "ignored": report.ignored,
            "baseline": report.known,
        },
    }


def index_json(report: IndexReport) -> shapes.IndexJson:
    """What the search index holds."""
    return {
        "schema": "llmwiki.index/1",
        "pages": report.pages,
        "words": report.words,
        "commit": report.commit,
        "uncommitted": report.uncommitted,
        "differences": None if report.differences is None else list(report.differences),
    }


def recover_json(done: Recovery) -> shapes.RecoverJson:
    """What became of an operation that was cut off."""
    return {
        "schema": "llmwiki.recover/1",
        "outcome": done.outcome,
        "operation": done.operation or None,
        "commit": done.commit,
        "kept": list(done.kept),
        "failed": list(done.failed),
    }


def resolve_json(done: ResolveResult, *, dry_run: bool) -> shapes.ResolveJson:
    """What was merged of a stopped merge."""
    return {
        "schema": "llmwiki.resolve/1",
        "merged": list(done.merged),
        "removed": list(done.removed),
        "left": [_unresolved(item) for item in done.left],
        "dry_run": dry_run,
    }


def _unresolved(item: UnresolvedPath) -> shapes.UnresolvedJson:
    dispute = item.dispute
    return {
        "path": item.path,
        "why": item.why,
        "about": dispute.name if dispute else "",
        "ours": dispute.ours if dispute else "",
        "theirs": dispute.theirs if dispute else "",
    }


def config_json(config: Config) -> shapes.ConfigJson:
    """The settings in force, by key."""
    return {
        "schema": "llmwiki.config/1",
        "settings": [
            {
                "key": key,
                "value": setting.value,
                "origin": setting.origin,
                "variable": setting.option.variable,
                "from_repository": setting.option.from_repository,
                "meaning": setting.option.meaning,
            }
            for key, setting in sorted(config.settings.items())
        ],
    }


def confinement_json(walls: Sequence[str]) -> shapes.ConfinementJson:
    """What confines the processes that read documents."""
    return {"schema": "llmwiki.confinement/1", "in_force": list(walls)}


# --- history and direct edits ------------------------------------------------------------


def status_json(found: WikiStatus) -> shapes.StatusJson:
    """What the wiki holds, and what is unfinished."""
    return {
        "schema": "llmwiki.status/1",
        "pages": dict(found.pages),
        "claims": found.claims,
        "struck": found.struck,
        "sources": {
            "ingested": list(found.ingested),
            "without_claims": list(found.without_claims),
            "new": list(found.new),
            "changed": list(found.changed),
            "missing": list(found.missing),
            "retracted": list(found.retracted),
            "unread": list(found.unread),
            "mailboxes": list(found.mailboxes),
        },
        "jobs": list(found.jobs),
        "reviews": list(found.reviews),
        "dirty": list(found.dirty),
        "unfinished": found.unfinished or None,
        "in_progress": found.in_progress or None,
        "unmerged": list(found.unmerged),
        "last": found.last or None,
        "clone": found.clone or None,
    }


def show_json(page: Page) -> shapes.ShowJson:
    """One page."""
    return {
        "schema": "llmwiki.show/1",
        "path": page.path,
        "type": page.type,
        "title": page.title,
        "description": page.description,
        "aliases": list(page.aliases),
        "claims": [
            {
                "id": claim.id,
                "text": claim.text,
                "successor": claim.successor,
                "attributes": [list(a) for a in claim.attributes],
                "evidence": [
                    {
                        "source": e.source,
                        "lines": [e.first, e.last],
                        "place": e.place or None,
                        "quote": e.quote,
                    }
                    for e in claim.evidence
                ],
            }
            for claim in page.claims
        ],
    }


def log_json(found: OperationLog) -> shapes.LogJson:
    """Operations, newest first."""
    return {
        "schema": "llmwiki.log/1",
        "complete": not found.lacking,
        "operations": [_log_row(each) for each in found.operations],
    }


def _log_row(commit: Commit) -> shapes.LogRowJson:
    return {
        "id": commit.operation or "",
        "commit": commit.oid,
        "kind": commit.kind or "",
        "title": commit.subject.partition(": ")[2],
        "date": commit.date.isoformat(),
        "author": commit.author,
        "batch": commit.batch,
        "source": commit.value("Wiki-Source"),
        "model": commit.value("Wiki-Model"),
        "undoes": list(commit.values("Wiki-Undoes")),
    }


def cost_json(found: CostReport) -> shapes.CostJson:
    """What models took."""
    return {
        "schema": "llmwiki.cost/1",
        "complete": not found.lacking,
        "total": _model_cost(found.total),
        "days": [_model_cost(each) for each in found.days],
        "models": [_model_cost(each) for each in found.models],
        "sources": [_model_cost(each) for each in found.sources],
    }


def _model_cost(row: ModelCost) -> shapes.ModelCostJson:
    return {
        "name": row.name,
        "operations": row.operations,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "cost_usd": round(row.usd, 6),
        "unpriced": row.unpriced,
    }


def undo_json(done: UndoResult, *, dry_run: bool) -> shapes.UndoJson:
    """What was taken back."""
    return {
        "schema": "llmwiki.undo/1",
        **landed_json(done.outcome),
        "undone": [ident for c in done.operations for ident in c.ids],
        "pages_changed": [d.path for d in done.outcome.differences],
        "conflicts": [{"page": p, "kept": c.kept} for p, c in done.conflicts],
        "notes": [
            {
                "page": each.path,
                "claim": each.claim.id,
                "note": "n-" + each.claim.id.removeprefix("c-"),
            }
            for each in done.notes
        ],
        "dry_run": dry_run,
    }


def adopt_json(done: AdoptResult) -> shapes.AdoptJson:
    """Notes that were made a wiki, or what a dry run found."""
    found = done.survey
    return {
        "schema": "llmwiki.adopt/1",
        **landed_json(done.outcome),
        "root": str(done.root),
        "found": {
            "form": found.form,
            "folder": found.folder,
            "pages": found.pages,
            "links": found.links,
            "names_without_page": found.nowhere,
            "pages_without_type": found.untyped,
            "pages_without_description": found.undescribed,
            "kept": list(found.kept),
            "has_carriage_returns": found.has_carriage_returns,
        },
        "files": list(done.files),
        "dry_run": done.outcome is None,
    }


def upgrade_json(outcome: OperationOutcome, *, dry_run: bool) -> shapes.UpgradeJson:
    """A wiki brought into the format of this version."""
    return {
        "schema": "llmwiki.upgrade/1",
        **landed_json(outcome),
        "pages_changed": [d.path for d in outcome.differences],
        "dry_run": dry_run,
    }


def remember_json(outcome: OperationOutcome) -> shapes.RememberJson:
    """A note that was added."""
    return {"schema": "llmwiki.remember/1", **landed_json(outcome)}


def overview_json(outcome: OperationOutcome) -> shapes.OverviewJson:
    """An opening that was rewritten."""
    return {"schema": "llmwiki.overview/1", **landed_json(outcome)}


# --- the graph ---------------------------------------------------------------------------


def graph_json(
    drawn: WikiGraph, seen: GraphSurvey, files: Sequence[tuple[str, int]]
) -> shapes.GraphJson:
    """What the graph shows; pages by their paths."""
    built = drawn.built
    nodes = built.graph.nodes

    def paths(places: Sequence[int]) -> list[str]:
        return [nodes[place].path for place in places[:TOLD]]

    return {
        "schema": "llmwiki.graph/1",
        "pages": len(nodes),
        "edges": len(built.graph.edges),
        "kinds": dict(seen.kinds),
        "types": dict(seen.types),
        "edges_per_page": seen.per_page,
        "hubs": [
            {
                "path": nodes[place].path,
                "title": nodes[place].title,
                "rank": nodes[place].rank,
                "edges": len(built.net.near[place]),
            }
            for place in seen.hubs
        ],
        "modularity": round(built.modularity, 6),
        "communities": [
            {"name": each.name, "pages": len(each.members), "first": paths(each.members[:SHOWN])}
            for each in built.graph.communities[:TOLD]
        ],
        "bridges": {
            "pages": [
                {"path": nodes[page.node].path, "parted": page.parted}
                for page in seen.parts.pages[:TOLD]
            ],
            "edges": [
                {
                    "from": nodes[edge.source].path,
                    "to": nodes[edge.target].path,
                    "parted": edge.parted,
                }
                for edge in seen.parts.edges[:TOLD]
            ],
        },
        "isolated": {
            "parts": [paths(part) for part in seen.parts.parts[1:TOLD] if len(part) > 1],
            "unlinked": paths(seen.unlinked),
            "unlinked_count": len(seen.unlinked),
        },
        "orphans": paths(seen.orphans),
        "missing": [
            {
                "from": nodes[each.source].path,
                "to": nodes[each.target].path,
                "shared": paths(each.shared),
                "times": each.times,
                "score": each.score,
            }
            for each in seen.missing
        ],
        "phantoms": [
            {"name": each.name, "count": len(each.sources), "from": paths(each.sources)}
            for each in seen.phantoms[:TOLD]
        ],
        "health": {
            "in_largest": seen.in_largest,
            "unlinked": len(seen.unlinked),
            "broken_links": built.broken,
            "remarks": list(seen.remarks),
        },
        "texts_read": built.was_read,
        "files": [{"path": path, "bytes": size} for path, size in files],
    }


def path_json(way: PagePath) -> shapes.GraphPathJson:
    """A way between two pages; no steps where there is none."""
    pages = way.ground.pages
    return {
        "schema": "llmwiki.graph/1",
        "from": way.start.path,
        "to": way.goal.path,
        "length": len(way.steps) - 1 if way.steps else None,
        "steps": [
            {
                "path": pages[step.place].path,
                "title": pages[step.place].title,
                "edge": _edge(way.ground, step.edge) if step.edge else None,
            }
            for step in way.steps
        ],
        "exit_code": 0 if way.steps else NO_MATCH,
    }


def neighbours_json(around: Neighbourhood) -> shapes.NeighboursJson:
    """The pages around one, by their distance."""
    pages = around.ground.pages
    return {
        "schema": "llmwiki.graph/1",
        "page": pages[around.page].path,
        "rings": [
            [
                {
                    "path": pages[near.place].path,
                    "title": pages[near.place].title,
                    "distance": near.distance,
                    "via": pages[near.via].path,
                    "edge": _edge(around.ground, near.edge),
                }
                for near in ring
            ]
            for ring in around.rings
        ],
    }


def _edge(ground: GraphInput, edge: GraphEdge) -> shapes.GraphEdgeJson:
    return {
        "from": ground.pages[edge.source].path,
        "to": ground.pages[edge.target].path,
        "kind": edge.kind,
        "weight": edge.weight,
        "why": edge.why,
    }
