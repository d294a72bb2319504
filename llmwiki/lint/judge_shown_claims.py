"""What a judge is shown: pages and claims on one line each, bounded, without invisible characters,
in units that are small enough, packed into parts with claims of other pages beside them.

A claim may contradict or update another where both are about one thing. Candidates are the claims
that its page links to or that stand on linked pages, those that fill a slot of the same name, and
those of the pages that retrieval ranks highest for the claim's own text. Among them the words they
share decide, the rarer the more. No float is summed and ties go by path and id, so the same wiki
gives the same pairs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.language.search_terms import terms
from llmwiki.core.secrets import redacted
from llmwiki.core.text import digest32, fence, normalise, packed, sha256_hex
from llmwiki.index.lookups import CLAIM
from llmwiki.lint.page_view import PageView
from llmwiki.pages.page_file_names import name_key, stem_of
from llmwiki.query.retrieval.rank_pages import rank
from llmwiki.query.retrieval.title_match import rarity
from llmwiki.query.retrieval.weights import SCALE

if TYPE_CHECKING:
    from llmwiki.index.lookups import Corpus
    from llmwiki.index.open_index import Index
    from llmwiki.pages.page import Claim

MAX_TITLE, MAX_DESCRIPTION, MAX_LEAD = 200, 400, 800
MAX_SAYS, MAX_QUOTE, MAX_QUOTES = 1_000, 800, 3_200
"""UTF-8 bytes of what is shown of a page and of a claim; `MAX_QUOTES` of all quotes together."""
MAX_REST = 240
"""Of how the sentence of a quote ends in its source."""
MAX_ATTRIBUTES, MAX_ATTRIBUTE = 4, 150

RestOfSentence = Callable[[str, str], str]
"""(source, quote) to what the source says after it, up to the end of the sentence."""


class ShownClaim(NamedTuple):
    """One standing claim."""

    id: str
    path: str
    title: str
    """Of its page."""
    says: str
    attributes: tuple[tuple[str, str], ...]
    """(name, value); a slot among them."""
    slot: str
    """The name of the slot it fills; empty where it fills none."""
    quotes: tuple[tuple[str, str], ...]
    """(source, words)."""
    is_cut: bool
    """Whether its text or one of its quotes is not shown whole."""
    mark: str
    """Changes when its text, its attributes or its evidence do."""
    line: int
    """Where it stands."""
    unit: str = ""
    """The key of the unit it belongs to."""

    def own_line(self, rest: RestOfSentence = lambda *_: "") -> str:
        """As it is shown on its own page: with its quotes, and with how their sentences end in the
        source, as `rest` says."""
        row: dict[str, object] = {"claim": self.id, "says": self.says}
        if self.attributes:
            row["attributes"] = dict(self.attributes)
        row["quotes"] = quotes = []
        for source, words in self.quotes:
            then = _short(rest(source, words), MAX_REST)[0]
            quotes.append({"source": source, "words": words} | ({"then": then} if then else {}))
        if self.is_cut:
            row["cut"] = True
        return _dump(row)

    def beside_line(self) -> str:
        """As it is shown beside the claims of another page."""
        row: dict[str, object] = {"beside": self.id, "page": self.title, "says": self.says}
        if self.attributes:
            row["attributes"] = dict(self.attributes)
        if self.quotes:
            row["source"] = self.quotes[0][0]
        return _dump(row)


def _dump(row: object) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def _shown(claim: Claim, view: PageView, title: str, line: int) -> ShownClaim:
    says, is_cut = _short(claim.text, MAX_SAYS)
    quotes, left = [], MAX_QUOTES
    for evidence in claim.evidence:
        words, is_short = _short(evidence.quote, min(MAX_QUOTE, left))
        left -= len(words.encode())
        is_cut = is_cut or is_short
        if words:
            quotes.append((_short(evidence.source, MAX_ATTRIBUTE)[0], words))
    whole = [claim.id, normalise(claim.text)]
    whole += [normalise(f"{name} {sign} {value}") for name, sign, value in claim.attributes]
    whole += [normalise(f"{e.source} {e.nth} {e.quote}") for e in claim.evidence]
    return ShownClaim(
        claim.id,
        view.path,
        title,
        says,
        tuple(
            (_short(name, MAX_ATTRIBUTE)[0], _short(value, MAX_ATTRIBUTE)[0])
            for name, _sign, value in claim.attributes[:MAX_ATTRIBUTES]
        ),
        _short(claim.slot[0], MAX_ATTRIBUTE)[0] if claim.slot else "",
        tuple(quotes),
        is_cut,
        digest32(tuple(whole), 16),
        line,
    )


def _word(view: PageView, key: str, most: int) -> str:
    found = view.values.get(key)
    return _short(found, most)[0] if isinstance(found, str) else ""


def _short(text: str, most: int) -> tuple[str, bool]:
    """`text` in its normal form, at most so many bytes; and whether something was left out."""
    whole = normalise(text)
    data = whole.encode()
    if len(data) <= most:
        return whole, False
    return data[: max(most, 0)].decode("utf-8", "ignore"), True


def size(lines: Sequence[str]) -> int:
    """Bytes of lines, each with its line feed."""
    return sum(len(line.encode()) + 1 for line in lines)


# --- what there is to judge --------------------------------------------------------------------

JUDGEMENT = "llmwiki.judgement/1"
"""Raised when what is judged changes so much that the old judgements do not count."""
UNIT_BYTES, UNIT_CLAIMS = 10_000, 16
"""Of one page that are judged together; a longer page is judged in several units."""


class JudgementUnit(NamedTuple):
    """A page with standing claims, or a part of a long one: what is judged once and never again
    while it is the same."""

    key: str
    """A hash of all that is shown of it. What stands beside it does not count: a claim that comes
    in later is laid beside the older ones when its own page is judged."""
    path: str
    subject: str
    """Title and description of the page."""
    links: frozenset[str]
    """Folded file names that the page links to."""
    blocks: frozenset[str]
    """Ids of the claims it links to."""
    claims: tuple[ShownClaim, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class UnitSurvey:
    """All that there is to judge in a wiki, in the order of the paths."""

    units: tuple[JudgementUnit, ...]

    @cached_property
    def by_path(self) -> dict[str, list[ShownClaim]]:
        """The claims of each page."""
        return _grouped((unit.path, claim) for unit in self.units for claim in unit.claims)

    @cached_property
    def by_file(self) -> dict[str, list[ShownClaim]]:
        """The claims of the pages of a folded file name."""
        paths = ((name_key(stem_of(path)), claims) for path, claims in self.by_path.items())
        return _grouped((name, claim) for name, claims in paths for claim in claims)

    @cached_property
    def by_slot(self) -> dict[str, list[ShownClaim]]:
        """The claims that fill a slot of a name."""
        return _grouped((c.slot, c) for unit in self.units for c in unit.claims if c.slot)

    @cached_property
    def by_id(self) -> dict[str, ShownClaim]:
        """Each claim by its id; of two with one id the first."""
        return {c.id: c for unit in reversed(self.units) for c in reversed(unit.claims)}

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of all units."""
        return frozenset(unit.key for unit in self.units)


