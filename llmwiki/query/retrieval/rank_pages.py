"""The ranking of the pages of a wiki by a question: the steps, in their order.

1. words: BM25F over titles and texts (`score`)
2. titles and names that the question says (`title_match`); with the words they make the start
3. the walk from the best pages over links, mentions, shared names and titles (`neighbours`,
   `personalised_pagerank`)
4. the second hop: the question asked again from the best pages (`expand`)
5. the weighted sum, what parts of one thing lend each other (`sequences`), and who says it
   (`_said_by`)

Nothing is random and no float is summed; numbers of pages decide nothing, so the same pages and
the same question give the same ranking, whichever way the pages were indexed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.core.text import MOST_DIGITS
from llmwiki.index.lookups import TITLE, Card, Corpus
from llmwiki.index.names_and_words import title_key
from llmwiki.query.retrieval.linked_pages import LinkNeighbourhood
from llmwiki.query.retrieval.personalised_pagerank import (
    SeedScores,
    seeds,
    start_from,
    top,
    walk,
    worded_edges,
)
from llmwiki.query.retrieval.second_hop import Hop, second_hop
from llmwiki.query.retrieval.title_match import (
    NamedTitle,
    Word,
    name_bonus,
    name_keys,
    named_titles,
    question_words,
    title_bonus,
)
from llmwiki.query.retrieval.weights import BOUNDS, RECIPE, SCALE
from llmwiki.query.retrieval.word_scores import Term, best, question_terms, score_words

T = TypeVar("T")
_NOTHING = (0, 0, 0, 0, 0)
_NUMBERED = lazy_pattern(rf"(.*?)(?<!\d)(\d{{1,{MOST_DIGITS}}})(\D*+)", re.DOTALL)
"""A path with its last number."""


class ScoreParts(NamedTuple):
    """What each channel gave to a page's score, in millionths; they add up to it."""

    walk: int = 0
    """The walk from the best pages."""
    words: int = 0
    """Words, titles and names by themselves."""
    second_hop: int = 0
    """What the best pages leave open of the question, with the names they bring."""
    names: int = 0
    """Names shared with the best pages."""
    links: int = 0
    """Links and mentions on the best pages."""
    sequence: int = 0
    """The parts beside it of one thing."""
    speaker: int = 0
    """That somebody says it whom the question names."""


class SearchHit(NamedTuple):
    """One page of a ranking."""

    doc: int
    card: Card
    score: int
    """In millionths; comparable within one ranking only."""
    parts: ScoreParts
    reasons: tuple[str, ...]
    """By which titles, links and names the page was reached."""


class Ranking(NamedTuple):
    """The pages that answer a question, best first; ties by path."""

    hits: tuple[SearchHit, ...]
    terms: tuple[Term, ...]
    """The question's terms, rarest first; those that stand nowhere have `df` 0."""
    titles: tuple[str, ...]
    """Titles that the question names, folded, in its order."""


def rank(
    corpus: Corpus,
    question: str,
    *,
    limit: int,
    keep: Callable[[Card], bool] | None = None,
    exclude: Collection[str] = (),
) -> Ranking:
    """The best pages for a question.

    `keep` says which pages may be found; `exclude` holds paths of pages that are left out and
    lead nowhere. Where no term of the question stands anywhere, there are no hits.
    """
    asked, spoken = question_terms(question), question_words(question)
    held = corpus.postings(sorted(name_keys(spoken)))
    left_out = frozenset(doc for path in exclude if (doc := corpus.doc(path)) is not None)
    words = score_words(corpus, asked, left_out)
    titles = named_titles(corpus, spoken, held)
    telling = [title for title in titles if title.weight >= RECIPE.gate * SCALE]

    gains = title_bonus(corpus, titles, spoken, left_out)
    weight = RECIPE.name_bonus if telling else RECIPE.open_name_bonus
    for doc, gain in name_bonus(corpus, spoken, held, left_out, weight).items():
        gains[doc] = gains.get(doc, 0) + gain
    start = start_from(corpus, words.total, gains, RECIPE.seeds)
    if start is None:
        return Ranking((), words.terms, tuple(title.key for title in titles))

    around = LinkNeighbourhood(corpus, left_out)
    begin = seeds(start, _named_seeds(telling, left_out))
    around.load(start.best)
    mass = walk(begin, start, around, worded_edges(corpus, start, around))
    said = frozenset(key.partition(":")[2] for key in name_keys(spoken))
    hop = second_hop(corpus, words, start, said, around)

    # Beyond the pool only words count: the later steps never reach so far down.
    also = best(start.scores, limit) if keep is None else start.scores
    share = 1.0 if telling else RECIPE.open_share
    channels = _channels(start, mass, hop, share, also)
    scores = {doc: sum(parts) for doc, parts in channels.items()}
    chains = sequences(top(corpus, scores, BOUNDS.sequence), around)
    lent = beside(scores, chains)
    for doc, gain in lent.items():
        scores[doc] = scores.get(doc, 0) + gain
    said_by = _said_by(corpus, scores, spoken, around)
    for doc, gain in said_by.items():
        scores[doc] += gain
    order = _order(corpus, scores, limit, keep)
    around.read_cards(order)
    hits = tuple(
        SearchHit(
            doc,
            around.cards[doc],
            scores[doc],
            ScoreParts(
                *channels.get(doc, _NOTHING),
                lent.get(doc, 0),
                said_by.get(doc, 0),
            ),
            _reasons(doc, start, titles, around),
        )
        for doc in order
    )
    return Ranking(hits, words.terms, tuple(title.key for title in titles))


