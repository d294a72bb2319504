"""The limits on how long one call may wait between attempts, and on how long it may take.

The SDK obeys `retry-after` without a limit of its own (a server may ask for days). This runs
inside its retry loop, once an attempt, and ends the call when the next wait would pass the limit.
"""

from __future__ import annotations

import email.utils
import time
from typing import TYPE_CHECKING, Any

from llmwiki.core.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from anthropic import APIConnectionError, APIRequest, APIResponse

    from llmwiki.models.deadline import Deadline

_FIRST_BACKOFF = 0.5
_LONGEST_BACKOFF = 8.0
_RETRIED = frozenset({408, 409, 429})


class Patience:
    """Counts the waits of one call; use a new one for each call."""

    def __init__(self, *, max_wait: float, max_retries: int, deadline: Deadline) -> None:
        self.deadline = deadline
        self._left = max_wait
        self._max_wait = max_wait
        self._max_retries = max_retries

    def middleware(
        self, request: APIRequest, call_next: Callable[[APIRequest], APIResponse[Any]]
    ) -> APIResponse[Any]:
        """Watch one attempt of the SDK.

        Raises ProviderError when it would wait too long, or when the time of the call is over.
        """
        import anthropic

        self.deadline.check()
        try:
            response = call_next(request)
        except anthropic.APIConnectionError as failure:
            # A connection that was cut because the time is over is no failure of the network.
            self.deadline.check()
            if request.retries_taken < self._max_retries:
                self._check(None, connection_reason(failure), request.retries_taken)
            raise
        status = response.status_code
        if request.retries_taken < self._max_retries and _will_retry(status, response.headers):
            try:
                self._check(retry_after(response.headers), str(status), request.retries_taken)
            except ProviderError:
                response.http_response.close()
                raise
        return response

    def pause(self, seconds: float, reason: str) -> None:
        """Wait before the whole call is made again. Raises ProviderError beyond the limit."""
        self._spend(seconds, reason)
        time.sleep(seconds)

    def _check(self, asked: float | None, reason: str, retries_taken: int) -> None:
        backoff = min(_FIRST_BACKOFF * 2**retries_taken, _LONGEST_BACKOFF)
        self._spend(backoff if asked is None else asked, reason)

    def _spend(self, seconds: float, reason: str) -> None:
        if seconds > self._left:
            raise ProviderError(
                f"the next attempt would be in {seconds:.0f} s ({reason}); of the "
                f"{self._max_wait:.0f} s that a call may wait, {self._left:.0f} s are left",
                fix="try again later, or raise model.max_wait in the user configuration",
            )
        if seconds >= self.deadline.left:
            raise self.deadline.over()
        self._left -= seconds


def connection_reason(failure: APIConnectionError) -> str:
    """A short word for a failed connection."""
    import anthropic

    return "no answer" if isinstance(failure, anthropic.APITimeoutError) else "no connection"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait (RFC 9110 §10.2.3, and `retry-after-ms`); None: unsaid."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _positive(milliseconds / 1000)
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is None and text:
        parsed = email.utils.parsedate_tz(text)
        if parsed is not None:
            seconds = email.utils.mktime_tz(parsed) - time.time()
    return None if seconds is None else _positive(seconds)


def _positive(seconds: float) -> float | None:
    return seconds if seconds > 0 else None


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _will_retry(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the SDK will make another attempt after this answer."""
    said = headers.get("x-should-retry")
    if said in {"true", "false"}:
        return said == "true"
    return status in _RETRIED or status >= 500
