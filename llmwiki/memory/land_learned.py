"""What was learned, committed: one operation for each turn that taught something."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from llmwiki.core.secrets import redacted
from llmwiki.core.text import counted
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.land import Made, Operation, land, turn_trailers
from llmwiki.memory.memory_pages import MemoryPages
from llmwiki.memory.talk import RefusedItem
from llmwiki.pages.memory_notes import note_id

if TYPE_CHECKING:
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.landing.state import WikiState
    from llmwiki.memory.talk import CheckedItem, Talk


@dataclass(frozen=True, slots=True)
class LearnedTurn:
    """What one turn taught."""

    turn: int
    items: tuple[CheckedItem, ...]
    """Those that changed the memory."""
    outcome: Outcome
    refused: tuple[RefusedItem, ...] = ()


def land_learned(
    wiki: OpenWiki,
    talk: Talk,
    items: Iterable[CheckedItem],
    *,
    model: str = "",
    dry_run: bool = False,
) -> tuple[LearnedTurn, ...]:
    """Lands what was learned, a commit for each turn; those that taught nothing new make none.

    Raises what `land` raises; what landed before stays.
    """
    ordered = sorted(items, key=lambda each: each.turn)
    return tuple(
        _land_turn(wiki, talk, turn, tuple(group), model, dry_run)
        for turn, group in groupby(ordered, key=lambda each: each.turn)
    )


def _land_turn(
    wiki: OpenWiki,
    talk: Talk,
    turn: int,
    items: Sequence[CheckedItem],
    model: str,
    dry_run: bool,
) -> LearnedTurn:
    def make(current: WikiState) -> Made[tuple[list[CheckedItem], list[RefusedItem]]]:
        memory = MemoryPages(current)
        taken: list[CheckedItem] = []
        refused: list[RefusedItem] = []
        for found in items:
            if any(memory.is_full(talk.day(quote.said.ts)) for quote in found.quotes):
                refused.append(RefusedItem(found.item.text, "the page of the day is full"))
            elif memory.learn(found, talk):
                taken.append(found)
        if not taken:
            return Made(None, (taken, refused))
        more = f" {len(taken)} things" if len(taken) > 1 else ""
        and_more = f" (and {counted(len(taken) - 1, 'more', 'more')})" if more else ""
        tellers = sorted({found.told_by for found in taken})
        trailers: dict[str, str | tuple[str, ...]] = {
            "Wiki-Told-By": tuple(tellers) if len(tellers) > 1 else tellers[0],
            **turn_trailers(talk.session, turn),
        }
        if model:
            trailers["Wiki-Model"] = model
        operation = Operation(
            kind="memory",
            title=f"learned{more}: {redacted(taken[0].item.text)}",
            # The log cannot be rewritten where words have to be forgotten.
            logged=f"learned {taken[0].item.kind} {note_id(taken[0].item.text)}{and_more}",
            pages=dict(memory.changed),
            trailers=trailers,
        )
        return Made(operation, (taken, refused))

    done = land(
        wiki.repo, wiki.state, make, operation="memory", terms=wiki.landing(), dry_run=dry_run
    )
    taken, refused = done.extra
    return LearnedTurn(turn, tuple(taken), done.outcome, tuple(refused))
