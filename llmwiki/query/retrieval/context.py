"""The context of a question: the passages that answer it, as a text within a budget.

Best first, a share for each part of the question, each with its handle; what was
superseded is marked, what contradicts another comes with the other. The text is the same bytes for
the same content, question and options, and never longer than the budget, whatever the wiki holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from llmwiki.core.question_text import BUDGET
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.query.retrieval.best_passages import found_passages, hits_of, source_lines
from llmwiki.query.retrieval.context_text import ContextWriter, estimated_tokens
from llmwiki.query.retrieval.passage import place
from llmwiki.query.retrieval.passage_score import ScoredPassage, Scorer
from llmwiki.query.retrieval.passage_selection import Choice
from llmwiki.query.retrieval.question_words import share, weights
from llmwiki.query.retrieval.read_and_score_passages import PassageReader
from llmwiki.query.retrieval.search_words import standing
from llmwiki.query.retrieval.weights import SCALE
from llmwiki.query.retrieval.word_scores import question_terms

if TYPE_CHECKING:
    from llmwiki.index.lookups import Card, Corpus
    from llmwiki.index.source_index import SourceIndex
    from llmwiki.query.retrieval.rank_pages import Ranking
    from llmwiki.query.retrieval.word_scores import Term

CLIFF = 0.35
"""Below this part of the best score a passage is shown only where more is asked for."""
NEAR_BEST = 0.7
"""Below this part of the best score for one part of a question a passage takes no turn for it: what
follows holds some word of that part by chance, and the whole question ranks it well enough."""
SURE = 500_000
"""The score, in millionths, from which on the best passage is taken for an answer: below it nothing
is left out for scoring less."""
LEAST_SHOWN = 12
"""Passages that are shown in any case, if there are as many that bear on the question."""
LINES = 12
"""Passages of sources from which an answer without a model is taken at most."""
FAINT = 0.4
"""Share of what is asked, by rarity, below which the best passage probably answers nothing."""


class Context(NamedTuple):
    """The passages for a question."""

    question: str
    text: str
    """What a prompt shows: passages fenced as data, each with its handle; may be empty."""
    shown: tuple[ScoredPassage, ...]
    """Those in `text` in its order: pages by their best passage, the best of each page first."""
    of_statements: frozenset[str]
    """Of the pages they stand on the paths of those that hold claims or notes, and of those of
    sources: what else stands there says nothing of its own."""
    tokens: int
    """Of `text`: an estimate, its bytes in UTF-8 by 3."""
    budget: int
    """Tokens that `text` might have had."""
    terms: tuple[Term, ...]
    """The question's terms, rarest first; those that stand on no page have a frequency of 0."""
    nowhere: frozenset[str]
    """Those that stand in no form anywhere, neither on pages nor in sources."""
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
    lines: tuple[ScoredPassage, ...]
    """The best lines of sources, whether shown or not: claims that are shown may say the same."""
    texts: Mapping[str, Sequence[str]]
    """All lines of the sources that `lines` stand in, by path."""
    titles: Mapping[str, str] = {}
    """The titles of the pages of those sources, by the path of the source."""
    more: int = 0
    """Passages that bear on the question, but score far less than the best: `more` shows them."""
    best: int = 0
    """The score of the best passage there is, also where it was shown before and is not again."""

    @property
    def is_faint(self) -> bool:
        """Whether even the best passage holds little of what is asked."""
        return bool(self.shown) and self.coverage < FAINT * SCALE


class ContextShape(NamedTuple):
    """How much of what was found a context shows, and how."""

    budget: int = BUDGET
    """Tokens by estimate."""
    quotes: bool = False
    """Whether claims stand with their quotes."""
    more: bool = False
    """Whether passages far below the best are shown too."""
    without: frozenset[str] = frozenset()
    """Handles or ids of passages that are not shown, for they were before."""
    whole: bool = False
    """Whether handles of claims name their pages."""


