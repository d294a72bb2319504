"""What answers a question without a model and before it is in the wiki: words of this conversation,
and what was learned and waits for a person's yes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.language.tokens import terms_of, words
from llmwiki.learn.explicit import explicit_items, sentences, slot_of
from llmwiki.learn.talk import Statement

if TYPE_CHECKING:
    from llmwiki.learn.private_memory import PendingItem

MOST = 3
"""Lines that answer one question."""


class ToldLine(NamedTuple):
    """A sentence that bears on a question."""

    text: str
    where: str
    """Where it was said, for a person."""


def told_here(
    question: str, typed: Sequence[tuple[int, str]], pending: Iterable[PendingItem] = ()
) -> tuple[ToldLine, ...]:
    """The sentences that hold every word of a question that says something, the last one first; of
    those that say what one thing is, the last alone. `typed` are (turn, words) of this session."""
    asked = _terms(question)
    rows = [*_waiting(pending), *_said(typed)]
    found: dict[str, ToldLine] = {}
    for line in reversed(rows if asked else ()):
        if asked <= _terms(line.text):
            found.setdefault(_subject(line.text) or line.text, line)
    return tuple(found.values())[:MOST]


def asked_to_keep(turn: int, typed: str) -> tuple[str, ...]:
    """The notes that a message asks for in plain words, where it says nothing else."""
    items = explicit_items([Statement(turn, "typed", typed)])
    return tuple(item.text for item in items) if len(items) == len([*sentences(typed)]) else ()


def _said(typed: Iterable[tuple[int, str]]) -> Iterator[ToldLine]:
    for turn, text in typed:
        for sentence in sentences(text):
            if not sentence.endswith(("?", "？")):
                yield ToldLine(sentence, f"you said so in turn {turn} of this conversation")


def _waiting(pending: Iterable[PendingItem]) -> Iterator[ToldLine]:
    for each in pending:
        if each.is_known:
            yield ToldLine(each.item.item.text, "not confirmed yet: `wiki memory review`")


def _subject(text: str) -> str:
    """What a sentence says something of, also behind `Note:` and the like; empty where that is
    not plain."""
    kept = explicit_items([Statement(0, "typed", text)])
    return kept[0].key if kept else slot_of(text)[0]


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for word in words(text) for term in terms_of(word))
