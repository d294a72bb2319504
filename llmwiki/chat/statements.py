"""What a conversation gives to memory: its statements, each with the origin that code gave it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from llmwiki.chat.history import Messages, told_messages
from llmwiki.core.errors import InputError
from llmwiki.core.text import fold_quote
from llmwiki.landing.settings import local_offset
from llmwiki.memory.gate import checked
from llmwiki.memory.talk import LearnedItem, LearnedQuote, Statement, Talk

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
            fix="Give the person's words as typed in `words`; without it the person is asked.",
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
