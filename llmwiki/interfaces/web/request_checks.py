"""Who may ask: the names of this server, the token, the origin of what writes, the size of a body.

A page of another website can send requests to a server on this machine, and can have its own name
lead here (DNS rebinding). So the `Host` of every request is compared with the names of this server,
every request needs the token that was printed when the server began, and what writes needs an
`Origin` that is this server, and a second token that only the forms hold.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, PlainTextResponse, Response

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_BODY = 64_000
"""Bytes of a form."""
LONGEST_ADDRESS = 8_000
"""Bytes of an address with its query."""
BODY_SECONDS = 10
"""Seconds in which the whole of a form must have come."""
_OPEN = ("/static/", "/favicon.ico")
"""What anybody may have: the style of the page that says who may not."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The content security policy of every view that does not bring its own."""
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Admission:
    """Who may ask this server, and what."""

    port: int
    hosts: frozenset[str]
    """Names that a request may call this server by, beside addresses, in small letters."""
    any_address: bool
    """Whether it may be called by any IP address: where it listens on all of them."""
    read_only: bool
    """Whether nothing but reading is allowed."""
    token: str = field(default_factory=lambda: token_urlsafe(32), repr=False)
    """What a browser must show; empty: whoever reaches the server may read."""
    form_token: str = field(default_factory=lambda: token_urlsafe(32), repr=False)
    """What a form that writes must hold."""

    @property
    def cookie(self) -> str:
        """The cookie that holds the token; cookies know no ports."""
        return f"wiki-{self.port}"

    def is_called(self, host: str) -> bool:
        """Whether a `Host` or the rest of an `Origin` is a name of this server."""
        name, port = _split(host.lower())
        if name in self.hosts:
            # A proxy is reached at a port of its own.
            return port in ("", str(self.port)) or name not in _LOCAL
        return self.any_address and _is_address(name)

    def is_own(self, origin: str | None) -> bool:
        """Whether an `Origin` is this server."""
        scheme, _, host = (origin or "").partition("://")
        return scheme in ("http", "https") and self.is_called(host)

    def knows(self, token: str) -> bool:
        """Whether a token is the one that was printed."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def knows_form(self, token: str) -> bool:
        """Whether a form is one of ours."""
        return hmac.compare_digest(token.encode(), self.form_token.encode())


_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def local_names(bind: str) -> frozenset[str]:
    """The names of this machine for itself, and the address that the server listens on."""
    return _LOCAL | {bind.lower().strip("[]")}


def _split(host: str) -> tuple[str, str]:
    """Name and port of a host as requests have it; the port is empty where none is named."""
    if host.startswith("["):
        name, closing, rest = host[1:].partition("]")
        is_whole = closing and rest[:1] in ("", ":")
        return (name, rest[1:]) if is_whole else (host, "")
    name, _, port = host.partition(":")
    return name, port


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """An ASGI application around another, which lets through what `Admission` allows."""

    def __init__(self, app: ASGIApp, admission: Admission) -> None:
        self._app = app
        self._admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def sends(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_own(message["headers"], message["status"])
            await send(message)

        refused = self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, sends)
            return
        await self._app(scope, receive, sends)

    def _refusal(self, scope: Scope) -> Response | None:
        admission, headers = self._admission, Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not admission.is_called(hosts[0]):
            return _plain("this server has another name (--host NAME adds one)", 421)
        if len(scope["raw_path"] or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            return _plain("the address is too long", 414)
        method = scope["method"]
        if method not in ("GET", "HEAD", "POST") or (method == "POST" and admission.read_only):
            allowed = "GET, HEAD" if admission.read_only else "GET, HEAD, POST"
            return _plain("this server does not do that", 405, {"allow": allowed})
        if method == "POST" and not admission.is_own(headers.get("origin")):
            return _plain("the request does not come from a page of this server", 403)
        if not admission.token or scope["path"].startswith(_OPEN):
            return None
        return self._unknown(scope, headers)

    def _unknown(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to a browser that has not shown the token before."""
        admission = self._admission
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for key, value in query if key == "token"]
        if given and scope["method"] != "POST" and admission.knows(given[-1]):
            rest = urlencode([(key, value) for key, value in query if key != "token"])
            path = (scope["raw_path"] or b"/").decode("latin-1").partition("?")[0]
            to = "/" + path.lstrip("/\\").replace("\\", "%5C") + (f"?{rest}" if rest else "")
            # No redirect: where another program's page led here, browsers would follow it without
            # the cookie, which is `strict`.
            link = f'<a href="{escape(to)}">To the wiki</a>\n'
            answer: Response = HTMLResponse(link, headers={"refresh": f"0;url={to}"})
            answer.set_cookie(
                admission.cookie, admission.token, path="/", httponly=True, samesite="strict"
            )
            return answer
        if admission.knows(_cookie(headers, admission.cookie)):
            return None
        return _plain("Open the address that `wiki serve` printed: it holds the token.", 403)


def _cookie(headers: Headers, name: str) -> str:
    try:
        held = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return held[name].value if name in held else ""


def _with_own(headers: list[tuple[bytes, bytes]], status: int) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, with those that every answer has."""
    there = {name for name, _value in headers}
    if status == 304:
        # A browser puts these headers on what it has, which may have a policy of its own.
        return headers
    own = {"content-security-policy": POLICY, "cache-control": "private, no-cache", **_HEADERS}
    added = [(k.encode(), v.encode()) for k, v in own.items() if k.encode() not in there]
    return [*headers, *added]


def _plain(text: str, status: int, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(f"{text}\n", status, {**(headers or {}), "connection": "close"})


async def form_body(request: Request) -> bytes:
    """The body of a form. Raises HTTPException where it is too long, or comes too slowly."""
    held = b""
    with suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                held += piece
                if len(held) > LONGEST_BODY:
                    break
            else:
                return held
    raise HTTPException(413, "the form is too large, or came too slowly", {"connection": "close"})
