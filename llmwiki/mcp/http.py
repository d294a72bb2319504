"""The same server over Streamable HTTP; sessions and versions are those of the official SDK.

Needs the extra `mcp`. Names of the server and origins are checked by the SDK, the token here. A
program that calls the server sends the token with each request; no page of a browser can, for the
server allows no other origin to read what it answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, NoReturn

import uvicorn
from anyio import CapacityLimiter, to_thread
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import RequestParams
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from llmwiki.app.http_server import SignalledServer, guarded
from llmwiki.core.errors import StateError
from llmwiki.mcp import prompts, results, tools, versions
from llmwiki.mcp.server import LAST_MOMENT, LAST_WRITE, MOST_LINE, WORKERS
from llmwiki.mcp.wire import RpcError

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from starlette.types import ASGIApp, Receive, Scope, Send

    from llmwiki.app.wiki import Wiki

PATH = "/mcp"
SESSIONS = 1_000
"""Sessions of clients that begin with a handshake; one that is silent for half an hour ends."""
_LOOK_AGAIN = 0.05
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


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
    open_wiki: Callable[[], Wiki],
    limit: str,
    place: HttpPlace,
    started: Callable[[int], None],
    ended: Callable[[int], NoReturn],
) -> None:
    """Serves until SIGINT or SIGTERM, with whose number `ended` is called: it ends the process.

    `limit` is of `writing.WRITES`; `started` is told the port. What writes is finished and
    answered before the end, within a bound; what only reads is not waited for. Raises StateError
    where it cannot listen.
    """
    for name in ("mcp", "uvicorn.error"):
        # What a stranger sends is not printed.
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    calls = HttpCalls(open_wiki, limit)
    config = guarded(application(calls, place), host=place.bind.strip("[]"), port=place.port)
    try:
        _HttpServer(config, calls, started, ended).run()
    except SystemExit as stop:
        raise StateError(
            "cannot listen there: the port is taken, or the address is none of this machine",
            where=f"{place.bind}:{place.port}",
            fix="Choose another --port; 0 takes one that is free.",
        ) from stop


class HttpCalls:
    """Answers requests by the wiki, a few at once."""

    def __init__(self, open_wiki: Callable[[], Wiki], limit: str) -> None:
        self.limit = limit
        self.writing = 0
        """Calls under way that may write."""
        self._open_wiki = open_wiki
        self._places = CapacityLimiter(WORKERS)

    async def result(self, method: str, params: Mapping[str, Any], version: str) -> dict[str, Any]:
        """The result of a method of `results.METHODS`, in a version of the protocol.

        Raises MCPError for what gets an error for its answer.
        """

        def done() -> dict[str, Any]:
            is_modern = version in versions.BY_REQUEST
            found = results.done(self._open_wiki, method, params, self.limit, is_modern=is_modern)
            return dict(versions.dressed(found or {}, method, version))

        writes = method == "tools/call" and tools.writes(params)
        self.writing += writes
        try:
            if method not in results.SLOW:
                return done()
            return await to_thread.run_sync(done, limiter=self._places)
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from error
        finally:
            self.writing -= writes


def application(calls: HttpCalls, place: HttpPlace) -> ASGIApp:
    """The application that answers requests, by ASGI."""
    about = versions.SERVER
    server: Server[Any] = Server(
        about["name"],
        version=about["version"],
        title=about["title"],
        instructions=prompts.INSTRUCTIONS,
    )
    for method in results.METHODS:
        server.add_request_handler(method, _AnyParams, _handler(calls, method))
    bound = place.bind.strip("[]")
    own = f"[{bound}]" if ":" in bound else bound
    names = list(filter(None, (*_LOCAL, own, *place.hosts)))
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_request_body_size=MOST_LINE,
        max_sessions=SESSIONS,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[f"{name}{port}" for name in names for port in ("", ":*")],
            allowed_origins=[
                f"{scheme}://{name}{port}"
                for scheme in ("http", "https")
                for name in names
                for port in ("", ":*")
            ],
        ),
    )
    return _TokenGuard(app, place.token)


class _AnyParams(RequestParams, extra="allow"):
    """Parameters of a request, which our own code looks at."""


def _handler(
    calls: HttpCalls, method: str
) -> Callable[[ServerRequestContext[Any], _AnyParams], Awaitable[dict[str, Any]]]:
    async def answered(context: ServerRequestContext[Any], params: _AnyParams) -> dict[str, Any]:
        given = params.model_dump(by_alias=True, exclude_none=True)
        return await calls.result(method, given, context.protocol_version)

    return answered


class _TokenGuard:
    """An ASGI application around another, which lets through who shows the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] == "http":
            shown = Headers(scope=scope).get("authorization", "").encode("latin-1")
            if not hmac.compare_digest(shown, self._expected):
                told = "Send the token of this server: `Authorization: Bearer TOKEN`.\n"
                answer = PlainTextResponse(told, 401, {"www-authenticate": "Bearer"})
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _HttpServer(SignalledServer):
    """Ends as soon as nothing is being written."""

    def __init__(
        self,
        config: uvicorn.Config,
        calls: HttpCalls,
        started: Callable[[int], None],
        ended: Callable[[int], NoReturn],
    ) -> None:
        super().__init__(config)
        self._calls = calls
        self._tell, self._leave = started, ended

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Begins to answer."""
        await super().startup(sockets)
        self._tell(int(self.servers[0].sockets[0].getsockname()[1]))

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        """Stops listening, and leaves when what writes has been answered, or after a time."""
        for each in self.servers:
            each.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WRITE):
                while self._calls.writing:
                    await asyncio.sleep(_LOOK_AGAIN)
                if self.server_state.tasks:
                    # Answers that are made already go out.
                    await asyncio.wait(self.server_state.tasks, timeout=LAST_MOMENT)
        self._leave(self.ended_by)