def _grouped(rows: Iterable[tuple[str, ShownClaim]]) -> dict[str, list[ShownClaim]]:
    found: dict[str, list[ShownClaim]] = {}
    for name, claim in rows:
        found.setdefault(name, []).append(claim)
    return found


def survey(index: Index) -> UnitSurvey:
    """Reads every page."""
    return _read(index, [doc for doc, length in enumerate(index.lengths) if length])


def survey_of(index: Index, claims: Iterable[str], paths: Iterable[str]) -> UnitSurvey:
    """Reads the pages on which some claims stand, and some more."""
    found = index.paths(CLAIM + each for each in sorted(set(claims)))
    wanted = sorted({*paths, *(path for each in found.values() for path in each)})
    return _read(index, [doc for path in wanted if (doc := index.doc(path)) is not None])


def _read(index: Index, docs: Iterable[int]) -> UnitSurvey:
    cards = sorted(index.cards(docs).values(), key=lambda card: card.path)
    views = (PageView(card.path, index.read(card)) for card in cards)
    return UnitSurvey(tuple(unit for view in views for unit in units_of(view)))


def units_of(view: PageView) -> Iterator[JudgementUnit]:
    """What of a page is judged: nothing where no claim of it stands."""
    standing = [placed for placed in view.claims if placed.claim.successor is None]
    if not standing:
        return
    title = _word(view, "title", MAX_TITLE) or _short(view.stem, MAX_TITLE)[0]
    described = _word(view, "description", MAX_DESCRIPTION)
    row = {
        "page": _short(view.path, MAX_DESCRIPTION)[0],
        "title": title,
        "type": _short(view.type, MAX_TITLE)[0],
        "description": described,
        "lead": _short(view.page.lead, MAX_LEAD)[0],
    }
    head = _dump({key: value for key, value in row.items() if value})
    links = frozenset(name_key(link.target.rpartition("/")[2]) for link in view.links)
    blocks = frozenset(link.block for link in view.links if link.block)

    def unit(claims: list[ShownClaim]) -> JudgementUnit:
        lines = (head, *(claim.own_line() for claim in claims))
        key = sha256_hex("\n".join((JUDGEMENT, *lines)).encode())[:16]
        own = tuple(claim._replace(unit=key) for claim in claims)
        subject = f"{title} {described}".strip()
        return JudgementUnit(key, view.path, subject, links, blocks, own, lines)

    claims = (_shown(placed.claim, view, title, placed.line) for placed in standing)
    room = UNIT_BYTES - size([head])
    yield from map(unit, packed(claims, lambda claim: size([claim.own_line()]), room, UNIT_CLAIMS))


# --- what is laid beside it --------------------------------------------------------------------

