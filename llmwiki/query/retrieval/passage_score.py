"""How well each passage of a page answers a question: words, title, rank of its page.

BM25 over passages (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework") with the
idf of pages, so that a word's weight does not depend on how a page is cut. What a passage does not
say itself but its page's title or its headings do counts in part: "It has 12 heads" under
"Transformer" answers a question about transformers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import pairwise
from sys import intern
from typing import TYPE_CHECKING

from llmwiki.core.language.search_terms import count_terms, fold_words, terms_of, words
from llmwiki.core.language.search_terms import terms as terms_in_order
from llmwiki.core.language.word_forms import base, forms_of
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.query.retrieval.passage import Passage
from llmwiki.query.retrieval.question_words import (
    asking_among,
    asks_of_change,
    asks_who,
    defined,
    weights,
)
from llmwiki.query.retrieval.weights import SCALE
from llmwiki.query.retrieval.word_scores import Term, idf

if TYPE_CHECKING:
    from llmwiki.query.retrieval.split_page_in_passages import PagePart

K1 = 1.2
B = 0.4
"""Saturation and length normalisation (measured): a long passage holds more words of any question,
and takes the room of several short ones."""
USUAL_LENGTH = 220
"""Characters of a passage of usual length."""
QUOTED = 0.5
"""Worth of a word that only the quotes or attributes of a claim hold."""
ABOVE = 0.5
"""Worth of a word that only the page's title, aliases or headings hold."""
PAGE = 0.02
"""Worth of the page's rank, where the whole question in one passage is worth 1: it decides between
equals. More brings passages of well-linked pages before those that answer (measured: 0.3 loses 7
to 17 of 100 questions in 2,000 characters)."""
NEIGHBOURS = 0.15
"""Worth of standing in the same order, side by side, as in the question."""
DEFINES = 0.4
"""Worth of beginning with "X is …" where the question is "What is X?"."""
OPENING = 120
"""Characters in which such a beginning is looked for."""
ASKING = 0.25
"""Weight of a word that only asks, such as "mean" or "work", against its rarity."""
BY_KIND = {"claim": 1.0, "note": 1.0, "lead": 0.95, "description": 0.8, "row": 0.95, "source": 0.65}
OTHER_KIND = 0.9
RELATION = 0.6
"""A line of related pages holds little beyond its link."""
STRUCK = 0.5
BEFORE = 0.9
"""Worth of what no longer stands, where the question asks how something changed."""
NEAR = 4
"""Characters between two words that stand side by side, at most: a blank, a dash, a small word."""
AKIN = 6
"""Characters of a stem from which one that goes on for two more is taken for the same word."""
QUESTION = 0.6
NOTE_QUESTION = 0.8
"""Worth of a note that ends with a question: mostly it has said something before (measured)."""
ALSO = 0.7
"""Worth of a word that an answer may use, against one of the question (measured: 0.5 finds two to
three of 100 answers less, 1 one less)."""
FEEDBACK = 0.15
"""Worth of all terms brought by the best passages (RM3: Lavrenko and Croft 2001; Abdul-Jaleel et
al. 2004), where the whole question is worth 1; 0.1 to 0.3 give about the same."""
FEEDBACK_PASSAGES = 6
"""Passages that bring terms."""
FEEDBACK_TERMS = 20
_LOOKED_AT = 60
"""Terms of those passages among which the rarest are taken."""


@lru_cache(maxsize=1 << 10)
def split_words(text: str) -> tuple[str, ...]:
    """The words of a passage's text, as `tokens.words` has them.

    Interned: a thousand passages share most of their words.
    """
    return tuple(map(intern, words(text)))


class ScoredPassage(NamedTuple):
    """A passage and how well it answers a question."""

    passage: Passage
    score: int
    """In millionths; comparable within one question only."""
    parts: tuple[tuple[str, int], ...]
    """(name, millionths) before what the kind of passage takes off."""
    terms: frozenset[str]
    """Terms of the question that the passage, its quotes, its title or headings hold."""
    own: frozenset[str]
    """Those of them that its own text or quotes hold."""
    is_cut: bool = False
    """Whether only its beginning is shown, for want of room."""

    def gaining(self, what: str, gain: int) -> ScoredPassage:
        """The same with what other passages add to it."""
        return self._replace(score=self.score + gain, parts=(*self.parts, (what, gain)))

    @property
    def order(self) -> tuple[int, str, int, str]:
        """Best first; ties by path, then line."""
        return -self.score, self.passage.path, self.passage.line, self.passage.text


