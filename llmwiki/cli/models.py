"""The options of a command that may call a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

from llmwiki.core.options import BY_KEY

_Function = TypeVar("_Function", bound=Callable[..., Any])


class _Cost(click.FloatRange):
    """A sum in US dollars. `nan` would compare as no limit at all."""

    name = "usd"

    def __init__(self) -> None:
        limits = BY_KEY["ingest.max_cost"].range
        assert limits is not None
        super().__init__(min=limits.floor, max=limits.cap)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Fails for what is no number, or beyond the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no sum.", param, ctx)
        return number


COST = _Cost()
"""The type of `--max-cost`."""


def accepting(function: _Function) -> _Function:
    """The option `--yes` of a command that may call a model."""
    return click.option(
        "--yes", is_flag=True, help="Call the model that .llmwiki.toml names, without asking."
    )(function)
