"""wiki graph --infer and --prepare: edges that a model or an agent tells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from llmwiki.cli.asking import searched
from llmwiki.cli.context import say, tell, user_table
from llmwiki.cli.models import client_for, model_to_call
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.core.config import Config
    from llmwiki.graph.edge_store import PageReading
    from llmwiki.index.open_index import Index
    from llmwiki.repo.repository import Repository


def infer(
    repo: Repository,
    config: Config,
    model: str | None,
    max_cost: float | None,
    limit: int | None,
    *,
    yes: bool,
    fresh: bool,
) -> None:
    """Lets a model read; what it said is kept page by page.

    Raises InputError where there is no model, and what its client raises.
    """
    settings = model_to_call(config, model, user_table(), yes=yes)
    if settings is None:
        raise InputError(
            "--infer needs a model", fix="Set a key, or let an agent do it: wiki graph --prepare."
        )
    from llmwiki.graph.edge_store import keep
    from llmwiki.graph.infer import read_all

    count = edges = 0

    def take(reading: PageReading) -> None:
        nonlocal count, edges
        keep(repo, [reading])
        count += 1
        edges += len(reading.edges)

    with (
        client_for(config, settings, max_cost) as client,
        searched(repo, None, fresh) as index,
    ):
        try:
            asked = _asked(repo, index, limit)
            read_all(asked, client, take, parallel=config.whole("ingest.parallel"))
        finally:
            usage = client.usage
            cost = client.cost(usage)
            money = "" if cost is None else f", USD {cost:.4f} (estimate)"
            tell(
                f"wiki: {settings.model} read {count} pages: {edges} edges,"
                f" {usage.total} tokens{money}"
            )


def say_job(repo: Repository, index: Index, limit: int) -> int:
    """Prints the job of an agent."""
    from llmwiki.graph.infer import render_job

    asked = list(_asked(repo, index, limit))
    if not asked:
        tell("wiki: every page was read for edges since it last changed")
        return 0
    say(render_job(asked))
    return 0


def _asked(repo: Repository, index: Index, limit: int | None) -> Iterable[Any]:
    from llmwiki.graph.edge_store import readings
    from llmwiki.graph.ground import ground_of
    from llmwiki.graph.infer import to_ask
    from llmwiki.graph.rank import page_rank

    ground = ground_of(index, mentions=False)
    return to_ask(index, ground, readings(repo), page_rank(ground.links.leads), limit)
