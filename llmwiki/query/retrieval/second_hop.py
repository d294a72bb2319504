"""The second hop: names on the best pages lead to pages that answer the rest of a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate, chain

from llmwiki.core.language.search_terms import terms_of
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.index.lookups import WORD, Card, Corpus, Postings
from llmwiki.query.retrieval.linked_pages import LinkNeighbourhood
from llmwiki.query.retrieval.personalised_pagerank import SeedScores
from llmwiki.query.retrieval.weights import BOUNDS, RECIPE, SCALE
from llmwiki.query.retrieval.word_scores import TermScorer, WordScores, best

_FIVE = 5 * SCALE


class Hop(NamedTuple):
    """What the second hop gives to each page, at most 1 each, in millionths."""

    words: Mapping[int, int]
    """By what a best page leaves open of the question, with the names it brings."""
    names: Mapping[int, int]
    """By names shared with a best page."""
    links: Mapping[int, int]
    """By links and mentions on a best page."""


def second_hop(
    corpus: Corpus,
    words: WordScores,
    start: SeedScores,
    said: frozenset[str],
    around: LinkNeighbourhood,
) -> Hop:
    """Ask again from each of the best pages; of several ways to a page the best one counts.

    `said` holds the names that the question says: they bring nothing new.
    """
    least = RECIPE.hop_score * SCALE
    pages = [doc for doc in start.best[: RECIPE.hop_pages] if start.share(doc) >= least]
    around.load(pages)
    asked = {term.text for term in words.terms}
    brought = {doc: _brought(around.cards[doc], asked, said, around) for doc in pages}
    scored = _Scored(corpus, around)
    rarest = scored.rarest(brought)
    by_words: dict[int, int] = {}
    by_names: dict[int, int] = {}
    by_links: dict[int, int] = {}
    for doc in pages:
        score, near = start.share(doc), around.near[doc]
        fresh = scored.sums(rarest[doc])
        rest = _left_open(words, doc, {*start.pool, *fresh, *near.shared, *near.links})
        fresh.pop(doc, None)
        if fresh:
            pool = [other for other in start.pool if other != doc]
            _raise(by_words, {other: score * rest[other] // SCALE for other in pool})
            top, part = max(fresh.values()) or 1, RECIPE.brought
            new = {other: int(value * part) * SCALE // top for other, value in fresh.items()}
            _raise(by_words, {o: score * (rest[o] + value) // SCALE for o, value in new.items()})
        # Half of the rest is as good as all of it: a page rarely holds every word.
        fit = {other: min(SCALE, 2 * rest[other]) for other in (*near.shared, *near.links)}
        named = {o: score * v // SCALE * (SCALE + 4 * fit[o]) for o, v in near.shared.items()}
        linked = {o: score * v // SCALE * (2 * SCALE + 3 * fit[o]) for o, v in near.links.items()}
        _raise(by_names, {other: value // _FIVE for other, value in named.items()})
        _raise(by_links, {other: value // _FIVE for other, value in linked.items()})
    top = max(by_words.values(), default=0) or 1
    return Hop({doc: value * SCALE // top for doc, value in by_words.items()}, by_names, by_links)


class _Scored:
    """Scores by terms that pages bring, each worked out once."""

    def __init__(self, corpus: Corpus, around: LinkNeighbourhood) -> None:
        self._corpus, self._exclude = corpus, around.exclude
        self._scorer = TermScorer(corpus, around.exclude)
        self._held: Mapping[str, Postings] = {}

    def rarest(self, brought: Mapping[int, Iterable[str]]) -> dict[int, list[str]]:
        """Of the terms that each page brings the rarest; their postings are read."""
        known = self._corpus.frequencies(chain.from_iterable(brought.values()))
        found = {}
        for doc, terms in brought.items():
            order = sorted((known[term], term) for term in terms if term in known)
            spent = accumulate(df for df, _term in order)
            pairs = zip(order[: RECIPE.hop_terms], spent, strict=False)
            found[doc] = [term for (_df, term), so_far in pairs if so_far <= BOUNDS.hop_postings]
        self._held = self._corpus.postings(
            WORD + term for term in dict.fromkeys(chain.from_iterable(found.values()))
        )
        return found

    def sums(self, terms: Iterable[str]) -> dict[int, int]:
        """Scores by terms whose postings were read; of too many pages the best, ties included."""
        total: dict[int, int] = {}
        for term in terms:
            postings = self._held[WORD + term]
            scores = self._scorer.whole(term, postings)
            if not total:
                total = dict(zip(postings.docs, scores, strict=True))
                continue
            found_so_far = total.get
            for doc, score in zip(postings.docs, scores, strict=True):
                total[doc] = found_so_far(doc, 0) + score
        for doc in self._exclude:
            total.pop(doc, None)
        return {doc: total[doc] for doc in best(total, BOUNDS.hop_found)}


def _left_open(words: WordScores, page: int, docs: set[int]) -> dict[int, int]:
    """How much some pages hold of the question's terms that another page lacks, in millionths of
    what the best page holds of all of them."""
    left = dict.fromkeys(docs, 0)
    for scores in words.by_term.values():
        if page not in scores:
            for doc in docs & scores.keys():
                left[doc] += scores[doc]
    most = max(words.total.values()) or 1
    return {doc: score * SCALE // most for doc, score in left.items()}


def _brought(
    card: Card, asked: set[str], said: frozenset[str], around: LinkNeighbourhood
) -> tuple[str, ...]:
    """Terms of the names on a page that are not in the question; of the rarest names first."""
    names = [run for run in around.rarest(card) if run not in said]
    found: dict[str, None] = {}
    for name in names:
        for word in name.split(" "):
            for term in terms_of(word):
                if term not in asked:
                    found[term] = None
        if len(found) >= BOUNDS.brought:
            break
    return tuple(found)


def _raise(values: dict[int, int], found: Mapping[int, int]) -> None:
    for doc, value in found.items():
        if value > values.get(doc, 0):
            values[doc] = value
