"""Many tasks, several calls at once: one policy of money and failures, whatever is asked.

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

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from llmwiki.core.errors import ModelOutputError, PolicyError, WikiError
from llmwiki.models.usage import CostError, OverBudget

if TYPE_CHECKING:
    from llmwiki.models.client import Client
    from llmwiki.models.task import Task
    from llmwiki.models.usage import Usage

_Key = TypeVar("_Key")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class TaskRun:
    """How far the tasks came."""

    answered: int
    over_budget: OverBudget | None
    """Of the first task that was set aside; None: there was money for each that was begun."""
    failure: WikiError | None
    """The first one of any other kind."""
    usage: Usage
    cost: float | None
    """US dollars; None: the price is not known."""

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
    before = client.usage
    calls = _Calls(client, on_result, max(parallel, 1), together=together)
    try:
        for key, task in tasks:
            calls.begin(key, task)
            if calls.is_over:
                break
        calls.finish()
    except WikiError:
        calls.finish()
        raise
    finally:
        calls.close()
    usage = client.usage - before
    return TaskRun(calls.answered, calls.over_budget, calls.failure, usage, client.cost(usage))


class _Calls(Generic[_Key, _Answer]):
    """The calls of one run; all but the calls themselves is done in the caller's thread."""

    def __init__(
        self,
        client: Client,
        on_result: Callable[[_Key, _Answer], None],
        parallel: int,
        *,
        together: bool,
    ) -> None:
        self.answered = 0
        self.over_budget: OverBudget | None = None
        self.failure: WikiError | None = None
        self.is_over = False
        self._client = client
        self._on_result = on_result
        self._parallel = parallel
        self._together = together
        self._pool = ThreadPoolExecutor(parallel)
        self._stop = threading.Event()
        self._under_way: dict[Future[_Answer], _Key] = {}
        """In the order of their beginning."""

    def begin(self, key: _Key, task: Task[_Answer]) -> None:
        """Begins a call, and waits until another one could begin."""
        self._under_way[self._pool.submit(task.ask, self._client, self._stop)] = key
        if len(self._under_way) >= self._parallel:
            self._collect(FIRST_COMPLETED)

    def finish(self) -> None:
        """Waits for what is under way."""
        self._collect(ALL_COMPLETED)

    def close(self) -> None:
        """Ends what is still under way: a signal does not wait for a server that is silent."""
        is_cut = bool(self._under_way)
        self._stop.set()
        self._pool.shutdown(wait=not is_cut, cancel_futures=True)
        for call in [each for each in self._under_way if each.done() and not each.cancelled()]:
            self._settle(call)

    def _collect(self, until: str) -> None:
        done = wait(self._under_way, return_when=until).done
        for call in [each for each in self._under_way if each in done]:
            self._settle(call)

    def _settle(self, call: Future[_Answer]) -> None:
        key = self._under_way.pop(call)
        try:
            answer = call.result()
        except OverBudget as failure:
            self.over_budget = self.over_budget or failure
            self.is_over |= self._together or self._client.is_spent
        except WikiError as failure:
            self.failure = self.failure or failure
            its_own = isinstance(failure, ModelOutputError | PolicyError)
            self.is_over |= self._together or not its_own or isinstance(failure, CostError)
        else:
            self.answered += 1
            self._on_result(key, answer)
