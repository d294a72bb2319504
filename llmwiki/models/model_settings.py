"""Which model is called, where, with which key and limits.

Model id: flag > `LLMWIKI_MODEL` > user configuration > DEFAULT_MODEL; one that a repository names
comes as the flag, from whoever has asked the user. Where the request goes, the key, the limits and
the prices come from the environment and the user's own configuration only: a cloned repository
must be able neither to redirect a key nor to hide a cost.

The table `model` of the user configuration, beside the settings of `core.settings_table`:

    [model]
    base_url = "http://127.0.0.1:11434"
    api_key = "…"
    [model.prices."some-model"]
    input = 3.0                 output = 15.0        # US dollars for a million tokens
    cache_creation = 3.75       cache_read = 0.3     # optional

No prices are built in: they change, and a limit that rests on a stale figure is no limit. A
model without a price has an unknown cost (None), and `--max-cost` refuses to run with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from llmwiki.core.errors import InputError, ProviderError
from llmwiki.core.settings_precedence import merge
from llmwiki.core.settings_table import default_of
from llmwiki.models.tokens_and_cost import Price

DEFAULT_MODEL = "claude-sonnet-5-5"
"""Used when nobody names a model; an id of the installed SDK's own list."""

PROVIDER_URL = "https://api.anthropic.com"
MAX_PRICE = 1_000_000.0
"""US dollars for a million tokens; the dearest models of 2026 take a few hundred."""
_PLACEHOLDER_KEY = "local-server-needs-no-key"
_USERS = "user configuration"


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Everything a client needs to know. The secrets never appear in its repr."""

    model: str = DEFAULT_MODEL
    base_url: str | None = None
    """Scheme, host and path, without a trailing slash or `/v1`; None: the provider's own."""
    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    profile: str | None = None
    """A credentials profile of the SDK (`ANTHROPIC_PROFILE`), used without key and token."""
    max_output_tokens: int = int(default_of("model.max_output_tokens"))
    """Of one reply. Raised once to twice as much when a reply is cut there."""
    max_input_tokens: int = int(default_of("model.max_input_tokens"))
    """Of one request, estimated: what is larger is not sent."""
    connect_timeout: float = default_of("model.connect_timeout")
    """Seconds."""
    read_timeout: float = default_of("model.read_timeout")
    """Seconds without a byte after which a stream counts as stalled."""
    call_timeout: float = default_of("model.call_timeout")
    """Seconds that one call may take, with all its attempts, waits and its repair."""
    max_retries: int = 2
    """Attempts after the first, for 408, 409, 429, 5xx, and where a stream broke."""
    retry_delay: float = 1.0
    """Seconds before the first of these, doubled for each next one."""
    prices: Mapping[str, Price] = field(default_factory=dict)

    @property
    def price(self) -> Price | None:
        """Of this model; None when unknown."""
        return self.prices.get(self.model)

    @property
    def address(self) -> str | None:
        """Where requests go; None: a credentials profile says it."""
        by_profile = self.profile and not (self.api_key or self.auth_token)
        return self.base_url or (None if by_profile else PROVIDER_URL)

    @property
    def has_credentials(self) -> bool:
        """Whether a request can be made; a server named by base URL needs no key."""
        return bool(self.api_key or self.auth_token or self.profile or self.base_url)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never appear in a message."""
        return tuple(secret for secret in (self.api_key, self.auth_token) if secret)

    def credentials(self) -> dict[str, str]:
        """The one credential argument for the SDK.

        Raises ProviderError when there is none.
        """
        if self.api_key:
            return {"api_key": self.api_key}
        if self.auth_token:
            return {"auth_token": self.auth_token}
        if self.profile:
            return {"profile": self.profile}
        if self.base_url:
            return {"api_key": _PLACEHOLDER_KEY}
        raise ProviderError(
            "no key for the model",
            fix="set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a local server, "
            "or use --model offline",
        )


def resolve_settings(
    env: Mapping[str, str],
    user: Mapping[str, object],
    *,
    flag_model: str | None = None,
) -> ModelSettings:
    """Settings from the environment and the table `model` of the *user's* configuration.

    Raises InputError for a value that cannot be used or is beyond its range, and when both a key
    and a token are set in the environment.
    """
    limits = merge(env, ("", {}), (_USERS, {"model": user}))
    api_key = _secret("ANTHROPIC_API_KEY", env.get("ANTHROPIC_API_KEY"))
    auth_token = _secret("ANTHROPIC_AUTH_TOKEN", env.get("ANTHROPIC_AUTH_TOKEN"))
    if api_key and auth_token:
        raise InputError(
            "both ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN are set; a request takes one",
            fix="unset the one that is not meant",
        )
    if not auth_token:
        api_key = api_key or _secret("model.api_key", _text(user, "api_key"))
    base_url = (
        env.get("LLMWIKI_BASE_URL") or env.get("ANTHROPIC_BASE_URL") or _text(user, "base_url")
    )
    return ModelSettings(
        model=flag_model or limits.text("model.id") or DEFAULT_MODEL,
        base_url=clean_base_url(base_url) if base_url else None,
        api_key=api_key,
        auth_token=auth_token,
        profile=env.get("ANTHROPIC_PROFILE") or None,
        max_output_tokens=limits.whole("model.max_output_tokens"),
        max_input_tokens=limits.whole("model.max_input_tokens"),
        connect_timeout=limits.number("model.connect_timeout"),
        read_timeout=limits.number("model.read_timeout"),
        call_timeout=limits.number("model.call_timeout"),
        prices=_prices(user.get("prices", {})),
    )


def clean_base_url(url: str) -> str:
    """`url` as the SDK wants it: a trailing slash and a trailing `/v1` are taken off.

    Raises InputError for anything but http(s) with a host.
    """
    text = url.strip().rstrip("/").removesuffix("/v1").rstrip("/")
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise InputError(
            "the base URL of the model is not an http or https address",
            fix="write it like http://127.0.0.1:11434",
        )
    return text


def host_of(base_url: str | None) -> str:
    """Host and port for messages: what else a URL holds may be secret."""
    parts = urlsplit(base_url or PROVIDER_URL)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def _secret(name: str, value: str | None) -> str | None:
    """A key as a header can carry it; the message never shows it."""
    text = (value or "").strip()
    if not (text.isascii() and text.isprintable()):
        raise InputError(f"{name} holds characters that no key has", fix="copy the key again")
    return text or None


def _text(user: Mapping[str, object], key: str) -> str | None:
    value = user.get(key)
    if value is None or isinstance(value, str):
        return value or None
    raise InputError(f"model.{key} is not text", where=_USERS, fix="put it in quotes")


def _prices(table: object) -> dict[str, Price]:
    """The prices of the user's configuration by model id, validated."""
    if not isinstance(table, Mapping):
        raise _bad_price("prices")
    return {str(model): _price(f"prices.{model}", row) for model, row in table.items()}


def _price(name: str, row: object) -> Price:
    if not isinstance(row, Mapping) or not {"input", "output"} <= set(row):
        raise _bad_price(name)
    if set(row) - {"input", "output", "cache_creation", "cache_read"}:
        raise _bad_price(name)
    for value in row.values():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _bad_price(name)
        if not 0 <= value <= MAX_PRICE:
            raise _bad_price(name)
    return Price(**{str(key): float(value) for key, value in row.items()})


def _bad_price(name: str) -> InputError:
    return InputError(
        f"model.{name} is not a price",
        where=_USERS,
        fix="give input and output, in US dollars for a million tokens; "
        "cache_creation and cache_read are optional",
    )
