"""What counts of an answer: known claims, words that are found, texts that are safe to print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.plain_line import plain_line
from llmwiki.core.text import fold, normalise
from llmwiki.lint.judge.parts import Part
from llmwiki.lint.judge.shown import shown_path

if TYPE_CHECKING:
    from llmwiki.lint.judge.answer import JudgeFinding
    from llmwiki.lint.judge.shown import ShownClaim

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
    if any(folded in fold(quote.words) for quote in claim.quotes):
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
