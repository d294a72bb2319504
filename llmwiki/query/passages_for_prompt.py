"""The passages most relevant to a question, as a model is shown them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.question_text import BUDGET, as_question
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.query.retrieval.context import ContextShape, assemble
from llmwiki.query.retrieval.question_parts import parts_of
from llmwiki.query.retrieval.rank_pages import rank
from llmwiki.query.sources_beside_pages import sources_beside

if TYPE_CHECKING:
    from collections.abc import Collection

    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.query.retrieval.context import Context
    from llmwiki.query.retrieval.rank_pages import Ranking

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
    asked = as_question(question, 'context "What is a claim?"')
    wiki, at = wiki.as_of(as_of, at)
    shape = ContextShape(budget, quotes, more, frozenset(without), whole)
    return look(wiki, asked, shape, at=at, also=also)


def look(
    wiki: OpenWiki,
    question: str,
    shape: ContextShape,
    *,
    at: str | None = None,
    also: str = "",
) -> ContextResult:
    """The context of a question (`as_question`) in the wiki as it is, or in the commit `at`; see
    `context`."""
    ranked = as_question(f"{question} {also}", what="the question with its other words")
    with wiki.index(at) as index, sources_beside(wiki, index, at) as sources:
        ranking = rank(index, ranked, limit=RANKED)
        parts = [(part, rank(index, part, limit=RANKED)) for part in parts_of(question)]
        context = assemble(
            index,
            ranking,
            index.read,
            question,
            shape=shape,
            parts=parts,
            sources=sources,
            also=also,
        )
        return ContextResult(context, ranking, index.pages)
