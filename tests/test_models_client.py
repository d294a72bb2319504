"""The client against a real socket: one row of the fault table a test, and what a good call is."""

from __future__ import annotations

import logging
import ssl
import threading
import time
import traceback
from typing import Any

import pytest
from fake_messages import KEY, FakeMessages

from llmwiki.core.errors import (
    InputError,
    ModelOutputError,
    PolicyError,
    ProviderError,
    WikiError,
)
from llmwiki.models.client import Client, trust
from llmwiki.models.messages import Delta, Reply, Restarted, TextBlock, Turn
from llmwiki.models.model_settings import PROVIDER_URL, ModelSettings
from llmwiki.models.tokens_and_cost import Budget, OverBudget, Price, Usage, estimate_tokens

SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}, "end": {"const": True}},
    "required": ["word", "end"],
    "additionalProperties": False,
}
GOOD = {"word": "héllo → 世界", "end": True}
QUICK = {"retry_after_ms": "1"}


def ask(server: FakeMessages, *, budget: Budget | None = None, **changes: Any) -> Reply:
    with Client(server.settings(**changes), budget=budget) as client:
        return client.structured([TextBlock("be brief")], [TextBlock("say")], SCHEMA, "word")


def failure(server: FakeMessages, kind: type[WikiError], **changes: Any) -> WikiError:
    """The error of a call; nothing of it, its trace included, shows the key."""
    with pytest.raises(kind) as caught:
        ask(server, **changes)
    shown = str(caught.value) + "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert type(caught.value) is kind
    assert caught.value.fix
    return caught.value


def test_a_good_call_is_streamed_structured_and_counted() -> None:
    with FakeMessages() as server:
        server.reply(GOOD, output_tokens=7)
        reply = ask(server)
        assert reply.data == GOOD
        assert reply.stop_reason == "end_turn"
        assert reply.model == "test-model"
        assert reply.usage.output_tokens == 7
        assert reply.usage.input_tokens > 0
        [request] = server.requests
    assert request.body["stream"] is True
    assert request.body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert set(request.body) == {
        "model", "max_tokens", "system", "messages", "output_config", "stream",
    }  # fmt: skip
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("kind", ["split", "unknown"])
def test_odd_but_whole_answers_count(kind: str) -> None:
    with FakeMessages() as server:
        server.fault(kind, answer=GOOD)
        assert ask(server).data == GOOD
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
def test_passing_failures_are_tried_again(status: int) -> None:
    with FakeMessages(GOOD) as server:
        server.status(status, **QUICK)
        server.status(status, **QUICK)
        assert ask(server).data == GOOD
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "said"), [(429, "rate limit"), (500, "failed"), (529, "overloaded")]
)
def test_lasting_failures_end_after_three_attempts(status: int, said: str) -> None:
    with FakeMessages(GOOD) as server:
        for _ in range(3):
            server.status(status, **QUICK)
        error = failure(server, ProviderError)
        assert error.exit_code == 4
        assert said in error.what
        assert len(server.requests) == 3


def test_a_reset_connection_is_tried_again() -> None:
    with FakeMessages(GOOD) as server:
        server.fault("reset")
        assert ask(server, max_retries=1).data == GOOD
        server.fault("reset")
        assert failure(server, ProviderError, max_retries=0).exit_code == 4
        assert len(server.requests) == 3


