"""Which model a command calls, and what it may cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from llmwiki.core.config import Config

if TYPE_CHECKING:
    from llmwiki.models.client import Client
    from llmwiki.models.settings import ModelSettings

OFFLINE = "offline"


def model_settings(
    config: Config, flag: str | None, user: Mapping[str, object]
) -> ModelSettings | None:
    """The model to call; None: do without one, asked for or for want of a key.

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


def was_asked_for(config: Config, flag: str | None) -> bool:
    """Whether to do without a model is what the user chose."""
    return OFFLINE in (flag, config.text("model.id"))


def client_for(config: Config, settings: ModelSettings, max_cost: float | None) -> Client:
    """A client that stops before a call could pass the limit of flag or settings."""
    from llmwiki.models.client import Client
    from llmwiki.models.usage import Budget

    limit = max_cost if max_cost is not None else config.number("ingest.max_cost")
    return Client(settings, budget=Budget(limit) if limit else None)
