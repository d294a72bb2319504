"""A judge's answer, and what counts of it: known claims, words that are found, texts that are safe
to print. Every string of an answer is untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import BaseModel, Field

from llmwiki.core.language.tokens import terms
from llmwiki.core.plain_line import plain_line
from llmwiki.core.text import fold, normalise
from llmwiki.lint.finding import Finding
from llmwiki.lint.judge.pairs import Part
from llmwiki.lint.judge.shown import shown_path
from llmwiki.lint.rules import CONTRADICTION, MISSING, OUTDATED, OVERCLAIM

if TYPE_CHECKING:
    from llmwiki.lint.judge.shown import ShownClaim, UnitSurvey

Kind = Literal["overclaim", "contradiction", "stale", "missing"]


class JudgeFinding(BaseModel, extra="forbid", frozen=True):
    """One thing that the judge found."""

    kind: Kind
    claims: list[str] = Field(description="Ids of claims that were shown, copied exactly")
    why: str = Field(description="One sentence")
    words: str | None = Field(
        default=None, description="overclaim: the words of the claim that no quote supports"
    )
    page: str | None = Field(default=None, description="missing: the path of the page that lacks")


class Judgement(BaseModel, extra="forbid", frozen=True):
    """The whole answer."""

    findings: list[JudgeFinding]


# --- what counts of it -------------------------------------------------------------------------

MAX_FINDINGS = 100
"""Of one part: about as many as it shows claims."""
MAX_WHY = 300
MAX_WORDS = 120
_MAX_CLAIMS = 4
_NEEDED = {"overclaim": 1, "contradiction": 2, "stale": 2, "missing": 1}
_TAKEN = {"overclaim": 1, "contradiction": 2, "stale": 2, "missing": _MAX_CLAIMS}


class Verdict(NamedTuple):
    """One finding that counts, for as long as what it was drawn from stays as it is."""

    kind: str
    """overclaim, contradiction, stale or missing."""
    claims: tuple[tuple[str, str], ...]
    """(id, mark) of each claim it is about."""
    why: str
    keys: tuple[str, ...]
    """The units it was drawn from: once one of them changes it is judged anew."""
    words: str = ""
    """Of an overclaim: what no quote says."""
    page: str = ""
    """Of what is missing: the path of the page that lacks it."""


class RejectedFinding(NamedTuple):
    """A finding that does not count."""

    kind: str
    reason: str


class JudgedPart(NamedTuple):
    """What counts of the answer to a part, and what does not."""

    part: Part
    verdicts: tuple[Verdict, ...]
    left_out: tuple[RejectedFinding, ...]


class AcceptedAnswer(NamedTuple):
    """An agent's judgement that was checked and kept."""

    part: str
    findings: tuple[Finding, ...]
    left_out: tuple[RejectedFinding, ...]
    outdated: int
    """Findings about what has changed since it was printed."""


def check(
    part: Part, found: Sequence[JudgeFinding]
) -> tuple[tuple[Verdict, ...], tuple[RejectedFinding, ...]]:
    """What counts of an answer to a part, each once, and what does not."""
    shown = {claim.id: claim for claim in (*part.beside, *part.own)}
    own = {claim.id for claim in part.own}
    verdicts: dict[Verdict, None] = {}
    left_out: list[RejectedFinding] = []
    for each in found[:MAX_FINDINGS]:
        read = _read(each, shown, own, part)
        if isinstance(read, Verdict):
            verdicts[read] = None
        else:
            left_out.append(RejectedFinding(each.kind, read))
    more = len(found) - MAX_FINDINGS
    if more > 0:
        left_out.append(
            RejectedFinding("all", f"{more} findings more than {MAX_FINDINGS} of one part")
        )
    return tuple(verdicts), tuple(left_out)


def _read(
    found: JudgeFinding, shown: Mapping[str, ShownClaim], own: set[str], part: Part
) -> Verdict | str:
    """The verdict, or why it does not count."""
    ids = list(dict.fromkeys(normalise(each).removeprefix("^") for each in found.claims))
    unknown = next((each for each in ids if each not in shown), None)
    if unknown is not None:
        return f"it names a claim that was not shown: {plain_line(unknown, 60)}"
    ids = ids[: _TAKEN[found.kind]]
    if len(ids) < _NEEDED[found.kind]:
        return "it names too few claims"
    if found.kind != "missing" and not own.intersection(ids):
        return "it is about claims that are judged elsewhere"
    why = plain_line(found.why[: 20 * MAX_WHY], MAX_WHY)
    if not why:
        return "it gives no reason"
    claims = [shown[each] for each in ids]
    marks = tuple((claim.id, claim.mark) for claim in claims)
    keys = tuple(unit.key for unit in part.units if set(ids).intersection(unit.claims))
    if found.kind == "overclaim":
        words = normalise((found.words or "")[: 20 * MAX_WORDS])
        wrong = _no_overclaim(words, claims[0], claims[0].id in own)
        return wrong or Verdict(found.kind, marks, why, keys, words=plain_line(words, MAX_WORDS))
    if found.kind == "missing":
        names = {shown_path(path): path for path in part.paths}
        page = names.get(normalise(found.page or ""))
        if page is None:
            return "it names no page of this part"
        keys = tuple(unit.key for unit in part.units if unit.path == page or unit.key in keys)
        return Verdict(found.kind, marks, why, keys, page=page)
    if _is_known(claims):
        return "a relation between these claims is on record"
    return Verdict(found.kind, marks, why, keys)


def _no_overclaim(words: str, claim: ShownClaim, is_own: bool) -> str:
    """Why the words of a claim are no overclaim; empty where they may be one."""
    if not is_own:
        return "the quotes of this claim were not shown"
    if claim.is_cut or not claim.quotes:
        return "the claim was not shown with all its quotes"
    folded = fold(words)
    if not folded or folded not in fold(claim.says):
        return "its words do not stand in the claim"
    says, quotes = fold(claim.says), [fold(quote.words) for quote in claim.quotes]
    if says in quotes:
        # It can only stand on the page of another thing.
        is_elsewhere = folded == says and not {*terms(claim.title)} & {*terms(claim.says)}
        return "" if is_elsewhere else "the claim is its quote"
    # Words of a quote may say another thing in a claim; where the whole claim stands in the quote,
    # only all of it may.
    if folded != says and any(says in quote and folded in quote for quote in quotes):
        return "its words stand in a quote"
    return ""


def _is_known(claims: Sequence[ShownClaim]) -> bool:
    """Whether one of the claims already names another in its attributes."""
    ids = {claim.id for claim in claims}
    return any(
        f"#^{other}" in value
        for claim in claims
        for _name, value in claim.attributes
        for other in ids - {claim.id}
    )


class StoredAnswer(NamedTuple):
    """One answer."""

    keys: tuple[str, ...]
    """The units it judges."""
    by: str
    """The model's id, or `agent`."""
    verdicts: tuple[Verdict, ...]


# --- what verdicts come to ---------------------------------------------------------------------

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
    message = f"The quotes do not say “{verdict.words}” so: {verdict.why}"
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
