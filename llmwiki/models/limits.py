"""The bounds of a call: bytes of one reply, seconds of the whole, waits that a server asks for too.

A server is the user's own choice; these end what is broken.
"""

from __future__ import annotations

import email.utils
import ssl
import time
from typing import TYPE_CHECKING

from llmwiki.core.errors import ModelOutputError, ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import httpx2

MAX_REPLY = 32_000_000
"""Bytes of one reply, decompressed: an event that carries one token has some 120 bytes around it,
so an answer of 200,000 tokens has room."""


class Deadline:
    """The end of a call's time, by the monotonic clock.

    It begins with the first request, so that a call does not spend its time waiting for others to
    give back what they reserved of a budget.
    """

    def __init__(self, seconds: float, where: str) -> None:
        self._seconds = seconds
        self._where = where
        self._end: float | None = None

    def begin(self) -> None:
        """The time runs from here on; only the first call counts."""
        if self._end is None:
            self._end = time.monotonic() + self._seconds

    @property
    def left(self) -> float:
        """Seconds; below 0 when they are over."""
        return self._seconds if self._end is None else self._end - time.monotonic()

    def check_wait(self, seconds: float) -> None:
        """Raises ProviderError where a server asks to wait longer than the call may take."""
        if seconds >= self.left:
            raise ProviderError(
                f"the server asks to wait {seconds:.0f} s, longer than the call may take",
                where=self._where,
                fix="Try again later; model.call_timeout in the user configuration says how"
                " long a call may take.",
            )

    def check(self) -> None:
        """Raises ProviderError when the time is over."""
        if self.left <= 0:
            raise ProviderError(
                f"the call took longer than {self._seconds:g} s",
                where=self._where,
                fix="Try again later; nothing was written. For a slow server raise"
                " model.call_timeout in the user configuration.",
            )


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that a server asks to wait (RFC 9110 §10.2.3); 0.0: unsaid."""
    said = headers.get("retry-after", "")
    try:
        return float(said)
    except ValueError:
        parsed = email.utils.parsedate_tz(said)
        return 0.0 if parsed is None else email.utils.mktime_tz(parsed) - time.time()


def hooks(where: str, seconds: float) -> dict[str, list[Callable[[httpx2.Response], None]]]:
    """The event hooks of an HTTP client of which no reply has more than `MAX_REPLY` bytes, or goes
    on for longer than so many seconds. Raised are ModelOutputError and ProviderError."""
    import httpx2

    class Capped(httpx2.SyncByteStream):
        """The decompressed bytes of a reply, as long as they are within bounds."""

        def __init__(self, coded: httpx2.Response) -> None:
            self._coded = coded

        def __iter__(self) -> Iterator[bytes]:
            left = MAX_REPLY
            deadline = Deadline(seconds, where)
            deadline.begin()
            for piece in self._coded.iter_bytes():
                deadline.check()
                left -= len(piece)
                if left < 0:
                    raise ModelOutputError(
                        f"the reply has more than {MAX_REPLY} bytes",
                        where=where,
                        fix="Check the server; nothing was written.",
                    )
                yield piece

        def close(self) -> None:
            self._coded.close()

    def cap(response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.SyncByteStream)
        held = httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream
        )
        # It is decoded by `held`; nobody is to decode it again.
        response.headers.pop("content-encoding", None)
        response.headers.pop("content-length", None)
        response.stream = Capped(held)

    return {"response": [cap]}


def trust(address: str | None) -> ssl.SSLContext | bool:
    """What the SDK's HTTP client checks certificates with; True: the usual authorities.

    Reading those takes a tenth of a second. A server that is asked over plain HTTP shows no
    certificate, so none are read for it, and this client trusts nobody else's.
    """
    if address is not None and address.lower().startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return True
