"""Sources that were read, and answers that were checked, as JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.apply import ApplyReport
    from llmwiki.app.ingest_types import IngestReport
    from llmwiki.app.judged_answer import AcceptedAnswer
    from llmwiki.app.operation_report import OperationReport
    from llmwiki.app.shapes import reading as shapes


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
