"""What pages say of claims: where each stands, what replaced it, who cites it, what it sets.

Rows are told apart by their first word. Keys begin with a sign:

`^` and the id of a claim or note: where it stands (`stands`), what was struck for it
(`struck-for`), who cites it (`cited`).
`=` and a slot (the folded title of its page, its name, its scope): the values that standing claims
give it.
`t` and a digest of a folded text: the claims that say it.
`!` and the ids of claims that a callout says contradict one another: the callouts.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from llmwiki.core.claim_attributes import CONTRADICTS, DISAGREES, LINKS, UPDATED_BY
from llmwiki.core.text import fold
from llmwiki.language.naming import folded_key
from llmwiki.lint.page_links import LinePositions, kind_of
from llmwiki.lint.relation import Group, Relation, Value
from llmwiki.lint.view import PageView, PlacedClaim, PlacedNode
from llmwiki.pages.ids import ITEM_ID
from llmwiki.pages.page import Claim

STANDS, STRUCK_FOR, CITED, GIVES, SAYS, DISPUTES = (
    "stands", "struck-for", "cited", "gives", "says", "disputes",
)  # fmt: skip

_ID = re.compile(ITEM_ID)
_ID_IN_LINK = re.compile(rf"#\^({ITEM_ID})")
_FACTUAL = frozenset(("", "stated", "measured", "reported"))
"""Stances under which two values of a slot exclude one another: what is proposed or expected,
thought or rejected may stand beside what is."""
_SHORTEST = 15
"""Characters of the shortest text that two claims have in common only if they are one."""
_BREAK = "\x1e"


class ClaimRow(NamedTuple):
    """A claim or note and where it stands, as a row tells of it."""

    path: str
    line: int
    is_struck: bool
    successor: str
    """The id of what replaced it; empty where it stands, or is gone with its source."""
    text: str
    """A digest of its folded text."""


class ClaimLinkRow(NamedTuple):
    """A link to a claim, as a row tells of it."""

    path: str
    line: int
    column: int
    role: str
    """`lead`, `note`, `supports`, `updates`, `prose`, or `list` where it only points to it."""
    by: str
    """The id of the claim or note that cites it; empty: prose."""
    shown: str


def digest(text: str) -> str:
    """16 hexadecimal digits for a text."""
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _say(view: PageView) -> Iterator[tuple[str, Value]]:
    if "^c-" in view.text or "^n-" in view.text:
        kind = kind_of(view)
        for placed in (*view.claims, *view.notes):
            yield from _of_claim(view, placed)
        yield from _citations(view, kind)


def _of_claim(view: PageView, placed: PlacedClaim) -> Iterator[tuple[str, Value]]:
    claim = placed.claim
    is_struck = claim.successor is not None
    found = _ID_IN_LINK.search(claim.successor or "")
    successor = found[1] if found else ""
    said = fold(claim.text)
    yield "^" + claim.id, (STANDS, placed.line, int(is_struck), successor, digest(said))
    if successor:
        yield "^" + successor, (STRUCK_FOR, placed.line, claim.id)
    if is_struck or claim.id.startswith("n-"):
        return
    for name, sign, value in claim.attributes:
        if (name, sign) == (CONTRADICTS, ":"):
            for other in _ID_IN_LINK.findall(value):
                pair = sorted((claim.id, other))
                yield "!" + " ".join(pair), (DISPUTES, placed.line, *pair)
    if len(said) >= _SHORTEST:
        yield "t" + digest(said), (SAYS, placed.line, claim.id, _own_page(view, claim))
    if claim.slot and (claim.attribute("stance") or "") in _FACTUAL:
        name, value = claim.slot
        title = "" if view.broken else folded_key(view.title)
        scope = fold(claim.attribute("scope") or "").replace(" ", "")
        # `ROW · COLUMN` says itself what its value is of, on whatever page it stands.
        of = "" if " · " in name else title or view.path
        key = _BREAK.join((of, fold(name), scope))
        updated = " ".join(_updated(claim))
        as_of = fold(view.date_of(claim))
        yield "=" + key, (GIVES, placed.line, claim.id, name, value, as_of, updated)


def _own_page(view: PageView, claim: Claim) -> str:
    """The page, where it is that of the one document which the claim rests on; else empty."""
    is_own = kind_of(view) == "source" and {e.source for e in claim.evidence} == {view.page.stem}
    return view.path if is_own else ""


def _updated(claim: Claim) -> list[str]:
    """The ids of the claims that a claim differs from, as somebody has said already."""
    return [
        block
        for name, sign, value in claim.attributes
        if name in (UPDATED_BY, DISAGREES, CONTRADICTS) and sign == ":"
        for block in _ID_IN_LINK.findall(value)
    ]


def _citations(view: PageView, kind: str) -> Iterator[tuple[str, Value]]:
    links = [link for link in view.links if _ID.fullmatch(link.block)]
    if not links:
        return
    places, body = LinePositions(view), view.body
    begins = [placed.line for placed in body]
    items = {placed.line: placed for placed in (*view.claims, *view.notes)}
    known: dict[int, _Place] = {}
    for link in links:
        at = bisect_right(begins, link.line) - 1
        if at < 0:
            continue
        if at not in known:
            known[at] = _place(body[at], items.get(body[at].line), kind)
        here = known[at]
        role = here.roles.get(link.block, here.role)
        if role:
            line, column = places.of(link.start)
            shown = f"[[{link.target}#^{link.block}]]"
            yield "^" + link.block, (CITED, line, column, role, here.by, shown)


class _Place(NamedTuple):
    """What links to claims do at one place of the body."""

    role: str
    """As in `ClaimLinkRow`; empty: nothing, as what stands there was struck itself."""
    by: str = ""
    roles: Mapping[str, str] = {}
    """Of the claims that its attributes name."""


def _place(placed: PlacedNode, item: PlacedClaim | None, kind: str) -> _Place:
    node = placed.node
    if item is not None:
        claim = item.claim
        if claim.successor is not None:
            return _Place("")
        if claim.id.startswith("n-"):
            return _Place("note", claim.id)
        roles = {
            block: name
            for name, sign, value in claim.attributes
            if sign == ":" and name in LINKS
            for block in _ID_IN_LINK.findall(value)
        }
        return _Place("prose", claim.id, roles)
    if node.kind in ("rel", "fn") or kind == "source":
        return _Place("list")
    return _Place("lead" if node.kind == "lead" else "prose")


CLAIMS = Relation("claims", _say)
"""The rows and keys that the docstring of the module lists."""


def stands_in(group: Group) -> list[ClaimRow]:
    """Where a claim stands; more than one place is an error of its own."""
    return [
        ClaimRow(
            row.path, int(row.value[1]), bool(row.value[2]), str(row.value[3]), str(row.value[4])
        )
        for row in group.rows
        if row.value[0] == STANDS
    ]


def homes_of(group: Group) -> list[str]:
    """The pages on which a claim stands, struck or not."""
    return [row.path for row in group.rows if row.value[0] == STANDS]


def cited_in(group: Group) -> list[ClaimLinkRow]:
    """The links to a claim."""
    return [
        ClaimLinkRow(row.path, int(v[1]), int(v[2]), str(v[3]), str(v[4]), str(v[5]))
        for row in group.rows
        if (v := row.value)[0] == CITED
    ]
