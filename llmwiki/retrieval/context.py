"""The context of a question: the passages that answer it, as a text within a budget.

Best first, a fair share a page, each with its handle; what was superseded is marked, what
contradicts another comes with the other. The text is the same bytes for the same content,
question and options, and never longer than the budget, whatever the wiki holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from llmwiki.index.facts import is_catalogue
from llmwiki.retrieval.context_text import ContextWriter, estimated_tokens
from llmwiki.retrieval.passage import Passage
from llmwiki.retrieval.passage_reader import PassageReader, ScoredPassage
from llmwiki.retrieval.passage_score import Scorer
from llmwiki.retrieval.passage_selection import Choice
from llmwiki.retrieval.question_words import share, weights
from llmwiki.retrieval.weights import BUDGET, SCALE

if TYPE_CHECKING:
    from llmwiki.index.corpus import Card, Corpus
    from llmwiki.retrieval.score import Term

READ = 20
"""Pages that are read for a question at most, the two sides of contradictions aside."""
LEADING = 10
"""Of so many best pages the lead is shown even where it has no word of the question."""


class RankedPage(Protocol):
    """A page of a ranking."""

    @property
    def card(self) -> Card: ...  # noqa: D102
    @property
    def score(self) -> int: ...  # noqa: D102
    @property
    def reasons(self) -> tuple[str, ...]: ...  # noqa: D102


class Ranked(Protocol):
    """The parts of a ranking that a context is built from."""

    @property
    def hits(self) -> Sequence[RankedPage]: ...  # noqa: D102
    @property
    def terms(self) -> tuple[Term, ...]: ...  # noqa: D102


class ShownPassage(NamedTuple):
    """A passage of a context and why it is there."""

    passage: Passage
    score: int
    """In millionths; comparable within one context only."""
    parts: tuple[tuple[str, int], ...]
    """(what, millionths): what the words, quotes, title, order and rank of the page gave."""
    terms: frozenset[str]
    """Terms of the question that stand in it, in its quotes, its page's title or headings."""
    own: frozenset[str]
    """Those of them that stand in itself or its quotes."""
    is_cut: bool = False
    """Whether only its beginning found room."""


class PageShown(NamedTuple):
    """A page that passages of a context stand on."""

    path: str
    title: str
    score: int
    """Of the ranking, in millionths."""
    type: str
    """`concept`, `source` …; empty where the page has no such line."""
    statements: int
    """Claims and notes on it, shown or not."""
    named: frozenset[str]
    """Terms of its title and aliases, where the question names it whole."""
    terms: frozenset[str]
    """Terms of the question that stand anywhere on it."""
    reasons: tuple[str, ...] = ()
    """By which titles, links and names the ranking reached it."""


class Context(NamedTuple):
    """The passages for a question."""

    question: str
    text: str
    """What a prompt shows: passages fenced as data, each with its handle; may be empty."""
    shown: tuple[ShownPassage, ...]
    """Those in `text`, best first, which is their order in it."""
    pages: tuple[PageShown, ...]
    """The pages they stand on, in the order of their first passage."""
    tokens: int
    """Of `text`: an estimate, its bytes in UTF-8 by 3."""
    budget: int
    """Tokens that `text` might have had."""
    terms: tuple[Term, ...]
    """The question's terms, rarest first; those that stand nowhere have a frequency of 0."""
    wiki_pages: int
    """How many pages the wiki has."""
    subject: frozenset[str]
    """Terms of titles and aliases that the question names whole."""
    coverage: int
    """Of what is asked for, weighted by rarity, the share in that passage that has most.

    In millionths; words that only ask do not count.
    """
    left_out: int
    """Passages that fit the question and found no room."""


def assemble(
    corpus: Corpus,
    ranking: Ranked,
    read: Callable[[Card], str],
    question: str,
    *,
    budget: int = BUDGET,
    leaves_out: Callable[[Passage], bool] | None = None,
) -> Context:
    """The context of a question from the ranking of its pages.

    `read` gives a page's text; `leaves_out` says of a passage that it is not to be shown, as one
    that the reader has seen. Pure but for them: the same arguments, the same bytes.
    """
    scorer = Scorer(question, ranking.terms, corpus.pages)
    reader = PassageReader(corpus, scorer, read)
    best = max((hit.score for hit in ranking.hits), default=0) or 1
    hits = [hit for hit in ranking.hits if not is_catalogue(hit.card.path)][:READ]
    reader.name([hit.card for hit in hits])
    found: list[ScoredPassage] = []
    for place, hit in enumerate(hits):
        scored = reader.page(hit.card, hit.score * SCALE // best)
        found += [each for each in scored if _bears(each, place)]
    if leaves_out is not None:
        found = [each for each in found if not leaves_out(each.passage)]
    found.sort(key=lambda each: each.order)

    writer = ContextWriter(budget)
    chosen = Choice(writer, reader)
    left_out = chosen.fill(found)
    shown = tuple(
        ShownPassage(
            each.passage,
            each.score.total,
            each.score.parts,
            each.score.terms,
            each.score.own,
            is_cut,
        )
        for each, is_cut in chosen.ordered()
    )
    text = writer.text(each.passage for each in shown)
    scores = {hit.card.path: hit.score for hit in ranking.hits}
    reasons = {hit.card.path: hit.reasons for hit in ranking.hits}
    content = weights(question, ranking.terms, 0, corpus.pages)
    return Context(
        question=question,
        text=text,
        shown=shown,
        pages=tuple(
            PageShown(
                path,
                reader.cards[path].title,
                scores.get(path, 0),
                reader.cards[path].type,
                reader.statements[path],
                *reader.terms[path],
                reasons.get(path, ()),
            )
            for path in dict.fromkeys(each.passage.path for each in shown)
        ),
        tokens=estimated_tokens(text),
        budget=max(budget, 0),
        terms=ranking.terms,
        wiki_pages=corpus.pages,
        subject=scorer.named(n for hit in hits for n in (hit.card.title, *hit.card.aliases)),
        coverage=max((share(content, each.terms) for each in shown), default=0),
        left_out=left_out,
    )


def _bears(scored: ScoredPassage, place: int) -> bool:
    """Whether a passage of the page at that place has something to do with the question."""
    opens = scored.passage.kind in {"lead", "description"} and place < LEADING
    return bool(scored.score.own) or opens or bool(scored.score.terms and scored.passage.id)
