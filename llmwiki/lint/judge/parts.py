"""Parts: as many units as one call judges, each with what is laid beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.fence import fence
from llmwiki.core.secrets import redacted
from llmwiki.core.text import sha256_hex
from llmwiki.lint.judge.shown import ShownClaim, size

if TYPE_CHECKING:
    from llmwiki.lint.judge.pairs import PairChooser
    from llmwiki.lint.judge.survey import JudgementUnit

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


def parts(units: Iterable[JudgementUnit], pairs: PairChooser) -> Iterator[Part]:
    """Packs units in their order; each part is made when it is asked for."""
    waiting: list[tuple[JudgementUnit, tuple[ShownClaim, ...]]] = []
    total = 0
    for unit in units:
        beside = pairs.beside(unit)
        cost = size([_block(unit, beside), ""])
        if waiting and total + cost > PART_BYTES:
            yield _part(waiting)
            waiting, total = [], 0
        waiting.append((unit, beside))
        total += cost
    if waiting:
        yield _part(waiting)


def _block(unit: JudgementUnit, beside: Iterable[ShownClaim]) -> str:
    lines = [*unit.lines, *(claim.beside_line() for claim in beside)]
    return fence("page", redacted("\n".join(lines)))


def _part(units: list[tuple[JudgementUnit, tuple[ShownClaim, ...]]]) -> Part:
    own = tuple(claim for unit, _ in units for claim in unit.claims)
    known = {claim.id for claim in own}
    beside = {c.id: c for _, besides in units for c in besides if c.id not in known}
    text = "\n\n".join(_block(unit, beside) for unit, beside in units)
    names = tuple(UnitOf(u.key, u.page.path, tuple(c.id for c in u.claims)) for u, _ in units)
    return Part(names, own, tuple(beside.values()), text)
