"""The passages most relevant to a question, as a model is shown them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from llmwiki.query.question import as_question
from llmwiki.retrieval.weights import BUDGET

if TYPE_CHECKING:
    from collections.abc import Callable

    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.retrieval.context import Context
    from llmwiki.retrieval.passage import Passage
    from llmwiki.retrieval.rank import Ranking

__all__ = ["BUDGET", "RANKED", "ContextResult", "look"]

RANKED = 30
"""Pages that a context is made from at most."""


class ContextResult(NamedTuple):
    """What a question finds in the wiki."""

    context: Context
    """The passages, within their budget, and the text that a model is shown."""
    ranking: Ranking
    """What the pages' scores are made of."""
    pages: int
    """How many pages the wiki has."""


def look(
    wiki: OpenWiki,
    question: str,
    *,
    budget: int = BUDGET,
    at: str | None = None,
    fresh: bool = False,
    leaves_out: Callable[[Passage], bool] | None = None,
) -> ContextResult:
    """The context of a question; see `Wiki.context`."""
    asked = as_question(question, 'context "What is a claim?"')
    with wiki.index(at, fresh) as index:
        from llmwiki.retrieval.context import assemble
        from llmwiki.retrieval.rank import rank

        ranking = rank(index, asked, limit=RANKED)
        context = assemble(index, ranking, index.read, asked, budget=budget, leaves_out=leaves_out)
        return ContextResult(context, ranking, index.pages)
