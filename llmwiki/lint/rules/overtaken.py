"""The rule about leads and descriptions of the tool that still say what a claim has overtaken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.core.claim_attributes import UPDATED_BY
from llmwiki.core.text import fold, listed
from llmwiki.language.numbers import numbers_in
from llmwiki.lint.claims import CLAIMS, homes_of
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.relation import Group, Relation, Value
from llmwiki.lint.rule import OverGroup, Rule, rule
from llmwiki.lint.rules.examples import example
from llmwiki.lint.rules.page_kinds import short
from llmwiki.lint.view import PageView
from llmwiki.pages.dress import read
from llmwiki.pages.ids import ITEM_ID
from llmwiki.pages.names import stem_of
from llmwiki.pages.page import Claim, prose_hash

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView

_TO_CLAIM = re.compile(rf"#\^({ITEM_ID})")
_BREAK = "\x1e"
_TOLD = 3
"""Values that a message names."""


def _overtaken(claim: Claim) -> list[str] | None:
    """The ids of the claims that overtook one; None while nothing did."""
    later = [value for name, op, value in claim.attributes if (name, op) == (UPDATED_BY, ":")]
    if claim.successor is None and not later:
        return None
    return [ident for text in (*later, claim.successor or "") for ident in _TO_CLAIM.findall(text)]


def _values(claim: Claim) -> set[str]:
    """The numbers and dates of a claim, and what fills its slot, folded."""
    told = [claim.text, claim.attribute("as of") or "", claim.attribute("until") or ""]
    slot = {fold(claim.slot[1])} if claim.slot else set()
    return {number for text in told for number in numbers_in(fold(text))} | slot


def _holds(prose: str, value: str) -> bool:
    found = prose.find(value)
    while found >= 0:
        before, after = prose[found - 1 : found], prose[found + len(value) :][:2]
        is_begun = not (before.isalnum() or before == ".")
        if is_begun and not (after[:1].isalnum() or (after[:1] in ".,:/-" and after[1:].isdigit())):
            return True
        found = prose.find(value, found + 1)
    return False


def _prose(view: PageView) -> Iterator[tuple[str, int, str]]:
    """(what it is, its line, folded text) of what the tool wrote at the head of a page."""
    page = view.page
    if page.lead and page.lead_is_tools and page.prose_mark:
        line = next((p.line for p in view.body if p.node.kind == "lead"), 1)
        yield "lead", line, fold(read(page.lead))
    if page.description and page.description_is_tools:
        yield "description", view.front_line("description"), fold(page.description)


def _say(view: PageView) -> Iterator[tuple[str, Value]]:
    if view.broken or not (f"{UPDATED_BY}: " in view.text or "~~ → " in view.text):
        return
    claims = [placed.claim for placed in view.claims]
    later = {claim.id: _overtaken(claim) for claim in claims}
    standing = {value for c in claims if later[c.id] is None for value in _values(c)}
    for what, line, prose in _prose(view):
        for claim in claims:
            successors = later[claim.id]
            if successors is None:
                continue
            held = [v for v in sorted(_values(claim) - standing) if v and _holds(prose, v)]
            if held:
                yield view.path, (what, line, claim.id, " ".join(successors), _BREAK.join(held))


OVERTAKEN = Relation("overtaken", _say)
"""Under a page's path what its head repeats of claims that others overtook: what it is, its line,
the claim, the ids of the others, the values."""


def _stale(group: Group) -> Iterator[RuleHit]:
    for path, (what, line, claim_id, successors, values) in group.rows:
        claims = (str(claim_id), *str(successors).split())
        yield RuleHit(int(line), str(what), path, about=str(values), claims=claims)


def _unless_still_said(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    """Drops the values that a claim which came after says too."""
    claim_id, *successors = hit.claims
    values, mend = set(hit.about.split(_BREAK)), ""
    for successor in successors:
        for path in homes_of(wiki.group(CLAIMS, "^" + successor)):
            view = wiki.page(path)
            claim = view.page.claim(successor) if view is not None else None
            if claim is not None:
                values -= _values(claim)
                mend = f"[[{stem_of(path)}#^{successor}]] came after it."
    if not values:
        return None
    shown = [f"“{short(value, 30)}”" for value in sorted(values)[:_TOLD]]
    message = f"The {hit.message} says {listed(shown)}, as ^{claim_id} did, which was overtaken"
    about = f"{hit.message} {claim_id}"
    return hit._replace(message=message, mend=mend, about=about, claims=(claim_id,))


_A, _B = "c-aaaaaaaaaa", "c-bbbbbbbbbb"
_LEAD = "Tea costs 3 euros."
_page = partial(
    example,
    title="Tea",
    front=f"generated: llmwiki/0.1.0 {prose_hash(_LEAD)}\n",
)
_CLAIMS = (
    f"{{}}\n\n## Claims\n\n- Tea costs 3 euros. ^{_A}\n  - ({UPDATED_BY}: [[Tea#^{_B}]])\n"
    f"- Tea costs 4 euros. ^{_B}\n"
)

RULES: tuple[Rule, ...] = (
    rule(
        "WK316 note stale-lead",
        OverGroup(OVERTAKEN, _stale, _unless_still_said),
        "A lead or description that the tool wrote holds a number, a date or a value of a claim "
        "that was struck or is updated by another, and no claim of the page that stands says it, "
        "nor does the one that came after.",
        "Write it anew from the claims that stand; a reading that names the page as its subject's "
        "does so too.",
        bad={"wiki/concepts/Tea.md": _page(_CLAIMS.format(_LEAD))},
        good={"wiki/concepts/Tea.md": _page(_CLAIMS.format("Tea costs 4 euros."))},
    ),
)
