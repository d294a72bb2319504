"""One page of the web, fetched: the only place where a connection to it is opened.

The name of a host is looked up once, each number it stands for is checked, and the connection goes
to a number that was checked: a name that means something else a moment later changes nothing. The
same holds for each address that a reply leads on to. No cookie, no key and no proxy is used.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from llmwiki.core.errors import PolicyError, ProviderError
from llmwiki.sources.web.allowed_address import WebAddress, check_place, redirected
from llmwiki.version import __version__

_CHUNK = 1 << 16
_CONNECT = 10.0
"""Seconds in which one number of a host must take the connection."""
_LEADS_ON = frozenset({301, 302, 303, 307, 308})
_HEADERS = {
    "User-Agent": f"git-llmwiki/{__version__}",
    "Accept": "text/html, application/xhtml+xml, application/pdf, text/*, */*;q=0.5",
    "Accept-Encoding": "identity",
    "Connection": "close",
}


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


def fetch(
    address: WebAddress,
    max_bytes: int,
    *,
    seconds: float = 60.0,
    redirects: int = 5,
    headers: Mapping[str, str] | None = None,
    is_users_own: bool = False,
) -> FetchedPage:
    """The page at an address, or where that leads, of at most `max_bytes`.

    `seconds` hold for everything: each address on the way, its headers and its page. `headers` are
    sent with every address: allow no redirect where one of them is a secret. A place that the
    user's own settings name may be in a private network (`is_users_own`).

    Raises PolicyError for a place that may not be asked, too many redirects and a page that is too
    large; InputError for a redirect to what is no address of the web; ProviderError where the
    network or the server fails, or takes too long.
    """
    deadline = time.monotonic() + seconds
    place = address
    try:
        for _ in range(redirects + 1):
            with (
                _connected(place, deadline, is_users_own) as stream,
                _answer(place, stream, {**_HEADERS, **(headers or {})}) as reply,
            ):
                location = reply.getheader("Location") if reply.status in _LEADS_ON else None
                if location is None:
                    return _page(place, reply, max_bytes, deadline)
            place = redirected(place, location)
    # The size that a chunk names is read as any number, negative ones too.
    except (OSError, http.client.HTTPException, ValueError, OverflowError) as error:
        if time.monotonic() >= deadline:
            raise ProviderError(
                f"took longer than {seconds:g} s",
                where=address.url,
                fix="Try again later, or save the page from your browser and ingest the file.",
            ) from error
        raise ProviderError(
            f"the page cannot be fetched: {_reason(error)}",
            where=place.url,
            fix="Check the address and your network; nothing was written.",
        ) from error
    raise PolicyError(
        f"leads on to another address more than {redirects} times",
        where=address.url,
        fix="Name the address that your browser shows in the end.",
    )


def _answer(
    address: WebAddress, stream: socket.socket, headers: Mapping[str, str]
) -> http.client.HTTPResponse:
    """The reply of one server, its headers read."""
    connection = http.client.HTTPConnection(address.host, address.port)
    connection.sock = stream
    connection.putrequest("GET", address.target, skip_host=True, skip_accept_encoding=True)
    for name, value in {"Host": address.place, **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection.getresponse()


@contextmanager
def _connected(address: WebAddress, deadline: float, is_users_own: bool) -> Iterator[socket.socket]:
    """A connection to a checked number of the host, which is cut when the time is over."""
    with _opened(address, deadline, is_users_own) as plain, plain.dup() as handle:
        # By a second descriptor of the connection another thread can end it.
        timer = threading.Timer(_left(deadline), _cut, (handle,))
        timer.daemon = True
        timer.start()
        try:
            if address.scheme == "http":
                yield plain
            else:
                context = ssl.create_default_context()
                with context.wrap_socket(plain, server_hostname=address.host) as stream:
                    yield stream
        finally:
            timer.cancel()


def _cut(handle: socket.socket) -> None:
    with suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)


def _left(deadline: float) -> float:
    """Seconds until then. Raises TimeoutError where there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def check_number(address: WebAddress) -> None:
    """Raises PolicyError for an address that says by itself that it is none of the public network.
    No name is looked up, for a look-up sends the name away."""
    is_local = address.host == "localhost" or address.host.endswith(".localhost")
    host = "127.0.0.1" if is_local else address.host
    with suppress(socket.gaierror):
        for *_, place in socket.getaddrinfo(host, address.port, flags=socket.AI_NUMERICHOST):
            check_place(address, str(place[0]))


def _opened(address: WebAddress, deadline: float, is_users_own: bool) -> socket.socket:
    """A connection to the first number of the host that takes one; all of them are checked."""
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    for *_, place in found if not is_users_own else ():
        check_place(address, str(place[0]))
    failure: OSError = OSError("the host has no address")
    for family, kind, protocol, _, place in found:
        stream = socket.socket(family, kind, protocol)
        try:
            stream.settimeout(min(_CONNECT, _left(deadline)))
            stream.connect(place)
            stream.settimeout(_left(deadline))
        except OSError as error:
            stream.close()
            failure = error
            continue
        return stream
    raise failure


def _page(
    address: WebAddress, reply: http.client.HTTPResponse, max_bytes: int, deadline: float
) -> FetchedPage:
    coding = reply.getheader("Content-Encoding", "identity").strip().lower()
    if reply.status != http.client.OK or coding != "identity":
        said = f"{reply.status} {reply.reason[:60]}".rstrip()
        if reply.status == http.client.OK:
            said = f"with a page packed as {coding[:40]}, which was not asked for"
        raise ProviderError(
            f"the server answers {said}",
            where=address.url,
            fix="Check the address. A page that needs a login is saved from the browser, and"
            " ingested as a file.",
        )
    parts: list[bytes] = []
    size = 0
    while size + (reply.length or 0) <= max_bytes and (chunk := reply.read(_CHUNK)):
        parts.append(chunk)
        size += len(chunk)
    if size + (reply.length or 0) > max_bytes:
        raise PolicyError(
            f"the page has more than {max_bytes:,} bytes",
            where=address.url,
            fix="Raise the setting ingest.max_size.",
        )
    # A connection that was cut looks as one that has ended.
    _left(deadline)
    if reply.length:
        raise http.client.IncompleteRead(b"")
    media_type = reply.headers.get_content_type() if reply.getheader("Content-Type") else ""
    charset = reply.headers.get_content_charset() or ""
    return FetchedPage(address.url, media_type, charset, b"".join(parts))


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
    if isinstance(error, http.client.IncompleteRead):
        return "it broke off"
    if isinstance(error, OSError):
        return error.strerror or "the connection failed"
    return "the server's reply is not HTTP"
