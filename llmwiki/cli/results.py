"""How an ingest is told: a line a source, a diff for a dry run, or JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.cli.context import tell
from llmwiki.core.errors import WikiError

if TYPE_CHECKING:
    from llmwiki.graph.edges_file import EdgesOutcome
    from llmwiki.ingest.types import IngestResult
    from llmwiki.query.note import NoteResult
    from llmwiki.repo.repository import Repository
    from llmwiki.sources import SourceFile


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source that was named and not read yet."""

    path: str
    """Below raw/: where it is, or will be copied to."""
    found: SourceFile | None
    """Where its bytes are; None: they came by standard input."""

    @property
    def place(self) -> str:
        """What a person calls it: its path, or the file outside that is not copied yet."""
        if self.found is None or self.found.inside or self.found.message:
            return self.path
        return min(str(self.found.file), os.path.relpath(self.found.file), key=len)


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """The flags of `wiki ingest`."""

    model: str | None
    which: str | None
    dry_run: bool
    review: bool
    max_cost: float | None
    yes: bool
    max_size: int | None
    allow_secret: tuple[str, ...]
    allow_detached: bool
    as_json: bool


@dataclass(frozen=True, slots=True)
class OperationJson:
    """One operation as `--json` says it."""

    source: str
    sha256: str
    status: str
    id: str = ""
    commit: str | None = None
    pages_created: Sequence[str] = ()
    pages_changed: Sequence[str] = ()
    claims_added: int = 0
    evidence_added: int = 0
    refused: Sequence[dict[str, str]] = ()
    tokens: int = 0
    cost_usd: float | None = 0.0
    exit_code: int = 0
    error: str = ""
    note: str = ""
    pending: Sequence[str] = ()
    kept: Sequence[str] = ()
    branch: str = ""
    near: Sequence[tuple[str, str]] = ()
    merged: Sequence[dict[str, str]] = ()
    unnamed: Sequence[dict[str, str]] = ()
    statements: int | None = None
    """Of an answer that was filed; None for a source."""

    @classmethod
    def skipped(cls, source: str, sha256: str, note: str) -> OperationJson:
        """A source that needed nothing."""
        return cls(source, sha256, "skipped", note=note)

    def to_json(self) -> dict[str, object]:
        """The fields of `llmwiki.ingest/1`."""
        return {
            "id": self.id or None,
            "commit": self.commit,
            "pending": list(self.pending),
            "kept": list(self.kept),
            "source": self.source,
            "sha256": self.sha256 or None,
            "status": self.status,
            "pages_created": list(self.pages_created),
            "pages_changed": list(self.pages_changed),
            "claims_added": self.claims_added,
            "evidence_added": self.evidence_added,
            "refused": list(self.refused),
            "joined": list(self.merged),
            "kept_apart": [{"name": name, "title": title} for name, title in self.near],
            "aliases_refused": list(self.unnamed),
            "tokens": self.tokens,
            "cost_usd": self.cost_usd,
            "exit_code": self.exit_code,
            "error": self.error or None,
        }


def told(result: IngestResult) -> OperationJson:
    """A result as it is told."""
    outcome = result.outcome
    return OperationJson(
        source=result.source,
        sha256=result.sha256,
        status=result.status,
        id=outcome.id,
        commit=outcome.commit,
        pages_created=outcome.pages_created,
        pages_changed=outcome.pages_changed,
        claims_added=outcome.claims_added,
        evidence_added=outcome.evidence_added,
        refused=[{"text": r.text, "quote": r.quote, "reason": r.reason} for r in result.refused],
        tokens=result.usage.total,
        cost_usd=None if result.cost is None else round(result.cost, 6),
        note=result.note,
        pending=outcome.pending,
        kept=outcome.kept,
        branch=outcome.branch,
        near=result.near,
        merged=[{"name": j.name, "title": j.title, "why": j.why} for j in result.merged],
        unnamed=[{"alias": r.alias, "name": r.name, "reason": r.reason} for r in result.unnamed],
    )


def told_answer(name: str, filed: NoteResult, *, dry_run: bool) -> OperationJson:
    """An agent's answer that was filed, as it is told; `source` is the file it came in."""
    outcome = filed.outcome
    has_changed = bool(outcome.commit) or (dry_run and bool(outcome.differences))
    done = "planned" if dry_run else "filed"
    return OperationJson(
        source=name,
        sha256="",
        status=done if has_changed else "skipped",
        id=outcome.id,
        commit=outcome.commit,
        pages_created=outcome.pages_created,
        pages_changed=outcome.pages_changed,
        refused=[
            {"text": each.text, "quote": each.citation, "reason": each.reason}
            for each in filed.left_out
        ],
        note="" if has_changed else f"filed already as {filed.path}",
        pending=outcome.pending,
        kept=outcome.kept,
        branch=outcome.branch,
        statements=filed.notes,
    )


