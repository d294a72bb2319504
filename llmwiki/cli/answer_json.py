"""An answer as `llmwiki.query/1`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.cli import landings
from llmwiki.query.markdown import markdown

if TYPE_CHECKING:
    from llmwiki.query.ask import CheckedAnswer
    from llmwiki.query.citations import CheckedStatement, CitedPassage
    from llmwiki.query.note import NoteResult

SCHEMA = "llmwiki.query/1"


def answer_json(answered: CheckedAnswer) -> dict[str, object]:
    """The answer, without the statements that cite only what they may not."""
    usage = answered.usage
    return {
        "schema": SCHEMA,
        "question": answered.question,
        "answer": markdown(answered),
        "statements": [_statement(each) for each in answered.statements],
        "citations": [_citation(each) for each in answered.cited],
        "left_out": [_statement(each) for each in answered.left_out],
        "nearest": [_citation(each) for each in answered.nearest],
        "model": answered.model,
        "tokens": usage.total,
        "cost_usd": None if answered.cost is None else round(answered.cost, 6),
    }


def no_answer(question: str) -> dict[str, object]:
    """What is said where nothing was found."""
    return {
        "schema": SCHEMA,
        "question": question,
        "answer": "",
        "statements": [],
        "citations": [],
        "left_out": [],
        "nearest": [],
        "model": None,
        "tokens": 0,
        "cost_usd": 0.0,
        "saved": None,
        "error": None,
    }


def filed_json(filed: NoteResult) -> dict[str, object]:
    """What became of `--save`."""
    return {
        **landings.as_json(filed.outcome),
        "path": filed.path,
        "title": filed.title,
        "notes": filed.notes,
        "left_out": [
            {"text": each.text, "citation": each.citation or None, "reason": each.reason}
            for each in filed.left_out
        ],
    }


def _statement(each: CheckedStatement) -> dict[str, object]:
    return {
        "text": each.statement.text,
        "status": each.status,
        "citations": [cited.handle for cited in each.cited],
        "unknown": list(each.unknown),
    }


def _citation(each: CitedPassage) -> dict[str, object]:
    return {
        "handle": each.handle,
        "path": each.path,
        "title": each.title,
        "kind": each.kind,
        "text": each.text,
        "line": each.line,
        "successor": each.successor or None,
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
