"""A judge's answer, and what counts of it: known claims, words that are found, texts that are safe
to print. Every string of an answer is untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import BaseModel, Field

from llmwiki.core.forge_safe_line import plain_line
from llmwiki.core.language.search_terms import terms
from llmwiki.core.text import fold, normalise
from llmwiki.lint.findings import Finding
from llmwiki.lint.judge_shown_claims import Part
from llmwiki.lint.rules import CONTRADICTION, OVERCLAIM
from llmwiki.models.ask_and_validate import LeftOut

if TYPE_CHECKING:
    from llmwiki.lint.judge_shown_claims import ShownClaim, UnitSurvey


class JudgeFinding(BaseModel, extra="forbid", frozen=True):
    """One thing that the judge found."""

    kind: Literal["overclaim", "contradiction"]
    claims: list[str] = Field(description="Ids of claims that were shown, copied exactly")
    why: str = Field(description="One sentence")
    words: str | None = Field(
        default=None, description="overclaim: the words of the claim that no quote supports"
    )


class Judgement(BaseModel, extra="forbid", frozen=True):
    """The whole answer."""

    findings: list[JudgeFinding]


# --- what counts of it -------------------------------------------------------------------------

MAX_FINDINGS = 100
"""Of one part: about as many as it shows claims."""
MAX_WHY, MAX_WORDS, _MAX_TITLE = 300, 120, 80


class Verdict(NamedTuple):
    """One finding that counts, for as long as what it was drawn from stays as it is."""

    claims: tuple[tuple[str, str], ...]
    """(id, mark) of the claim that says more than its quotes, or of the two that cannot both
    hold."""
    why: str
    keys: tuple[str, ...]
    """The units it was drawn from: once one of them changes it is judged anew."""
    words: str = ""
    """Of an overclaim: what no quote says."""


class JudgedPart(NamedTuple):
    """What counts of the answer to a part, and what does not."""

    part: Part
    verdicts: tuple[Verdict, ...]
    left_out: tuple[LeftOut, ...]


class StoredAnswer(NamedTuple):
    """What counted of one answer."""

    keys: tuple[str, ...]
    """The units it judges."""
    by: str
    """The model's id, or `agent`."""
    verdicts: tuple[Verdict, ...]


class AcceptedAnswer(NamedTuple):
    """An agent's judgement that was checked and kept."""

    part: str
    findings: tuple[Finding, ...]
    left_out: tuple[LeftOut, ...]
    outdated: int
    """Findings about what has changed since it was printed."""


def check(
    part: Part, found: Sequence[JudgeFinding]
) -> tuple[tuple[Verdict, ...], tuple[LeftOut, ...]]:
    """What counts of an answer to a part, each once, and what does not."""
    shown = {claim.id: claim for claim in (*part.beside, *part.own)}
    own = {claim.id for claim in part.own}
    verdicts: dict[Verdict, None] = {}
    left_out: list[LeftOut] = []
    for each in found[:MAX_FINDINGS]:
        read = _read(each, shown, own)
        if isinstance(read, Verdict):
            verdicts[read] = None
        else:
            left_out.append(LeftOut(each.kind, read))
    if (more := len(found) - MAX_FINDINGS) > 0:
        left_out.append(LeftOut("all", f"{more} findings more than {MAX_FINDINGS} of one part"))
    return tuple(verdicts), tuple(left_out)


def _read(found: JudgeFinding, shown: Mapping[str, ShownClaim], own: set[str]) -> Verdict | str:
    """The verdict, or why it does not count."""
    needed = 1 if found.kind == "overclaim" else 2
    ids = list(dict.fromkeys(normalise(each).removeprefix("^") for each in found.claims))
    unknown = next((each for each in ids if each not in shown), None)
    if unknown is not None:
        return f"it names a claim that was not shown: {plain_line(unknown, 60)}"
    ids = ids[:needed]
    if len(ids) < needed:
        return "it names too few claims"
    if not own.intersection(ids):
        return "it is about claims that are judged elsewhere"
    why = plain_line(found.why[: 20 * MAX_WHY], MAX_WHY)
    if not why:
        return "it gives no reason"
    claims = [shown[each] for each in ids]
    words = ""
    if found.kind == "overclaim":
        words = normalise((found.words or "")[: 20 * MAX_WORDS])
        if wrong := _no_overclaim(words, claims[0], claims[0].id in own):
            return wrong
    elif _is_known(claims):
        return "a relation between these claims is on record"
    keys = tuple(dict.fromkeys(claim.unit for claim in claims if claim.id in own))
    marks = tuple((claim.id, claim.mark) for claim in claims)
    return Verdict(marks, why, keys, plain_line(words, MAX_WORDS))


def _no_overclaim(words: str, claim: ShownClaim, is_own: bool) -> str:
    """Why the words of a claim are no overclaim; empty where they may be one."""
    if not is_own:
        return "the quotes of this claim were not shown"
    if claim.is_cut or not claim.quotes:
        return "the claim was not shown with all its quotes"
    folded = fold(words)
    if not folded or folded not in fold(claim.says):
        return "its words do not stand in the claim"
    says, quotes = fold(claim.says), [fold(quoted) for _source, quoted in claim.quotes]
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


# --- what verdicts come to ---------------------------------------------------------------------


def standing(verdicts: Iterable[Verdict], survey: UnitSurvey) -> tuple[tuple[Finding, ...], int]:
    """The verdicts that still count, as findings, each once and sorted; and how many do not any
    more, since something they are about has changed."""
    found: dict[tuple[frozenset[str], str], Finding] = {}
    outdated = 0
    for verdict in sorted(set(verdicts)):
        known = [(survey.by_id.get(ident), mark) for ident, mark in verdict.claims]
        claims = [claim for claim, mark in known if claim is not None and claim.mark == mark]
        if len(claims) < len(known) or not survey.keys.issuperset(verdict.keys):
            outdated += 1
            continue
        claims.sort(key=lambda claim: (claim.path, claim.line, claim.id))
        # Two parts may find one contradiction, each from its side and in its own words.
        detail = frozenset(claim.id for claim in claims), verdict.words
        found.setdefault(detail, _finding(verdict, claims))
    return tuple(sorted(found.values())), outdated


def _finding(verdict: Verdict, claims: Sequence[ShownClaim]) -> Finding:
    first, ids = claims[0], tuple(claim.id for claim in claims)
    code, message = OVERCLAIM.code, f"The quotes do not say “{verdict.words}” so: {verdict.why}"
    if len(claims) > 1:
        other = f"^{claims[1].id} of “{plain_line(claims[1].title, _MAX_TITLE)}”"
        code, message = CONTRADICTION.code, f"It contradicts {other}: {verdict.why}"
    return Finding(first.path, first.line, 0, code, message, about=" ".join(ids), claims=ids)
