"""A Messages server on loopback: the real SDK talks to it over a real socket, nothing is patched.

    with FakeMessages() as server:
        server.reply({"any": "object"})          # the next answer: a dict is sent as JSON text
        server.use(call("t1", "look", {"at": 1}))     # one that asks for a tool
        server.fault("drop", at=3)               # the one after breaks off before its 4th event
        server.answer = lambda request: {...}    # whatever comes when nothing is queued
        settings = server.settings()
        ...
        assert len(server.requests) == 2

Requests are checked as the API would check them, and a wrong one is answered 400. An exception in
`answer` is answered 500 and raised again when the server closes.

Faults: `status` (code, type, message, headers), `reset`, and in the stream, before event `at`:
`drop`, `stall` (seconds), `eof` (a clean early end), `error` (type), `bad_json`, `bad_utf8`;
`unknown` (events and blocks from the future), `split` (chunks of one byte), `html`,
`body` (body, content_type), `pour` (pieces: an iterator of raw bytes, sent with `pause` seconds
after each until the client has gone).
Usage counts text only, and simulates the prompt cache: what stands before a breakpoint is read when
it was seen before.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from fake_messages_rules import InvalidRequest, breakpoints, validate

from llmwiki.models.model_settings import ModelSettings
from llmwiki.models.tokens_and_cost import Price

KEY = "sk-ant-test-0123456789abcdef"
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All text of the messages, in order."""
        return "\n".join(
            block["text"]
            for message in self.body["messages"]
            for block in _blocks(message)
            if "text" in block
        )

    @property
    def images(self) -> list[tuple[str, bytes]]:
        """Media type and bytes of each image of the messages, in order."""
        sources = [
            block["source"]
            for message in self.body["messages"]
            for block in _blocks(message)
            if block.get("type") == "image"
        ]
        return [(each["media_type"], base64.b64decode(each["data"])) for each in sources]

    @property
    def system(self) -> str:
        """All text of the system prompt."""
        system = self.body.get("system", [])
        return system if isinstance(system, str) else "\n".join(part["text"] for part in system)


Blocks = list[dict[str, Any]]
"""Content of an answer; a `tool_use` may have `json` (pieces of its input) in place of `input`."""

Answer = str | dict[str, Any] | Blocks | Callable[[Request], "str | dict[str, Any] | Blocks"]


def call(ident: str, name: str, given: dict[str, Any] | list[str]) -> dict[str, Any]:
    """A block that asks for a tool; a list is the pieces in which its input is streamed."""
    key = "json" if isinstance(given, list) else "input"
    return {"type": "tool_use", "id": ident, "name": name, key: given}


@dataclass
class Exchange:
    """What the server does with one request."""

    answer: Answer | None = None
    stop_reason: str | None = "end_turn"
    stop_details: dict[str, Any] | None = None
    output_tokens: int | None = None
    fault: str = ""
    at: int = 0
    options: dict[str, Any] = field(default_factory=dict)


