"""Tasks: what a model is asked and what counts as its answer; one, or many at once.

Of many there is one policy of money and failures, whatever is asked:

- Tasks are begun in their order, each when a call is free for it: no more of them are in memory
  than are being answered.
- Each answer is handed over as soon as it is there. What was paid for is handed over always: after
  a failure the calls that are under way are waited for. Only a signal does not wait.
- A task that the budget does not allow, with nothing else under way, is set aside, and the others
  go on, for they may cost less; once no call at all is allowed any more, none is begun.
- An answer that is refused, cut or malformed also after one repair, and a prompt that is too long,
  cost their own task only.
- Any other failure (the provider, the key, the network, an unknown price) would befall the others
  too: no further task is begun.
- Tasks that are worth something only `together`, such as the segments of one source, are begun no
  further after the first that is not answered, for whatever reason.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from llmwiki.core.errors import ModelOutputError, PolicyError, WikiError
from llmwiki.core.text import sha256_hex
from llmwiki.models.messages import Prompt, TextBlock, Turn, estimate_body, request_body
from llmwiki.models.tokens_and_cost import CostError, OverBudget, Usage

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

    from llmwiki.models.client import Client
    from llmwiki.models.model_settings import ModelSettings

_Key = TypeVar("_Key")
_Answer = TypeVar("_Answer")
_Model = TypeVar("_Model", bound="BaseModel")

TOLD_PROBLEMS = 5
"""Problems of one answer that are told at most."""


@dataclass(frozen=True, slots=True)
class Task(Generic[_Answer]):
    """One question whose answer is a JSON object. Two tasks are equal that ask the same."""

    name: str
    """What the answer is, for messages: `extraction`, `list of edges`."""
    prompt: Prompt
    schema: Mapping[str, object]
    """Of the answer (`schema.output_schema`)."""
    check: Callable[[dict[str, Any]], _Answer] = field(compare=False)
    """The answer out of the object. Raises ValueError, saying what is wrong with it. Pure."""

    def key(self, model: str) -> str:
        """A hash of all that is asked, and of whom: 32 hexadecimal digits."""
        asked = [
            [block.text, block.cache]
            if isinstance(block, TextBlock)
            else sha256_hex(block.picture.data)
            for block in (*self.prompt.system, *self.prompt.user)
        ]
        whole = json.dumps([model, self.name, self.schema, asked], sort_keys=True)
        return sha256_hex(whole.encode())[:32]

    def ask(self, client: Client, stop: threading.Event | None = None) -> _Answer:
        """The model's answer. Raises what `Client.structured` raises."""
        answers: list[_Answer] = []

        def check(data: dict[str, Any]) -> None:
            answers.append(self.check(data))

        prompt, schema, name = self.prompt, self.schema, self.name
        client.structured(prompt.system, prompt.user, schema, name, check=check, stop=stop)
        return answers[0]


