"""Every failure of the SDK and its transport, as one of ours. The only place that maps them.

| what the server says             | error            | exit |
|----------------------------------|------------------|------|
| 400 too long a prompt            | PolicyError      | 7    |
| the model sees no pictures       | ProviderError    | 4    |
| 400 anything else                | ProviderError    | 4    |
| 401, 403 key                     | ProviderError    | 4    |
| 402 payment                      | ProviderError    | 4    |
| 404 model or endpoint            | InputError       | 2    |
| 413 request too large            | PolicyError      | 7    |
| 408, 409, 429, 5xx after retries | ProviderError    | 4    |
| 3xx, or no Messages API at all   | ProviderError    | 4    |
| no connection, time-outs, drops  | ProviderError    | 4    |
| refusal, truncation, bad JSON of the model | ModelOutputError | 5 |

Messages are scrubbed: a server may echo the key that it refuses. Errors are raised without their
cause for the same reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError, ProviderError, WikiError
from llmwiki.core.text import cut, normalise
from llmwiki.models.json_answers import is_deep
from llmwiki.models.model_settings import ModelSettings, host_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import anthropic

_LONGEST = 300
_SHORTEST_KEY = 8
_KEY = re.compile(r"\b(sk|pk|rk)-[A-Za-z0-9_\-]{8,}|\bBearer\s+\S+", re.IGNORECASE)
_PICTURES = re.compile(r"\bimages?\b|\bvision\b|multi-?modal|mmproj", re.IGNORECASE)
_THIS_PICTURE = re.compile(r"exceed|too (large|big|small|many)|dimension|process|media.type", re.I)
_TOO_LONG = re.compile(r"prompt is too long|too many (input )?tokens|context (window|length)", re.I)


@dataclass(frozen=True, slots=True)
class FailureText:
    """How one kind of failure is told."""

    what: str
    fix: str
    error: type[WikiError] = ProviderError


_LATER = "try again later; nothing was written"
_KEY_FIX = "check ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) and what the key may use"

STATUS: Mapping[int, FailureText] = {
    400: FailureText(
        "the server refused the request",
        "check the model, the output limit, and that it speaks the Anthropic Messages API",
    ),
    401: FailureText("the key was not accepted", _KEY_FIX),
    402: FailureText("the account cannot pay for the call", "check the billing of the account"),
    403: FailureText("the key may not do this", _KEY_FIX),
    404: FailureText(
        "the server has no such model or address",
        "check --model or LLMWIKI_MODEL, and ANTHROPIC_BASE_URL (it must not end in /v1)",
        InputError,
    ),
    413: FailureText(
        "the request is too large for the server",
        "use smaller segments, or shorten the brand files",
        PolicyError,
    ),
    429: FailureText("the rate limit is reached", "wait, or lower the number of calls"),
    500: FailureText("the server failed", _LATER),
    529: FailureText("the server is overloaded", _LATER),
}
"""By HTTP status; other 4xx read as 400, other 5xx as 500."""

_LATE = FailureText("the server did not answer in time", _LATER)
_UNREACHED = FailureText(
    "the server could not be reached",
    "check the network and ANTHROPIC_BASE_URL; --model offline needs neither",
)
_AGAIN = "run the command again; nothing was written"
BROKEN = FailureText("the connection broke", _AGAIN)
STALLED = FailureText("the stream stalled", _AGAIN)
ENDED_EARLY = FailureText("the stream ended early", _AGAIN)
_NOT_MADE = FailureText("the call could not be made", _KEY_FIX)
"""Of failures without an HTTP status."""

_EVENT_STATUS: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Types of `error` events: inside a stream the HTTP status was already 200."""


_BLIND_STATUS = frozenset({400, 404, 415, 422, 500, 501})
"""With which servers say that a model takes no pictures; seen: 400, 404 and 500."""

_BLIND = FailureText(
    "the model sees no pictures",
    "choose another --model, or let a coding agent look at them: wiki ingest PATH --prepare",
)


NOT_MESSAGES = FailureText(
    "what answered is not a Messages API (a login page, a proxy, another service?)",
    "check the network and ANTHROPIC_BASE_URL",
)
"""A server that answers, but not as the Messages API does."""


def status_of(failure: anthropic.APIStatusError) -> int:
    """The status a failure stands for, read from the body when it came inside a stream."""
    if failure.status_code >= 300:
        return failure.status_code
    return _EVENT_STATUS.get(type_of(failure), 500)


def type_of(failure: anthropic.APIStatusError) -> str:
    """The type that the server gives a failure; empty where it is none."""
    kind: object = failure.type
    return kind if isinstance(kind, str) else ""


def said_by(failure: anthropic.APIStatusError) -> str:
    """The server's own words, or what it sent instead of words."""
    for told in (failure.api_message, failure.body):
        if isinstance(told, str):
            return told
        # To write down what is nested deeply would end in a RecursionError.
        if told and not is_deep(told):
            return str(told)
    return ""


def is_transient(failure: anthropic.APIStatusError) -> bool:
    """Whether it is worth making the call again."""
    status = status_of(failure)
    return status in (408, 409, 429) or status >= 500


def from_sdk(failure: anthropic.AnthropicError, settings: ModelSettings) -> WikiError:
    """Our error for any exception of the SDK."""
    import anthropic

    if isinstance(failure, anthropic.APIStatusError):
        said = failure.api_message if isinstance(failure.api_message, str) else ""
        return from_status(status_of(failure), said, settings)
    if isinstance(failure, anthropic.APITimeoutError):
        return tell(_LATE, "", settings)
    if isinstance(failure, anthropic.APIConnectionError):
        return tell(_UNREACHED, "", settings)
    if isinstance(failure, anthropic.APIResponseValidationError):
        return tell(NOT_MESSAGES, "", settings)
    return tell(_NOT_MADE, "", settings)


def no_pictures(failure: anthropic.APIStatusError, settings: ModelSettings) -> WikiError | None:
    """Our error where a server says that its model takes no pictures; None for any other failure.

    Servers say so in words of their own; one that finds fault with a picture's size or format
    does take pictures.
    """
    status = status_of(failure)
    said = said_by(failure)
    if status not in _BLIND_STATUS or not _PICTURES.search(said) or _THIS_PICTURE.search(said):
        return None
    return tell(_BLIND, f"{status}: {said}", settings)


def from_status(status: int, said: str, settings: ModelSettings) -> WikiError:
    """Our error for an HTTP status and the server's own words."""
    if status == 400 and _TOO_LONG.search(said):
        row = STATUS[413]
    elif 300 <= status < 400:
        row = NOT_MESSAGES
    else:
        row = STATUS.get(status) or STATUS[500 if status >= 500 else 400]
    if status == 404:
        said = said or settings.model
    return tell(row, f"{status}: {said}" if said else str(status), settings)


def tell(row: FailureText, detail: str, settings: ModelSettings) -> WikiError:
    """The error of a row, with scrubbed detail, naming the host it came from."""
    clean = scrub(detail, settings)
    what = f"{row.what} ({clean})" if clean else row.what
    return row.error(what, where=host_of(settings.base_url), fix=row.fix)


def scrub(text: str, settings: ModelSettings) -> str:
    """`text` on one line, at most 300 characters, without anything that looks like a key."""
    for secret in settings.secrets:
        # What is shorter is a stand-in that a local server wants, and a part of usual words.
        if len(secret) >= _SHORTEST_KEY:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "[key]", text)
    clean = normalise(_KEY.sub("[key]", text))
    return cut(clean, _LONGEST)
