"""A model judges the parts: several calls at once, each answer kept as it comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from llmwiki.core.errors import ModelOutputError, PolicyError, WikiError
from llmwiki.lint.judge.answer import Judgement, judgement_schema, read_judgement
from llmwiki.lint.judge.prompt import build_prompt
from llmwiki.models.messages import estimate_request
from llmwiki.models.stream import CallStopped
from llmwiki.models.usage import OverBudget, Usage

if TYPE_CHECKING:
    from llmwiki.lint.judge.parts import Part
    from llmwiki.models.client import Client
    from llmwiki.models.settings import ModelSettings

MAX_OUTPUT_TOKENS = 8_000
"""Of one answer: 100 findings of 60 tokens, and room. What a call reserves of the budget."""

Take = Callable[["Part", Judgement], None]
"""Called in the caller's thread with each answer, at once: what is paid for is kept."""


@dataclass(slots=True)
class JudgeRun:
    """How far it came."""

    parts: int = 0
    """Answered."""
    is_over_budget: bool = False
    """Whether a part was left for want of money."""
    failure: WikiError | None = None
    """The first failure: of one part, the others went on; of the provider, nothing did."""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """US dollars; None: the price is not known."""


@dataclass(frozen=True, slots=True)
class JudgementEstimate:
    """What judging would take; the provider's tokeniser is not known here."""

    calls: int
    input_tokens: int
    max_output_tokens: int
    """The limit of all calls together; a usual answer is much shorter."""
    max_cost: float | None
    """US dollars at that limit; None when the price is unknown."""


def judge(parts: Iterable[Part], client: Client, take: Take, *, parallel: int = 4) -> JudgeRun:
    """Calls the model for each part, in their order, until all are answered or paid for.

    An answer that is refused, cut or malformed also after one repair costs its own part only. A
    failure of the provider ends the calls. Neither is raised: what came before it counts.
    """
    before = client.usage
    work = _Work(client, take, JudgeRun())
    work.run(iter(parts), max(parallel, 1))
    work.ran.usage = client.usage - before
    work.ran.cost = client.cost(work.ran.usage)
    return work.ran


def estimate(parts: Sequence[Part], more: float, settings: ModelSettings) -> JudgementEstimate:
    """What calls for these parts would take, and for so many times as many besides them."""
    schema = judgement_schema()
    tokens = 0
    for part in parts:
        prompt = build_prompt(part)
        tokens += estimate_request(prompt, schema)
    calls = round(len(parts) * (1 + more))
    tokens = round(tokens * (1 + more))
    output = settings.max_output_tokens * calls
    price = settings.price
    return JudgementEstimate(
        calls, tokens, output, price.ceiling(tokens, output) if price else None
    )


class _Work:
    """One run over the parts."""

    def __init__(self, client: Client, take: Take, ran: JudgeRun) -> None:
        self.ran = ran
        self._client = client
        self._take = take
        self._schema = judgement_schema()
        self._stop = threading.Event()
        self._over: list[Part] = []

    def run(self, waiting: Iterator[Part], parallel: int) -> None:
        pool = ThreadPoolExecutor(parallel)
        calls: dict[Future[Judgement], Part] = {}
        ended = False
        try:
            while True:
                while len(calls) < parallel and not self._over and not self._stop.is_set():
                    part = next(waiting, None)
                    if part is None:
                        break
                    calls[pool.submit(self._call, part)] = part
                if not calls:
                    break
                for call in wait(calls, return_when=FIRST_COMPLETED).done:
                    self._settle(call.result, calls.pop(call))
            self._one_by_one(waiting)
            ended = True
        finally:
            self._stop.set()
            # A signal does not wait for a server that is silent.
            pool.shutdown(wait=ended, cancel_futures=True)

    def _one_by_one(self, waiting: Iterator[Part]) -> None:
        """What calls at the same time could not reserve together may be paid one after another."""
        if not self._over:
            return
        over, self._over = self._over, []
        for part in chain(over, waiting):
            if self._stop.is_set():
                return
            self._settle(lambda part=part: self._call(part), part)  # type: ignore[misc]
            if self._over:
                self.ran.is_over_budget = True
                return

    def _call(self, part: Part) -> Judgement:
        prompt = build_prompt(part)
        reply = self._client.structured(
            prompt.system,
            prompt.user,
            self._schema,
            "judgement",
            check=read_judgement,
            stop=self._stop,
        )
        return read_judgement(reply.data)

    def _settle(self, result: Callable[[], Judgement], part: Part) -> None:
        try:
            answer = result()
        except OverBudget:
            self._over.append(part)
        except CallStopped:
            return
        except (ModelOutputError, PolicyError) as failure:
            self.ran.failure = self.ran.failure or failure
        except WikiError as failure:
            self.ran.failure = self.ran.failure or failure
            self._stop.set()
        else:
            self._take(part, answer)
            self.ran.parts += 1
