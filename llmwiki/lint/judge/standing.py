"""Kept verdicts as findings: those whose claims are still what was judged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.plain_line import plain_line
from llmwiki.lint.finding import Finding
from llmwiki.lint.rules.judgement import CONTRADICTION, MISSING, OUTDATED, OVERCLAIM

if TYPE_CHECKING:
    from llmwiki.lint.judge.shown import ShownClaim
    from llmwiki.lint.judge.survey import UnitSurvey
    from llmwiki.lint.judge.verdict import Verdict

_MAX_TITLE = 80


class StandingVerdicts(NamedTuple):
    """What verdicts come to now."""

    findings: tuple[Finding, ...]
    """Sorted, each once."""
    outdated: int
    """Verdicts that do not count any more, since something they are about has changed."""


def standing(verdicts: Iterable[Verdict], survey: UnitSurvey) -> StandingVerdicts:
    """The verdicts that still count, as findings."""
    found: dict[tuple[str, frozenset[str], str], Finding] = {}
    outdated = 0
    for verdict in sorted(set(verdicts)):
        claims = _claims(verdict, survey)
        if claims is None:
            outdated += 1
            continue
        ids = frozenset(claim.id for claim in claims)
        # Two parts may find one contradiction, each from its side and in its own words.
        detail = verdict.words if verdict.kind == "overclaim" else verdict.page
        found.setdefault((verdict.kind, ids, detail), _finding(verdict, claims))
    return StandingVerdicts(tuple(sorted(found.values())), outdated)


def _claims(verdict: Verdict, survey: UnitSurvey) -> list[ShownClaim] | None:
    claims = []
    for ident, mark in verdict.claims:
        claim = survey.by_id.get(ident)
        if claim is None or claim.mark != mark:
            return None
        claims.append(claim)
    if not claims or not survey.keys.issuperset(verdict.keys):
        return None
    return claims


def _finding(verdict: Verdict, claims: list[ShownClaim]) -> Finding:
    first = claims[0]
    code, path, line = OVERCLAIM.code, first.path, first.line
    message = f"“{verdict.words}” does not stand in the quotes: {verdict.why}"
    if verdict.kind == "contradiction":
        claims = sorted(claims, key=lambda claim: (claim.path, claim.line, claim.id))
        first = claims[0]
        code, path, line = CONTRADICTION.code, first.path, first.line
        message = f"It contradicts {_named(claims[1])}: {verdict.why}"
    elif verdict.kind == "stale":
        code = OUTDATED.code
        message = f"{_named(claims[1])} is newer: {verdict.why}"
    elif verdict.kind == "missing":
        code, path, line = MISSING.code, verdict.page, 0
        message = verdict.why
    ids = tuple(claim.id for claim in claims)
    return Finding(path, line, 0, code, message, about=" ".join(ids), claims=ids)


def _named(claim: ShownClaim) -> str:
    return f"^{claim.id} of “{plain_line(claim.title, _MAX_TITLE)}”"
