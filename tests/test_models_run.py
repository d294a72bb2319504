"""Many tasks: what is handed over, what is begun after a failure, what money allows."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from fake_messages import FakeMessages, Request
from pydantic import BaseModel, ValidationError

from llmwiki.core.errors import InputError, ModelOutputError, ProviderError
from llmwiki.models.ask_and_validate import Task, TaskRun, problems, run_tasks, validated
from llmwiki.models.client import Client
from llmwiki.models.messages import Prompt, TextBlock
from llmwiki.models.tokens_and_cost import Budget, CostError, OverBudget

SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}


def word(data: dict[str, Any]) -> str:
    if data.get("word") == "bad":
        raise ValueError("that is no word")
    return str(data["word"])


def task(text: str) -> Task[str]:
    return Task("word", Prompt((TextBlock("say"),), (TextBlock(text),)), SCHEMA, word)


def echo(request: Request) -> dict[str, Any]:
    return {"word": request.body["messages"][0]["content"][0]["text"].strip()}


def run(
    server: FakeMessages, *texts: str, budget: float | None = None, **more: Any
) -> tuple[TaskRun, dict[int, str]]:
    """What came of tasks with these texts, and what was handed over."""
    given: dict[int, str] = {}
    settings = server.settings(max_output_tokens=1000, max_retries=0)
    with Client(settings, budget=Budget(budget) if budget else None) as client:
        tasks = ((n, task(text)) for n, text in enumerate(texts))
        return run_tasks(tasks, client, given.__setitem__, **more), given


def test_every_answer_is_handed_over_in_the_callers_thread() -> None:
    threads = set()

    def take(key: str, answer: str) -> None:
        threads.add(threading.current_thread())
        assert key == answer

    with FakeMessages(echo) as server, Client(server.settings()) as client:
        ran = run_tasks(((t, task(t)) for t in "abcdefg"), client, take, parallel=3)
        assert (ran.answered, ran.failure, ran.over_budget) == (7, None, None)
        assert ran.usage == client.usage and ran.cost == client.cost(client.usage)
        ran.demand()
    assert threads == {threading.current_thread()}


def test_a_task_is_made_when_a_call_is_free_for_it() -> None:
    made: list[int] = []
    handed: list[int] = []

    def tasks() -> Iterator[tuple[int, Task[str]]]:
        for n in range(9):
            made.append(n)
            assert len(made) - len(handed) <= 2
            yield n, task("x")

    with FakeMessages(echo) as server, Client(server.settings()) as client:
        run_tasks(tasks(), client, lambda n, _: handed.append(n), parallel=2)
    assert sorted(handed) == made == list(range(9))


def test_a_bad_answer_costs_its_own_task_only() -> None:
    with FakeMessages(echo) as server:
        ran, given = run(server, "a", "bad", "c", parallel=1)
        assert given == {0: "a", 2: "c"} and ran.answered == 2
        assert len(server.requests) == 4, "one repair"
    with pytest.raises(ModelOutputError, match="no word"):
        ran.demand()


def test_together_the_first_bad_answer_is_the_last() -> None:
    with FakeMessages(echo) as server:
        ran, given = run(server, "a", "bad", "c", "d", parallel=1, together=True)
        assert given == {0: "a"} and isinstance(ran.failure, ModelOutputError)
        assert len(server.requests) == 3


@pytest.mark.parametrize("together", [True, False])
def test_a_failure_of_the_provider_begins_nothing_and_throws_nothing_away(together: bool) -> None:
    is_failed = threading.Event()
    given: dict[int, str] = {}

    class Watched(Task[str]):
        def ask(self, client: Client, stop: threading.Event | None = None) -> str:
            try:
                return super().ask(client, stop)
            except ProviderError:
                is_failed.set()
                raise

    def slow(request: Request) -> dict[str, Any]:
        assert is_failed.wait(30)
        threading.Event().wait(0.5)
        return echo(request)

    with FakeMessages(slow) as server:
        server.reply(slow)
        server.reply(slow)
        server.status(401)
        settings = server.settings(max_retries=0)
        tasks = ((n, Watched("word", task("a").prompt, SCHEMA, word)) for n in range(9))
        with Client(settings) as client:
            ran = run_tasks(tasks, client, given.__setitem__, parallel=3, together=together)
        assert len(server.requests) == 3 and len(given) == 2, "those that were under way"
    assert isinstance(ran.failure, ProviderError)


def test_a_task_that_is_too_dear_is_set_aside_and_others_go_on() -> None:
    dear = "many words " * 3000
    with FakeMessages(echo) as server:
        ran, given = run(server, "a", dear, "c", budget=0.03, parallel=1)
        assert given == {0: "a", 2: "c"} and ran.failure is None
        assert len(server.requests) == 2
    with pytest.raises(OverBudget):
        ran.demand()


def test_once_no_call_is_allowed_none_is_made() -> None:
    made = []

    def tasks() -> Iterator[tuple[int, Task[str]]]:
        for n in range(1000):
            made.append(n)
            yield n, task("x")

    with FakeMessages(echo) as server:
        settings = server.settings(max_output_tokens=1000)
        server.reply({"word": "long"}, output_tokens=900)
        with Client(settings, budget=Budget(0.02)) as client:
            ran = run_tasks(tasks(), client, lambda _n, _word: None, parallel=1)
        assert ran.answered == len(server.requests) == 1 and ran.over_budget
    assert made == [0, 1]


def test_a_limit_without_a_price_ends_the_run() -> None:
    with FakeMessages(echo) as server:
        settings = server.settings(prices={})
        with Client(settings, budget=Budget(1.0)) as client:
            tasks = iter([(n, task("x")) for n in range(9)])
            ran = run_tasks(tasks, client, lambda _n, _word: None, parallel=1)
            assert next(tasks)[0] == 1, "no second one was begun"
        assert type(ran.failure) is CostError and server.requests == [] and ran.over_budget is None


def test_what_making_a_task_raises_comes_after_the_answers() -> None:
    given: list[int] = []

    def tasks() -> Iterator[tuple[int, Task[str]]]:
        yield 0, task("a")
        yield 1, task("b")
        raise InputError("no more")

    with (
        FakeMessages(echo) as server,
        Client(server.settings()) as client,
        pytest.raises(InputError, match="no more"),
    ):
        run_tasks(tasks(), client, lambda n, _: given.append(n), parallel=9)
    assert sorted(given) == [0, 1]


def test_a_signal_waits_for_nobody_and_keeps_what_has_come() -> None:
    never = threading.Event()
    given: list[int] = []
    begun = time.monotonic()

    def tasks() -> Iterator[tuple[int, Task[str]]]:
        yield 0, task("a")
        yield 1, task("b")
        while len(server.requests) < 2 or not first_is_done.wait(10):
            threading.Event().wait(0.01)
        threading.Event().wait(0.3)
        raise KeyboardInterrupt

    first_is_done = threading.Event()

    def answer(request: Request) -> dict[str, Any]:
        if echo(request)["word"] == "b":
            never.wait(30)
        else:
            first_is_done.set()
        return echo(request)

    with FakeMessages(answer) as server, Client(server.settings()) as client:
        with pytest.raises(KeyboardInterrupt):
            run_tasks(tasks(), client, lambda n, _: given.append(n), parallel=9)
        assert given == [0] and time.monotonic() - begun < 15
        never.set()


class Point(BaseModel):
    x: int
    rows: list[int] = []


def test_problems_are_told_by_field_five_at_most_and_without_values() -> None:
    with pytest.raises(ValidationError) as caught:
        Point.model_validate({"x": "secret", "rows": ["a"] * 7})
    said = problems(caught.value)
    assert said.startswith("x: ") and "rows.3: " in said and said.endswith("; and 3 more")
    assert "secret" not in said and "rows.4" not in said
    with pytest.raises(ValueError, match="the object: "):
        validated(Point, [])  # type: ignore[arg-type]
    assert validated(Point, {"x": 1}) == Point(x=1)
