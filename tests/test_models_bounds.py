"""A server that sends without end: memory and time stay bounded, and the wiki as it was."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import wikikit
from fake_messages import KEY, FakeMessages
from test_models_client import GOOD, SCHEMA, ask
from wikikit import NOTE, Wiki

from llmwiki.core.errors import PolicyError, ProviderError
from llmwiki.models.client import Client
from llmwiki.models.json_answers import MAX_DEPTH, parse_object
from llmwiki.models.messages import TextBlock

PEAK = 200_000_000
"""Bytes of memory that a command may have held. One that ends well holds some 90 MB."""

OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
JSON = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
END = b"\r\n"
MB = 1 << 20


def sse(**event: Any) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


START = sse(type="message_start", message={"model": "m", "usage": {"input_tokens": 1}})
BLOCK = sse(type="content_block_start", index=0, content_block={"type": "text", "text": ""})
PING = sse(type="ping")


def delta(text: str) -> bytes:
    return sse(type="content_block_delta", index=0, delta={"type": "text_delta", "text": text})


def for_ever(piece: bytes) -> Iterator[bytes]:
    return itertools.repeat(piece * (MB // len(piece) + 1))


def packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """gzip, a thousand times smaller than what it holds."""
    packer = zlib.compressobj(9, wbits=31)
    for piece in pieces:
        yield packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)


class Case(NamedTuple):
    """What a server sends, and how the command ends."""

    pieces: Callable[[], Iterable[bytes]]
    code: int
    says: str
    pause: float = 0.0


GZIP = b"content-encoding: gzip\r\n"
DEEP = b"[" * 100_000
ERROR = b"HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\nx-should-retry: false\r\n"
BEYOND = "has more than"
LATE = "longer than 1 s"
FLOODS = {
    "deltas": Case(lambda: chain(OK, END, START, BLOCK, for_ever(delta("word " * 200))), 5, BEYOND),
    "pings": Case(lambda: chain(OK, END, START, for_ever(PING)), 5, BEYOND),
    "fifty megabytes of JSON": Case(
        lambda: chain(JSON, END, itertools.repeat(b" " * MB, 50), b"{}"), 4, "not a Messages API"
    ),
    "packed stream": Case(
        lambda: chain(OK, GZIP, END, packed(for_ever(delta("word " * 200)))), 5, BEYOND
    ),
    "nested JSON": Case(lambda: chain(JSON, END, DEEP), 4, "no"),
    "nested event": Case(
        lambda: chain(OK, END, START, b"event: message_delta\ndata: ", DEEP, b"\n\n"), 4, ""
    ),
    "nested error": Case(lambda: chain(ERROR, END, b"[" * 500, b"]" * 500), 4, "400"),
    "drip": Case(lambda: chain(OK, END, START, drip(delta("word"))), 4, LATE, 0.05),
    "drip of pings": Case(lambda: chain(OK, END, START, itertools.repeat(PING)), 4, LATE, 0.05),
}


def chain(*parts: bytes | Iterable[bytes]) -> Iterator[bytes]:
    return itertools.chain.from_iterable([p] if isinstance(p, bytes) else p for p in parts)


def drip(piece: bytes) -> Iterator[bytes]:
    return (piece[n : n + 1] for n in itertools.cycle(range(len(piece))))


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


QUICK = {"packed stream"}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.soak) for n in FLOODS]
)
def test_a_flood_ends_in_bounded_memory_and_time(wiki: Wiki, name: str) -> None:
    case = FLOODS[name]
    wiki.put("raw/tea.md", NOTE)
    before = (wiki.head, wiki.status)
    with FakeMessages() as server:
        for _ in range(10):
            server.fault("pour", pieces=case.pieces(), pause=case.pause)
        env = {
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": KEY,
            "LLMWIKI_MODEL": "some-model",
            "LLMWIKI_MODEL_CALL_TIMEOUT": "1" if case.pause or case.says == LATE else "60",
        }
        code, peak, said = measured(wiki, env)
    assert code == case.code, said
    assert case.says in said
    assert peak < PEAK
    assert KEY not in said and "Traceback" not in said
    assert len(said) < 3000
    assert (wiki.head, wiki.status) == before


def measured(wiki: Wiki, env: dict[str, str]) -> tuple[int, int, str]:
    """Exit code, peak memory in bytes and all words of an ingest in a process of its own."""
    peak = wiki.root.parent / "peak"
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(peak), "ingest", "raw/tea.md"],
        cwd=wiki.root,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=90,
        check=False,
    )
    return done.returncode, int(peak.read_text()) * 1024, done.stdout.decode("utf-8", "replace")


_MEASURED = """
import pathlib, re, sys
place = pathlib.Path(sys.argv.pop(1))
sys.argv[0] = "wiki"
from llmwiki.interfaces.cli.command_table import run
try:
    code = run()
finally:
    status = pathlib.Path("/proc/self/status").read_text()
    place.write_text(re.search("VmHWM:\\s+(\\d+) kB", status)[1])
sys.exit(code)
"""
"""Of a child, `ru_maxrss` counts what its parent held when it was forked."""


def test_what_goes_back_for_repair_is_an_excerpt() -> None:
    junk = "no json " * 5000
    with FakeMessages(GOOD) as server:
        server.reply(junk)
        assert ask(server, max_output_tokens=2000).data == GOOD
        shown = server.requests[1].body["messages"][1]["content"][0]["text"]
        assert len(shown) < 13_000 < len(junk)
        assert "characters are left out" in shown
        server.reply("short")
        ask(server)
        assert server.requests[3].body["messages"][1]["content"][0]["text"] == "short"


def test_the_time_of_a_call_covers_attempts_waits_and_repair() -> None:
    with FakeMessages("no json") as server:
        server.status(529, retry_after="3")
        with pytest.raises(ProviderError, match="asks to wait 3 s"):
            ask(server, call_timeout=2.0)
        assert len(server.requests) == 1
        for _ in range(3):
            server.fault("stall", at=2, seconds=30)
        begun = time.monotonic()
        with pytest.raises(ProviderError, match="longer than 1 s"):
            ask(server, call_timeout=1.0, read_timeout=60.0)
        assert time.monotonic() - begun < 20


def test_counts_that_no_call_has_are_none() -> None:
    with FakeMessages() as server:
        server.reply(GOOD, output_tokens=10**400)
        reply = ask(server)
        assert reply.data == GOOD and reply.usage.output_tokens < 10**6


def test_a_packed_reply_is_read() -> None:
    """Servers behind a proxy compress; within its bounds that is nobody's business."""
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    body = [START, BLOCK, delta(json.dumps(GOOD)), sse(**end), sse(type="message_stop")]
    with FakeMessages() as server:
        server.fault("pour", pieces=[OK, GZIP, END, gzip.compress(b"".join(body))])
        assert ask(server).data == GOOD


def test_a_request_beyond_the_limit_is_not_sent() -> None:
    with FakeMessages(GOOD) as server:
        with Client(server.settings(max_input_tokens=1000)) as client:
            with pytest.raises(PolicyError, match="at most 1000") as caught:
                client.structured([], [TextBlock("word " * 1000)], SCHEMA, "word")
            assert caught.value.fix
        assert not server.requests


def test_an_answer_that_is_nested_deeply_is_no_answer() -> None:
    held = '{"a": ' * MAX_DEPTH + "1" + "}" * MAX_DEPTH
    assert parse_object(held)
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_object(f'{{"a": {held}}}')
