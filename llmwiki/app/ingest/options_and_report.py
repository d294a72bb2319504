"""The options and the report of an ingest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.declared_options import (
    CheckedOptions,
    allow_detached,
    allow_secret,
    max_cost,
    opt,
    review,
)
from llmwiki.sources.formats import ENDINGS as ENDINGS

if TYPE_CHECKING:
    from llmwiki.ingest.report import OperationReport
    from llmwiki.models.tokens_and_cost import Budget


@dataclass(frozen=True, slots=True)
class IngestOptions(CheckedOptions):
    """How sources are read, and how they land."""

    model: str | None = opt(None, "Model to read with; `offline` for the reader without a model.")
    dry_run: bool = opt(False, "Say what would land, of one source with its diff.")
    review: bool = review(excludes=("--prepare",))
    again: bool = opt(False, "Read again what was read; of retracted files those named alone.")
    max_cost: float | None = max_cost()
    allow_network: bool = opt(False, "Fetch the addresses that are named.", setting="fetch.allow")
    allow_secret: tuple[str, ...] = allow_secret()
    allow_detached: bool = allow_detached()
    collect: bool = False
    """Whether the failure of a source that is the only one is reported, and not raised."""
    below: Path | None = None
    """Files below this folder outside keep their path in it."""
    budget: Budget | None = None
    """In place of the limits on cost in the options and the settings."""


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
    """Sources that are unchanged, and read without a model alone, where one is at hand now."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Ending of a name to how many files with it a folder met that are not read."""

    @property
    def unreadable(self) -> tuple[str, ...]:
        """The files that could not be read before, are unchanged, and were not tried."""
        from llmwiki.ingest.known import UNREADABLE

        return tuple(each.source for each in self.operations if each.note == UNREADABLE)


def left_out_text(left_out: Mapping[str, int]) -> str:
    """Those files in a line, the most common endings first."""
    ordered = sorted(left_out.items(), key=lambda row: (-row[1], row[0]))
    counts = (f"{count} .{ending}" if ending else f"{count} without" for ending, count in ordered)
    return f"left out, for they are not read: {', '.join(counts)}"
