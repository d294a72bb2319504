"""Every page with claims, in units small enough to be judged at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.text import sha256_hex
from llmwiki.index.keys import CLAIM
from llmwiki.lint.judge.shown import JudgedPage, ShownClaim, shown_page, size
from llmwiki.lint.view import PageView
from llmwiki.pages.names import name_key, stem_of

if TYPE_CHECKING:
    from llmwiki.index.open_index import Index

JUDGEMENT = "llmwiki.judgement/1"
"""Raised when what is judged changes so much that the old judgements do not count."""

UNIT_BYTES = 10_000
UNIT_CLAIMS = 16
"""Of one page that are judged together; a longer page is judged in several units."""


class JudgementUnit(NamedTuple):
    """A page, or a part of a long one: what is judged once and never again while it is the same."""

    key: str
    """A hash of all that is shown of it. What stands beside it does not count: a claim that comes
    in later is laid beside the older ones when its own page is judged."""
    page: JudgedPage
    claims: tuple[ShownClaim, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class UnitSurvey:
    """The pages of a wiki that have standing claims, by path."""

    pages: tuple[JudgedPage, ...]

    @cached_property
    def units(self) -> tuple[JudgementUnit, ...]:
        """All that there is to judge, in the order of the paths."""
        return tuple(unit for page in self.pages for unit in _units(page))

    @cached_property
    def by_path(self) -> dict[str, JudgedPage]:
        """Each page by its path."""
        return {page.path: page for page in self.pages}

    @cached_property
    def by_file(self) -> dict[str, tuple[JudgedPage, ...]]:
        """The pages of a folded file name."""
        found: dict[str, list[JudgedPage]] = {}
        for page in self.pages:
            found.setdefault(name_key(stem_of(page.path)), []).append(page)
        return {key: tuple(pages) for key, pages in found.items()}

    @cached_property
    def by_slot(self) -> dict[str, tuple[ShownClaim, ...]]:
        """The claims that fill a slot of a name."""
        found: dict[str, list[ShownClaim]] = {}
        for page in self.pages:
            for claim in page.claims:
                if claim.slot:
                    found.setdefault(claim.slot, []).append(claim)
        return {name: tuple(claims) for name, claims in found.items()}

    @cached_property
    def by_id(self) -> dict[str, ShownClaim]:
        """Each claim by its id; of two with one id the first."""
        found: dict[str, ShownClaim] = {}
        for page in self.pages:
            for claim in page.claims:
                found.setdefault(claim.id, claim)
        return found

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of all units."""
        return frozenset(unit.key for unit in self.units)


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
    return UnitSurvey(tuple(page for view in views if (page := shown_page(view)) is not None))


def _units(page: JudgedPage) -> Iterator[JudgementUnit]:
    head = page.head_line()
    claims: list[ShownClaim] = []
    lines = [head]
    for claim in page.claims:
        line = claim.own_line()
        if claims and (len(claims) == UNIT_CLAIMS or size([*lines, line]) > UNIT_BYTES):
            yield _unit(page, claims, lines)
            claims, lines = [], [head]
        claims.append(claim)
        lines.append(line)
    yield _unit(page, claims, lines)


def _unit(page: JudgedPage, claims: list[ShownClaim], lines: list[str]) -> JudgementUnit:
    key = sha256_hex("\n".join((JUDGEMENT, *lines)).encode())[:16]
    return JudgementUnit(key, page, tuple(claims), tuple(lines))
