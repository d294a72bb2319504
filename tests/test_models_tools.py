"""Tools: a model asks, the caller answers, and nothing but a whole request counts."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from fake_messages import Blocks, FakeMessages, call

from llmwiki.core.errors import ModelOutputError, ProviderError
from llmwiki.models.client import Client
from llmwiki.models.messages import (
    OfferedTool,
    Reply,
    Restarted,
    TextBlock,
    ToolResult,
    ToolUse,
    Turn,
)

LOOK = OfferedTool(
    "look",
    "Reads a page.",
    {"type": "object", "properties": {"page": {"type": "string"}}, "required": ["page"]},
)
ASKED = Turn("user", (TextBlock("What is tea?"),))


def ask(
    server: FakeMessages, *turns: Turn, tools: tuple[OfferedTool, ...] = (LOOK,), **changes: Any
) -> Reply:
    with Client(server.settings(**changes)) as client:
        *_, last = client.text([TextBlock("rules")], turns or [ASKED], tools=tools)
    assert isinstance(last, Reply)
    return last


@pytest.mark.parametrize("kind", ["", "split", "unknown"])
def test_a_round_trip(kind: str) -> None:
    said: Blocks = [
        {"type": "text", "text": "I look."},
        call("t1", "look", {"page": "Tea é"}),
        call("t2", "look", {"page": "Pot", "deep": [{"a": None}]}),
    ]
    with FakeMessages() as server:
        if kind:
            server.fault(kind, answer=said)
        else:
            server.reply(said, stop_reason="tool_use")
        first = ask(server)
        assert first.text == "I look."
        assert first.tool_uses == (
            ToolUse("t1", "look", {"page": "Tea é"}),
            ToolUse("t2", "look", {"page": "Pot", "deep": [{"a": None}]}),
        )
        server.reply("Tea is hot.")
        results = Turn(
            "user",
            (
                ToolResult("t1", "Tea is a leaf."),
                ToolResult("t2", "there is no such page", is_error=True, cache=True),
            ),
        )
        last = ask(server, ASKED, first.turn, results)
        assert (last.text, last.tool_uses, last.stop_reason) == ("Tea is hot.", (), "end_turn")
        request, again = server.requests
    assert request.body["tools"] == [
        {"name": "look", "description": "Reads a page.", "input_schema": dict(LOOK.schema)}
    ]
    assert "tool_choice" not in request.body
    told, answered = again.body["messages"][1:]
    assert told == {"role": "assistant", "content": said}
    assert answered["content"][0]["content"] == "Tea is a leaf."
    assert answered["content"][1]["is_error"] is True
    assert answered["content"][1]["cache_control"] == {"type": "ephemeral"}


def test_a_tool_without_input_and_a_result_without_words() -> None:
    with FakeMessages() as server:
        server.use("\n\n", call("t1", "look", []))
        first = ask(server)
        assert first.tool_uses == (ToolUse("t1", "look", {}),)
        server.reply("done")
        assert ask(server, ASKED, first.turn, Turn("user", (ToolResult("t1", ""),))).text == "done"
        told, answered = server.requests[1].body["messages"][1:]
    assert [block["type"] for block in told["content"]] == ["tool_use"], "no blank text"
    assert "content" not in answered["content"][0]


def test_half_a_character_in_an_input_can_be_sent_back() -> None:
    with FakeMessages() as server:
        server.use(call("t1", "look", ['{"page": "\\ud800", "\\udfff": 1}']))
        first = ask(server)
        server.reply("done")
        ask(server, ASKED, first.turn, Turn("user", (ToolResult("t1", "a \ud800 b"),)))
        assert server.requests[1].body["messages"][1]["content"][0]["input"] == {
            "page": "?",
            "?": 1,
        }


@pytest.mark.parametrize(
    "given",
    [
        ["{"],
        ['{"page": "Te'],
        ["[1]"],
        ["null"],
        ['{"page": NaN}'],
        ['{"page": 1, "page": 2}'],
        ['```json\n{"page": 1}\n```'],
        ['{"page": ' + "[" * 100 + "]" * 100 + "}"],
        ["[" * 100_000],
    ],
    ids=["open", "cut", "list", "null", "nan", "twice", "fenced", "deep", "endless"],
)
def test_an_input_that_is_no_object_is_never_acted_on(given: list[str]) -> None:
    with FakeMessages() as server:
        server.use(call("t1", "look", given))
        (use,) = ask(server).tool_uses
        assert (use.id, use.input) == ("t1", {}) and len(use.wrong) < 600
        assert use.wrong.startswith("the input of the tool look: ")


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ([call("", "look", {})], "id and name"),
        ([call("t1", "", {})], "id and name"),
        ([call("t1", "rm -rf /", {})], "id and name"),
        ([call("t1\n", "look", {})], "id and name"),
        ([call("t" * 500, "look", {})], "id and name"),
        ([{"type": "text", "text": "I would look."}], "names none"),
    ],
)
def test_what_nobody_could_answer_is_refused(blocks: Blocks, said: str) -> None:
    with FakeMessages() as server:
        server.reply(blocks, stop_reason="tool_use")
        with pytest.raises(ModelOutputError, match=said):
            ask(server)


def test_without_tools_a_call_is_an_unknown_block_and_no_reason_to_stop() -> None:
    with FakeMessages() as server:
        server.use("words", call("t1", "look", ["{"]), stop_reason="end_turn")
        reply = ask(server, tools=())
        assert reply.blocks == (TextBlock("words"),)
        assert "tools" not in server.requests[0].body
        server.use("words", call("t1", "look", {"page": "Tea"}))
        with pytest.raises(ModelOutputError, match="unexpected reason"):
            ask(server, tools=())


@pytest.mark.parametrize("at", range(1, 12))
@pytest.mark.parametrize("kind", ["drop", "eof", "error"])
def test_a_stream_that_is_cut_is_asked_for_again(kind: str, at: int) -> None:
    said: Blocks = [{"type": "text", "text": "I look."}, call("t1", "look", {"page": "Tea"})]
    with FakeMessages() as server:
        server.fault(kind, at=at, answer=said)
        server.reply([call("t2", "look", {"page": "Pot"})], stop_reason="tool_use")
        with Client(server.settings()) as client:
            *events, last = client.text([], [ASKED], tools=[LOOK])
            assert client.usage.output_tokens > 0
        assert isinstance(last, Reply)
        assert last.tool_uses == (ToolUse("t2", "look", {"page": "Pot"}),)
        assert at == 1 or any(isinstance(event, Restarted) for event in events)
        assert len(server.requests) == 2


def test_an_input_that_is_cut_at_the_limit_gets_more_room_once() -> None:
    with FakeMessages() as server:
        server.use(call("t1", "look", ['{"page": "Te']), stop_reason="max_tokens")
        server.use(call("t2", "look", {"page": "Tea"}))
        assert ask(server).tool_uses[0].id == "t2"
        first, second = (request.body["max_tokens"] for request in server.requests)
        assert second == 2 * first
        for _ in range(2):
            server.use(call("t1", "look", ['{"page": "Te']), stop_reason="max_tokens")
        with pytest.raises(ModelOutputError, match="cut at the limit"):
            ask(server)


def events(*told: dict[str, Any]) -> bytes:
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in told)


def begun(index: Any, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def piece(index: Any, text: Any) -> dict[str, Any]:
    delta = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


START = {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 1}}}
END = (
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
)


@pytest.mark.parametrize(
    "told",
    [
        # Two blocks that come in turns, and pieces of blocks that nobody knows.
        [
            begun(1, type="tool_use", id="a", name="look", input={}),
            begun(2, type="tool_use", id="b", name="look", input={}),
            begun(3, type="thinking", thinking="hm"),
            piece(1, '{"page"'),
            piece(2, '{"page": "B"'),
            piece(3, '{"page": "C"}'),
            piece(9, "}"),
            piece(None, "}"),
            piece([1], "}"),
            piece(1, 7),
            piece(2, "}"),
            piece(1, ': "A"}'),
        ],
        # A server that gives the whole input with the beginning.
        [
            begun(0, type="tool_use", id="a", name="look", input={"page": "A"}),
            begun(0, type="tool_use", id="b", name="look", input={"page": "B"}),
        ],
    ],
    ids=["in turns", "at once"],
)
def test_streams_of_other_servers(told: list[dict[str, Any]]) -> None:
    with FakeMessages() as server:
        body = events(START, *told, *END)
        server.fault("body", body=body, content_type="text/event-stream")
        assert [(use.id, dict(use.input)) for use in ask(server).tool_uses] == [
            ("a", {"page": "A"}),
            ("b", {"page": "B"}),
        ]


def test_a_flood_of_input_ends_at_the_cap() -> None:
    first = events(START, begun(0, type="tool_use", id="a", name="look", input={}))
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    more = itertools.repeat(events(piece(0, "x" * 10_000)))
    with FakeMessages() as server:
        server.fault("pour", pieces=itertools.chain([head + first], more))
        with pytest.raises(ModelOutputError, match="more than 32000000 bytes"):
            ask(server, max_output_tokens=100)


def test_a_server_that_knows_no_tools_says_so() -> None:
    with (
        FakeMessages(unsupported=("tools",)) as server,
        pytest.raises(ProviderError, match="tools"),
    ):
        ask(server)
