"""What a conversation gives to memory, each piece with the origin that code gave it; what was
learned from it, and when it is worth it to read one for that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from llmwiki.chat.history import Messages, told_messages
from llmwiki.core.errors import InputError
from llmwiki.core.text import counted, fold_quote
from llmwiki.landing.settings import local_offset
from llmwiki.memory.explicit import explicit_items
from llmwiki.memory.gate import checked
from llmwiki.memory.talk import LearnedItem, LearnedQuote, Statement, Talk

if TYPE_CHECKING:
    from llmwiki.app.learning import LearnReport
    from llmwiki.chat.turn import Conversation
    from llmwiki.memory.learned_turns import LearnedTurn

REVIEW_EVERY = 10
"""Turns after which a conversation is read for what it taught."""
REMEMBER = "remember"
"""The tool that notes something at once."""


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


def told_note(
    talk: Talk, given: Mapping[str, Any], known: Mapping[str, str]
) -> tuple[Talk, LearnedItem]:
    """What a call of `remember` notes, and the talk as the words that a person typed. `known` is as
    `gate.checked` takes it.

    Raises InputError where its words were not typed, or do not say it.
    """
    typed = [said for said in talk.evidence() if said.origin == "typed"]
    words = given["words"]
    held = (s.turn for s in reversed(typed) if fold_quote(words) in fold_quote(s.text))
    quote = LearnedQuote(next(held, talk.statements[-1].turn), words)
    slot = given.get("key", ""), given.get("value", "")
    replaces = next(iter(known), "")
    item = LearnedItem(given["text"], given.get("kind", "fact"), (quote,), *slot, replaces)
    _, refused = checked([item], typed, known, talk.offset)
    if refused:
        raise InputError(
            refused[0].reason,
            fix="Copy the person's words as typed, or leave out `words`: then they are asked.",
        )
    return replace(talk, statements=tuple(typed)), item


def standing_talk(session: str, messages: Messages, undone: Collection[int], now: float) -> Talk:
    """The conversation without the turns whose commits were taken back: what was noted in them
    would come back by the sentence that asked for it."""
    told = tuple(message for message in messages if message.turn not in undone)
    return talk_of(session, told, local_offset(now))


def noted_at_once(messages: Messages, undone: Collection[int]) -> tuple[LearnedItem, ...]:
    """What `remember` has noted in the turns of a conversation whose commits were not taken
    back."""
    done = {r.id for message in messages for r in message.results if not r.is_error}
    return tuple(
        LearnedItem(
            str(use.input.get("text", "")),
            str(use.input.get("kind", "fact")),
            (LearnedQuote(message.turn, str(use.input.get("words", ""))),),
        )
        for message in messages
        for use in message.uses
        if message.turn not in undone and use.name == REMEMBER and use.id in done
    )


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
    memory = talk.wiki.memory
    told = standing_talk(talk.file.id, talk.file.messages, talk.file.undone, talk.now())
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


def pending_lines(talk: Conversation) -> Iterator[str]:
    """What waits for a yes, as a difference: one line a note, its words below it."""
    for each in talk.wiki.memory.pending():
        slot = f"  [{each.item.item.key} = {each.item.item.value}]" if each.item.item.key else ""
        yield f"{each.id}  + {each.item.item.text}  ({each.item.item.kind}){slot}"
        for quote in each.item.quotes:
            yield f"            turn {quote.said.turn}: “{quote.words}”"
