"""Damaged streams: never an answer without a proper end, never an exception of somebody else."""

from __future__ import annotations

import json
import random

import pytest
from fake_messages import FakeMessages

from llmwiki.core.errors import WikiError
from llmwiki.models.client import Client
from llmwiki.models.messages import Reply, TextBlock, Turn


def whole_stream() -> bytes:
    usage = {"input_tokens": 10, "output_tokens": 1}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": t}}
            for t in ("half of ", "the ançwer", " 世界")
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
    ]
    return b"".join(
        f"event: {e['type']}\ndata: {json.dumps(e, ensure_ascii=False)}\n\n".encode()
        for e in events
    )


def mutate(data: bytes, chance: random.Random) -> bytes:
    """One to three cuts, flips, doublings or moved pieces."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice([1, 2, 5, 20, 100, 400]))
        kind = chance.randrange(5)
        if kind == 0:
            data = data[:start]
        elif kind == 1:
            data = data[:start] + data[end:]
        elif kind == 2:
            data = data[:end] + data[start:end] + data[end:]
        elif kind == 3:
            data = data[:start] + bytes(chance.randrange(256) for _ in range(3)) + data[end:]
        else:
            at = chance.randrange(len(data) + 1)
            data = data[:at] + data[start:end] + data[at:]
    return data


def run(cases: int, seed: int) -> int:
    """Send `cases` damaged streams; how many still gave an answer."""
    chance = random.Random(seed)
    answered = 0
    turns = [Turn("user", (TextBlock("go on"),))]
    with FakeMessages() as server:
        settings = server.settings(max_retries=0)
        with Client(settings) as client:
            for _ in range(cases):
                body = mutate(whole_stream(), chance)
                server.fault("body", body=body, content_type="text/event-stream")
                try:
                    *_, last = client.text([], turns)
                except WikiError as error:
                    assert error.exit_code in {2, 4, 5, 7}, error
                else:
                    answered += 1
                    assert isinstance(last, Reply)
                    assert b'"message_stop"' in body
                    assert b'"end_turn"' in body
    return answered


def test_damaged_streams() -> None:
    answered = run(100, seed=1)
    assert 0 < answered < 80


@pytest.mark.soak
def test_many_damaged_streams() -> None:
    assert run(10_000, seed=2) > 0
