"""The same server over Streamable HTTP: a request a POST, its answer as JSON, nothing kept.

Needs the extra `mcp`. A program that calls the server sends the token with each request; no page of
a browser can, for the server allows no other origin to read what it answers. Who began with a
handshake names its version in the header `MCP-Protocol-Version`.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import uvicorn

from llmwiki.core.errors import StateError
from llmwiki.interfaces.http_server import SignalledServer, guarded
from llmwiki.interfaces.mcp import wire
from llmwiki.interfaces.mcp.dispatch import SLOW, Dispatcher, writes
from llmwiki.interfaces.mcp.server import LAST_MOMENT, LAST_WRITE, MOST_LINE, WORKERS
from llmwiki.interfaces.mcp.wire import RpcError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    Receive = Callable[[], Awaitable[Mapping[str, Any]]]
    Send = Callable[[Mapping[str, Any]], Awaitable[None]]

PATH = "/mcp"
_LOOK_AGAIN = 0.05
_LOCAL = ("127.0.0.1", "localhost", "::1")
_VERSION = "mcp-protocol-version"
_UNTYPED = {"content-type": "text/plain; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class HttpPlace:
    """Where the server listens, and who may call it."""

    bind: str
    port: int
    """0: one that is free."""
    hosts: tuple[str, ...] = ()
    """What it may be called beside its address and the names of this machine for itself, as behind
    a proxy."""
    token: str = field(default_factory=lambda: token_urlsafe(32), repr=False)


def serve(
    dispatcher: Dispatcher,
    place: HttpPlace,
    started: Callable[[int], None],
    ended: Callable[[int], NoReturn],
) -> None:
    """Serves until SIGINT or SIGTERM, with whose number `ended` is called: it ends the process.

    `started` is told the port. What writes is finished and answered before the end, within a bound;
    what only reads is not waited for. Raises StateError where it cannot listen.
    """
    # What a stranger sends is not printed.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
    application = McpApplication(dispatcher, place)
    config = guarded(application, host=place.bind.strip("[]"), port=place.port)

    async def finish(server: uvicorn.Server) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WRITE):
                while application.writing:
                    await asyncio.sleep(_LOOK_AGAIN)
                if server.server_state.tasks:
                    # Answers that are made already go out.
                    await asyncio.wait(server.server_state.tasks, timeout=LAST_MOMENT)

    try:
        SignalledServer(config, started, finish, ended).run()
    except SystemExit as stop:
        raise StateError(
            "cannot listen there: the port is taken, or the address is none of this machine",
            where=f"{place.bind}:{place.port}",
            fix="Choose another --port; 0 takes one that is free.",
        ) from stop


class _Refused(Exception):
    """A request that is not looked at: its status, what is said, and headers."""

    def __init__(self, status: int, said: str, headers: Mapping[str, str] | None = None) -> None:
        self.status, self.said, self.headers = status, said, headers or {}
        super().__init__(said)


class McpApplication:
    """An application of ASGI that answers requests, a few of them at once."""

    def __init__(self, dispatcher: Dispatcher, place: HttpPlace) -> None:
        self.writing = 0
        """Calls under way that may write."""
        self._dispatcher = dispatcher
        self._expected = f"Bearer {place.token}".encode()
        named = (*_LOCAL, place.bind.strip("[]"), *place.hosts)
        self._names = frozenset(name.casefold() for name in named if name)
        self._threads = ThreadPoolExecutor(WORKERS)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            return
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        try:
            self._admit(scope, headers)
            status, answer = await self._answered(headers, await _body(receive))
            await _reply(send, status, wire.line_of(answer), {"content-type": "application/json"})
        except _Refused as refused:
            told = f"{refused.said}\n".encode() if refused.said else b""
            await _reply(send, refused.status, told, {**_UNTYPED, **refused.headers})

    def _admit(self, scope: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        """Raises _Refused for who may not call, and for what is no request of the protocol."""
        shown = headers.get("authorization", "").encode("latin-1")
        if not hmac.compare_digest(shown, self._expected):
            told = "Send the token of this server: `Authorization: Bearer TOKEN`."
            raise _Refused(401, told, {"www-authenticate": "Bearer"})
        if not self._is_named(f"//{headers.get('host', '')}"):
            raise _Refused(421, "This server is not called so; --host NAME allows a name.")
        if "origin" in headers and not self._is_named(headers["origin"]):
            raise _Refused(403, "This origin may not call the server.")
        if scope["path"] != PATH:
            raise _Refused(404, f"The server answers at {PATH}.")
        if scope["method"] != "POST":
            raise _Refused(405, "Only POST is answered.", {"allow": "POST"})
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise _Refused(400, "Send application/json.")

    def _is_named(self, address: str) -> bool:
        try:
            return (urlsplit(address).hostname or "") in self._names
        except ValueError:
            return False

    async def _answered(self, headers: Mapping[str, str], body: bytes) -> tuple[int, object]:
        """The status and the answer of a message. Raises _Refused where none is due."""
        value: object = None
        try:
            value = wire.read_json(body)
            message = wire.read_message(value)
            if message is None or message.id is None:
                raise _Refused(202, "")
            named = headers.get(_VERSION)
            if named is not None and named not in (*wire.BY_HANDSHAKE, *wire.BY_REQUEST):
                raise RpcError(wire.NO_VERSION, "Unsupported protocol version")
            agreed = named if named in wire.BY_HANDSHAKE else None
            version = self._dispatcher.version(message, agreed)
            if headers.get("mcp-method", message.method) != message.method:
                raise RpcError(wire.INVALID_REQUEST, "Invalid request: Mcp-Method is of another")
        except RpcError as error:
            return 400, wire.error_of(wire.id_in(value), error)
        if message.method not in SLOW:
            return 200, self._dispatcher.answer(message, version)
        self.writing += writes(message)
        try:
            loop = asyncio.get_running_loop()
            act = self._dispatcher.answer
            return 200, await loop.run_in_executor(self._threads, act, message, version)
        finally:
            self.writing -= writes(message)


async def _body(receive: Receive) -> bytes:
    """The body of a request. Raises _Refused for one that is too long."""
    parts: list[bytes] = []
    size, is_more = 0, True
    while is_more:
        event = await receive()
        parts.append(event.get("body", b""))
        size += len(parts[-1])
        if size > MOST_LINE:
            raise _Refused(413, f"A request has at most {MOST_LINE:,} bytes.")
        is_more = event["type"] == "http.request" and bool(event.get("more_body"))
    return b"".join(parts)


async def _reply(send: Send, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    named: Iterable[tuple[str, str]] = {**headers, "content-length": str(len(body))}.items()
    encoded = [(key.encode(), value.encode("latin-1")) for key, value in named]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