def test_the_server_may_forbid_another_attempt() -> None:
    with FakeMessages(GOOD) as server:
        server.status(529, x_should_retry="false", retry_after="86400")
        assert "overloaded" in failure(server, ProviderError).what
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "message", "kind", "said"),
    [
        (400, "max_tokens: too many", ProviderError, "refused the request (400: max_tokens"),
        (400, "prompt is too long: 9 > 8", PolicyError, "too large"),
        (401, f"invalid x-api-key {KEY}", ProviderError, "key was not accepted"),
        (402, "no credit", ProviderError, "cannot pay"),
        (403, "not yours", ProviderError, "may not do this"),
        (404, "model: nope", InputError, "no such model"),
        (413, "too big", PolicyError, "too large"),
        (418, "teapot", ProviderError, "refused the request"),
        (302, "elsewhere", ProviderError, "not a Messages API"),
    ],
)
def test_lasting_refusals_are_asked_once(
    status: int, message: str, kind: type[WikiError], said: str
) -> None:
    with FakeMessages(GOOD) as server:
        server.status(status, message=message)
        assert said in failure(server, kind).what
        assert len(server.requests) == 1


def test_a_key_the_server_echoes_is_not_shown() -> None:
    with FakeMessages() as server:
        server.status(401, message=f"bad key {KEY} or Bearer abc.def or sk-proj-zzzzzzzzzz")
        error = failure(server, ProviderError)
        assert "[key]" in error.what
        assert "abc.def" not in str(error)
        assert "zzzz" not in str(error)
        assert KEY not in repr(server.settings())


def test_a_token_of_any_form_is_not_shown() -> None:
    with FakeMessages() as server:
        server.status(401, message="who is opaque.token.of.a.proxy ?")
        error = failure(server, ProviderError, api_key=None, auth_token="opaque.token.of.a.proxy")
        assert "who is [key] ?" in error.what


@pytest.mark.parametrize("key", ["x", "ollama", "maximums"])
def test_a_key_is_taken_out_of_no_word(key: str) -> None:
    with FakeMessages() as server:
        server.status(403, message=f"{key} of ollama exceeds the maximum, maximums2 too")
        said = failure(server, ProviderError, api_key=key).what
        assert "of ollama exceeds the maximum, maximums2 too" in said
        assert (key in said.partition(" of ")[0]) == (len(key) < 8)


def test_a_redirect_is_not_followed() -> None:
    with FakeMessages(GOOD) as server, FakeMessages(GOOD) as elsewhere:
        server.status(307, location=f"{elsewhere.url}/v1/messages")
        assert "not a Messages API" in failure(server, ProviderError).what
        assert elsewhere.requests == []


def test_the_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeMessages(GOOD) as server:
        server.status(429, **QUICK)
        server.fault("drop", at=4)
        ask(server)
        server.status(401, message="no")
        failure(server, ProviderError)
    assert caplog.records
    assert KEY not in caplog.text
    assert not [each for each in caplog.records if KEY in repr(each.args)]


def test_settings_and_not_the_environment_say_where_a_call_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeMessages(GOOD) as named, FakeMessages(GOOD) as other:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", other.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-environment")
        ask(named, api_key=None)
        assert len(named.requests) == 1
        assert "sk-of-the-environment" not in str(named.requests[0].headers)
        assert other.requests == []
        assert ModelSettings(api_key=KEY).address == PROVIDER_URL


def test_a_wait_beyond_the_limit_ends_the_call_at_once() -> None:
    with FakeMessages(GOOD) as server:
        server.status(429, retry_after="86400")
        error = failure(server, ProviderError)
        assert "86400 s" in error.what
        assert len(server.requests) == 1


@pytest.mark.parametrize("at", [0, 1, 3, 5, 7, 8, 9])
@pytest.mark.parametrize("kind", ["drop", "eof", "error"])
def test_a_broken_stream_is_begun_again_and_its_text_forgotten(kind: str, at: int) -> None:
    with FakeMessages(GOOD) as server:
        server.fault(kind, at=at, answer='{"word": "half", "end": true}')
        assert ask(server).data == GOOD
        assert len(server.requests) == 2


@pytest.mark.parametrize("kind", ["drop", "eof", "error"])
def test_a_stream_that_keeps_breaking_ends_the_call(kind: str) -> None:
    with FakeMessages(GOOD) as server:
        for _ in range(3):
            server.fault(kind, at=4)
        assert failure(server, ProviderError).exit_code == 4
        assert len(server.requests) == 3


