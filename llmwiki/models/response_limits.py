"""How much of an answer is taken, whoever sends it: every figure follows from its token limit.

A server is asked for at most so many tokens; one that is broken or hostile sends more, and only
what is counted here keeps it from filling the memory. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llmwiki.core.errors import ModelOutputError

TEXT_BYTES_PER_TOKEN = 128
"""Of an answer's text as UTF-8. Prose has 4 bytes a token and JSON 3; the longest tokens of public
vocabularies are runs of 128 blanks. So no answer within its limit of tokens is refused."""

WIRE_BYTES_PER_TOKEN = 512
"""Of a stream, decompressed. An event that carries one token has some 120 bytes around it; twice
that with the fields that other servers add, and twice again."""

EVENTS_PER_TOKEN = 4
"""Of a stream: one carries a token, and servers send comments and pings between."""

_SLACK_BYTES = 262_144
"""On top, for an answer of few tokens: the first event, its ids and counts, pings."""
_SLACK_EVENTS = 10_000
"""On top: a ping each second for longer than a call may take."""

MAX_EVENT_LINES = 1_000
"""Of one event; servers send two to four. The SDK joins them one by one, in steps that grow."""

MAX_BLOCKS = 1_000
"""Of one answer. We ask for one of text; a model that thinks between them gives a few more."""

MAX_ERROR_BYTES = 65_536
"""Of the body of an error: the rest is left out, for its status says the most."""

MAX_DEPTH = 64
"""Of an answer's JSON; the deepest schema that we ask for has six levels."""

MAX_COUNT = 10**12
"""Tokens of one call that a server may report; beyond it the figure is none."""


@dataclass(frozen=True, slots=True)
class ReplyBounds:
    """What is taken of one reply."""

    text: int
    """Bytes of its text as UTF-8."""
    whole: int
    """Bytes of one event, or of a reply that is no stream."""
    wire: int
    """Bytes of all events, decompressed."""
    events: int


def bounds_of(max_tokens: int) -> ReplyBounds:
    """The bounds of a reply that may have so many tokens."""
    text = TEXT_BYTES_PER_TOKEN * max_tokens + _SLACK_BYTES // 4
    return ReplyBounds(
        text=text,
        # JSON may write a character in six bytes instead of two: a word is still far from 128.
        whole=text + _SLACK_BYTES,
        wire=text + WIRE_BYTES_PER_TOKEN * max_tokens + _SLACK_BYTES,
        events=EVENTS_PER_TOKEN * max_tokens + _SLACK_EVENTS,
    )


def too_much(what: str, where: str) -> ModelOutputError:
    """An answer that no model gives within the limit of its tokens."""
    return ModelOutputError(
        f"the answer goes beyond what its limit of tokens allows ({what})",
        where=where,
        fix="Check the server; nothing was written. A longer answer needs a higher"
        " model.max_output_tokens in the user configuration.",
    )


def excerpt(text: str, most: int) -> str:
    """`text`, or its beginning and end where it has more than `most` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters are left out …]\n{text[-half:]}"


def is_deep(value: Any) -> bool:
    """Whether lists and objects stand within one another more than `MAX_DEPTH` times."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [below for each in level for below in _below(each)]
        if not level:
            return False
    return True


def _below(value: Any) -> list[Any]:
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [each for each in held if isinstance(each, dict | list)]
