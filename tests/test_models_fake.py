"""The fake server itself: it refuses what the API refuses and speaks as the SDK expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anthropic
import pytest
from fake_messages import KEY, FakeMessages

if TYPE_CHECKING:
    from collections.abc import Iterator

GOOD: dict[str, Any] = {
    "model": "test-model",
    "max_tokens": 10,
    "messages": [{"role": "user", "content": "hello"}],
}
OBJECT = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def formatted(schema: dict[str, Any]) -> dict[str, Any]:
    return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}


@pytest.fixture
def server() -> Iterator[FakeMessages]:
    with FakeMessages("fine") as server:
        yield server


@pytest.fixture
def sdk(server: FakeMessages) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(
        base_url=server.url, api_key=KEY, max_retries=0, _strict_response_validation=True
    ) as sdk:
        yield sdk


def test_messages_and_events_pass_the_sdks_strict_types(sdk: anthropic.Anthropic) -> None:
    assert sdk.messages.create(**GOOD).content[0].text == "fine"  # type: ignore[union-attr]
    with sdk.messages.stream(**GOOD) as stream:
        assert stream.get_final_text() == "fine"
    assert sdk.messages.count_tokens(model="m", messages=GOOD["messages"]).input_tokens > 0
    assert [model.id for model in sdk.models.list()] == ["test-model"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": 0.0},
        {"new_field": 1},
        {"max_tokens": 0},
        {"model": ""},
        {"messages": []},
        {"messages": [{"role": "system", "content": "x"}]},
        {"messages": [{"role": "assistant", "content": "x"}]},
        {"messages": [*GOOD["messages"], {"role": "assistant", "content": "{"}]},
        {"messages": [{"role": "user", "content": [text(" ")]}]},
        {"messages": [{"role": "user", "content": [{"type": "video", "text": "x"}]}]},
        {"system": [text("x", cache_control={"type": "ephemeral"})] * 5},
        {"system": [text("x", cache_control={"type": "for ever"})]},
        {"output_config": {"schema": {}}},
        formatted({"type": "array", "items": OBJECT}),
        formatted(OBJECT | {"additionalProperties": True}),
        formatted(OBJECT | {"properties": {"a": {"type": "integer", "minimum": 1}}}),
        formatted(OBJECT | {"properties": {"a": {"$ref": "#/$defs/A"}}}),
        formatted(OBJECT | {"properties": {f"p{i}": {"type": "string"} for i in range(25)}}),
    ],
)
def test_what_the_api_refuses_is_refused(
    server: FakeMessages, sdk: anthropic.Anthropic, wrong: dict[str, Any]
) -> None:
    with pytest.raises(anthropic.BadRequestError):
        sdk.messages.create(**{k: v for k, v in GOOD.items() if k not in wrong}, **_typed(wrong))
    assert len(server.requests) == 1


def _typed(wrong: dict[str, Any]) -> dict[str, Any]:
    """Arguments the SDK knows; others go into the body as they are, with what it insists on."""
    unknown = {key: wrong[key] for key in ("temperature", "new_field") if key in wrong}
    known = {key: value for key, value in wrong.items() if key not in unknown}
    return {**known, "extra_body": unknown}


def test_a_request_without_a_key_is_refused(server: FakeMessages, sdk: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.AuthenticationError):
        sdk.messages.create(**GOOD, extra_headers={"Authorization": anthropic.Omit()})  # type: ignore[dict-item]


def test_an_answer_may_be_a_function_of_the_request(
    server: FakeMessages, sdk: anthropic.Anthropic
) -> None:
    server.answer = lambda request: {"heard": request.text}
    answer = sdk.messages.create(**GOOD).content[0].text  # type: ignore[union-attr]
    assert answer == '{"heard": "hello"}'


def test_a_failing_answer_is_raised_when_the_server_closes() -> None:
    def fail(request: object) -> str:
        raise AssertionError("not this one")

    with (
        pytest.raises(AssertionError, match="not this one"),
        FakeMessages(fail) as server,
        anthropic.Anthropic(base_url=server.url, api_key=KEY) as sdk,
        pytest.raises(anthropic.InternalServerError),
    ):
        sdk.messages.create(**GOOD)