def test_a_stalled_stream_is_begun_again() -> None:
    with FakeMessages(GOOD) as server:
        server.fault("stall", at=4)
        assert ask(server, read_timeout=0.3).data == GOOD
        assert len(server.requests) == 2


def test_an_error_event_that_will_not_pass_is_not_retried() -> None:
    with FakeMessages(GOOD) as server:
        server.fault("error", at=4, type="authentication_error")
        assert "key was not accepted" in failure(server, ProviderError).what
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("bad_json", {"at": 4}),
        ("bad_utf8", {"at": 4}),
        ("html", {}),
        ("body", {"body": b"{}"}),
        ("body", {"body": b"[]"}),
        ("body", {"body": b'{"type": "mess'}),
        ("body", {"body": b"hello", "content_type": "text/plain"}),
        ("body", {"body": b"[" * 100_000}),
    ],
)
def test_what_is_no_message_ends_the_call(kind: str, options: dict[str, Any]) -> None:
    with FakeMessages(GOOD) as server:
        server.fault(kind, **options)
        error = failure(server, ProviderError)
        assert error.exit_code == 4
        assert "not a Messages API" in error.what
        assert len(server.requests) == 1


@pytest.mark.parametrize("reason", ["tool_use", "pause_turn", "from_the_future"])
def test_an_unexpected_stop_reason(reason: str) -> None:
    with FakeMessages() as server:
        server.reply(GOOD, stop_reason=reason)
        error = failure(server, ModelOutputError)
        assert error.exit_code == 5
        assert reason in error.what
        assert len(server.requests) == 1


def test_a_refusal_says_its_category() -> None:
    with FakeMessages() as server:
        details = {"type": "refusal", "category": "bio", "explanation": "lab work"}
        server.reply("", stop_reason="refusal", stop_details=details)
        error = failure(server, ModelOutputError)
        assert "bio: lab work" in error.what
        assert len(server.requests) == 1


def test_an_answer_cut_at_the_limit_gets_twice_the_room_once() -> None:
    with FakeMessages(GOOD) as server:
        server.reply(GOOD, stop_reason="max_tokens")
        assert ask(server, max_output_tokens=100).data == GOOD
        assert [request.body["max_tokens"] for request in server.requests] == [100, 200]


def test_an_answer_cut_twice_is_refused_although_it_parses() -> None:
    with FakeMessages() as server:
        server.reply(GOOD, stop_reason="max_tokens")
        server.reply(GOOD, stop_reason="max_tokens")
        error = failure(server, ModelOutputError, max_output_tokens=100)
        assert "200 output tokens" in error.what
        assert len(server.requests) == 2


def test_a_model_that_cannot_write_more_is_reported_as_cut() -> None:
    with FakeMessages() as server:
        server.reply(GOOD, stop_reason="max_tokens")
        server.status(400, message="max_tokens: 200 > 150, the maximum of the model")
        error = failure(server, ModelOutputError, max_output_tokens=100)
        assert "100 output tokens" in error.what


@pytest.mark.parametrize("features", [("output_config",), ("output_config", "cache_control")])
def test_a_server_without_a_feature_is_served_without_it(features: tuple[str, ...]) -> None:
    answer = 'Sure!\n```json\n{"word": "hi", "end": true}\n```\nAnything else?'
    with FakeMessages(answer, unsupported=features) as server:
        with Client(server.settings()) as client:
            for _ in range(2):
                system = [TextBlock("be brief", cache=True)]
                reply = client.structured(system, [TextBlock("say")], SCHEMA, "word")
                assert reply.data == {"word": "hi", "end": True}
        assert len(server.requests) == len(features) + 2
        assert "JSON Schema" in server.requests[-1].system


