"""One page of the web, fetched: the only place where a connection to it is opened.

The name of a host is looked up once, each number it stands for is checked, and the connection goes
to a number that was checked: a name that means something else a moment later changes nothing. The
same holds for each address that a reply leads on to. No cookie, no key and no proxy is used.
"""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from llmwiki.core.errors import PolicyError, ProviderError
from llmwiki.sources.web.allowed_address import WebAddress, check_place, redirected
from llmwiki.version import __version__

_CHUNK = 1 << 16
_CONNECT = 10.0
"""Seconds in which one number of a host must take the connection."""
_LEADS_ON = frozenset({301, 302, 303, 307, 308})
_HEADERS = (
    ("User-Agent", f"git-llmwiki/{__version__}"),
    ("Accept", "text/html, application/xhtml+xml, application/pdf, text/*, */*;q=0.5"),
    ("Accept-Encoding", "gzip, identity"),
    ("Connection", "close"),
)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one address may cost."""

    max_bytes: int
    """Of the page, unpacked."""
    seconds: float = 60.0
    """For everything: each address on the way, its headers and its page."""
    redirects: int = 5
    """Addresses that lead on to another."""


@dataclass(frozen=True, slots=True)
class WebRequest:
    """What is asked, beside the address."""

    headers: tuple[tuple[str, str], ...] = ()
    """Sent with every address on the way: allow no redirect where one of them is a secret."""
    is_users_own: bool = False
    """Whether the user's own settings name the place: it may be in a private network then."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What an address gave."""

    url: str
    """Where it came from in the end."""
    media_type: str
    """As the server says, lower case, without parameters; empty where it says none."""
    charset: str
    """As the server says; empty where it says none."""
    data: bytes


class _Clock:
    """The time that is left for one fetch."""

    def __init__(self, seconds: float, where: str) -> None:
        self._end = time.monotonic() + seconds
        self._seconds = seconds
        self._where = where

    @property
    def left(self) -> float:
        return self._end - time.monotonic()

    def check(self) -> None:
        if self.left <= 0:
            raise ProviderError(
                f"took longer than {self._seconds:g} s",
                where=self._where,
                fix="Try again later, or save the page from your browser and ingest the file.",
            )


def fetch(
    address: WebAddress, limits: FetchLimits, request: WebRequest = WebRequest()
) -> FetchedPage:
    """The page at an address, or where that leads.

    Raises PolicyError for a place that may not be asked, too many redirects and a page that is too
    large; InputError for a redirect to what is no address of the web; ProviderError where the
    network or the server fails, or takes too long.
    """
    clock = _Clock(limits.seconds, address.url)
    place = address
    for _ in range(limits.redirects + 1):
        with _answer(place, clock, request) as reply:
            location = reply.getheader("Location") if reply.status in _LEADS_ON else None
            if location is None:
                return _page(place, reply, limits, clock)
        place = redirected(place, location)
    raise PolicyError(
        f"leads on to another address more than {limits.redirects} times",
        where=address.url,
        fix="Name the address that your browser shows in the end.",
    )


@contextmanager
def _answer(
    address: WebAddress, clock: _Clock, request: WebRequest
) -> Iterator[http.client.HTTPResponse]:
    """The reply of one server, its headers read; closed at the end.

    Raises ProviderError for what goes wrong within.
    """
    connection = http.client.HTTPConnection(address.host, address.port)
    try:
        with _connected(address, clock, request) as stream:
            connection.sock = stream
            connection.putrequest("GET", address.target, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", address.place)
            for name, value in {**dict(_HEADERS), **dict(request.headers)}.items():
                connection.putheader(name, value)
            connection.endheaders()
            with connection.getresponse() as reply:
                yield reply
    except (OSError, http.client.HTTPException, zlib.error) as error:
        clock.check()
        raise ProviderError(
            f"the page cannot be fetched: {_reason(error)}",
            where=address.url,
            fix="Check the address and your network; nothing was written.",
        ) from error
    finally:
        connection.close()


@contextmanager
def _connected(address: WebAddress, clock: _Clock, request: WebRequest) -> Iterator[socket.socket]:
    """A connection to a checked number of the host, which is cut when the time is over."""
    plain = _opened(address, clock, request)
    # A second descriptor of the connection, by which another thread can end it.
    handle = socket.socket(fileno=os.dup(plain.fileno()))
    timer = threading.Timer(max(clock.left, 0), _cut, (handle,))
    timer.daemon = True
    timer.start()
    stream = plain
    try:
        if address.scheme == "https":
            context = ssl.create_default_context()
            stream = context.wrap_socket(plain, server_hostname=address.host)
        yield stream
    finally:
        timer.cancel()
        stream.close()
        handle.close()


def _cut(handle: socket.socket) -> None:
    with suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)


