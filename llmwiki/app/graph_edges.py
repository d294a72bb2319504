"""Edges between pages that a model tells, and the job of an agent that tells them instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llmwiki.app.models import client_for, model_to_call
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.graph.edge_store import PageReading
    from llmwiki.index.open_index import Index
    from llmwiki.repo.repository import Repository


@dataclass(frozen=True, slots=True)
class EdgesRead:
    """What a model read for edges."""

    model: str
    pages: int
    edges: int
    tokens: int
    cost_usd: float | None
    """An estimate; None: the price is not known."""


def infer(
    wiki: OpenWiki,
    *,
    model: str | None = None,
    max_cost: float | None = None,
    limit: int | None = None,
    fresh: bool = False,
) -> EdgesRead:
    """Lets a model read for edges; see `Wiki.infer_edges`.

    What it read is kept page by page, also where it is stopped; then `wiki.tell.notice` takes
    what was done.
    """
    settings = model_to_call(wiki, model)
    if settings is None:
        raise InputError(
            "--infer needs a model", fix="Set a key, or let an agent do it: wiki graph --prepare."
        )
    from llmwiki.graph.edge_store import keep
    from llmwiki.graph.infer import read_all

    count = edges = 0

    def take(reading: PageReading) -> None:
        nonlocal count, edges
        keep(wiki.repo, [reading])
        count += 1
        edges += len(reading.edges)

    with client_for(wiki.config, settings, max_cost) as client, wiki.index(fresh=fresh) as index:
        try:
            asked = _asked(wiki.repo, index, limit)
            read_all(asked, client, take, parallel=wiki.config.whole("ingest.parallel"))
        finally:
            usage = client.usage
            cost = client.cost(usage)
            money = "" if cost is None else f", USD {cost:.4f} (estimate)"
            wiki.tell.notice(
                f"{settings.model} read {count} pages: {edges} edges, {usage.total} tokens{money}"
            )
        return EdgesRead(settings.model, count, edges, usage.total, cost)


def edges_job(wiki: OpenWiki, limit: int, *, at: str | None, fresh: bool) -> str:
    """The job of an agent as Markdown; see `Wiki.prepare_edges`."""
    from llmwiki.graph.infer import render_job

    with wiki.index(at, fresh) as index:
        asked = list(_asked(wiki.repo, index, limit))
        if not asked:
            wiki.tell.notice("every page was read for edges since it last changed")
            return ""
        return render_job(asked)


def _asked(repo: Repository, index: Index, limit: int | None) -> Iterable[Any]:
    from llmwiki.graph.edge_store import readings
    from llmwiki.graph.ground import ground_of
    from llmwiki.graph.infer import to_ask
    from llmwiki.graph.rank import page_rank

    ground = ground_of(index, mentions=False)
    return to_ask(index, ground, readings(repo), page_rank(ground.links.leads), limit)
