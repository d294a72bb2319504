"""What is found, and what is answered, as JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.app.to_json.landed import landed_json

if TYPE_CHECKING:
    from llmwiki.app.context import ContextResult
    from llmwiki.app.query import QueryResult
    from llmwiki.app.search import SearchResult, SearchRow
    from llmwiki.app.shapes import asking as shapes
    from llmwiki.query.ask import CheckedAnswer
    from llmwiki.query.citations import CheckedStatement, CitedPassage
    from llmwiki.query.note import NoteResult
    from llmwiki.retrieval.rank import Ranking


NO_MATCH = 1
"""The exit code where nothing was found."""


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
