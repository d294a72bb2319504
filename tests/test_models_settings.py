"""Where settings come from, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from llmwiki.core.errors import InputError, ProviderError
from llmwiki.models.model_settings import (
    DEFAULT_MODEL,
    ModelSettings,
    clean_base_url,
    resolve_settings,
)
from llmwiki.models.tokens_and_cost import Price, Usage, estimate_tokens

KEY = "sk-ant-test-0123456789"


def test_a_model_is_named_by_flag_then_environment_then_user() -> None:
    env = {"LLMWIKI_MODEL": "from-env"}
    user = {"id": "from-user"}
    assert resolve_settings(env, user, flag_model="from-flag").model == "from-flag"
    assert resolve_settings(env, user).model == "from-env"
    assert resolve_settings({}, user).model == "from-user"
    assert resolve_settings({}, {}).model == DEFAULT_MODEL


def test_base_url_and_key_come_from_the_environment_before_the_user() -> None:
    user: dict[str, object] = {"base_url": "http://user:1", "api_key": "user-key"}
    settings = resolve_settings({}, user)
    assert (settings.base_url, settings.api_key) == ("http://user:1", "user-key")
    env = {"ANTHROPIC_BASE_URL": "http://env:2/v1/", "ANTHROPIC_API_KEY": f" {KEY}\n"}
    settings = resolve_settings(env, user)
    assert (settings.base_url, settings.api_key) == ("http://env:2", KEY)
    settings = resolve_settings({**env, "LLMWIKI_BASE_URL": "http://own:3"}, user)
    assert settings.base_url == "http://own:3"


def test_a_token_of_the_environment_beats_a_key_of_the_user() -> None:
    settings = resolve_settings({"ANTHROPIC_AUTH_TOKEN": "tok"}, {"api_key": "user-key"})
    assert settings.credentials() == {"auth_token": "tok"}


def test_key_and_token_together_are_refused() -> None:
    env = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_AUTH_TOKEN": "token-abc"}
    with pytest.raises(InputError, match="both") as caught:
        resolve_settings(env, {})
    assert KEY not in str(caught.value)


def test_credentials() -> None:
    with pytest.raises(ProviderError, match="no key"):
        ModelSettings().credentials()
    assert not ModelSettings().has_credentials
    assert ModelSettings(profile="work").credentials() == {"profile": "work"}
    local = ModelSettings(base_url="http://127.0.0.1:11434")
    assert local.has_credentials
    assert local.credentials()["api_key"]
    assert local.secrets == ()
    assert KEY not in repr(ModelSettings(api_key=KEY, auth_token=KEY))


@pytest.mark.parametrize("key", ["sk-ü", "sk-a\nb", "sk-\x00"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve_settings({"ANTHROPIC_API_KEY": key}, {})
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434"),
        (" https://proxy.example/llm/v1/ ", "https://proxy.example/llm"),
        ("https://proxy.example/v1beta", "https://proxy.example/v1beta"),
    ],
)
def test_base_urls_are_mended(url: str, clean: str) -> None:
    assert clean_base_url(url) == clean


@pytest.mark.parametrize(
    "url",
    ["localhost:11434", "ftp://x", "http://", "/v1", "http://[", "http://x:port", "file:///x"],
)
def test_other_base_urls_are_refused(url: str) -> None:
    with pytest.raises(InputError):
        clean_base_url(url)


def test_limits_and_prices_of_the_user() -> None:
    row = {"input": 3, "output": 15.0, "cache_read": 0.3}
    user: dict[str, object] = {
        "id": "m",
        "read_timeout": 5,
        "max_output_tokens": 99,
        "prices": {"m": row},
    }
    settings = resolve_settings({}, user)
    assert settings.price == Price(3.0, 15.0, None, 0.3)
    assert (settings.read_timeout, settings.max_output_tokens) == (5.0, 99)
    assert ModelSettings(model="other", prices=settings.prices).price is None


@pytest.mark.parametrize(
    "user",
    [
        {"read_timeout": "long"},
        {"read_timeout": 0},
        {"max_output_tokens": True},
        {"base_url": 5},
        {"prices": 5},
        {"prices": {"m": {"input": 1}}},
        {"prices": {"m": {"input": 1, "output": -1}}},
        {"prices": {"m": {"input": 1, "output": float("nan")}}},
        {"prices": {"m": {"input": 1, "output": 1, "per": "token"}}},
    ],
)
def test_wrong_values_of_the_user_are_refused(user: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        resolve_settings({}, user)
    assert "model." in caught.value.what


def test_costs() -> None:
    price = Price(input=3.0, output=15.0, cache_creation=3.75, cache_read=0.3)
    assert price.cost(Usage(1_000_000, 0, 0, 0)) == pytest.approx(3.0)
    assert price.cost(Usage(0, 1_000_000, 1_000_000, 1_000_000)) == pytest.approx(19.05)
    assert Price(3.0, 15.0).cost(Usage(0, 0, 1_000_000, 1_000_000)) == pytest.approx(6.0)
    assert price.ceiling(1_000_000, 1_000_000) == pytest.approx(18.75)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("世", 1)]
)
def test_tokens_are_estimated_from_bytes(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
