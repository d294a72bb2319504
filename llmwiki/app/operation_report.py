"""What became of each source that was ingested, and of each answer that was applied."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from llmwiki.ingest.report import OperationReport, ReadingReport
from llmwiki.store.outcome import Outcome, all_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from llmwiki.app.learning import LearnReport
    from llmwiki.core.errors import WikiError
    from llmwiki.ingest.verify import RefusedClaim
    from llmwiki.models.question import Question
    from llmwiki.query.note import NoteResult
    from llmwiki.repo.repository import Repository
    from llmwiki.store.outcome import Plan


def of_answer(name: str, filed: NoteResult, *, dry_run: bool) -> OperationReport:
    """An agent's answer that was filed; `name` is the file it came in."""
    from llmwiki.ingest.verify import RefusedClaim

    return _of_landing(
        name,
        filed.outcome,
        "filed",
        dry_run=dry_run,
        refused=tuple(RefusedClaim(e.text, e.citation, e.reason) for e in filed.left_out),
        note=lambda has_changed: "" if has_changed else f"filed already as {filed.path}",
        statements=filed.notes,
    )


def of_part(
    name: str, question: Question[Any, Any, Any], result: Any, *, dry_run: bool
) -> OperationReport:
    """What became of an agent's answer to a part of a question; `name` is the file it came in.

    `result` has `title`, how much is done, `left_out`, what does not count and why, and `outcome`
    where it landed as a commit.
    """
    from llmwiki.ingest.verify import RefusedClaim

    refused = tuple(RefusedClaim(each.what, "", each.reason) for each in result.left_out)
    more = f", {len(refused)} refused" if refused else ""
    outcome: Outcome | None = getattr(result, "outcome", None)
    if outcome is None:
        return OperationReport(
            source=name,
            sha256="",
            status="planned" if dry_run else "kept",
            reading=ReadingReport(refused),
            note=f"{result.title}{more}"
            + ("" if dry_run else f"; `wiki {question.command}` shows them"),
            statements=0,
        )
    return _of_landing(
        name,
        outcome,
        "tidied",
        dry_run=dry_run,
        refused=refused,
        note=lambda has_changed: (result.title if has_changed else "nothing of it counts") + more,
        statements=0,
    )


def of_learning(name: str, report: LearnReport, *, dry_run: bool) -> OperationReport:
    """What an agent learned of a conversation; `name` is the file it came in."""
    from llmwiki.core.text import counted
    from llmwiki.ingest.verify import RefusedClaim

    landed = [turn.outcome for turn in report.learned]
    items = sum(len(turn.items) for turn in report.learned)
    note = "Nothing to save" if report.rule != "never" else "memory.commit is never"
    if report.pending:
        status = "pending"
        note = f"{counted(len(report.pending), 'note')} for your yes: wiki memory review"
    elif items:
        status = "planned" if dry_run else "learned"
        note = f"{counted(items, 'note')} of session {report.session}"
    else:
        status = "skipped"
    refused = tuple(RefusedClaim(each.text, "", each.reason) for each in report.refused)
    return OperationReport(
        source=name,
        sha256="",
        status=status,
        outcome=all_of(landed),
        reading=ReadingReport(refused),
        note=note,
        statements=items + len(report.pending),
    )


def _of_landing(
    name: str,
    outcome: Outcome,
    done: str,
    *,
    dry_run: bool,
    refused: tuple[RefusedClaim, ...],
    note: Callable[[bool], str],
    statements: int,
) -> OperationReport:
    """An answer in the file `name` that became a commit, or would; `note` is told whether."""
    has_changed = bool(outcome.commit) or (dry_run and bool(outcome.differences))
    return OperationReport(
        source=name,
        sha256="",
        status=("planned" if dry_run else done) if has_changed else "skipped",
        outcome=outcome,
        reading=ReadingReport(refused),
        note=note(has_changed),
        statements=statements,
    )


def of_failure(source: str, error: WikiError) -> OperationReport:
    """A source that could not be ingested, or an answer that could not be applied."""
    from llmwiki.models.usage import CostError

    # What happened and what to do are two sentences.
    lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    said = " ".join(line if line.endswith((".", "!", "?", ":")) else f"{line}." for line in lines)
    return OperationReport(
        source,
        "",
        "failed",
        exit_code=error.exit_code,
        error=said,
        over_limit=isinstance(error, CostError),
    )


def diff_of(repo: Repository, plan: Plan | None) -> str:
    """The files of the wiki before and after, and the sizes of new sources; empty: no plan."""
    if plan is None:
        return ""
    out: list[str] = []
    for path, after in sorted(plan.writes.items()):
        if not path.startswith("wiki/"):
            out.append(f"new file {path}, {len(after or b'')} bytes\n")
            continue
        before = repo.read(plan.base, path)
        out += difflib.unified_diff(
            _lines(before),
            _lines(after),
            "/dev/null" if before is None else f"a/{path}",
            "/dev/null" if after is None else f"b/{path}",
        )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in out)


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