def told_edges(name: str, applied: EdgesOutcome, *, dry_run: bool) -> OperationJson:
    """An agent's edges that were kept, as they are told; `source` is the file they came in."""
    count = len(applied.refused)
    return OperationJson(
        source=name,
        sha256="",
        status="planned" if dry_run else "kept",
        refused=[{"text": r.what, "quote": "", "reason": r.reason} for r in applied.refused],
        note=f"{applied.edges} edges of {applied.pages} pages"
        + (f", {count} refused" if count else "")
        + ("" if dry_run else "; `wiki graph` shows them"),
        statements=applied.edges,
    )


def failed(source: str, error: WikiError) -> OperationJson:
    """A source that could not be ingested."""
    # What happened and what to do are two sentences.
    lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    said = " ".join(line if line.endswith((".", "!", "?", ":")) else f"{line}." for line in lines)
    return OperationJson(source, "", "failed", exit_code=error.exit_code, error=said)


def tell_notes(results: Sequence[OperationJson]) -> None:
    """On stderr, beside the JSON: why a source was skipped, what a job still waits for."""
    for result in results:
        if result.note:
            tell(f"wiki: {result.source}: {result.note}")


def summary_line(result: OperationJson, *, with_pages: bool = False) -> str:
    """One line a source, and what a person should look at; with its pages where asked for."""
    if result.status == "failed":
        said = result.error.removeprefix(f"{result.source}: ")
        return f"failed    {result.source}: {said} (exit {result.exit_code})"
    if result.status in ("skipped", "pending"):
        return f"{result.status:9} {result.source}: {result.note or 'nothing to do'}"
    if result.note and result.statements is not None:
        lines = [f"{result.status:9} {result.source}: {result.note}"]
        return "\n".join([*lines, *_refused_lines(result)])
    if result.statements is None:
        parts = [f"{result.claims_added} claims, {result.evidence_added} quotes"]
    else:
        parts = [f"{result.statements} statements"]
    parts.append(f"{len(result.pages_created)} pages new, {len(result.pages_changed)} changed")
    parts.append(f"{len(result.refused)} refused")
    if result.tokens:
        cost = "" if result.cost_usd is None else f", USD {result.cost_usd:.4f} (estimate)"
        parts.append(f"{result.tokens} tokens{cost}")
    commit = f"{result.commit[:10]}  " if result.commit else ""
    lines = [f"{result.status:9} {commit}{result.source}: " + ", ".join(parts)]
    if with_pages:
        lines += [f"          new      {path}" for path in result.pages_created]
        lines += [f"          changed  {path}" for path in result.pages_changed]
    lines += _refused_lines(result)
    if result.note:
        lines.append(f"          {result.note}")
    if result.branch:
        lines.append(
            f"          on branch {result.branch}: read it, then `git merge {result.branch}`;"
            f" git asks you to move {result.source} aside if it is untracked here"
        )
    lines += _identity_lines(result)
    return "\n".join(lines)


def _identity_lines(result: OperationJson) -> list[str]:
    """What was decided about names, for somebody to check."""
    joined = [f"filed under {j['title']}: {j['name']} ({j['why']})" for j in result.merged]
    apart = [f"kept apart, perhaps one: {a} and {b}" for a, b in result.near]
    left_out = [
        f"no other name of {r['name'][:80]}: {r['alias'][:80]} ({r['reason']})"
        for r in result.unnamed
    ]
    lines: list[str] = []
    for told, most in ((joined, 10), (apart, 10), (left_out, 5)):
        lines += [f"          {line}" for line in told[:most]]
        if len(told) > most:
            lines.append(f"          and {len(told) - most} more (see --json)")
    return lines


def _refused_lines(result: OperationJson) -> list[str]:
    lines = [
        f"          refused: {r['reason']}: {r['quote'][:80] or r['text'][:80]}"
        for r in result.refused[:5]
    ]
    if len(result.refused) > 5:
        lines.append(f"          and {len(result.refused) - 5} more (see --json)")
    return lines


def show_plan(repo: Repository, result: IngestResult) -> str:
    """The files a dry run would change, as a diff."""
    import difflib

    out: list[str] = []
    if result.plan is None:
        return ""
    for path, after in sorted(result.plan.writes.items()):
        before = repo.read(result.plan.base, path)
        old = (before or b"").decode("utf-8", "replace").splitlines(keepends=True)
        new = (after or b"").decode("utf-8", "replace").splitlines(keepends=True)
        if not path.startswith("wiki/"):
            out.append(f"new file {path}, {len(after or b'')} bytes\n")
            continue
        out += difflib.unified_diff(
            old,
            new,
            "/dev/null" if before is None else f"a/{path}",
            "/dev/null" if after is None else f"b/{path}",
        )
    return "".join(line if line.endswith("\n") else line + "\n" for line in out)
