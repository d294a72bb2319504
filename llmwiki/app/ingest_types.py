"""The options and the report of an ingest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.operation_report import OperationReport


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How sources are read, and how they land."""

    model: str | None = None
    """The model to read with; `offline` for the embedded extractor; None: as the settings say."""
    dry_run: bool = False
    """Whether nothing is written."""
    again: bool = False
    """Whether sources are read once more although they are unchanged, or they, or what they copy,
    were retracted."""
    review: bool = False
    """Whether all land on a new branch `wiki-review/ID`, which waits for review."""
    max_cost: float | None = None
    """US dollars; no call is made that could pass them. None: as the settings say."""
    max_size: int | None = None
    """Bytes of the largest source that is read. None: as the settings say."""
    allow_secret: tuple[str, ...] = ()
    """Hashes of findings of the secret scan that are accepted."""
    allow_detached: bool = False
    """Whether to commit although no branch is checked out."""
    allow_network: bool = False
    """Whether addresses of the web may be fetched although the user's settings do not say so."""
    collect: bool = False
    """Whether the failure of a source that is the only one is reported, and not raised."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of an ingest."""

    operations: tuple[OperationReport, ...]
    """One a source, by path; those that were not tried any more are left out."""
    named: int
    """How many sources were named."""
    exit_code: int = 0
    """That of `wiki` for the first failure; 0: there was none."""
    to_read_again: tuple[str, ...] = ()
    """Sources that are unchanged, and that the embedded extractor alone has read, where a model is
    at hand now."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Ending of a name to how many files with it a folder or a pattern met that are not read."""


def left_out_text(left_out: Mapping[str, int]) -> str:
    """Those files in a line, the most common endings first."""
    ordered = sorted(left_out.items(), key=lambda row: (-row[1], row[0]))
    counts = (f"{count} .{ending}" if ending else f"{count} without" for ending, count in ordered)
    return f"left out, for they are not read: {', '.join(counts)}"
