"""What became of each source that was ingested, and of each answer that was applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from llmwiki.app.learning import LearnReport
    from llmwiki.app.skill_doctor import TrialReport
    from llmwiki.core.errors import WikiError
    from llmwiki.ingest.filing import JoinedName, RefusedAlias
    from llmwiki.ingest.types import IngestResult
    from llmwiki.ingest.unquoted import UnquotedStretch
    from llmwiki.ingest.verify import ReadingRemark, RefusedClaim
    from llmwiki.models.question import Question
    from llmwiki.query.note import NoteResult
    from llmwiki.store.outcome import Outcome


NOT_READ = "a picture, and nobody is at hand who reads it"


@dataclass(frozen=True, slots=True)
class OperationReport:
    """What became of one source, or of one answer of an agent."""

    source: str
    """The source below raw/, or the file of the answer."""
    sha256: str
    """Of the source's bytes; empty where they were not read."""
    status: str
    """`ingested`, `filed`, `tidied`, `learned`, `tried`, `kept`, `planned`, `pending`, `skipped` or
    `failed`."""
    id: str = ""
    """Of the operation; empty where none landed."""
    commit: str | None = None
    pages_created: tuple[str, ...] = ()
    pages_changed: tuple[str, ...] = ()
    claims_added: int = 0
    evidence_added: int = 0
    refused: tuple[RefusedClaim, ...] = ()
    """What of the answer is lost, and why."""
    remarks: tuple[ReadingRemark, ...] = ()
    """What of it is kept in another way than it was given."""
    tokens: int = 0
    cost_usd: float | None = 0.0
    """An estimate; None: the price is not known."""
    exit_code: int = 0
    """That of `wiki` for the failure; 0: there was none."""
    error: str = ""
    """What went wrong and what to do, in sentences."""
    note: str = ""
    silent: str = ""
    """Of a source that gave no claims: what `wiki ingest` takes to have it read once more."""
    pending: tuple[str, ...] = ()
    """Paths committed but not yet in the work tree."""
    kept: tuple[str, ...] = ()
    """Paths that somebody changed meanwhile: the work tree has their bytes."""
    branch: str = ""
    """The review branch it landed on; empty: the branch that is checked out."""
    moved: tuple[str, ...] = ()
    """Files below raw/ that lay in the work tree and are on that branch now."""
    near: tuple[tuple[str, str], ...] = ()
    """(name, title) of subjects that may be one, and were kept apart."""
    merged: tuple[JoinedName, ...] = ()
    """Subjects filed under a page of another title, and why."""
    unnamed: tuple[RefusedAlias, ...] = ()
    """Aliases that no page has got, and why."""
    to_renew: tuple[str, ...] = ()
    """Pages with new claims whose lead the reader was not shown: it may not fit any more."""
    unquoted: tuple[UnquotedStretch, ...] = ()
    """Stretches of the source's prose from which nothing was quoted."""
    segment: int = 0
    """Which segment of the source was answered, where others are missing."""
    statements: int | None = None
    """Of an answer that was filed, or edges that were kept; None for a source."""
    over_limit: bool = False
    """Whether it failed by a limit on cost, and by nothing of its own."""
    diff: str = ""
    """Of a dry run of one source: what it would change, as a unified diff."""

    @property
    def is_news(self) -> bool:
        """Whether there is more to tell of a source than that it is as it was."""
        from llmwiki.ingest.known import NOTHING_NEW, UNCHANGED

        return self.note not in (UNCHANGED, NOTHING_NEW, NOT_READ)

    @classmethod
    def skipped(cls, source: str, sha256: str, note: str) -> OperationReport:
        """A source that needed nothing."""
        return cls(source, sha256, "skipped", note=note)


def of_source(result: IngestResult) -> OperationReport:
    """A source that was read."""
    outcome = result.outcome
    return OperationReport(
        source=result.source,
        sha256=result.sha256,
        status=result.status,
        id=outcome.id,
        commit=outcome.commit,
        pages_created=outcome.pages_created,
        pages_changed=outcome.pages_changed,
        claims_added=outcome.claims_added,
        evidence_added=outcome.evidence_added,
        refused=result.refused,
        remarks=result.remarks,
        tokens=result.usage.total,
        cost_usd=None if result.cost is None else round(result.cost, 6),
        note=result.note,
        silent=result.silent,
        pending=outcome.pending,
        kept=outcome.kept,
        branch=outcome.branch,
        moved=outcome.moved,
        near=result.near,
        merged=result.merged,
        unnamed=result.unnamed,
        segment=result.segment,
        to_renew=result.to_renew,
        unquoted=result.unquoted,
    )


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
            refused=refused,
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
    return OperationReport(
        source=name,
        sha256="",
        status=status,
        id=landed[-1].id if landed else "",
        commit=landed[-1].commit if landed else None,
        pages_created=tuple(sorted({p for each in landed for p in each.pages_created})),
        pages_changed=tuple(sorted({p for each in landed for p in each.pages_changed})),
        refused=tuple(RefusedClaim(each.text, "", each.reason) for each in report.refused),
        note=note,
        pending=tuple(p for each in landed for p in each.pending),
        kept=tuple(p for each in landed for p in each.kept),
        branch=landed[-1].branch if landed else "",
        statements=items + len(report.pending),
    )


def of_trial(name: str, told: TrialReport) -> OperationReport:
    """A round of the trial of a skill, as an agent led it; `name` is the file it came in."""
    last = told.trial.rounds[-1]
    patch = f", the patch does not count: {last.outcome}" if last.patch and last.outcome else ""
    if told.commit:
        patch = ", the patch landed"
    return OperationReport(
        source=name,
        sha256="",
        status="tried",
        commit=told.commit,
        pages_changed=(told.skill.path,) if told.commit else (),
        note=f"round {len(told.trial.rounds)} of {told.skill.name}: {last.score.accuracy:g} %,"
        f" {last.score.unclear} new unclear{patch};"
        f" `wiki skills doctor {told.skill.name} --report` shows it",
        statements=0,
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
        id=outcome.id,
        commit=outcome.commit,
        pages_created=outcome.pages_created,
        pages_changed=outcome.pages_changed,
        refused=refused,
        note=note(has_changed),
        pending=outcome.pending,
        kept=outcome.kept,
        branch=outcome.branch,
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