@pytest.mark.parametrize(
    "bad", ["no", "", '{"word": 1}', '["x"]', '{"word": "a", "word": "b", "end": true}', "[" * 9999]
)
def test_an_unusable_object_is_repaired_once(bad: str) -> None:
    with FakeMessages() as server:
        server.reply(bad)
        server.reply(GOOD)
        with Client(server.settings()) as client:
            reply = client.structured([], [TextBlock("say")], SCHEMA, "word")
            assert reply.data == GOOD
            assert reply.usage == client.usage
        assert len(server.requests) == 2
        last = server.requests[1].body["messages"]
        assert [turn["role"] for turn in last if turn["role"] == "assistant"] == [
            "assistant" for _ in [bad] if bad
        ]
        assert "cannot be used" in server.requests[1].text
        assert '"additionalProperties": false' in server.requests[1].text

        server.reply(bad)
        server.reply(bad)
        assert failure(server, ModelOutputError).exit_code == 5
        assert len(server.requests) == 4


def test_the_check_of_the_caller_can_ask_for_a_repair() -> None:
    def check(data: dict[str, Any]) -> None:
        if data["word"] != GOOD["word"]:
            raise ValueError("say hello in two scripts")

    with FakeMessages() as server:
        server.reply({"word": "bye", "end": True})
        server.reply(GOOD)
        with Client(server.settings()) as client:
            reply = client.structured([], [TextBlock("say")], SCHEMA, "word", check=check)
        assert reply.data == GOOD
        assert "say hello in two scripts" in server.requests[1].text


def test_every_attempt_is_counted_also_the_broken_ones() -> None:
    with FakeMessages() as server:
        server.reply(GOOD, output_tokens=5)
        server.fault("drop", at=6, answer="x" * 400)
        server.reply(GOOD, output_tokens=5)
        with Client(server.settings()) as client:
            first = client.structured([], [TextBlock("say")], SCHEMA, "word").usage
            second = client.structured([], [TextBlock("say")], SCHEMA, "word").usage
            assert second.input_tokens == 2 * first.input_tokens
            assert second.output_tokens == 5 + estimate_tokens("x" * 300)
            assert client.usage == first + second
            assert client.usage - first == second
            cost = client.cost(Usage(1_000_000, 1_000_000))
            assert cost == pytest.approx(18.0)


def test_a_budget_gives_back_what_was_not_used() -> None:
    with FakeMessages(GOOD) as server:
        budget = Budget(0.02)
        for _ in range(3):
            ask(server, budget=budget, max_output_tokens=1_000)
        assert len(server.requests) == 3
        assert 0 < budget.spent < 0.01


def test_calls_at_the_same_time_cannot_pass_the_budget_together() -> None:
    price = Price(input=0.0, output=1_000_000.0)
    budget = Budget(10.0)
    guard = threading.Lock()
    held: list[float] = [0.0]
    most: list[float] = [0.0]
    refused: list[int] = []

    def call() -> None:
        try:
            reserved = budget.reserve(price, 5, 1)
        except OverBudget:
            refused.append(1)
            return
        with guard:
            held[0] += 1
            most[0] = max(most[0], held[0] + budget.spent)
        time.sleep(0.005)
        with guard:
            held[0] -= 1
        budget.settle(reserved, 0.5)

    threads = [threading.Thread(target=call) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads)
    assert most[0] <= 10.0
    assert budget.spent <= 10.0
    # Each may cost 1.0 and costs 0.5: the twentieth would be the first that could pass the limit.
    assert 30 - len(refused) == 19


def test_a_reservation_waits_for_what_others_give_back() -> None:
    price = Price(input=0.0, output=1_000_000.0)
    budget = Budget(1.5)
    first = budget.reserve(price, 1, 1)
    timer = threading.Timer(0.1, budget.settle, (first, 0.1))
    timer.start()
    assert budget.reserve(price, 1, 1) == 1.0
    timer.join()


