"""What a second reading of the wiki came to, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.shapes import tidy as shapes
    from llmwiki.app.tidy import TidyJobs, TidyReport
    from llmwiki.edit.tidy.land import TidyResult


def jobs_json(jobs: TidyJobs) -> shapes.TidyJson:
    """The jobs for an agent."""
    return {
        "schema": "llmwiki.tidy/1",
        "exit_code": 0,
        "parts": len(jobs.files),
        "questions": dict(jobs.questions),
        "files": list(jobs.files),
    }


def tidy_json(report: TidyReport) -> shapes.TidyJson:
    """What a model answered."""
    run = report.run
    return {
        "schema": "llmwiki.tidy/1",
        "exit_code": report.exit_code,
        "parts": report.parts,
        "model": report.model,
        "tokens": run.usage.total if run else 0,
        "cost_usd": run.cost if run else 0.0,
        "results": [_part(each) for each in report.results],
    }


def _part(result: TidyResult) -> shapes.TidiedPartJson:
    accepted, outcome = result.accepted, result.outcome
    return {
        "part": result.part,
        "id": outcome.id or None,
        "commit": outcome.commit,
        "merges": len(accepted.merges),
        "moves": len(accepted.moves),
        "pairs": len(accepted.pairs),
        "relations": len(accepted.relations),
        "leads": len(accepted.leads),
        "pages_changed": list(outcome.pages_changed),
        "left_out": [{"what": each.what, "reason": each.reason} for each in result.left_out],
    }
