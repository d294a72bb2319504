"""The passages most relevant to a question, as a model is shown them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from llmwiki.app.source_index import sources_beside
from llmwiki.core.named_tuple import NamedTuple
from llmwiki.query.question import as_question
from llmwiki.query.retrieval.weights import BUDGET

if TYPE_CHECKING:
    from collections.abc import Collection

    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.query.retrieval.context import Context, ContextShape
    from llmwiki.query.retrieval.rank import Ranking

__all__ = ["BUDGET", "RANKED", "ContextResult", "look"]

RANKED = 30
"""Pages that a context is made from at most."""
_ASKED = (
    "llmwiki.core.secrets",
    "llmwiki.index.open_index",
    "llmwiki.index.source_index",
    "llmwiki.query.retrieval.context",
    "llmwiki.query.retrieval.question_parts",
    "llmwiki.query.retrieval.rank",
)
"""What is imported when the first question is asked, with all that these import."""


class ContextResult(NamedTuple):
    """What a question finds in the wiki."""

    context: Context
    """The passages, within their budget, and the text that a model is shown."""
    ranking: Ranking
    """What the pages' scores are made of."""
    pages: int
    """How many pages the wiki has."""


def load() -> None:
    """Imports what a question needs: the first one takes half as long then. Reads no wiki."""
    for name in _ASKED:
        importlib.import_module(name)


def context(
    wiki: OpenWiki,
    question: str,
    *,
    budget: int = BUDGET,
    quotes: bool = False,
    more: bool = False,
    without: Collection[str] = (),
    whole: bool = False,
    also: str = "",
    at: str | None = None,
    as_of: str | None = None,
) -> ContextResult:
    """The passages most relevant to a question, within `budget` tokens, as shown to a model.

    `quotes` shows each claim's evidence, `more` also passages that score far below the best;
    `without` names passages to leave out, by handle or id; `whole` handles name the page of a
    claim, and work wherever they are written; `also` are words that an answer may
    use where the question has others. Raises as `search` does.
    """
    from llmwiki.query.retrieval.context import ContextShape

    shape = ContextShape(budget, quotes, more, frozenset(without), whole)
    return look(wiki, question, shape, at=at, day=as_of, also=also)


def look(
    wiki: OpenWiki,
    question: str,
    shape: ContextShape,
    *,
    at: str | None = None,
    day: str | None = None,
    also: str = "",
) -> ContextResult:
    """The context of a question; see `context`."""
    asked = as_question(question, 'context "What is a claim?"')
    ranked = as_question(f"{asked} {also}", what="the question with its other words")
    wiki, at = wiki.as_of(day, at)
    with wiki.index(at) as index:
        from llmwiki.query.retrieval.context import assemble
        from llmwiki.query.retrieval.question_parts import parts_of
        from llmwiki.query.retrieval.rank import rank

        ranking = rank(index, ranked, limit=RANKED)
        parts = [(part, rank(index, part, limit=RANKED)) for part in parts_of(asked)]
        with sources_beside(wiki, index, at) as sources:
            context = assemble(
                index,
                ranking,
                index.read,
                asked,
                shape=shape,
                parts=parts,
                sources=sources,
                also=also,
            )
        return ContextResult(context, ranking, index.pages)
