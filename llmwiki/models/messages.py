"""What goes into a call and what comes out of it, and the request body in between."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from llmwiki.models.tokens_and_cost import Usage, estimate_picture, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from llmwiki.core.document import Picture

OUTPUT_CONFIG = "output_config"
CACHE_CONTROL = "cache_control"
"""The two features that a compatible server may lack, by the parameter it then refuses."""

REPAIRED_PER_TOKEN = 6
"""Characters that are sent back for repair, for each token that the answer might have had; prose
has some four to five."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Text."""

    text: str
    cache: bool = False
    """Whether everything up to here stays the same from call to call (at most 4 such blocks)."""


@dataclass(frozen=True, slots=True)
class PictureBlock:
    """A picture that is shown; in a user's turn only."""

    picture: Picture


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A model asks for a tool; in an assistant's turn only."""

    id: str
    """What its result names."""
    name: str
    """As the model gives it: perhaps none of the tools that were declared."""
    input: Mapping[str, Any]
    """A JSON object; nobody has checked it against the schema of the tool."""
    wrong: str = ""
    """Why the call cannot be made, such as an input that is no JSON object; that is empty then."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave; the user's turn behind a `ToolUse` begins with one for each of them."""

    id: str
    """Of the `ToolUse`."""
    text: str
    is_error: bool = False
    cache: bool = False
    """As that of a text."""


ContentBlock = TextBlock | PictureBlock | ToolUse | ToolResult
"""A piece of a conversation."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What begins a conversation: rules that stay the same, and what is asked this time."""

    system: tuple[TextBlock, ...]
    user: tuple[TextBlock | PictureBlock, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    blocks: tuple[ContentBlock, ...]


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool that a model may ask for; whoever calls the model runs it."""

    name: str
    """Letters, digits, `_` and `-`, at most 64."""
    description: str
    schema: Mapping[str, object]
    """The JSON schema of its input, an object."""


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

    blocks: tuple[TextBlock | ToolUse, ...]
    """As they came, without empty texts and without what no program here knows."""
    usage: Usage
    """Of all attempts this answer took."""
    model: str
    """As the server names it."""
    stop_reason: str
    data: dict[str, Any] = field(default_factory=dict)
    """The checked object of a structured call; empty for any other."""

    @property
    def text(self) -> str:
        """All its text."""
        return "".join(block.text for block in self.blocks if isinstance(block, TextBlock))

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """The tools it asks for, in its order; their results make the next turn."""
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))

    @property
    def turn(self) -> Turn:
        """The answer as a turn of the conversation that goes on; a turn may not hold blank text."""
        held = (b for b in self.blocks if isinstance(b, ToolUse) or b.text.strip())
        return Turn("assistant", tuple(held))


def request_body(
    model: str,
    system: Sequence[TextBlock],
    turns: Sequence[Turn],
    *,
    schema: Mapping[str, object] | None = None,
    tools: Sequence[OfferedTool] = (),
    max_tokens: int,
    unsupported: Collection[str] = (),
) -> dict[str, Any]:
    """The body of one request, without the features the server is known to refuse.

    Where it refuses structured outputs, the schema is told in words instead.
    """
    cached = CACHE_CONTROL not in unsupported
    blocks = list(system)
    request: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
    if schema is not None and OUTPUT_CONFIG in unsupported:
        blocks.append(TextBlock(_in_words(schema)))
    elif schema is not None:
        request[OUTPUT_CONFIG] = {"format": {"type": "json_schema", "schema": dict(schema)}}
    if tools:
        request["tools"] = [
            {"name": each.name, "description": each.description, "input_schema": dict(each.schema)}
            for each in tools
        ]
    if blocks:
        request["system"] = [_block(block, cached) for block in blocks]
    request["messages"] = [
        {"role": turn.role, "content": [_block(block, cached) for block in turn.blocks]}
        for turn in turns
    ]
    return request


def estimate_body(request: Mapping[str, Any], turns: Iterable[Turn]) -> int:
    """The input tokens of the whole request body made of `turns`: an estimate.

    A picture counts by its pixels: its bytes say nothing about its tokens.
    """
    messages = [
        {**each, "content": [block for block in each["content"] if block["type"] != "image"]}
        for each in request["messages"]
    ]
    words = json.dumps({**request, "messages": messages}, ensure_ascii=False)
    shown = (each for turn in turns for each in turn.blocks if isinstance(each, PictureBlock))
    sizes = (estimate_picture(each.picture.width, each.picture.height) for each in shown)
    return estimate_tokens(words) + sum(sizes)


def _block(block: ContentBlock, cached: bool) -> dict[str, Any]:
    result: dict[str, Any]
    match block:
        case TextBlock():
            result = {"type": "text", "text": _sendable(block.text)}
        case PictureBlock():
            return _image(block.picture)
        case ToolUse():
            # What a model wrote may hold half a character as well, in a key or a value.
            given = json.loads(_sendable(json.dumps(dict(block.input), ensure_ascii=False)))
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": given}
        case ToolResult():
            result = {"type": "tool_result", "tool_use_id": block.id, "is_error": block.is_error}
            if block.text.strip():
                result["content"] = _sendable(block.text)
    if block.cache and cached:
        result[CACHE_CONTROL] = {"type": "ephemeral"}
    return result


def _sendable(text: str) -> str:
    """`text` without lone surrogates: they cannot be sent as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


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
    turns = [Turn("user", (TextBlock(demand),))]
    shown, half = text.strip(), REPAIRED_PER_TOKEN * max_tokens // 2
    if len(shown) > 2 * half:
        left_out = f"[… {len(shown) - 2 * half} characters are left out …]"
        shown = f"{shown[:half]}\n{left_out}\n{shown[-half:]}"
    # An assistant turn may not be empty.
    return [Turn("assistant", (TextBlock(shown),)), *turns] if shown else turns
