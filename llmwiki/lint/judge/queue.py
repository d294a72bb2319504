"""What of a wiki is judged, what waits, and what the judgements come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from llmwiki.lint import ignores
from llmwiki.lint.judge.answer_store import JudgementStore
from llmwiki.lint.judge.pairs import PairChooser
from llmwiki.lint.judge.parts import Part, parts
from llmwiki.lint.judge.shown import size
from llmwiki.lint.judge.standing import StandingVerdicts, standing
from llmwiki.lint.judge.survey import survey, survey_of
from llmwiki.lint.judge.verdict import JudgedPart, check
from llmwiki.lint.rules import NAMES

if TYPE_CHECKING:
    from llmwiki.index.open_index import Index
    from llmwiki.lint.finding import Finding
    from llmwiki.lint.judge.answer import JudgeFinding
    from llmwiki.lint.judge.survey import JudgementUnit, UnitSurvey
    from llmwiki.repo.repository import Repository

SAMPLE = 100
"""Units whose parts are made for an estimate: in a larger wiki the rest is taken to be alike."""


class JudgementQueue:
    """The judgement of one wiki; `chosen` says which of its pages are to be judged."""

    def __init__(
        self, repo: Repository, index: Index, chosen: Callable[[str], bool] | None = None
    ) -> None:
        self._index = index
        self._chosen = chosen or (lambda _path: True)
        self._store = JudgementStore(repo)

    @cached_property
    def survey(self) -> UnitSurvey:
        """All pages with claims."""
        return survey(self._index)

    @cached_property
    def _judged(self) -> set[str]:
        return {key for answer in self._store.kept() for key in answer.keys}

    @cached_property
    def _units(self) -> tuple[JudgementUnit, ...]:
        return tuple(unit for unit in self.survey.units if self._chosen(unit.page.path))

    @property
    def pages(self) -> int:
        """Pages with claims that are to be judged, or are."""
        return len({unit.page.path for unit in self._units})

    @property
    def waiting(self) -> tuple[JudgementUnit, ...]:
        """What is not judged yet."""
        return tuple(unit for unit in self._units if unit.key not in self._judged)

    @property
    def pages_waiting(self) -> int:
        """Pages that are not judged, or not whole."""
        return len({unit.page.path for unit in self.waiting})

    def parts(self) -> Iterator[Part]:
        """What is not judged yet, packed; each part is made when it is asked for."""
        return parts(self.waiting, PairChooser(self._index, self.survey))

    def sample(self) -> tuple[tuple[Part, ...], float]:
        """The first parts, and how many times as much waits besides them."""
        units = self.waiting
        some = tuple(islice(units, SAMPLE))
        rest = sum(size(unit.lines) for unit in units[SAMPLE:])
        made = tuple(parts(some, PairChooser(self._index, self.survey)))
        return made, rest / max(sum(size(unit.lines) for unit in some), 1)

    def take(
        self, part: Part, by: str, found: Sequence[JudgeFinding], *, keep: bool = True
    ) -> JudgedPart:
        """What counts of an answer; where `keep` says so the part is judged with it."""
        verdicts, left_out = check(part, found)
        if keep:
            self._store.keep(part, by, verdicts)
            self._judged.update(part.keys)
        return JudgedPart(part, verdicts, left_out)

    def standing_now(self, judged: JudgedPart) -> StandingVerdicts:
        """What of a judgement stands in the wiki as it is; only its pages are read."""
        ids = [ident for verdict in judged.verdicts for ident, _mark in verdict.claims]
        read = survey_of(self._index, ids, judged.part.paths)
        stands = standing(judged.verdicts, read)
        return StandingVerdicts(_unsilenced(self._index, stands.findings), stands.outdated)

    def findings(self) -> tuple[Finding, ...]:
        """What all judgements of this wiki come to, what pages silence included."""
        kept = self._store.kept()
        self._store.tidy(self.survey.keys)
        verdicts = [verdict for answer in kept for verdict in answer.verdicts]
        return standing(verdicts, self.survey).findings


def _unsilenced(index: Index, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings that their pages do not ignore."""
    docs = [doc for path in {f.path for f in findings} if (doc := index.doc(path)) is not None]
    said = {
        card.path: ignores.silenced(ignores.read(index.read(card), NAMES))
        for card in index.cards(docs).values()
    }
    return tuple(f for f in findings if not ignores.covers(said.get(f.path, ()), f))