class Scorer:
    """A question, ready to be compared with many passages."""

    def __init__(
        self,
        question: str,
        terms: Sequence[Term],
        pages: int,
        also: Sequence[Term] = (),
    ) -> None:
        """`terms` are those of the question, `pages` how many the wiki has; `also` are terms that
        the question lacks and an answer may use."""
        self._question, self._terms_asked = question, tuple(terms)
        self._idf = weights(question, terms, ASKING, pages)
        for term, weight in weights("", also, ASKING, pages).items():
            self._idf.setdefault(term, int(ALSO * weight))
        self._asks_who = asks_who(question)
        """Whether an owner is meant by who owns it."""
        self._struck = BEFORE if asks_of_change(question) else STRUCK
        self._whole = max(sum(self._idf.values()), 1)
        plain = {form for term in self._idf if term.isascii() for form in forms_of(term)}
        self._other = sorted(term for term in self._idf if not term.isascii())
        beginnings = sorted({_beginning(word) for word in plain}, key=lambda w: (-len(w), w))
        # A look behind that comes after the first letter lets the search skip to such letters. A
        # word ends where another script begins, as in Japanese.
        listed = "|".join(rf"{word[0]}(?<![a-z0-9].){word[1:]}" for word in beginnings)
        self._pattern = re.compile(rf"(?:{listed})[a-z0-9_]*") if beginnings else None
        in_order = [base(term) for term in terms_in_order(question)]
        self._words: dict[str, tuple[str, ...]] = {}
        self._above: dict[tuple[str, ...], frozenset[str]] = {}
        self._counted: dict[str, tuple[dict[str, int], set[tuple[str, str]]]] = {}
        """What `_found` has given, by text: a note is scored twice."""
        self._pairs = frozenset(pairwise(in_order))
        subject = " ".join(map(re.escape, words(defined(question))))
        says = "is|are|was|were|means|has|have|consists?|contains?"
        self._defines = re.compile(rf"(?:(?:an?|the) )?{subject} (?:{says})\b") if subject else None

    def among(self, held: Mapping[str, int], statements: int) -> Scorer:
        """The same question for statements whose pages say little of how rare their words are.

        `held` counts those of the `statements` that hold each term. A term weighs the mean of its
        rarity among pages, which tells one page from another, and of that among the statements;
        one that none holds, or that only an answer may use, as before.
        """
        counted = [t._replace(df=held.get(base(t.text), 0)) for t in self._terms_asked]
        rarity = weights(self._question, counted, ASKING, statements)
        other = copy(self)
        other._idf = {
            term: (weight + rarity[term]) // 2 if term in rarity and held.get(term) else weight
            for term, weight in self._idf.items()
        }
        other._whole = max(sum(other._idf.values()), 1)
        return other

    @property
    def asked(self) -> frozenset[str]:
        """The terms of the question that count."""
        return frozenset(term for term, weight in self._idf.items() if weight)

    def held(self, text: str) -> frozenset[str]:
        """The terms of the question in a text."""
        folded = fold_words(text)
        found = {term for term in self._other if term in folded}
        if self._pattern is not None:
            for word in set(self._pattern.findall(folded)):
                found.update(self._terms(word))
        return frozenset(found)

    def may_bear(self, part: PagePart, above: frozenset[str]) -> bool:
        """Whether a passage of that part may have a word of the question, or counts by those that
        the page's title or its headings hold. `above` are those of the title."""
        if part.joined or (self._pattern is not None and self._pattern.search(part.folded)):
            return True
        if part.has_title and (above or self._held_above(part.headings)):
            return True
        return any(term in part.folded for term in self._other)

    def share(self, held: frozenset[str]) -> int:
        """How much of the question some of its terms are, in millionths."""
        return self._weight(held) * SCALE // self._whole

    def _held_above(self, headings: tuple[str, ...]) -> frozenset[str]:
        """The terms in headings, which many passages of a page have in common."""
        if headings not in self._above:
            self._above[headings] = self.held(" · ".join(headings))
        return self._above[headings]

    def named(self, names: Iterable[str]) -> frozenset[str]:
        """The terms of those names that the question names whole."""
        found: set[str] = set()
        for name in names:
            terms = {base(term) for term in terms_in_order(name)}
            if terms and terms <= self._idf.keys():
                found |= terms
        return frozenset(found)

    def score(self, passage: Passage, above: frozenset[str], page: int) -> ScoredPassage:
        """The score of a passage under what its page's title holds and its page's rank.

        `above` are the terms of the question in the page's title and aliases; `page` is its score
        as a share of the best page's, in millionths.
        """
        counts, pairs = self._found(passage.text)
        further = passage.further
        if further.startswith(passage.text) and further[len(passage.text) :][:1] in " ":
            # The quote is the claim itself: it is read once.
            further = further[len(passage.text) :]
        quoted = self.held(further) if further else frozenset()
        if passage.headings:
            above |= self._held_above(passage.headings)
        scale = K1 * (1 - B + B * len(passage.text) / USUAL_LENGTH)
        found = sum(
            int(self._idf[term] * count * (K1 + 1) / (count + scale))
            for term, count in counts.items()
        )
        own = quoted.union(counts)
        in_quote = int(QUOTED * self._weight(own.difference(counts)))
        in_title = int(ABOVE * self._weight(above - own))
        beside = int(
            NEIGHBOURS * sum(min(self._idf[a], self._idf[b]) for a, b in pairs & self._pairs)
        )
        opening = " ".join(words(passage.text[:OPENING])) if self._defines else ""
        defines = DEFINES if self._defines and self._defines.match(opening) else 0
        parts = (
            ("words", found * SCALE // self._whole),
            ("quotes", in_quote * SCALE // self._whole),
            ("title", in_title * SCALE // self._whole),
            ("order", beside * SCALE // self._whole),
            ("defines", int(SCALE * defines)),
            ("page", int(PAGE * page)),
        )
        factor = BY_KIND.get(passage.kind, OTHER_KIND)
        if passage.kind == "item" and passage.headings[-1:] in {("Related",), ("Relations",)}:
            factor = RELATION
        if passage.struck:
            factor *= self._struck
        elif passage.is_question:
            factor *= NOTE_QUESTION if passage.kind == "note" else QUESTION
        total = int(sum(value for _, value in parts) * factor)
        return ScoredPassage(passage, total, parts, own | above, own)

    def feedback(self, passages: Sequence[ScoredPassage]) -> list[int]:
        """What each of some passages, best first, gains by the words that the best of them have
        beside the question's; in millionths, in the same order."""
        brought = self._brought(passages[:FEEDBACK_PASSAGES])
        if not brought:
            return [0] * len(passages)
        held = [_counts(each.passage) for each in passages]
        found = [{term: c[term] for term in brought.keys() & c.keys()} for c in held]
        holding = Counter(term for counts in found for term in counts)
        weighted = {t: w * idf(len(passages), holding[t]) // SCALE for t, w in brought.items()}
        kept = sorted(weighted, key=lambda term: (-weighted[term], term))[:FEEDBACK_TERMS]
        whole = max(sum(weighted[term] for term in kept), 1)
        shares = {term: int(FEEDBACK * weighted[term] * SCALE) // whole for term in kept}
        return [
            sum(int(shares[t] * n * (K1 + 1) / (n + K1)) for t, n in counts.items() if t in shares)
            for counts in found
        ]

    def _brought(self, best: Sequence[ScoredPassage]) -> dict[str, int]:
        """The terms of the best passages that the question lacks, each with its weight."""
        found: dict[str, int] = {}
        only_ask = asking_among(())
        for each in best:
            counts = _counts(each.passage)
            length = max(sum(counts.values()), 1)
            for term, count in counts.items():
                if term not in self._idf and term not in only_ask:
                    found[term] = found.get(term, 0) + each.score * count // length
        kept = sorted(found, key=lambda term: (-found[term], term))[:_LOOKED_AT]
        return {term: found[term] for term in kept if found[term]}

    def _weight(self, terms: frozenset[str]) -> int:
        return sum(map(self._idf.__getitem__, terms)) if terms else 0

    def _found(self, text: str) -> tuple[dict[str, int], set[tuple[str, str]]]:
        """How often each term of the question stands in a text, and which side by side."""
        if text in self._counted:
            return self._counted[text]
        folded = fold_words(text)
        counts: dict[str, int] = {}
        pairs: set[tuple[str, str]] = set()
        if self._pattern is not None:
            last, end = "", -9
            for found in self._pattern.finditer(folded):
                for term in self._terms(found[0]):
                    counts[term] = counts.get(term, 0) + 1
                    if found.start() - end <= NEAR and last:
                        pairs.add((last, term))
                    last, end = term, found.end()
        for term in self._other:
            if times := folded.count(term):
                counts[term] = times
        self._counted[text] = counts, pairs
        return counts, pairs

    def _terms(self, word: str) -> tuple[str, ...]:
        """The terms of the question that a folded word is a form of."""
        if word not in self._words:
            self._words[word] = tuple(filter(None, map(self._meant, terms_of(word))))
        return self._words[word]

    def _meant(self, stem: str) -> str:
        """The term of the question that a stem is a form of; empty if of none."""
        term = base(stem)
        if term in self._idf:
            return term
        doer = term[:-2] if self._asks_who and term.endswith("er") else ""
        return next((t for t in sorted(self._idf) if t == doer or _akin(t, term)), "")


def _counts(passage: Passage) -> Mapping[str, int]:
    """How often each term stands in a passage and in what it is found by beside its words."""
    counts = _counts_in(passage.text)
    if not passage.further:
        return counts
    whole = dict(counts)
    for term, count in _counts_in(passage.further).items():
        whole[term] = whole.get(term, 0) + count
    return whole


@lru_cache(maxsize=1 << 11)
def _counts_in(text: str) -> Mapping[str, int]:
    """How often each term stands in a text, in its base form."""
    counts: dict[str, int] = {}
    for term, count in count_terms(text)[0].items():
        form = base(term)
        counts[form] = counts.get(form, 0) + count
    return counts


def _akin(one: str, other: str) -> bool:
    """Whether one of two stems is the other with a short ending: complain, complaint."""
    short, long = sorted((one, other), key=len)
    return len(short) >= AKIN and long.startswith(short) and len(long) - len(short) <= 2


def _beginning(term: str) -> str:
    """What every word akin to this stem begins with; Snowball rewrites endings of two letters."""
    if len(term) >= AKIN:
        return term[:-2]
    return term[:-1] if len(term) > 2 and term[-1] in "eiy" else term
