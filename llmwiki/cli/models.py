"""Which model a command calls, and what it may cost."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from llmwiki.cli.cleaning import clean
from llmwiki.cli.context import is_terminal, tell
from llmwiki.core.config import OFFLINE, Config
from llmwiki.core.options import BY_KEY
from llmwiki.core.text import normalise

if TYPE_CHECKING:
    from llmwiki.models.client import Client
    from llmwiki.models.settings import ModelSettings

_Function = TypeVar("_Function", bound=Callable[..., Any])
_SHOWN = 80
"""Characters of a model's name in a question."""


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


def model_settings(
    config: Config, flag: str | None, user: Mapping[str, object]
) -> ModelSettings | None:
    """The model that would be called; None: do without one, asked for or for want of a key.

    A model that the flag names must be callable; one that only the settings name, perhaps a
    repository's, gives way where there is no key.
    """
    from llmwiki.models.settings import resolve_settings

    chosen = flag or config.text("model.id")
    if chosen == OFFLINE:
        return None
    table = user.get("model")
    settings = resolve_settings(
        os.environ, table if isinstance(table, Mapping) else {}, flag_model=chosen or None
    )
    if not settings.has_credentials and not flag:
        return None
    settings.credentials()
    return settings


def model_to_call(
    config: Config, flag: str | None, user: Mapping[str, object], *, yes: bool
) -> ModelSettings | None:
    """As `model_settings`, for a command that is about to call it: see `agree`."""
    settings = model_settings(config, flag, user)
    if settings is not None:
        agree(config, settings, flag, yes=yes)
    return settings


def agree(config: Config, settings: ModelSettings, flag: str | None, *, yes: bool) -> None:
    """Asks on a terminal whether a model that only the repository names may be called.

    Its price is the user's. Raises CostError where nobody says yes.
    """
    named = config.settings["model.id"]
    if flag or named.is_users:
        return
    model = normalise(settings.model)[:_SHOWN]
    said = f"{named.origin} names the model {model}, which is called at your cost"
    if yes:
        tell(f"wiki: {said}")
        return
    can_ask = is_terminal() and sys.stdin.isatty()
    if can_ask and click.confirm(clean(f"wiki: {said}. Call it?"), err=True):
        return
    from llmwiki.models.usage import CostError

    raise CostError(
        f"{said}; nobody has agreed to that",
        fix=f"Agree with --yes, name a model yourself (--model, LLMWIKI_MODEL, your own"
        f" configuration), or do without one: --model {OFFLINE}.",
    )


def was_asked_for(config: Config, flag: str | None) -> bool:
    """Whether to do without a model is what the user chose."""
    return OFFLINE in (flag, config.text("model.id"))


def client_for(config: Config, settings: ModelSettings, max_cost: float | None) -> Client:
    """A client that stops before a call could pass the limit of flag or settings."""
    from llmwiki.models.client import Client
    from llmwiki.models.usage import Budget

    limit = max_cost if max_cost is not None else config.number("ingest.max_cost")
    return Client(settings, budget=Budget(limit) if limit else None)