RANKED = 8
"""Pages that one claim is asked of."""
ROUNDS = 3
"""Claims that are laid beside one, at most."""
BESIDE_BYTES = 6_000
"""Of all that is laid beside a unit."""
SAME_SLOT, LINKED, NAMED_CLAIM = 2 * SCALE, SCALE // 2, 4 * SCALE
"""What a slot of the same name, a link to the page, and a link to the claim itself count: as two
words, half a word and four words that stand on one page alone."""
LEAST = SCALE
"""The least score of a claim that is shown."""
_SLOT_MANY = 50
"""A slot that more claims fill (`date`) says little: then words alone find its claims."""


class PairChooser:
    """Chooses pairs, unit after unit; none is chosen twice."""

    def __init__(self, corpus: Corpus, survey: UnitSurvey) -> None:
        self._corpus = corpus
        self._survey = survey
        self._chosen: set[tuple[str, str]] = set()
        self._terms: dict[str, frozenset[str]] = {}

    def beside(self, unit: JudgementUnit) -> tuple[ShownClaim, ...]:
        """The claims to show beside a unit: the best of each of its claims, then the second of
        each, as far as the bytes reach."""
        linked = self._linked(unit)
        asked = [(claim.id, claim.says, claim.slot) for claim in unit.claims]
        asked.append((unit.key, unit.subject, ""))
        orders = [(name, self._order(text, slot, unit, linked)) for name, text, slot in asked]
        taken: dict[str, ShownClaim] = {}
        left = BESIDE_BYTES
        for place in range(ROUNDS):
            for name, order in orders:
                claim = order[place] if place < len(order) else None
                if claim is None:
                    continue
                pair = (min(name, claim.id), max(name, claim.id))
                cost = 0 if claim.id in taken else size([claim.beside_line()])
                if pair not in self._chosen and cost <= left:
                    left -= cost
                    taken[claim.id] = claim
                    self._chosen.add(pair)
        return tuple(taken.values())

    def _linked(self, unit: JudgementUnit) -> list[ShownClaim]:
        by_id, by_file = self._survey.by_id, self._survey.by_file
        found = [by_id[each] for each in sorted(unit.blocks) if each in by_id]
        return found + [claim for key in sorted(unit.links) for claim in by_file.get(key, ())]

    def _order(
        self, text: str, slot: str, unit: JudgementUnit, linked: Sequence[ShownClaim]
    ) -> list[ShownClaim]:
        """The claims nearest to a text of a unit, the nearest first."""
        hits = rank(self._corpus, text, limit=RANKED).hits
        found = [c for hit in hits for c in self._survey.by_path.get(hit.card.path, ())]
        fillers = self._survey.by_slot.get(slot, ())
        found += [*linked, *(fillers if len(fillers) <= _SLOT_MANY else ())]
        own = {claim.id for claim in unit.claims}
        words = frozenset(terms(text))
        weights = self._weights(words)
        scored = []
        for other in {claim.id: claim for claim in found if claim.id not in own}.values():
            score = sum(weights[term] for term in words & self._terms_of(other))
            if score and slot and slot == other.slot:
                score += SAME_SLOT
            if other.id in unit.blocks:
                score += NAMED_CLAIM
            elif name_key(stem_of(other.path)) in unit.links:
                score += LINKED
            if score >= LEAST:
                scored.append((-score, other.path, other.id, other))
        return [row[3] for row in sorted(scored, key=lambda row: row[:3])[:ROUNDS]]

    def _weights(self, words: Iterable[str]) -> Mapping[str, int]:
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


class Part(NamedTuple):
    """What one call judges."""

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
        return tuple(dict.fromkeys(claim.unit for claim in self.own))

    @property
    def paths(self) -> tuple[str, ...]:
        """The pages that are judged, each once."""
        return tuple(dict.fromkeys(claim.path for claim in self.own))


_ShownUnit = tuple[JudgementUnit, tuple[ShownClaim, ...], str]
"""A unit, the claims beside it, and both as they are shown."""


def parts(
    units: Iterable[JudgementUnit], pairs: PairChooser, rest: RestOfSentence
) -> Iterator[Part]:
    """Packs units in their order; each part is made when it is asked for."""
    shown = (_shown_unit(unit, pairs, rest) for unit in units)
    return map(_part, packed(shown, lambda row: size([row[2], ""]), PART_BYTES))


def _shown_unit(unit: JudgementUnit, pairs: PairChooser, rest: RestOfSentence) -> _ShownUnit:
    beside = pairs.beside(unit)
    lines = [unit.lines[0], *(claim.own_line(rest) for claim in unit.claims)]
    lines += [claim.beside_line() for claim in beside]
    return unit, beside, fence("page", redacted("\n".join(lines)))


def _part(units: list[_ShownUnit]) -> Part:
    own = tuple(claim for unit, _beside, _block in units for claim in unit.claims)
    known = {claim.id for claim in own}
    beside = {c.id: c for _, besides, _ in units for c in besides if c.id not in known}
    return Part(own, tuple(beside.values()), "\n\n".join(block for *_, block in units))
