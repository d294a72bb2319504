"""A task: what a model is asked, and what counts as its answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from llmwiki.core.text import sha256_hex
from llmwiki.models.messages import Prompt, TextBlock, estimate_request

if TYPE_CHECKING:
    import threading

    from pydantic import BaseModel, ValidationError

    from llmwiki.models.client import Client
    from llmwiki.models.settings import ModelSettings

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
        reply = client.structured(
            self.prompt.system,
            self.prompt.user,
            self.schema,
            self.name,
            check=self.check,
            stop=stop,
        )
        return self.check(reply.data)


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
    sizes = [estimate_request(task.prompt, task.schema) for task in tasks]
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
