"""Tokens and money: what a call used, what it costs, and the limit it must stay under."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from llmwiki.core.errors import PolicyError
from llmwiki.core.text import tokens_of

_MILLION = 1_000_000
_PATCH = 28
"""Pixels a side of what the Anthropic API counts as one token of a picture, a part counted whole
(its guide to vision, 2026; the earlier rule, width times height by 750, gives some 4 % more)."""

MAX_PICTURE_TOKENS = 4_784
"""Of one picture, whatever its size: what is larger is made smaller first. The limit of the models
that see most (2,576 pixels on the long edge); others stop at 1,568."""


def estimate_tokens(text: str) -> int:
    """An estimate of the tokens of `text`: UTF-8 bytes / 3, rounded up.

    On the high side for English prose, about right for code and tables. It is never exact: the
    tokeniser belongs to the provider.
    """
    return tokens_of(len(text.encode("utf-8", "surrogatepass")))


def estimate_picture(width: int, height: int) -> int:
    """An estimate of the tokens of a picture of so many pixels, on the high side."""
    return min(-(-width // _PATCH) * -(-height // _PATCH), MAX_PICTURE_TOKENS)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more calls, as the provider counted them."""

    input_tokens: int = 0
    """Input that was neither read from nor written to the prompt cache."""
    output_tokens: int = 0
    cache_creation: int = 0
    """Input tokens written to the prompt cache."""
    cache_read: int = 0
    """Input tokens read from the prompt cache."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_creation + other.cache_creation,
            self.cache_read + other.cache_read,
        )

    def __sub__(self, other: Usage) -> Usage:
        """What was used between two snapshots."""
        return Usage(
            self.input_tokens - other.input_tokens,
            self.output_tokens - other.output_tokens,
            self.cache_creation - other.cache_creation,
            self.cache_read - other.cache_read,
        )

    @property
    def total(self) -> int:
        """All tokens, in and out."""
        return self.input_tokens + self.output_tokens + self.cache_creation + self.cache_read


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of one model."""

    input: float
    output: float
    cache_creation: float | None = None
    """None: as `input`."""
    cache_read: float | None = None
    """None: as `input`."""

    def cost(self, usage: Usage) -> float:
        """US dollars for `usage`."""
        written = self.input if self.cache_creation is None else self.cache_creation
        read = self.input if self.cache_read is None else self.cache_read
        return (
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + usage.cache_creation * written
            + usage.cache_read * read
        ) / _MILLION

    def ceiling(self, input_tokens: int, output_tokens: int) -> float:
        """The most a call can cost in US dollars, whatever the cache does."""
        dearest = max(self.input, self.cache_creation or 0.0, self.cache_read or 0.0)
        return (input_tokens * dearest + output_tokens * self.output) / _MILLION


class CostError(PolicyError):
    """A limit on cost forbids the call, and so every other."""


class OverBudget(CostError):
    """The next call could pass the limit; what came before it was paid for."""


class Budget:
    """A limit in US dollars that no call may pass. Thread-safe.

    Each call reserves the most it can cost before it is made and gives back the difference when
    its usage is known, so that calls made at the same time cannot pass the limit together.
    """

    def __init__(self, max_cost: float) -> None:
        self.max_cost = max_cost
        self._lock = threading.Condition()
        self._spent = 0.0
        self._reserved = 0.0
        self._open = 0

    @property
    def spent(self) -> float:
        """US dollars of the calls that are over."""
        with self._lock:
            return self._spent

    def reserve(self, price: Price | None, input_tokens: int, output_tokens: int) -> float:
        """Set aside the most one call can cost; give the sum to `settle` afterwards.

        Where only the reservations of others stand in the way, it waits until they are settled.
        Raises OverBudget when the call could pass the limit, CostError when the price is unknown.
        """
        if price is None:
            raise CostError(
                "a cost limit is set, and the price of the model is not known",
                fix="set prices for the model in the user configuration, or drop the limit",
            )
        amount = price.ceiling(input_tokens, output_tokens)
        with self._lock:
            while self._spent + self._reserved + amount > self.max_cost:
                if not self._open:
                    raise OverBudget(
                        f"the next call may cost up to ${amount:.4f}; ${self._spent:.4f} of the "
                        f"limit of ${self.max_cost:.4f} is spent",
                        fix="raise --max-cost, lower the output limit, or use a cheaper model",
                    )
                # Most calls cost a part of what they could: what others give back may do.
                self._lock.wait()
            self._reserved += amount
            self._open += 1
        return amount

    def settle(self, reserved: float, actual: float) -> None:
        """Replace a reservation by what the call did cost, both in US dollars."""
        with self._lock:
            self._open -= 1
            self._reserved = self._reserved - reserved if self._open else 0.0
            self._spent += actual
            self._lock.notify_all()
