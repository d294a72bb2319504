"""Exports and imports as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llmwiki.app.export import ExportResult
    from llmwiki.app.import_ import ImportResult
    from llmwiki.app.shapes import exchange as shapes
    from llmwiki.exchange.folder import OmittedFile


def export_json(done: ExportResult) -> shapes.ExportJson:
    """What was exported."""
    return {
        "schema": "llmwiki.export/1",
        "place": str(done.place),
        "commit": done.commit,
        "pages": done.pages,
        "claims": done.claims,
        "documents": done.documents,
        "files": done.files,
        "written": done.written,
        "removed": list(done.removed),
        "left_out": _left_out(done.left_out),
    }


def _left_out(files: Iterable[OmittedFile]) -> list[shapes.OmittedFileJson]:
    return [{"path": each.path, "reason": each.reason} for each in files]


def import_json(done: ImportResult) -> shapes.ImportJson:
    """What an import changed."""
    outcome = done.outcome
    return {
        "schema": "llmwiki.import/1",
        "form": done.form,
        "name": done.name,
        "commit": outcome.commit or "",
        "id": outcome.id,
        "dry_run": done.dry_run,
        "branch": outcome.branch,
        "pages_created": list(outcome.pages_created),
        "pages_changed": list(outcome.pages_changed),
        "verified": done.verified,
        "second_hand": done.second_hand,
        "documents": list(done.documents),
        "pages": [
            {
                "path": page.path,
                "status": page.status,
                "verified": page.verified,
                "second_hand": page.second_hand,
            }
            for page in done.pages
        ],
        "notes": list(done.notes),
        "left_out": _left_out(done.left_out),
    }
