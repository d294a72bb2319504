"""Which model a use case calls, and what it may cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from llmwiki.core.errors import WikiError
from llmwiki.core.settings_precedence import OFFLINE, Config
from llmwiki.core.text import normalise
from llmwiki.landing.settings_files import user_table

if TYPE_CHECKING:
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.models.client import Client
    from llmwiki.models.model_settings import ModelSettings
    from llmwiki.models.tokens_and_cost import Budget

_SHOWN = 80
"""Characters of a model's name in a question."""


def model_settings(config: Config, model: str | None) -> ModelSettings | None:
    """The model that would be called; None: do without one, asked for or for want of a key.

    A `model` that the caller names must be callable; one that only the settings name, perhaps a
    repository's, gives way where there is no key.
    """
    from llmwiki.models.model_settings import resolve_settings

    chosen = model or config.text("model.id")
    if chosen == OFFLINE:
        return None
    table = user_table().get("model")
    settings = resolve_settings(
        os.environ, table if isinstance(table, Mapping) else {}, flag_model=chosen or None
    )
    if not settings.has_credentials and not model:
        return None
    settings.credentials()
    return settings


def limited(settings: ModelSettings, most: int) -> ModelSettings:
    """The same, whose answers have `most` tokens: what a call reserves of the budget."""
    return replace(settings, max_output_tokens=min(settings.max_output_tokens, most))


def model_at_hand(wiki: OpenWiki) -> str:
    """The model that a question would be asked; empty: none, and claims are quoted instead.

    Raises InputError for a model that cannot be called.
    """
    settings = model_settings(wiki.config, None)
    return settings.model if settings else ""


def has_model(config: Config) -> bool:
    """Whether the settings name a model that can be called."""
    try:
        return model_settings(config, None) is not None
    except WikiError:
        return False


def model_to_call(wiki: OpenWiki, model: str | None) -> ModelSettings | None:
    """As `model_settings`, for a use case that is about to call it: see `agree`."""
    settings = model_settings(wiki.config, model)
    if settings is not None:
        agree(wiki, settings, model)
    return settings


def agree(wiki: OpenWiki, settings: ModelSettings, model: str | None) -> None:
    """Asks whether a model that only the repository names may be called: its price is the user's.

    Raises CostError without consent.
    """
    named = wiki.config.settings["model.id"]
    if model or named.is_users:
        return
    shown = normalise(settings.model)[:_SHOWN]
    said = f"{named.origin} names the model {shown}, which is called at your cost"
    if wiki.tell.agree(said):
        return
    from llmwiki.models.tokens_and_cost import CostError

    raise CostError(
        f"{said}; nobody has agreed to that",
        fix=f"Agree with --yes, name a model yourself (--model, LLMWIKI_MODEL, your own"
        f" configuration), or do without one: --model {OFFLINE}.",
    )


def was_asked_for(config: Config, model: str | None) -> bool:
    """Whether to do without a model is what the user chose."""
    return (model or config.text("model.id")) == OFFLINE


def client_for(
    config: Config,
    settings: ModelSettings,
    max_cost: float | None,
    *,
    budget: Budget | None = None,
) -> Client:
    """A client that makes no call which could pass `max_cost`, in USD, or the settings' limit; a
    `budget` that is given takes the place of both."""
    from llmwiki.models.client import Client
    from llmwiki.models.tokens_and_cost import Budget

    limit = max_cost if max_cost is not None else config.number("ingest.max_cost")
    if budget is None and limit:
        budget = Budget(limit)
    return Client(settings, budget=budget)