def check_number(address: WebAddress) -> None:
    """Raises PolicyError for an address that says by itself that it is none of the public network.
    No name is looked up, for a look-up sends the name away."""
    is_local = address.host == "localhost" or address.host.endswith(".localhost")
    host = "127.0.0.1" if is_local else address.host
    with suppress(socket.gaierror):
        for *_, place in socket.getaddrinfo(host, address.port, flags=socket.AI_NUMERICHOST):
            check_place(address, str(place[0]))


def _opened(address: WebAddress, clock: _Clock, request: WebRequest) -> socket.socket:
    """A connection to the first number of the host that takes one; all of them are checked."""
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    for *_, place in found if not request.is_users_own else ():
        check_place(address, str(place[0]))
    failure: OSError = OSError("the host has no address")
    for family, kind, protocol, _, place in found:
        clock.check()
        stream = socket.socket(family, kind, protocol)
        try:
            stream.settimeout(min(_CONNECT, max(clock.left, 0.001)))
            stream.connect(place)
            stream.settimeout(max(clock.left, 0.001))
        except OSError as error:
            stream.close()
            failure = error
            continue
        return stream
    raise failure


def _page(
    address: WebAddress, reply: http.client.HTTPResponse, limits: FetchLimits, clock: _Clock
) -> FetchedPage:
    if reply.status != http.client.OK:
        raise ProviderError(
            f"the server answers {reply.status} {reply.reason[:60]}".rstrip(),
            where=address.url,
            fix="Check the address. A page that needs a login is saved from the browser, and"
            " ingested as a file.",
        )
    if (reply.length or 0) > limits.max_bytes:
        raise _too_large(address, limits)
    parts: list[bytes] = []
    size = 0
    for chunk in _unpacked(address, reply):
        size += len(chunk)
        if size > limits.max_bytes:
            raise _too_large(address, limits)
        parts.append(chunk)
    # A connection that was cut looks as one that has ended.
    clock.check()
    if reply.length:
        raise ProviderError(
            "the page broke off", where=address.url, fix="Try again; nothing was written."
        )
    media_type = reply.headers.get_content_type() if reply.getheader("Content-Type") else ""
    charset = reply.headers.get_content_charset() or ""
    return FetchedPage(address.url, media_type, charset, b"".join(parts))


def _unpacked(address: WebAddress, reply: http.client.HTTPResponse) -> Iterator[bytes]:
    """The bytes of the page in pieces, none much larger than what the server sent."""
    coding = (reply.getheader("Content-Encoding") or "identity").strip().lower()
    chunks = iter(lambda: _read(reply), b"")
    if coding == "identity":
        yield from chunks
        return
    if coding not in ("gzip", "x-gzip"):
        raise ProviderError(
            f"the server packs the page as {coding[:40]}, which was not asked for",
            where=address.url,
            fix="Save the page from your browser, and ingest the file.",
        )
    unpacker = zlib.decompressobj(wbits=31)
    for chunk in chunks:
        rest = chunk
        while rest:
            yield unpacker.decompress(rest, _CHUNK)
            rest = unpacker.unconsumed_tail
    if not unpacker.eof:
        raise ProviderError(
            "the page broke off", where=address.url, fix="Try again; nothing was written."
        )


def _read(reply: http.client.HTTPResponse) -> bytes:
    """The next bytes of the page; empty at its end."""
    try:
        return reply.read(_CHUNK)
    except (ValueError, OverflowError) as error:
        # The size that a chunk names is read as any number, negative ones too.
        raise http.client.HTTPException("a chunk has no size") from error


def _too_large(address: WebAddress, limits: FetchLimits) -> PolicyError:
    return PolicyError(
        f"the page has more than {limits.max_bytes:,} bytes",
        where=address.url,
        fix="Raise the limit with --max-size SIZE.",
    )


def _reason(error: Exception) -> str:
    """Why a connection failed, in words."""
    if isinstance(error, socket.gaierror):
        return "there is no host of that name"
    if isinstance(error, TimeoutError):
        return "the server does not answer"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate does not hold ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return "the server does not speak TLS as it should"
    if isinstance(error, OSError):
        return error.strerror or "the connection failed"
    return "the server's reply is not HTTP"
