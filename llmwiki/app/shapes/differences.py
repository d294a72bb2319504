"""What a key of a JSON object shows where it is not the attribute of its name: by the object's name
in the schemas, a path of attributes, or a function of the value. Where a value has no such
attribute, the `default` of the key in the schema counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from llmwiki.app.shapes import parts
from llmwiki.app.shapes.parts import along
from llmwiki.core.text import tokens_of

NO_MATCH = 1
"""The exit code where nothing was found."""


def _or_null(path: str) -> Callable[[Any], Any]:
    """Null in the place of an empty value."""
    return lambda value: along(value, path) or None


def _value(name: str) -> Callable[[Any], Any]:
    """A trailer of a commit."""
    return lambda commit: commit.value(name)


def _outcome(name: str) -> Callable[[Any], Any]:
    """From the outcome that a value holds, or is; empty where there is none."""
    return lambda done: getattr(getattr(done, "outcome", done), name, ())


def _complete(found: Any) -> bool:
    return not found.lacking


_LANDED: Mapping[str, Any] = {
    "id": lambda done: _outcome("id")(done) or None,
    "commit": lambda done: _outcome("commit")(done) or None,
    "pending": _outcome("pending"),
    "kept": _outcome("kept"),
}
"""What became of an operation."""
_WRITES: Mapping[str, Any] = {
    "pages_created": "outcome.pages_created",
    "pages_changed": "outcome.pages_changed",
}
_MOVED: Mapping[str, Any] = {
    **_LANDED,
    **_WRITES,
    "claims_moved": "claims",
    "claims_joined": lambda done: sorted(done.joins.items()),
    "links_left": "left",
}
_ANSWERED: Mapping[str, Any] = {"id": _or_null("outcome.id"), "commit": "outcome.commit"}
_ASKED: Mapping[str, Any] = {
    "tokens": lambda report: report.run.usage.total if report.run else 0,
    "cost_usd": lambda report: report.run.cost if report.run else 0.0,
}
_STEP: Mapping[str, Any] = {
    "commit": "commit.oid",
    "date": lambda step: step.commit.date.isoformat(),
    "author": "commit.author",
    "operation": "commit.operation",
    "kind": "commit.kind",
    "title": "commit.subject",
}
_OPERATION: Mapping[str, Any] = {
    "id": lambda commit: commit.operation or "",
    "commit": "oid",
    "kind": lambda commit: commit.kind or "",
    "model": _value("Wiki-Model"),
}
_EVIDENCE: Mapping[str, Any] = {
    "lines": lambda each: (each.first, each.last) if each.first else None,
    "place": _or_null("place"),
}

DIFFERENCES: Mapping[str, Mapping[str, Any]] = {
    # --- asking ------------------------------------------------------------------------
    "search": {
        "exit_code": lambda found: 0 if found.rows else NO_MATCH,
        "results": "rows",
    },
    "SearchRowJson": {
        "description": "found.card.description",
        "text": parts.without_secrets,
        "score": "found.score",
    },
    "TermJson": {"term": "text", "pages": "df", "weight": "idf"},
    "context": {
        "question": "context.question",
        "text": lambda found: found.context.text if found.context.shown else "",
        "tokens": "context.tokens",
        "budget": "context.budget",
        "exit_code": lambda found: 0 if found.context.shown else NO_MATCH,
        "passages": parts.passages,
    },
    "PassageJson": {
        "text": parts.without_secrets,
        "updated_by": lambda passage: [pointer.handle for pointer in passage.updated_by],
    },
    "query": {
        "answer": parts.markdown_of,
        "citations": "cited",
        "tokens": "usage.total",
        "cost_usd": lambda each: None if each.cost is None else round(each.cost, 6),
    },
    "StatementJson": {
        "text": "statement.text",
        "citations": lambda each: [cited.handle for cited in each.cited],
    },
    "CitationJson": {"successor": _or_null("successor"), "evidence": parts.cited_evidence},
    "QuotedEvidenceJson": _EVIDENCE,
    "UnfiledJson": {"citation": _or_null("citation")},
    "FiledJson": _LANDED,
    "chat": {
        "citations": "cited",
        "unknown_citations": "unknown",
        "tokens": "usage.total",
        "cost_usd": "cost",
        "error": lambda ended: parts.one_line(ended.error),
    },
    "ChatCallJson": {"result": "brief", "commit": _or_null("commit")},
    # --- reading in --------------------------------------------------------------------
    "ingest": {
        "left_out": lambda report: dict(getattr(report, "left_out", {})),
        "judged": lambda report: getattr(report, "judged", ()),
    },
    "OperationJson": {
        **_LANDED,
        **_WRITES,
        "sha256": _or_null("sha256"),
        "claims_added": "outcome.claims_added",
        "evidence_added": "outcome.evidence_added",
        "refused": "reading.refused",
        "remarks": "reading.remarks",
        "joined": "reading.merged",
        "kept_apart": "reading.near",
        "aliases_refused": "reading.unnamed",
        "leads_to_renew": "reading.to_renew",
        "unquoted": "reading.unquoted",
        "error": _or_null("error"),
    },
    "RefusedJson": {"claim": _or_null("claim")},
    "RemarkJson": {"claim": _or_null("claim")},
    "UnquotedJson": {"lines": lambda each: (each.first, each.last)},
    # --- questions in parts ------------------------------------------------------------
    "asked": _ASKED,
    "tidy": _ASKED,
    "memory-tidy": _ASKED,
    "TidiedPartJson": {
        **_ANSWERED,
        "merges": lambda part: part.done["merges"],
        "pairs": lambda part: part.done["pairs"],
        "leads": lambda part: part.done["leads"],
        "pages_changed": "outcome.pages_changed",
    },
    "TidiedNotesJson": _ANSWERED,
    # --- what happened -----------------------------------------------------------------
    "QuoteJson": {"lines": "span"},
    "TracedQuoteJson": {"lines": "span"},
    "diff": {"counts": parts.row_counts, "rows": parts.rows},
    "StoryStepJson": {
        **_STEP,
        "email": "commit.email",
        "model": lambda step: step.commit.value("Wiki-Model"),
    },
    "TracedClaimJson": {
        "id": "claim.id",
        "text": "claim.text",
        "successor": "claim.successor",
        "evidence": parts.traced_quotes,
        "story": parts.story,
        "lacking": "story.lacking",
    },
    "why": {"exit_code": lambda found: 1 if found.candidates else 0},
    "PageStepJson": {**_STEP, "rows": lambda step: parts.rows(step.told)},
    "digest": {
        "since": lambda digest: digest.since.isoformat(),
        "complete": _complete,
        "counts": lambda digest: parts.row_counts(digest.told),
        "rows": lambda digest: parts.rows(digest.told),
    },
    "log": {"complete": _complete},
    "LogRowJson": {
        **_OPERATION,
        "title": lambda commit: commit.subject.partition(": ")[2],
        "date": lambda commit: commit.date.isoformat(),
        "source": _value("Wiki-Source"),
        "undoes": lambda commit: commit.values("Wiki-Undoes"),
    },
    # --- what changes the wiki ---------------------------------------------------------
    "remember": _LANDED,
    "rename": _MOVED,
    "merge": _MOVED,
    "supersede": {
        **_LANDED,
        "old": lambda done: (done.old.id, done.old_page, done.old.text),
        "new": lambda done: (done.new.id, done.new_page, done.new.text),
    },
    "retract": {
        **_LANDED,
        "other_evidence": lambda done: [(each.id, path, each.text) for path, each in done.kept],
        "pages_changed": parts.changed_paths,
    },
    "GoneClaimJson": {
        "id": "claim.id",
        "page": "path",
        "text": "claim.text",
        "note": lambda dropped: dropped.note_id if dropped.is_note else None,
    },
    "TaintedJson": {"alone": "is_alone"},
    "undo": {
        **_LANDED,
        "undone": lambda done: [each for commit in done.operations for each in commit.ids],
        "pages_changed": parts.changed_paths,
        "conflicts": lambda done: [(page, each.kept) for page, each in done.conflicts],
    },
    "UndoNoteJson": {"page": "path", "claim": "claim.id", "note": "note_id"},
    "adopt": {
        **_LANDED,
        "root": lambda done: str(done.root),
        "found": "survey",
        "dry_run": lambda done: done.outcome is None,
    },
    "VaultSurveyJson": {
        "names_without_page": "nowhere",
        "pages_without_type": "untyped",
        "pages_without_description": "undescribed",
    },
    "export": {"place": lambda done: str(done.place)},
    # --- reviews -----------------------------------------------------------------------
    "WaitingReviewJson": {
        "authors": lambda review: dict.fromkeys(each.author for each in review.commits),
        "date": lambda review: parts.day(review.commits[-1]) if review.commits else None,
        "claims": lambda review: sum(each.claim is not None for each in review.items),
        "items": lambda review: len(review.items),
        "pages": lambda review: sorted({each.path for each in review.items} - {""}),
        "hindered": lambda review: sum(bool(each.hindrance) for each in review.items),
    },
    "review": {
        "operations": "commits",
        "whole": _or_null("whole"),
        "files": lambda review: sorted(review.files),
    },
    "ReviewedOperationJson": {
        **_OPERATION,
        "title": lambda commit: commit.subject.partition(": ")[2] or commit.subject,
        "date": parts.day,
    },
    "ReviewQuoteJson": _EVIDENCE,
    "ItemEffectJson": {"page": "path"},
    "ReviewItemJson": {
        "page": "path",
        "page_before": _or_null("page_before"),
        "before": lambda item: (
            item.before.text if item.before and item.kind == "reworded" else None
        ),
        "said_before": _or_null("said_before"),
        "quotes": parts.review_quotes,
        "hindrance": _or_null("hindrance"),
    },
    "review-decision": {
        **_LANDED,
        "review": "review.id",
        "dry_run": lambda _: False,
        "items": lambda done: [each.id for each in done.items],
        "updated": _or_null("updated"),
    },
    "UnacceptedItemJson": {"page": "path"},
    # --- what there is -----------------------------------------------------------------
    "status": {
        "sources": lambda found: found,
        **{name: _or_null(name) for name in ("unfinished", "in_progress", "last", "clone")},
    },
    "EvidenceJson": _EVIDENCE,
    "recover": {"operation": _or_null("operation")},
    "WordedJson": {
        "path": lambda pair: pair[0],
        "about": lambda pair: pair[1].name,
        "kept": lambda pair: pair[1].kept,
        "other": lambda pair: pair[1].dropped,
    },
    "config": {"settings": lambda config: [each for _, each in sorted(config.settings.items())]},
    "SettingJson": {
        "key": "option.key",
        "variable": "option.variable",
        "from_repository": "option.from_repository",
        "meaning": "option.meaning",
    },
    "lint": {
        "findings": parts.lint_findings,
        "coverage": lambda report: parts.told(report.coverage, rules=len(report.rules)),
        "counts": lambda report: report,
    },
    "CountsJson": {
        "error": lambda report: report.counts["error"],
        "warning": lambda report: report.counts["warning"],
        "note": lambda report: report.counts["note"],
        "baseline": "known",
    },
    "GraphJson": {"edges_per_page": "per_page"},
    "GraphPathJson": {
        "from": "start.path",
        "to": "goal.path",
        "length": lambda way: len(way.steps) - 1 if way.steps else None,
        "steps": parts.path_steps,
        "exit_code": lambda way: 0 if way.steps else NO_MATCH,
    },
    "NeighboursJson": {
        "page": lambda around: around.ground.pages[around.page].path,
        "rings": parts.rings,
    },
    # --- skills ------------------------------------------------------------------------
    "SkillRowJson": {
        **{
            name: f"file.{name}"
            for name in ("description", "model_may", "user_may", "argument_hint", "paths", "tools")
        },
        "tokens": lambda skill: tokens_of(len(skill.file.body.encode("utf-8", "replace"))),
    },
    "CheckedSkillJson": {"findings": parts.skill_findings},
    # --- memory ------------------------------------------------------------------------
    "memory-status": {"commit": "rule", "reviewed": "is_reviewed"},
    "memory-observe": {
        "commit": "rule",
        "learned": parts.learned_items,
        "job": "id",
    },
    "memory-change": {
        "applied": lambda report: report.outcome is not None,
        "commit": "outcome.commit",
    },
    "MemoryStepJson": {"id": "note.id", "text": "note.text", "other": "other.id"},
    "MemoryNoteJson": {
        "sources": lambda note: [f"[[{page}#^{ident}]]" for page, ident in note.sources],
        "replaced_by": lambda note: note.successor_id or note.successor,
    },
    "NoteStoryJson": {"sentences": parts.sentences},
    "SentenceJson": {"page": "path", "words": "text"},
    "LearnedItemJson": {
        "kind": "item.kind",
        "text": "item.text",
        "key": "item.key",
        "value": "item.value",
        "quotes": lambda found: [quote.words for quote in found.quotes],
    },
}
SPARSE = frozenset(
    (
        *("QuoteJson", "RowJson", "SkillRowJson", "SkillFindingJson"),
        *("ingest", "OperationJson"),
    )
)
"""Objects without the keys that say nothing, where they may lack."""