class LeftOut(NamedTuple):
    """A part of an answer that does not count."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """What tasks would take. The tokeniser of the provider is not known here."""

    calls: int = 0
    input_tokens: int = 0
    max_output_tokens: int = 0
    """The limit of all calls together; a usual answer is much shorter."""
    max_cost: float | None = 0.0
    """US dollars at that limit; None when the price of the model is unknown."""

    def __add__(self, other: Estimate) -> Estimate:
        known = self.max_cost is not None and other.max_cost is not None
        return Estimate(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.max_output_tokens + other.max_output_tokens,
            (self.max_cost or 0.0) + (other.max_cost or 0.0) if known else None,
        )

    def told(self, how: str = "about") -> str:
        """Tokens and money in words; `how` is said of the tokens that go in."""
        cost = "price not known" if self.max_cost is None else f"at most USD {self.max_cost:.4f}"
        tokens = f"{how} {self.input_tokens} tokens in, at most {self.max_output_tokens} out"
        return f"{tokens}, {cost} (estimate)"


def estimate(tasks: Iterable[Task[Any]], settings: ModelSettings, *, times: float = 1) -> Estimate:
    """What the tasks would take, so many times; no call is made."""

    def size(task: Task[Any]) -> int:
        turns = [Turn("user", task.prompt.user)]
        whole = request_body(
            settings.model, task.prompt.system, turns, schema=task.schema, max_tokens=1
        )
        return estimate_body(whole, turns)

    sizes = [size(task) for task in tasks]
    calls, tokens = round(len(sizes) * times), round(sum(sizes) * times)
    output = settings.max_output_tokens * calls
    price = settings.price
    return Estimate(calls, tokens, output, price.ceiling(tokens, output) if price else None)


def validated(model: type[_Model], data: Mapping[str, object]) -> _Model:
    """The data as a `model` of pydantic. Raises ValueError, saying what is wrong with it."""
    from pydantic import ValidationError

    try:
        return model.model_validate(data)
    except ValidationError as failure:
        raise ValueError(problems(failure)) from None


def problems(failure: ValidationError) -> str:
    """The first problems of a validation, by field, without the values."""
    errors = failure.errors(include_url=False, include_input=False, include_context=False)
    told = [
        f"{'.'.join(str(part) for part in error['loc']) or 'the object'}: {error['msg']}"
        for error in errors[:TOLD_PROBLEMS]
    ]
    more = len(errors) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")


@dataclass(slots=True)
class TaskRun:
    """How far the tasks came."""

    answered: int = 0
    over_budget: OverBudget | None = None
    """Of the first task that was set aside; None: there was money for each that was begun."""
    failure: WikiError | None = None
    """The first one of any other kind."""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    """US dollars; None: the price is not known."""

    def ends_with(self, failure: WikiError, client: Client) -> bool:
        """Takes in a failure; whether it would befall the tasks that are not begun, too."""
        if isinstance(failure, OverBudget):
            self.over_budget = self.over_budget or failure
            return client.is_spent
        self.failure = self.failure or failure
        its_own = isinstance(failure, ModelOutputError | PolicyError)
        return not its_own or isinstance(failure, CostError)

    def demand(self) -> None:
        """Raises what kept a task from being answered, if anything did."""
        failure = self.failure or self.over_budget
        if failure is not None:
            raise failure


def run_tasks(
    tasks: Iterable[tuple[_Key, Task[_Answer]]],
    client: Client,
    on_result: Callable[[_Key, _Answer], None],
    *,
    parallel: int = 4,
    together: bool = False,
) -> TaskRun:
    """Asks a model each task, under the policy of this module; failures are returned, not raised.

    Tasks are taken, and `on_result` is called with the key and the answer of each, in the thread of
    the caller. Raises what these two raise, once it has handed over what is under way.
    """
    before, ran, is_over = client.usage, TaskRun(), False
    parallel = max(parallel, 1)
    pool, stop = ThreadPoolExecutor(parallel), threading.Event()
    under_way: dict[Future[_Answer], _Key] = {}
    """In the order of their beginning."""

    def settle(call: Future[_Answer]) -> None:
        nonlocal is_over
        key = under_way.pop(call)
        try:
            answer = call.result()
        except WikiError as failure:
            is_over |= ran.ends_with(failure, client) or together
        else:
            ran.answered += 1
            on_result(key, answer)

    def collect(until: str, seconds: float | None = None) -> None:
        done = wait(under_way, seconds, until).done
        for call in [each for each in under_way if each in done and not each.cancelled()]:
            settle(call)

    try:
        for key, task in tasks:
            under_way[pool.submit(task.ask, client, stop)] = key
            if len(under_way) >= parallel:
                collect(FIRST_COMPLETED)
            if is_over:
                break
        collect(ALL_COMPLETED)
    except WikiError:
        collect(ALL_COMPLETED)
        raise
    finally:
        # A signal does not wait for a server that is silent.
        stop.set()
        pool.shutdown(wait=not under_way, cancel_futures=True)
        collect(ALL_COMPLETED, 0)
    ran.usage = client.usage - before
    ran.cost = client.cost(ran.usage)
    return ran
