"""What was learned from a conversation, and when it is worth it to read one for that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from llmwiki.chat.visible_history import noted_at_once, standing_talk
from llmwiki.core.text import counted
from llmwiki.landing.clock_and_typed_days import local_offset

REVIEW_EVERY = 10
"""Turns after which a conversation is read for what it taught."""

if TYPE_CHECKING:
    from llmwiki.app.learn import LearnReport
    from llmwiki.chat.turn import Conversation
    from llmwiki.memory.land_memory import LearnedTurn


def learn(
    talk: Conversation, *, by_model: bool, notice: Callable[[str], None] = lambda _said: None
) -> LearnReport | None:
    """Learns from what was said so far; None: nothing of it can teach, or nothing is written here.
    Where there is a model it reads it, if it is asked for and the person has agreed that what is
    learned is kept; only what it finds counts then, and `notice` is told before it is asked. Raises
    WikiError.
    """
    if not talk.wiki.is_written:
        return None
    from llmwiki.memory.remember_phrases import explicit_items

    memory = talk.wiki.memory
    told = standing_talk(
        talk.file.id, talk.file.messages, talk.file.undone, local_offset(talk.now())
    )
    if talk.client is not None:
        if not by_model or memory.rule()[0] != "always":
            return None
        told = replace(told, noted=noted_at_once(talk.file.messages, talk.file.undone))
        if talk.file.turn > talk.heard:
            talk.heard = talk.file.turn
            notice("what was said is read for the memory; Ctrl-C stops that")
    elif not explicit_items(told.evidence()):
        return None
    report = memory.learn(told, talk.client)
    for turn, commit in report.commits:
        talk.file.note_landed(turn, commit)
    return report


def learned_lines(report: LearnReport | None) -> Iterator[str]:
    """What became of what was learned, one line each."""
    if report is None:
        return
    yield from landed_lines(report.learned)
    if report.pending:
        count = counted(len(report.pending), "note")
        yield f"learned, and waiting for your yes: {count}; `wiki memory review` shows it"


def landed_lines(learned: Iterable[LearnedTurn]) -> Iterator[str]:
    """What was learned and landed, one line each."""
    for turn in learned:
        if turn.outcome.commit:
            for found in turn.items:
                yield f"learned in {turn.outcome.commit[:10]}: {found.item.text}"


def reviews_of(turns: int) -> int:
    """How often so many turns make it worth it to read a conversation for what it taught."""
    return turns // REVIEW_EVERY


def is_due(talk: Conversation) -> bool:
    """Whether the last turn made it worth it: many turns have passed, or messages were hidden."""
    turns = talk.file.turn
    return talk.has_shrunk or reviews_of(turns) > reviews_of(max(turns, 1) - 1)
