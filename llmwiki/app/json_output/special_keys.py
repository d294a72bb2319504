"""What a key of a JSON object shows where it is not the attribute of its name: by the object's name
in the schemas, a path of attributes, or a function of the value. `*` names the attributes that have
what the value lacks, beside its `outcome`; last, the `default` of the key in the schema counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from llmwiki.app.json_output import composed_values
from llmwiki.core.text import tokens_of

NO_MATCH = 1
"""The exit code where nothing was found."""


def _value(name: str) -> Callable[[Any], Any]:
    """A trailer of a commit."""
    return lambda commit: commit.value(name)


def _complete(found: Any) -> bool:
    return not found.lacking


_MOVED: Mapping[str, Any] = {
    "claims_moved": "claims",
    "claims_joined": lambda done: sorted(done.joins.items()),
    "links_left": "left",
}
_ASKED: Mapping[str, Any] = {
    "tokens": lambda report: report.run.usage.total if report.run else 0,
    "cost_usd": lambda report: report.run.cost if report.run else 0.0,
}
_PAGE_STEP: Mapping[str, Any] = {
    "*": "commit",
    "commit": "commit.oid",
    "title": "commit.subject",
    "rows": lambda step: composed_values.rows(step.told),
}
_OPERATION: Mapping[str, Any] = {
    "id": lambda commit: commit.operation or "",
    "commit": "oid",
    "kind": lambda commit: commit.kind or "",
    "model": _value("Wiki-Model"),
}
_EVIDENCE: Mapping[str, Any] = {
    "lines": lambda each: (each.first, each.last) if each.first else None,
}

DIFFERENCES: Mapping[str, Mapping[str, Any]] = {
    # --- asking ------------------------------------------------------------------------
    "search": {
        "exit_code": lambda found: 0 if found.rows else NO_MATCH,
        "results": "rows",
    },
    "SearchRowJson": {
        "description": "card.description",
        "text": composed_values.without_secrets,
    },
    "TermJson": {"term": "text", "pages": "df", "weight": "idf"},
    "context": {
        "question": "context.question",
        "tokens": "context.tokens",
        "budget": "context.budget",
        "text": lambda found: found.context.text if found.context.shown else "",
        "exit_code": lambda found: 0 if found.context.shown else NO_MATCH,
        "passages": "context.shown",
    },
    "PassageJson": {
        "*": "passage",
        "text": lambda each: composed_values.without_secrets(each.passage),
        "updated_by": lambda each: [pointer.handle for pointer in each.passage.updated_by],
    },
    "query": {
        "answer": composed_values.markdown_of,
        "citations": "cited",
        "tokens": "usage.total",
        "cost_usd": lambda each: None if each.cost is None else round(each.cost, 6),
    },
    "StatementJson": {
        "*": "statement",
        "citations": lambda each: [cited.handle for cited in each.cited],
    },
    "CitationJson": {"evidence": composed_values.cited_evidence},
    "QuotedEvidenceJson": _EVIDENCE,
    "chat": {
        "citations": "cited",
        "unknown_citations": "unknown",
        "tokens": "usage.total",
        "cost_usd": "cost",
        "error": lambda ended: composed_values.one_line(ended.error),
    },
    "ChatCallJson": {"result": "brief"},
    # --- reading in --------------------------------------------------------------------
    "ingest": {
        "left_out": lambda report: dict(getattr(report, "left_out", {})),
        "judged": lambda report: getattr(report, "judged", ()),
    },
    "OperationJson": {
        "*": "reading",
        "joined": "reading.merged",
        "kept_apart": "reading.near",
        "aliases_refused": "reading.unnamed",
        "leads_to_renew": "reading.to_renew",
    },
    "UnquotedJson": {"lines": lambda each: (each.first, each.last)},
    # --- questions in parts ------------------------------------------------------------
    "asked": _ASKED,
    "tidy": _ASKED,
    "memory-tidy": _ASKED,
    "TidiedPartJson": {
        "merges": lambda part: part.done["merges"],
        "pairs": lambda part: part.done["pairs"],
        "leads": lambda part: part.done["leads"],
    },
    # --- what happened -----------------------------------------------------------------
    "QuoteJson": {"lines": "span"},
    "TracedQuoteJson": {"*": "evidence", "lines": "evidence.span"},
    "diff": {"counts": composed_values.row_counts, "rows": composed_values.rows},
    "StoryStepJson": {**_PAGE_STEP, "model": lambda step: step.commit.value("Wiki-Model")},
    "TracedClaimJson": {
        "*": "claim",
        "evidence": "quotes",
    },
    "why": {"exit_code": lambda found: 1 if found.candidates else 0},
    "PageStepJson": _PAGE_STEP,
    "digest": {
        "complete": _complete,
        "counts": lambda digest: composed_values.row_counts(digest.told),
        "rows": lambda digest: composed_values.rows(digest.told),
    },
    "log": {"complete": _complete},
    "LogRowJson": {
        **_OPERATION,
        "title": lambda commit: commit.subject.partition(": ")[2],
        "source": _value("Wiki-Source"),
        "undoes": lambda commit: commit.values("Wiki-Undoes"),
    },
    # --- what changes the wiki ---------------------------------------------------------
    "rename": _MOVED,
    "merge": _MOVED,
    "supersede": {
        "old": lambda done: (done.old.id, done.old_page, done.old.text),
        "new": lambda done: (done.new.id, done.new_page, done.new.text),
    },
    "retract": {
        "kept": "outcome.kept",
        "other_evidence": lambda done: [(each.id, path, each.text) for path, each in done.kept],
        "pages_changed": composed_values.changed_paths,
    },
    "GoneClaimJson": {
        "*": "claim",
        "page": "path",
        "note": lambda dropped: dropped.note_id if dropped.is_note else None,
    },
    "TaintedJson": {"alone": "is_alone"},
    "undo": {
        "undone": lambda done: [each for commit in done.operations for each in commit.ids],
        "pages_changed": composed_values.changed_paths,
        "conflicts": lambda done: [(page, each.kept) for page, each in done.conflicts],
    },
    "UndoNoteJson": {"page": "path", "claim": "claim.id", "note": "note_id"},
    "adopt": {
        "found": "survey",
        "dry_run": lambda done: done.outcome is None,
    },
    "VaultSurveyJson": {
        "names_without_page": "nowhere",
        "pages_without_type": "untyped",
        "pages_without_description": "undescribed",
    },
    # --- reviews -----------------------------------------------------------------------
    "WaitingReviewJson": {
        "authors": lambda review: dict.fromkeys(each.author for each in review.commits),
        "date": lambda review: composed_values.day(review.commits[-1]) if review.commits else None,
        "claims": lambda review: sum(each.claim is not None for each in review.items),
        "items": lambda review: len(review.items),
        "pages": lambda review: sorted({each.path for each in review.items} - {""}),
        "hindered": lambda review: sum(bool(each.hindrance) for each in review.items),
    },
    "review": {
        "operations": "commits",
        "files": lambda review: sorted(review.files),
    },
    "ReviewedOperationJson": {
        **_OPERATION,
        "title": lambda commit: commit.subject.partition(": ")[2] or commit.subject,
        "date": composed_values.day,
    },
    "ReviewQuoteJson": _EVIDENCE,
    "ItemEffectJson": {"page": "path"},
    "ReviewItemJson": {
        "page": "path",
        "before": lambda item: (
            item.before.text if item.before and item.kind == "reworded" else None
        ),
        "quotes": composed_values.review_quotes,
    },
    "review-decision": {
        "review": "review.id",
        "dry_run": lambda _: False,
        "items": lambda done: [each.id for each in done.items],
    },
    "UnacceptedItemJson": {"page": "path"},
    # --- what there is -----------------------------------------------------------------
    "status": {
        "sources": lambda found: found,
    },
    "EvidenceJson": _EVIDENCE,
    "WordedJson": {
        "path": lambda pair: pair[0],
        "about": lambda pair: pair[1].name,
        "kept": lambda pair: pair[1].kept,
        "other": lambda pair: pair[1].dropped,
    },
    "config": {"settings": lambda config: [each for _, each in sorted(config.settings.items())]},
    "SettingJson": {"*": "option"},
    "lint": {
        "findings": composed_values.lint_findings,
        "coverage": lambda report: composed_values.told(report.coverage, rules=len(report.rules)),
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
        "steps": composed_values.path_steps,
        "exit_code": lambda way: 0 if way.steps else NO_MATCH,
    },
    "NeighboursJson": {
        "page": lambda around: around.ground.pages[around.page].path,
        "rings": composed_values.rings,
    },
    # --- skills ------------------------------------------------------------------------
    "SkillRowJson": {
        "*": "file",
        "tokens": lambda skill: tokens_of(len(skill.file.body.encode("utf-8", "replace"))),
    },
    "SkillFindingJson": {"severity": composed_values.skill_severity},
    # --- memory ------------------------------------------------------------------------
    "memory-status": {"commit": "rule", "reviewed": "is_reviewed"},
    "memory-observe": {
        "commit": "rule",
        "learned": composed_values.learned_items,
        "job": "id",
    },
    "memory-change": {
        "applied": lambda report: report.outcome is not None,
    },
    "MemoryStepJson": {"*": "note", "other": "other.id"},
    "MemoryNoteJson": {
        "sources": lambda note: [f"[[{page}#^{ident}]]" for page, ident in note.sources],
        "replaced_by": lambda note: note.successor_id or note.successor,
    },
    "NoteStoryJson": {"sentences": composed_values.sentences},
    "SentenceJson": {"page": "path", "words": "text"},
    "LearnedItemJson": {
        "*": "item",
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
