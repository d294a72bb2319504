"""What a conversation gives to memory: its statements, each with the origin that code gave it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from llmwiki.app.settings import local_offset
from llmwiki.chat.history import Messages, told_messages
from llmwiki.core.text import counted
from llmwiki.learn.explicit import explicit_items
from llmwiki.learn.talk import Statement, Talk

REVIEW_EVERY = 10
"""Turns after which a conversation is read for what it taught."""

if TYPE_CHECKING:
    from llmwiki.app.learning import LearnReport
    from llmwiki.chat.turn import Conversation


def talk_of(session: str, messages: Messages, offset: int) -> Talk:
    """The conversation of a transcript, hidden messages with it; what was taken back is left out.

    Summaries are left out too: what they tell stands in the messages they hide.
    """
    said: list[Statement] = []
    for message in told_messages(messages):
        for block in message.blocks:
            if block.kind in ("text", "tool_result") and block.text.strip():
                origin = block.origin if block.kind == "text" else _foreign(block.origin)
                said.append(
                    Statement(
                        message.turn, origin, block.text, message.ts / 1000, message.is_tainted
                    )
                )
    return Talk(session, tuple(said), offset=offset)


def _foreign(origin: str) -> str:
    return "tool" if origin in ("agent", "typed", "program") else origin


def learn(talk: Conversation, *, by_model: bool) -> LearnReport | None:
    """Learns from what was said so far; None: nothing of it can teach, or nothing is written here.
    A model reads it where one is asked for, there is one, and the person has agreed that what is
    learned is kept. Raises WikiError.
    """
    if not talk.wiki.is_written:
        return None
    memory = talk.wiki.memory
    # What was noted and taken back would come back by the sentence that asked for it.
    messages = tuple(m for m in talk.file.messages if m.turn not in talk.file.undone)
    told = talk_of(talk.file.id, messages, local_offset(talk.now()))
    client = talk.client if by_model and memory.rule()[0] == "always" else None
    if client is None and not explicit_items(told.evidence()):
        return None
    report = memory.learn(told, client)
    for turn, commit in report.commits:
        talk.file.note_landed(turn, commit)
    return report


def learned_lines(report: LearnReport | None) -> Iterator[str]:
    """What became of what was learned, one line each."""
    if report is None:
        return
    yield from landed_lines(report)
    if report.pending:
        count = counted(len(report.pending), "note")
        yield f"learned, and waiting for your yes: {count}; `wiki memory review` shows it"


def landed_lines(report: LearnReport) -> Iterator[str]:
    """What was learned and landed, one line each."""
    for turn in report.learned:
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


def pending_lines(talk: Conversation) -> Iterator[str]:
    """What waits for a yes, as a difference: one line a note, its words below it."""
    for each in talk.wiki.memory.pending():
        slot = f"  [{each.item.item.key} = {each.item.item.value}]" if each.item.item.key else ""
        yield f"{each.id}  + {each.item.item.text}  ({each.item.item.kind}){slot}"
        for quote in each.item.quotes:
            yield f"            turn {quote.said.turn}: “{quote.words}”"
