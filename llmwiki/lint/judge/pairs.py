"""Parts: as many units as one call judges, each with claims of other pages beside it.

A claim may contradict, update or complete another where both are about one thing. Candidates are
the claims that its page links to or that stand on linked pages, those that fill a slot of the same
name, and those of the pages that retrieval ranks highest for the claim's own text. Among them the
words they share decide, the rarer the more. No float is summed and ties go by path and id, so the
same wiki gives the same pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.language.tokens import terms
from llmwiki.core.secrets import redacted
from llmwiki.core.text import fence, sha256_hex
from llmwiki.lint.judge.shown import RestOfSentence, ShownClaim, size
from llmwiki.pages.names import name_key, stem_of
from llmwiki.query.retrieval.rank import rank
from llmwiki.query.retrieval.title_match import rarity
from llmwiki.query.retrieval.weights import SCALE

if TYPE_CHECKING:
    from llmwiki.index.corpus import Corpus
    from llmwiki.lint.judge.shown import JudgementUnit, UnitSurvey

RANKED = 8
"""Pages that one claim is asked of."""
ROUNDS = 3
"""Claims that are laid beside one, at most."""
BESIDE_BYTES = 6_000
"""Of all that is laid beside a unit."""
SAME_SLOT = 2 * SCALE
LINKED = SCALE // 2
NAMED_CLAIM = 4 * SCALE
"""What a slot of the same name, a link to the page, and a link to the claim itself count: as two
words, half a word and four words that stand on one page alone."""
LEAST = SCALE
"""The least score of a claim that is shown."""
_SLOT_MANY = 50
"""A slot that more claims fill (`date`) says little: then words alone find its claims."""

Pair = tuple[str, str]


class PairChooser:
    """Chooses pairs, unit after unit; none is chosen twice."""

    def __init__(self, corpus: Corpus, survey: UnitSurvey) -> None:
        self._corpus = corpus
        self._survey = survey
        self._chosen: set[Pair] = set()
        self._terms: dict[str, frozenset[str]] = {}

    def beside(self, unit: JudgementUnit) -> tuple[ShownClaim, ...]:
        """The claims to show beside a unit, the most telling of each of its claims first."""
        own = {claim.id for claim in unit.claims}
        linked = self._linked(unit)
        subject = f"{unit.page.title} {unit.page.description}".strip()
        asked = [(claim.id, claim.says, claim) for claim in unit.claims]
        orders = []
        for name, text, claim in [*asked, (unit.key, subject, None)]:
            candidates = self._ranked(text)
            candidates += linked
            if claim is not None:
                candidates += self._same_slot(claim)
            others = {each.id: each for each in candidates if each.id not in own}
            orders.append((name, self._order(text, claim, others, unit)))
        return self._drawn(orders)

    def _drawn(self, orders: list[tuple[str, list[ShownClaim]]]) -> tuple[ShownClaim, ...]:
        """The best of each order, then the second of each, as far as the bytes reach."""
        taken: dict[str, ShownClaim] = {}
        left = BESIDE_BYTES
        for place in range(ROUNDS):
            for name, order in orders:
                if place >= len(order):
                    continue
                claim = order[place]
                pair = (min(name, claim.id), max(name, claim.id))
                if pair in self._chosen:
                    continue
                if claim.id not in taken:
                    cost = size([claim.beside_line()])
                    if cost > left:
                        continue
                    left -= cost
                    taken[claim.id] = claim
                self._chosen.add(pair)
        return tuple(taken.values())

    def _ranked(self, text: str) -> list[ShownClaim]:
        pages = self._survey.by_path
        hits = rank(self._corpus, text, limit=RANKED).hits
        return [
            claim for hit in hits if hit.card.path in pages for claim in pages[hit.card.path].claims
        ]

    def _linked(self, unit: JudgementUnit) -> list[ShownClaim]:
        by_id, by_file = self._survey.by_id, self._survey.by_file
        found = [by_id[each] for each in sorted(unit.page.blocks) if each in by_id]
        for key in sorted(unit.page.links):
            found += [claim for page in by_file.get(key, ()) for claim in page.claims]
        return found

    def _same_slot(self, claim: ShownClaim) -> list[ShownClaim]:
        fillers = self._survey.by_slot.get(claim.slot, ())
        return list(fillers) if len(fillers) <= _SLOT_MANY else []

    def _order(
        self,
        text: str,
        claim: ShownClaim | None,
        others: Mapping[str, ShownClaim],
        unit: JudgementUnit,
    ) -> list[ShownClaim]:
        mine = frozenset(terms(text))
        weights = self._weights(mine)
        slot = claim.slot if claim else ""
        scored = []
        for other in others.values():
            score = sum(weights[term] for term in mine & self._terms_of(other))
            if score and slot and slot == other.slot:
                score += SAME_SLOT
            if other.id in unit.page.blocks:
                score += NAMED_CLAIM
            elif name_key(stem_of(other.path)) in unit.page.links:
                score += LINKED
            if score >= LEAST:
                scored.append((-score, other.path, other.id, other))
        return [row[3] for row in sorted(scored, key=lambda row: row[:3])[:ROUNDS]]

    def _weights(self, words: Iterable[str]) -> dict[str, int]:
        words = sorted(words)
        known, pages = self._corpus.frequencies(words), self._corpus.pages
        return {word: rarity(pages, known[word]) if word in known else 0 for word in words}

    def _terms_of(self, claim: ShownClaim) -> frozenset[str]:
        found = self._terms.get(claim.mark)
        if found is None:
            found = self._terms[claim.mark] = frozenset(terms(claim.says))
        return found


# --- parts -------------------------------------------------------------------------------------

PART_BYTES = 24_000
"""Of the data in one call; as a segment of a source has."""


class UnitOf(NamedTuple):
    """A unit of a part, by name."""

    key: str
    path: str
    claims: tuple[str, ...]
    """Ids."""


class Part(NamedTuple):
    """What one call judges."""

    units: tuple[UnitOf, ...]
    own: tuple[ShownClaim, ...]
    """The claims that are judged, with their quotes."""
    beside: tuple[ShownClaim, ...]
    """Claims of other pages, to compare with."""
    text: str
    """As it is shown: each unit between fences."""

    @property
    def id(self) -> str:
        """A hash of what is shown: 16 hexadecimal digits."""
        return sha256_hex(self.text.encode())[:16]

    @property
    def keys(self) -> tuple[str, ...]:
        """Of its units."""
        return tuple(unit.key for unit in self.units)

    @property
    def paths(self) -> tuple[str, ...]:
        """The pages that are judged, each once."""
        return tuple(dict.fromkeys(unit.path for unit in self.units))


def parts(
    units: Iterable[JudgementUnit], pairs: PairChooser, rest: RestOfSentence
) -> Iterator[Part]:
    """Packs units in their order; each part is made when it is asked for."""
    waiting: list[tuple[JudgementUnit, tuple[ShownClaim, ...]]] = []
    total = 0
    for unit in units:
        beside = pairs.beside(unit)
        cost = size([_block(unit, beside, rest), ""])
        if waiting and total + cost > PART_BYTES:
            yield _part(waiting, rest)
            waiting, total = [], 0
        waiting.append((unit, beside))
        total += cost
    if waiting:
        yield _part(waiting, rest)


def _block(unit: JudgementUnit, beside: Iterable[ShownClaim], rest: RestOfSentence) -> str:
    own = (claim.own_line(rest) for claim in unit.claims)
    lines = [unit.page.head_line(), *own, *(claim.beside_line() for claim in beside)]
    return fence("page", redacted("\n".join(lines)))


def _part(units: list[tuple[JudgementUnit, tuple[ShownClaim, ...]]], rest: RestOfSentence) -> Part:
    own = tuple(claim for unit, _ in units for claim in unit.claims)
    known = {claim.id for claim in own}
    beside = {c.id: c for _, besides in units for c in besides if c.id not in known}
    text = "\n\n".join(_block(unit, beside, rest) for unit, beside in units)
    names = tuple(UnitOf(u.key, u.page.path, tuple(c.id for c in u.claims)) for u, _ in units)
    return Part(names, own, tuple(beside.values()), text)
