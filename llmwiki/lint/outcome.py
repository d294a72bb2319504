"""What a lint gives: its findings, and what was looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from llmwiki.lint.finding import Finding
from llmwiki.lint.rule import RuleSummary

Step = Callable[[str, int, int], None]
"""Takes how far a lint is: what is done, how many of it are done, and of how many; 0: that is not
known."""


def no_step(_doing: str, _done: int, _total: int) -> None:
    """Takes a step and does nothing."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was looked at."""

    pages: int
    claims: int
    """By the pages they stand on, struck ones included."""
    quotes: int
    """Pieces of evidence."""
    compared: int
    """How many of them were compared with their texts, now or before with the same bytes."""
    left_out: tuple[str, ...] = ()
    """What could not be looked at and why, a line each: nothing is said of it, good or bad."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a lint found."""

    findings: tuple[Finding, ...]
    """Sorted; without those that a page silences."""
    coverage: Coverage
    ignored: int
    """Findings that pages silence."""
    rules: Mapping[str, RuleSummary]
    """The rules that ran, by code."""
