"""Words: how well each page's title and text match the terms of a question, by BM25F."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, compress

from llmwiki.core.language.search_terms import terms
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.index.lookups import WORD, Corpus, Postings
from llmwiki.query.retrieval.weights import BOUNDS, RECIPE, SCALE

_TITLED = 64
"""Codes from here on count a title too; see `names_and_words.code`."""
_LONGEST_TERM = 16
"""Characters a term and the blank behind it take on a generous average."""


class Term(NamedTuple):
    """One search term of a question."""

    text: str
    df: int
    """Pages that hold it."""
    idf: int
    """Its weight in millionths: `idf`."""
    whole: bool
    """Scored on every page that holds it; else only where it tells apart what others found."""


class WordScores(NamedTuple):
    """What the words of a question give."""

    terms: tuple[Term, ...]
    """Rarest first; terms that stand nowhere included."""
    by_term: Mapping[str, Mapping[int, int]]
    """Score of each page by each term, in millionths."""
    total: Mapping[int, int]
    """Score of each page, in millionths."""


@lru_cache(maxsize=4096)
def idf(pages: int, df: int) -> int:
    """The weight of a term that `df` of `pages` hold, in millionths.

    ln(1 + (N - df + 0.5) / (df + 0.5)): Robertson and Sparck Jones, kept positive as Lucene does;
    at least a hundredth, so that a term of every page still ranks them in whole millionths.
    """
    return max(SCALE // 100, round(SCALE * math.log(1 + (pages - df + 0.5) / (df + 0.5))))


def question_terms(question: str) -> tuple[str, ...]:
    """The distinct terms of a question; of an endless one the first few hundred."""
    start = question[: BOUNDS.looked_up * _LONGEST_TERM]
    return tuple(terms(start)[: BOUNDS.looked_up])


def score_words(corpus: Corpus, asked: Iterable[str], exclude: Collection[int]) -> WordScores:
    """BM25F of the terms over the corpus.

    The rarest terms are scored first, and whole until the bound on postings is reached.
    """
    pages, asked = corpus.pages, tuple(asked)
    known = corpus.frequencies(asked)
    frequency = {term: known.get(term, 0) for term in asked}
    rarest = sorted(frequency, key=lambda term: (frequency[term], term))
    standing = [term for term in rarest if frequency[term]][: BOUNDS.terms]
    spent = accumulate(frequency[term] for term in standing)
    whole = {
        term for term, so_far in zip(standing, spent, strict=True) if so_far <= BOUNDS.postings
    }
    held = corpus.postings(sorted(WORD + term for term in whole))
    scorer = TermScorer(corpus, exclude)
    by_term: dict[str, dict[int, int]] = {}
    total: dict[int, int] = {}
    for term in standing:
        if term in whole:
            postings = held[WORD + term]
            scores = scorer.score(postings, scorer.whole(term, postings))
        else:
            if total:
                postings = corpus.among((term,), best(total, BOUNDS.told_apart))[term]
            else:
                postings = corpus.postings((WORD + term,))[WORD + term]
                postings = _heaviest(postings, corpus.lengths, BOUNDS.postings)
            listed = scorer.listed(postings, idf(pages, frequency[term]))
            scores = scorer.score(postings, listed)
        by_term[term] = scores
        if total:
            held_so_far = total.get
            for doc, score in scores.items():
                total[doc] = held_so_far(doc, 0) + score
        else:
            total = dict(scores)
    counted = (
        Term(term, frequency[term], idf(pages, frequency[term]), term in whole) for term in rarest
    )
    return WordScores(tuple(counted), by_term, total)


class TermScorer:
    """Scores pages by single terms, by BM25F."""

    def __init__(self, corpus: Corpus, exclude: Collection[int]) -> None:
        """`exclude` holds pages that `score` leaves out."""
        pages = max(corpus.pages, 1)
        self._pages, self._exclude = corpus.pages, exclude
        self._lengths, self._title_lengths = corpus.lengths, corpus.title_lengths
        self._fixed = 1 - RECIPE.body_b
        self._per_word = RECIPE.body_b * pages / max(corpus.words, 1)
        self._k_word = RECIPE.k1 * self._per_word
        self._title_fixed = 1 - RECIPE.title_b
        self._title_word = RECIPE.title_b * pages / max(corpus.title_words, 1)
        self._known: dict[str, list[int]] = {}

    def whole(self, term: str, postings: Postings) -> list[int]:
        """The share of a term in the score of each page that holds it, in millionths.

        In the order of its postings, which are given whole, excluded pages among them.
        """
        if term not in self._known:
            self._known[term] = self.listed(postings, idf(self._pages, len(postings)))
        return self._known[term]

    def listed(self, postings: Postings, weight: int) -> list[int]:
        """The share of one term in the score of each page of these, in millionths.

        weight * (k1 + 1) * tf / (tf + k1), tf the sum over the fields of count times the field's
        weight by its length; written out for the text alone, where all but a few postings end.
        """
        k1 = RECIPE.k1
        top = weight * (k1 + 1)
        k_fixed, k_word = k1 * self._fixed, self._k_word
        docs, codes, lengths = postings.docs, postings.codes, self._lengths
        # Those with a title are worked out as if they had none first: they are few.
        scores = [
            int(top * code / (code + k_fixed + k_word * lengths[doc]))
            for doc, code in zip(docs, codes, strict=True)
        ]
        if max(codes, default=0) >= _TITLED:
            for at, code in enumerate(codes):
                if code >= _TITLED:
                    found = self._frequency(docs[at], code)
                    scores[at] = int(top * found / (found + k1))
        return scores

    def score(self, postings: Postings, scores: Iterable[int]) -> dict[int, int]:
        """The score of each page but for those left out."""
        found = dict(zip(postings.docs, scores, strict=True))
        for doc in self._exclude:
            found.pop(doc, None)
        return found

    def _frequency(self, doc: int, code: int) -> float:
        """How often a term stands in the text and the title of a page, by their weights."""
        body = (code & (_TITLED - 1)) / (self._fixed + self._per_word * self._lengths[doc])
        title = self._title_fixed + self._title_word * self._title_lengths[doc]
        return body + RECIPE.title_weight * (code >> 6) / title


def best(scores: Mapping[int, int], count: int) -> list[int]:
    """The pages with the highest scores in no order, with all that tie with the last of them."""
    if count <= 0 or len(scores) <= count:
        return list(scores) if count > 0 else []
    least = sorted(scores.values())[-count]
    return [doc for doc, score in scores.items() if score >= least]


def _heaviest(postings: Postings, lengths: Sequence[int], room: int) -> Postings:
    """The postings that score most, as many as there is room for: the highest counts, title before
    text, and of one count the shortest texts. Those that tie go together, for numbers of pages
    decide nothing."""
    if len(postings) <= room:
        return postings
    longest = max(lengths) + 1
    worth = [
        code * longest - lengths[doc]
        for doc, code in zip(postings.docs, postings.codes, strict=True)
    ]
    last = sorted(worth)[-room - 1]
    least = last + 1 if max(worth) > last else last
    kept = [each >= least for each in worth]
    docs = array("I", compress(postings.docs, kept))
    return Postings(docs, bytes(compress(postings.codes, kept)))