class FakeMessages:
    """See the module."""

    def __init__(
        self,
        answer: Answer | None = None,
        *,
        unsupported: tuple[str, ...] = (),
        no_tools: tuple[int, str] | None = None,
        is_lax: bool = False,
    ) -> None:
        """`unsupported` names features (output_config, cache_control) refused with 400; `no_tools`
        are status and message for a request with tools; a lax server takes whatever comes, and
        says of its answers as little as can be."""
        self.no_tools = no_tools
        self.is_lax = is_lax
        self.answer = answer
        self.unsupported = unsupported
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self.problems: list[BaseException] = []
        self._queue: deque[Exchange] = deque()
        self._seen: set[str] = set()
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.close_connections()
        self._server.server_close()
        self._thread.join()
        if self.problems and error[0] is None:
            raise self.problems[0]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def settings(self, **changes: Any) -> ModelSettings:
        """Settings that reach this server, quick to give up, with a price."""
        values: dict[str, Any] = {
            "model": "test-model",
            "base_url": self.url,
            "api_key": KEY,
            "read_timeout": 5.0,
            "retry_delay": 0.0,
            "prices": {"test-model": Price(input=3.0, output=15.0)},
        }
        return ModelSettings(**(values | changes))

    def reply(
        self,
        answer: Answer,
        *,
        stop_reason: str | None = "end_turn",
        stop_details: dict[str, Any] | None = None,
        output_tokens: int | None = None,
    ) -> None:
        """Queue an answer."""
        self._queue.append(Exchange(answer, stop_reason, stop_details, output_tokens))

    def use(self, *blocks: str | dict[str, Any], stop_reason: str = "tool_use") -> None:
        """Queue an answer of several blocks: texts, and calls of tools."""
        self.reply([_text(b) if isinstance(b, str) else b for b in blocks], stop_reason=stop_reason)

    def fault(
        self, kind: str, *, at: int = 0, answer: Answer = "some text", **options: Any
    ) -> None:
        """Queue a fault; see the module for the kinds."""
        self._queue.append(Exchange(answer, fault=kind, at=at, options=options))

    def status(self, code: int, *, message: str = "no", **headers: str) -> None:
        """Queue an error status; headers with `_` for `-`, such as retry_after="1"."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        self.fault("status", code=code, message=message, headers=names)

    def take(self, request: Request) -> Exchange:
        """The exchange for a request, its answer settled."""
        with self._lock:
            self.requests.append(request)
            exchange = self._queue.popleft() if self._queue else Exchange(self.answer)
        answer = exchange.answer(request) if callable(exchange.answer) else exchange.answer
        if answer is None:
            raise AssertionError(f"nothing to answer with: {request.path}")
        exchange.answer = json.dumps(answer) if isinstance(answer, dict) else answer
        return exchange

    def usage(self, request: Request, exchange: Exchange) -> dict[str, int]:
        """Tokens as the API counts them, bytes / 4, with the cache remembered."""
        whole = _size({key: request.body.get(key) for key in ("system", "messages")})
        read = written = 0
        with self._lock:
            for prefix in breakpoints(request.body):
                text = json.dumps(prefix, sort_keys=True)
                name = hashlib.sha256(text.encode()).hexdigest()
                if name in self._seen:
                    read = _size(prefix)
                else:
                    written = _size(prefix) - read
                self._seen.add(name)
        output = exchange.output_tokens
        return {
            "input_tokens": max(whole - read - written, 1),
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "output_tokens": len(str(exchange.answer)) // 4 + 1 if output is None else output,
        }


def _size(value: object) -> int:
    return len(json.dumps(_without_images(value))) // 4


def _without_images(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_images(v) for k, v in value.items() if k != "source"}
    return [_without_images(v) for v in value] if isinstance(value, list) else value


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"text": content}] if isinstance(content, str) else content


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, owner: FakeMessages) -> None:
        self.owner = owner
        self._open: set[Any] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        for connection in list(self._open):
            try:
                connection.shutdown(2)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no problem of ours."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *args: object) -> None:
        """Silent."""

    def do_GET(self) -> None:
        if self.path.startswith("/v1/models"):
            model = {
                "type": "model",
                "id": "test-model",
                "display_name": "Test",
                "created_at": "2026-01-01T00:00:00Z",
                "lifecycle": "active",
            }
            self._json(200, {"data": [model], "has_more": False})
        else:
            self._error(404, "no such address")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        owner = self.server.owner
        try:
            if self.path != "/v1/messages":
                raise InvalidRequest("no such address", status=404)
            body = json.loads(raw)
            if owner.no_tools and "tools" in body:
                raise InvalidRequest(owner.no_tools[1], status=owner.no_tools[0])
            if not owner.is_lax:
                validate(headers, body, owner.unsupported)
        except InvalidRequest as wrong:
            owner.requests.append(Request(self.path, headers, json.loads(raw)))
            self._error(wrong.status, str(wrong))
            return
        request = Request(self.path, headers, body)
        try:
            exchange = owner.take(request)
        except Exception as problem:  # noqa: BLE001 - raised again when the server closes
            owner.problems.append(problem)
            self._error(500, "the test's own answer failed", {"x-should-retry": "false"})
            return
        self._answer(request, exchange)

    def _answer(self, request: Request, exchange: Exchange) -> None:
        options = exchange.options
        match exchange.fault:
            case "status":
                kind = options.get("type")
                self._error(options["code"], options["message"], options["headers"], kind)
            case "reset":
                self._break()
            case "html":
                self._send(200, b"<html>Please log in</html>", "text/html; charset=utf-8")
            case "body":
                kind = options.get("content_type", "application/json")
                self._send(200, options["body"], kind)
            case "pour":
                self._pour(options["pieces"], options.get("pause", 0.0))
            case _ if request.body.get("stream"):
                self._stream(request, exchange)
            case _:
                self._json(200, self._message(request, exchange))

    def _pour(self, pieces: Iterable[bytes], pause: float) -> None:
        self.close_connection = True
        try:
            for piece in pieces:
                self.wfile.write(piece)
                self.wfile.flush()
                if self.server.owner.closing.wait(pause):
                    return
        except OSError:
            # The client has had enough.
            return

    def _message(self, request: Request, exchange: Exchange) -> dict[str, Any]:
        answer = exchange.answer
        content = answer if isinstance(answer, list) else [_text(str(answer))]
        return {
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "model": request.body["model"],
            "content": content,
            "stop_reason": exchange.stop_reason,
            "stop_sequence": None,
            "stop_details": exchange.stop_details,
            "usage": self.server.owner.usage(request, exchange),
        }

    def _events(self, request: Request, exchange: Exchange) -> Iterator[dict[str, Any]]:
        message = self._message(request, exchange)
        if self.server.owner.is_lax:
            yield from _least_events(message)
            return
        usage = message["usage"]
        start = message | {"content": [], "stop_reason": None, "stop_details": None}
        start["usage"] = usage | {"output_tokens": 1}
        yield {"type": "message_start", "message": start}
        index = 0
        if exchange.fault == "unknown":
            yield {"type": "future_event", "text": "not for you"}
            yield _block_start(0, {"type": "future_block", "text": "not for you"})
            yield _delta(0, {"type": "future_delta", "text": "not for you"})
            yield {"type": "content_block_stop", "index": 0}
            index = 1
        for number, block in enumerate(message["content"], start=index):
            yield from _block_events(number, block)
        ending = {"stop_reason": exchange.stop_reason, "stop_sequence": None}
        yield {
            "type": "message_delta",
            "delta": ending | {"stop_details": exchange.stop_details},
            "usage": {"output_tokens": usage["output_tokens"]},
        }
        yield {"type": "message_stop"}

    def _stream(self, request: Request, exchange: Exchange) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(self._events(request, exchange)):
            if number == exchange.at and self._disturb(exchange):
                return
            data = _sse(event)
            step = 1 if exchange.fault == "split" else len(data)
            for begin in range(0, len(data), step):
                self._chunk(data[begin : begin + step])
        self._chunk(b"")

    def _disturb(self, exchange: Exchange) -> bool:
        """Do the fault of an exchange; whether the stream ends with it."""
        match exchange.fault:
            case "drop":
                self._break()
            case "stall":
                self.server.owner.closing.wait(exchange.options.get("seconds", 30))
                self._break()
            case "eof":
                self._chunk(b"")
            case "error":
                kind = exchange.options.get("type", "overloaded_error")
                error = {"type": kind, "message": exchange.options.get("message", "no")}
                self._chunk(_sse({"type": "error", "error": error}))
                self._chunk(b"")
            case "bad_json":
                self._chunk(b'event: content_block_delta\ndata: {"type": "content_bl\n\n')
                return False
            case "bad_utf8":
                self._chunk(b'event: content_block_delta\ndata: {"x": "\xff\xfe"}\n\n')
                return False
            case _:
                return False
        return True

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _break(self) -> None:
        self.close_connection = True
        self.connection.shutdown(2)

    def _error(
        self,
        status: int,
        message: str,
        headers: Mapping[str, str] | None = None,
        kind: str | None = None,
    ) -> None:
        name = kind or ERROR_TYPES.get(status, "api_error")
        body = {"type": "error", "error": {"type": name, "message": message}, "request_id": "req_1"}
        self._json(status, body, headers)

    def _json(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        self._send(status, json.dumps(body).encode(), "application/json", headers)

    def _send(
        self, status: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "request-id": "req_1", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _sse(event: Mapping[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _block_events(index: int, block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        yield _block_start(index, {"type": "text", "text": ""})
        yield {"type": "ping"}
        for piece in _pieces(block["text"]):
            yield _delta(index, {"type": "text_delta", "text": piece})
    else:
        start = {key: value for key, value in block.items() if key != "json"}
        pieces = block["json"] if "json" in block else _pieces(json.dumps(block["input"]))
        yield _block_start(index, start | {"input": {}})
        for piece in ["", *pieces]:
            yield _delta(index, {"type": "input_json_delta", "partial_json": piece})
    yield {"type": "content_block_stop", "index": index}


def _least_events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """As some compatible servers stream: no counts, no ids, inputs in one piece."""
    yield {"type": "message_start", "message": {"type": "message", "role": "assistant"}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            yield _block_start(index, {"type": "text", "text": ""})
            yield _delta(index, {"type": "text_delta", "text": block["text"]})
        else:
            yield _block_start(index, {**block, "input": block.get("input", {})})
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"]}}
    yield {"type": "message_stop"}


def _pieces(text: str) -> list[str]:
    step = max(1, -(-len(text) // 4))
    return [text[begin : begin + step] for begin in range(0, len(text), step)]


def _block_start(index: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _delta(index: int, delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}
