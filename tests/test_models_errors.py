"""Every exception of the SDK has a row of ours."""

from __future__ import annotations

import anthropic
import httpx2
import pytest

from llmwiki.core.errors import WikiError
from llmwiki.models.errors import from_sdk
from llmwiki.models.model_settings import ModelSettings

REQUEST = httpx2.Request("POST", "http://127.0.0.1:1/v1/messages")


def subclasses(kind: type[anthropic.AnthropicError]) -> list[type[anthropic.AnthropicError]]:
    found = [kind]
    for child in kind.__subclasses__():
        if child.__module__ == "anthropic":
            found += subclasses(child)
    return found


ALL = sorted(set(subclasses(anthropic.AnthropicError)), key=lambda kind: kind.__name__)


def instance(kind: type[anthropic.AnthropicError]) -> anthropic.AnthropicError:
    if issubclass(kind, anthropic.APIStatusError):
        status = getattr(kind, "status_code", 500)
        response = httpx2.Response(status, request=REQUEST)
        return kind("no", response=response, body={"error": {"type": "x", "message": "said"}})
    if issubclass(kind, anthropic.APIResponseValidationError):
        return kind(httpx2.Response(200, request=REQUEST), None)
    if issubclass(kind, anthropic.APITimeoutError):
        return kind(REQUEST)
    if issubclass(kind, anthropic.APIConnectionError):
        return kind(request=REQUEST)
    if issubclass(kind, anthropic.APIError):
        return kind("no", REQUEST, body=None)
    return kind("no")


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_class_of_the_sdk_is_mapped(kind: type[anthropic.AnthropicError]) -> None:
    error = from_sdk(instance(kind), ModelSettings(base_url="http://u:secret@127.0.0.1:9"))
    assert isinstance(error, WikiError)
    assert error.exit_code in {2, 4, 7}
    assert error.where == "127.0.0.1:9"
    assert "secret" not in str(error)
    assert error.fix


def test_the_sdk_has_the_classes_this_was_written_for() -> None:
    assert len(ALL) >= 27
