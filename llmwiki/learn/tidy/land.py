"""An accepted answer as one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.plain_line import plain_line
from llmwiki.core.secrets import redacted
from llmwiki.core.text import counted, listed
from llmwiki.learn.book import MemoryBook
from llmwiki.learn.tidy.check import CheckedSteps, NotNoted, check
from llmwiki.memory.land import LandingOptions, Made, Operation, land
from llmwiki.pages.memory_notes import with_sources
from llmwiki.store.outcome import Outcome

if TYPE_CHECKING:
    from llmwiki.learn.tidy.answer import TidiedSteps
    from llmwiki.learn.tidy.question import NotesPart
    from llmwiki.memory.state import WikiState
    from llmwiki.repo.repository import Repository

_TOLD = 20
"""Reasons that the message of a commit tells."""


class TidiedNotes(NamedTuple):
    """What became of an answer."""

    part: str
    checked: CheckedSteps
    outcome: Outcome

    @property
    def title(self) -> str:
        """How much is done: `2 notes joined, 1 note replaced`; empty where nothing is."""
        return _title(self.checked)

    @property
    def left_out(self) -> tuple[NotNoted, ...]:
        """What of the answer does not count."""
        return self.checked.left_out


def apply_tidied_notes(
    repo: Repository,
    state: WikiState,
    part: NotesPart,
    answer: TidiedSteps,
    *,
    model: str,
    terms: LandingOptions,
    dry_run: bool = False,
) -> TidiedNotes:
    """Strikes what counts of an answer, each note for the one that says it, in one commit; of two
    that say the same, the one that stays gets the sentences of both. Raises what `land` raises."""

    def make(current: WikiState) -> Made[CheckedSteps]:
        book = MemoryBook(current)
        checked = check(part, answer, book.notes())
        if not checked.steps:
            return Made(None, checked)
        for step in checked.steps:
            if step.is_same:
                book.put(with_sources(book.made(step.new.path), step.new.id, step.old.sources))
            book.supersede(step.old, step.new)
        operation = Operation(
            kind="memory",
            title=f"tidied: {_title(checked)}",
            pages=dict(book.changed),
            notes=_reasons(checked),
            trailers={"Wiki-Model": plain_line(model, 80)} if model else {},
        )
        return Made(operation, checked)

    done = land(repo, state, make, operation="memory", terms=terms, dry_run=dry_run)
    return TidiedNotes(part.id, done.extra, done.outcome)


def _title(checked: CheckedSteps) -> str:
    joined = sum(step.is_same for step in checked.steps)
    counts = ((joined, "joined"), (len(checked.steps) - joined, "replaced"))
    return listed([f"{counted(count, 'note')} {what}" for count, what in counts if count])


def _reasons(checked: CheckedSteps) -> tuple[str, ...]:
    told = [
        f"^{step.old.id} {'says the same as' if step.is_same else 'no longer holds:'}"
        f" ^{step.new.id}: {step.why}"
        for step in checked.steps
    ]
    return tuple(plain_line(redacted(line), 200) for line in told[:_TOLD])