def _named_seeds(telling: list[NamedTitle], left_out: Collection[int]) -> dict[int, int]:
    """Pages that a question names without doubt: each starts the walk, however few its words."""
    found: dict[int, int] = {}
    for title in telling:
        if len(title.docs) <= RECIPE.seeds:
            least = int(title.weight * RECIPE.named_seed) // len(title.docs)
            for doc in title.docs:
                if doc not in left_out:
                    found[doc] = max(found.get(doc, 0), least)
    return found


def _said_by(
    corpus: Corpus,
    scores: Mapping[int, int],
    spoken: tuple[Word, ...],
    around: LinkNeighbourhood,
) -> dict[int, int]:
    """What the best pages gain that are said by somebody whom the question names."""
    named = {word.text for word in spoken if word.capital and word.text not in STOP_WORDS}
    docs = top(corpus, scores, BOUNDS.sequence) if named else []
    around.read_cards(docs)
    return {
        doc: int(scores[doc] * RECIPE.speaker)
        for doc in docs
        if not named.isdisjoint(around.cards[doc].speaker.split())
    }


def _channels(
    start: SeedScores,
    mass: Mapping[int, int],
    hop: Hop,
    share: float,
    also: Iterable[int],
) -> dict[int, tuple[int, int, int, int, int]]:
    """What walk, words, second hop, names and links give to every page that any of them reached,
    and some more; `share` is that of the second hop and of names."""
    most = max(mass.values(), default=0) or 1
    walked = (doc for doc, held in mass.items() if held * BOUNDS.trace >= most)
    by_words, by_names = RECIPE.second_hop * share, RECIPE.names * share
    scores, words, names, links = start.scores.get, hop.words.get, hop.names.get, hop.links.get
    return {
        doc: (
            mass.get(doc, 0) * SCALE // most,
            int(scores(doc, 0) * SCALE // start.most * RECIPE.words),
            int(words(doc, 0) * by_words),
            int(names(doc, 0) * by_names),
            int(links(doc, 0) * RECIPE.links),
        )
        for doc in {*start.pool, *also, *walked, *hop.words, *hop.names, *hop.links}
    }


def _order(
    corpus: Corpus, scores: Mapping[int, int], limit: int, keep: Callable[[Card], bool] | None
) -> list[int]:
    """The best pages; of some only, cards are read in growing portions until it is full."""
    if keep is None:
        return top(corpus, scores, limit)
    count = max(limit, 1)
    while True:
        count *= 4
        order = top(corpus, scores, count)
        cards = corpus.cards(order)
        kept = [doc for doc in order if keep(cards[doc])]
        if len(kept) >= limit or len(order) < count:
            return kept[:limit]


def _reasons(
    doc: int, start: SeedScores, titles: tuple[NamedTitle, ...], around: LinkNeighbourhood
) -> tuple[str, ...]:
    reasons = [f"named {title.key}" for title in titles if doc in title.docs]
    for source in start.best:
        near = around.near.get(source)
        if near is not None and doc in near.reasons:
            reasons.append(f"{around.cards[source].path} {near.reasons[doc]}")
    return tuple(reasons)


def sequences(docs: Iterable[int], around: LinkNeighbourhood) -> list[list[int]]:
    """The sequences that some pages belong to, each of two pages or more, in order: pages of one
    title whose paths are numbered one after the other, as the turns of a talk or the parts of a
    long text. What answers a question often stands beside what the question's words find; pages
    that share a title without following each other are left alone (measured: docs/retrieval.md)."""
    docs = list(docs)
    around.read_cards(docs)
    keys = [TITLE + key for doc in docs if (key := title_key(around.cards[doc].title))]
    around.fetch(keys)
    groups = [around.docs(key) for key in dict.fromkeys(keys)]
    groups = [group for group in groups if 2 <= len(group) <= BOUNDS.parts]
    paths = around.corpus.paths_of({doc for group in groups for doc in group})
    return [chain for group in groups for chain in _chains(group, paths)]


def beside(scores: Mapping[T, int], chains: Iterable[list[T]]) -> dict[T, int]:
    """What each part gains from the scores of those beside it."""
    gains: dict[T, int] = {}
    for chain in chains:
        for at, part in enumerate(chain):
            gain, weight = 0, RECIPE.beside
            for distance in range(1, RECIPE.beside_reach + 1):
                for other in (at - distance, at + distance):
                    if 0 <= other < len(chain):
                        gain += int(weight * scores.get(chain[other], 0))
                weight *= RECIPE.beside_fade
            gains[part] = max(gains.get(part, 0), gain)
    return gains


def _chains(docs: Iterable[int], paths: Mapping[int, str]) -> list[list[int]]:
    """Pages whose paths differ in their last number only, cut where a number is missing."""
    numbered: dict[tuple[str, str, int], int] = {}
    for doc in docs:
        if match := _NUMBERED.fullmatch(paths[doc]):
            numbered[match[1], match[3], int(match[2])] = doc
    chains: list[list[int]] = []
    before: tuple[str, str, int] | None = None
    for key in sorted(numbered):
        if before is not None and key == (*before[:2], before[2] + 1):
            chains[-1].append(numbered[key])
        else:
            chains.append([numbered[key]])
        before = key
    return [chain for chain in chains if len(chain) > 1]