def test_without_a_key_nothing_is_sent() -> None:
    with FakeMessages(GOOD) as server:
        with pytest.raises(ProviderError, match="no key"):
            Client(server.settings(api_key=None, base_url=None))
        assert server.requests == []


def test_a_local_server_needs_no_key() -> None:
    with FakeMessages(GOOD) as server:
        assert ask(server, api_key=None).data == GOOD
        assert KEY not in str(server.requests[0].headers)


def test_a_token_is_sent_as_bearer() -> None:
    with FakeMessages(GOOD) as server:
        ask(server, api_key=None, auth_token="tok-1234567890")
        assert server.requests[0].headers["authorization"] == "Bearer tok-1234567890"


def test_text_comes_piece_by_piece_and_ends_in_a_reply() -> None:
    with FakeMessages() as server:
        server.reply("one two three four")
        with Client(server.settings()) as client:
            turns = [Turn("user", (TextBlock("count"),))]
            *deltas, reply = client.text([TextBlock("be brief")], turns)
        assert len(deltas) == 4
        assert "".join(delta.text for delta in deltas if isinstance(delta, Delta)) == reply.text
        assert isinstance(reply, Reply)
        assert reply.text == "one two three four"
        assert "output_config" not in server.requests[0].body


def test_text_that_breaks_off_says_that_it_begins_again() -> None:
    with FakeMessages("whole answer") as server:
        server.fault("drop", at=5, answer="half of something")
        with Client(server.settings()) as client:
            events = list(client.text([], [Turn("user", (TextBlock("count"),))]))
        at = next(i for i, event in enumerate(events) if isinstance(event, Restarted))
        assert any(isinstance(event, Delta) for event in events[:at])
        shown = "".join(event.text for event in events[at:] if isinstance(event, Delta))
        assert shown == "whole answer"
        assert isinstance(events[-1], Reply)
        assert events[-1].text == "whole answer"


def test_a_stopped_call_makes_no_request() -> None:
    stop = threading.Event()
    stop.set()
    with FakeMessages(GOOD) as server, Client(server.settings()) as client:
        with pytest.raises(ProviderError, match="stopped"):
            client.structured([], [TextBlock("say")], SCHEMA, "word", stop=stop)
        assert server.requests == []


def test_a_call_can_be_stopped_while_it_is_answered() -> None:
    stop = threading.Event()
    with FakeMessages("a long answer") as server, Client(server.settings()) as client:
        events = client.text([], [Turn("user", (TextBlock("count"),))], stop=stop)
        assert isinstance(next(events), Delta)
        stop.set()
        with pytest.raises(ProviderError, match="stopped"):
            list(events)


def test_a_lone_surrogate_in_a_prompt_can_be_sent() -> None:
    with FakeMessages(GOOD) as server, Client(server.settings()) as client:
        client.structured([], [TextBlock("a \ud800 b")], SCHEMA, "word")
        assert server.requests[0].text == "a ? b"


def test_the_frozen_beginning_of_a_prompt_is_read_from_the_cache() -> None:
    with FakeMessages(GOOD) as server, Client(server.settings()) as client:
        system = [
            TextBlock("rules " * 200, cache=True),
            TextBlock("brand " * 100, cache=True),
        ]
        first = client.structured(system, [TextBlock("one")], SCHEMA, "word").usage
        second = client.structured(system, [TextBlock("two")], SCHEMA, "word").usage
        assert first.cache_read == 0
        assert first.cache_creation > 400
        assert second.cache_read == first.cache_creation
        assert second.cache_creation == 0


def test_only_plain_http_goes_without_certificates() -> None:
    for address in (None, "https://api.example.org", "HTTPS://127.0.0.1"):
        assert trust(address) is True
    none = trust("http://127.0.0.1:8080")
    assert isinstance(none, ssl.SSLContext)
    assert (none.verify_mode, none.get_ca_certs()) == (ssl.CERT_REQUIRED, [])
