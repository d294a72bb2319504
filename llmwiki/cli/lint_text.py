"""What `wiki lint` says besides its report: what was mended, what a model judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from llmwiki.core.text import counted, normalise

if TYPE_CHECKING:
    from llmwiki import FixResult, JudgementResult

_SHOWN = 20
"""Pages that are left alone and named."""
_TOLD = 5
"""Findings of a judge that do not count and are named."""


def mended(done: FixResult, *, dry_run: bool) -> Iterator[str]:
    """What became of --fix, a sentence each."""
    for path in done.left[:_SHOWN]:
        yield f"{normalise(path)} has uncommitted edits and is left as it is"
    if len(done.left) > _SHOWN:
        yield f"and {len(done.left) - _SHOWN} more"
    outcome = done.outcome
    if not done.is_any:
        yield f"there is nothing{' else' if done.left else ''} to be mended by --fix"
    elif dry_run or outcome is None:
        return
    elif outcome.commit is None:
        yield "the pages have changed since they were linted; run it again"
    else:
        count = len(outcome.pages_changed)
        pages = counted(count, "page") if count else "catalogue and log"
        codes = f" ({', '.join(done.codes)})" if done.codes else ""
        yield f"{outcome.commit[:10]}  mended {pages}{codes}"


def judged(result: JudgementResult, *, quiet: bool) -> Iterator[str]:
    """What a model judged, a sentence each."""
    run = result.run
    if run is not None and not quiet:
        for each in result.left_out[:_TOLD]:
            yield f"a finding ({each.kind}) does not count: {each.reason}"
        if len(result.left_out) > _TOLD:
            yield f"and {len(result.left_out) - _TOLD} more do not count"
        cost = "" if run.cost is None else f", USD {run.cost:.4f} (estimate)"
        yield f"{result.model}: {run.answered} answers, {run.usage.total} tokens{cost}"
    if result.not_judged:
        yield result.not_judged
