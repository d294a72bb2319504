"""What goes into a call and what comes out of it, and the request body in between."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from llmwiki.models.usage import Usage, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

OUTPUT_CONFIG = "output_config"
CACHE_CONTROL = "cache_control"
"""The two features that a compatible server may lack, by the parameter it then refuses."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a prompt."""

    text: str
    cache: bool = False
    """Whether everything up to here stays the same from call to call (at most 4 such blocks)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer that is being written."""

    text: str


@dataclass(frozen=True, slots=True)
class Restarted:
    """All deltas so far are void: the answer begins again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer."""

    text: str
    usage: Usage
    """Of all attempts this answer took."""
    model: str
    """As the server names it."""
    stop_reason: str
    data: dict[str, Any] = field(default_factory=dict)
    """The checked object of a structured call; empty for text."""


def request_body(
    model: str,
    system: Sequence[Block],
    turns: Sequence[Turn],
    *,
    schema: Mapping[str, object] | None,
    max_tokens: int,
    unsupported: Collection[str],
) -> dict[str, Any]:
    """The body of one request, without the features the server is known to refuse.

    Where it refuses structured outputs, the schema is told in words instead.
    """
    cached = CACHE_CONTROL not in unsupported
    blocks = list(system)
    request: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
    if schema is not None and OUTPUT_CONFIG in unsupported:
        blocks.append(Block(_in_words(schema)))
    elif schema is not None:
        request[OUTPUT_CONFIG] = {"format": {"type": "json_schema", "schema": dict(schema)}}
    if blocks:
        request["system"] = [_block(block, cached) for block in blocks]
    request["messages"] = [
        {"role": turn.role, "content": [_block(block, cached) for block in turn.blocks]}
        for turn in turns
    ]
    return request


def asks_for_cache(request: Mapping[str, Any]) -> bool:
    """Whether a request body has a cache breakpoint."""
    contents = [message["content"] for message in request["messages"]]
    return any(
        CACHE_CONTROL in block for part in (request.get("system", []), *contents) for block in part
    )


def estimate_request(
    system: Sequence[Block], user: Sequence[Block], schema: Mapping[str, object] | None = None
) -> int:
    """The input tokens a call would take: an estimate, without the server's own overhead."""
    texts = [block.text for block in (*system, *user)]
    if schema is not None:
        texts.append(json.dumps(schema))
    return sum(estimate_tokens(text) for text in texts)


def estimate_body(request: Mapping[str, Any]) -> int:
    """The input tokens of a whole request body: an estimate."""
    return estimate_tokens(json.dumps(request, ensure_ascii=False))


def _block(block: Block, cached: bool) -> dict[str, Any]:
    # A lone surrogate cannot be sent as UTF-8.
    text = block.text.encode("utf-8", "replace").decode("utf-8")
    result: dict[str, Any] = {"type": "text", "text": text}
    if block.cache and cached:
        result[CACHE_CONTROL] = {"type": "ephemeral"}
    return result


def _in_words(schema: Mapping[str, object]) -> str:
    return (
        "Answer with one JSON object and nothing else: no prose, no code fence. It follows this "
        f"JSON Schema:\n{json.dumps(schema, ensure_ascii=False, sort_keys=True)}"
    )


def repair_turns(text: str, problem: str, name: str, schema: Mapping[str, object]) -> list[Turn]:
    """The turns that ask for a better answer; the schema again, for a server may ignore it."""
    demand = f"This {name} cannot be used: {problem}. Correct it. {_in_words(schema)}"
    turns = [Turn("user", (Block(demand),))]
    # An assistant turn may not be empty.
    return [Turn("assistant", (Block(text.strip()),)), *turns] if text.strip() else turns