def assemble(
    corpus: Corpus,
    ranking: Ranking,
    read: Callable[[Card], str],
    question: str,
    *,
    shape: ContextShape | None = None,
    parts: Sequence[tuple[str, Ranking]] = (),
    sources: SourceIndex | None = None,
    also: str = "",
) -> Context:
    """The context of a question from the ranking of its pages.

    `read` gives a page's text; `parts` are the parts of the question with their own rankings;
    `sources` are the texts of sources, whose lines are shown where claims do not say the same.
    `also` are words that an answer may use and the question lacks; the ranking is then that of
    the question and these words.
    Pure but for `read`: the same arguments, the same bytes.
    """
    shape = shape or ContextShape()
    own = frozenset(question_terms(question))
    asked = tuple(term for term in ranking.terms if term.text in own)
    further = tuple(term for term in ranking.terms if term.text not in own)
    scorer = Scorer(question, asked, corpus.pages, further)
    reader = PassageReader(corpus, scorer, read, sources)
    hits = hits_of(ranking, parts)
    lines = [] if sources is None else source_lines(sources, ranking, parts)
    found = found_passages(reader, scorer, hits, lines)
    waiting, more = _in_turn(found, _for_parts(found, parts, corpus), shape)

    writer = ContextWriter(shape.budget, quotes=shape.quotes, whole=shape.whole)
    chosen = Choice(writer, reader, hidden=shape.without)
    left_out = chosen.fill(waiting)
    ordered = {place(each.passage): each for each in chosen.ordered()}
    grouped = writer.in_groups(each.passage for each in ordered.values())
    # Statements come first: lines of a source are what nobody has weighed yet.
    grouped.sort(key=lambda passage: passage.kind == "source")
    shown = tuple(ordered[place(passage)] for passage in grouped)
    text = writer.text(each.passage for each in shown)
    from_sources = (each for each in found if each.passage.kind == "source")
    best_lines = tuple(
        each._replace(passage=reader.located(each.passage)) for each in islice(from_sources, LINES)
    )
    absent = [term.text for term in asked if not term.df]
    content = weights(question, asked, 0, corpus.pages)
    helps = weights("", further, 0, corpus.pages)
    return Context(
        question=question,
        text=text,
        shown=shown,
        of_statements=frozenset(
            path
            for path in {each.passage.path for each in shown}
            if reader.statements[path] or reader.cards[path].type == "source"
        ),
        tokens=estimated_tokens(text),
        budget=max(shape.budget, 0),
        terms=asked,
        nowhere=frozenset(absent).difference(standing(corpus, sources, absent)),
        wiki_pages=corpus.pages,
        subject=scorer.named(n for card, _ in hits.values() for n in (card.title, *card.aliases)),
        coverage=max((share(content, each.terms, helps) for each in shown), default=0),
        left_out=left_out,
        lines=best_lines,
        texts={
            each.passage.title: sources.lines_of(each.passage.path)
            for each in best_lines
            if sources is not None
        },
        titles={each.passage.title: reader.cards[each.passage.path].title for each in best_lines},
        more=more,
        best=max((each.score for each in found), default=0),
    )


def _for_parts(
    found: Sequence[ScoredPassage], parts: Sequence[tuple[str, Ranking]], corpus: Corpus
) -> list[list[ScoredPassage]]:
    """For each part of a question the passages that bear on it, best first.

    What holds a word that no other part has comes before what only answers them all.
    """
    scorers = [Scorer(part, ranked.terms, corpus.pages) for part, ranked in parts]
    return [
        _for_part(
            found,
            scorer,
            scorer.asked.difference(*(other.asked for other in scorers if other is not scorer)),
            ranked,
        )
        for scorer, (_, ranked) in zip(scorers, parts, strict=True)
    ]


def _for_part(
    found: Sequence[ScoredPassage], scorer: Scorer, telling: frozenset[str], ranked: Ranking
) -> list[ScoredPassage]:
    best = max((hit.score for hit in ranked.hits), default=0) or 1
    pages = {hit.card.path: hit for hit in ranked.hits}
    above = {
        path: scorer.held(" · ".join((hit.card.title, *hit.card.aliases)))
        for path, hit in pages.items()
    }
    scored = []
    for each in found:
        path = each.passage.path
        is_source = each.passage.kind == "source"
        if path in pages or is_source:
            rank = 0 if is_source else pages[path].score * SCALE // best
            score = scorer.score(each.passage, above.get(path, frozenset()), rank)
            if score.own or (score.terms and each.passage.id):
                scored.append((not score.terms & telling, -score.score, each.order, each))
    scored.sort(key=lambda row: row[:3])
    return [each for _, total, _, each in scored if total <= NEAR_BEST * scored[0][1]]


def _in_turn(
    found: list[ScoredPassage], parts: Sequence[list[ScoredPassage]], shape: ContextShape
) -> tuple[list[ScoredPassage], int]:
    """The passages in the order in which they are chosen, and how many lie below the cliff.

    The parts of a question take turns with the whole of it.
    """
    best = found[0].score if found else 0
    least = best * CLIFF if best >= SURE else 0
    kept = [
        each
        for place, each in enumerate(found)
        if shape.more or place < LEAST_SHOWN or each.score >= least
    ]
    order: dict[tuple[str, int, str], ScoredPassage] = {}
    for turn in zip_longest(kept, *(part[: len(kept)] for part in parts)):
        for each in turn:
            if each is not None:
                order.setdefault(place(each.passage), each)
    return list(order.values()), len(found) - len(order)
