"""What goes into a call and what comes out of it, and the request body in between."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from llmwiki.models.bounds import excerpt
from llmwiki.models.usage import Usage, estimate_picture, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from llmwiki.core.picture import Picture

OUTPUT_CONFIG = "output_config"
CACHE_CONTROL = "cache_control"
"""The two features that a compatible server may lack, by the parameter it then refuses."""

REPAIRED_PER_TOKEN = 6
"""Characters that are sent back for repair, for each token that the answer might have had; prose
has some four to five."""


@dataclass(frozen=True, slots=True)
class ContentBlock:
    """A piece of a prompt: text, or a picture."""

    text: str = ""
    cache: bool = False
    """Whether everything up to here stays the same from call to call (at most 4 such blocks)."""
    picture: Picture | None = None
    """Shown in place of the text; in a user's turn only."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    blocks: tuple[ContentBlock, ...]


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
    system: Sequence[ContentBlock],
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
        blocks.append(ContentBlock(_in_words(schema)))
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


def shows_pictures(request: Mapping[str, Any]) -> bool:
    """Whether a request body holds a picture."""
    return any(
        block["type"] == "image" for message in request["messages"] for block in message["content"]
    )


def estimate_request(
    system: Sequence[ContentBlock],
    user: Sequence[ContentBlock],
    schema: Mapping[str, object] | None = None,
) -> int:
    """The input tokens a call would take: an estimate, without the server's own overhead."""
    blocks = (*system, *user)
    texts = [block.text for block in blocks]
    if schema is not None:
        texts.append(json.dumps(schema))
    return sum(estimate_tokens(text) for text in texts) + _pictures(blocks)


def estimate_body(request: Mapping[str, Any], turns: Iterable[Turn]) -> int:
    """The input tokens of the whole request body made of `turns`: an estimate.

    A picture counts by its pixels: its bytes say nothing about its tokens.
    """
    messages = [
        {**each, "content": [block for block in each["content"] if block["type"] != "image"]}
        for each in request["messages"]
    ]
    words = json.dumps({**request, "messages": messages}, ensure_ascii=False)
    return estimate_tokens(words) + _pictures(block for turn in turns for block in turn.blocks)


def _pictures(blocks: Iterable[ContentBlock]) -> int:
    shown = (block.picture for block in blocks)
    return sum(estimate_picture(each.width, each.height) for each in shown if each is not None)


def _block(block: ContentBlock, cached: bool) -> dict[str, Any]:
    if block.picture is not None:
        result = _image(block.picture)
    else:
        # A lone surrogate cannot be sent as UTF-8.
        text = block.text.encode("utf-8", "replace").decode("utf-8")
        result = {"type": "text", "text": text}
    if block.cache and cached:
        result[CACHE_CONTROL] = {"type": "ephemeral"}
    return result


def _image(picture: Picture) -> dict[str, Any]:
    data = base64.b64encode(picture.data).decode("ascii")
    source = {"type": "base64", "media_type": picture.media_type, "data": data}
    return {"type": "image", "source": source}


def _in_words(schema: Mapping[str, object]) -> str:
    return (
        "Answer with one JSON object and nothing else: no prose, no code fence. It follows this "
        f"JSON Schema:\n{json.dumps(schema, ensure_ascii=False, sort_keys=True)}"
    )


def repair_turns(
    text: str, problem: str, name: str, schema: Mapping[str, object], *, max_tokens: int
) -> list[Turn]:
    """The turns that ask for a better answer; the schema again, for a server may ignore it.

    Of a text that is longer than `max_tokens` tokens usually are, the beginning and the end are
    shown: what is sent back is paid for.
    """
    demand = f"This {name} cannot be used: {problem}. Correct it. {_in_words(schema)}"
    turns = [Turn("user", (ContentBlock(demand),))]
    shown = excerpt(text.strip(), REPAIRED_PER_TOKEN * max_tokens)
    # An assistant turn may not be empty.
    return [Turn("assistant", (ContentBlock(shown),)), *turns] if shown else turns
