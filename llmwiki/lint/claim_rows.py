"""The rows of a page's claims: where each stands, what replaced it, who cites it, what it sets."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from llmwiki.core.claim_attributes import ABOUT, CONTRADICTS, DISAGREES, UPDATED_BY
from llmwiki.core.language.naming import folded_key
from llmwiki.core.text import fold
from llmwiki.lint.kinds import is_ledger, kind_of
from llmwiki.lint.view import PageView
from llmwiki.pages.ids import ITEM_ID
from llmwiki.pages.linked_text import read
from llmwiki.pages.page import Claim, Meaning

_ID = re.compile(ITEM_ID)
_ID_IN_LINK = re.compile(rf"#\^({ITEM_ID})")
_LINKED = re.compile(r"\[\[([^\[\]|#\n]{1,255})")
_FACTUAL = frozenset(("", "stated", "measured", "reported"))
"""Stances under which two values of a slot exclude one another: what is proposed or expected,
thought or rejected may stand beside what is."""
_SHORTEST = 15
"""Characters of the shortest text that two claims have in common only if they are one."""


def digest(text: str) -> str:
    """16 hexadecimal digits for a text."""
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def claims(view: PageView) -> Iterator[tuple[Any, ...]]:
    """Claims and notes."""
    for placed in (*view.claims, *view.notes):
        claim = placed.claim
        is_claim = claim.id.startswith("c-")
        is_struck = claim.successor is not None
        found = _ID_IN_LINK.search(claim.successor or "")
        said = digest("\0".join(map(str, claim.meaning)))
        own = _own_page(view, claim) if is_claim and not is_struck else ""
        yield (
            placed.line, claim.id, int(is_struck), found[1] if found else "",
            said if is_struck or len(fold(claim.text)) >= _SHORTEST else f"{said}-",
            own,
        )  # fmt: skip


def _own_page(view: PageView, claim: Claim) -> str:
    """The page, where it is that of the one document which the claim rests on; else empty."""
    is_own = kind_of(view) == "source" and {e.source for e in claim.evidence} == {view.page.stem}
    return view.path if is_own else ""


def slots(view: PageView) -> Iterator[tuple[Any, ...]]:
    """The values that claims give which stand and were not updated, by what they are of."""
    title = "" if view.broken else folded_key(view.title)
    is_document = kind_of(view) == "source"
    for placed in view.claims:
        claim = placed.claim
        # What another claim updates was so before, whatever still others say.
        if is_overtaken(claim) or not claim.slot:
            continue
        if (claim.attribute("stance") or "") not in _FACTUAL:
            continue
        name, value = claim.slot
        scope = fold(claim.attribute("scope") or "").replace(" ", "")
        about = [
            folded_key(found[1])
            for key, sign, text in claim.attributes
            if (key, sign) == (ABOUT, ":") and (found := _LINKED.search(text))
        ]
        # `ROW · COLUMN` says itself what its value is of, on whatever page it stands; what stands
        # on the page of a document is of what it is about.
        of = [""] if " · " in name else [title or view.path]
        if is_document and " · " not in name and any(about):
            of = list(filter(None, about))
        as_of, beside = fold(view.date_of(claim)), " ".join(_beside(claim))
        for each in dict.fromkeys(of):
            row = (placed.line, claim.id, each, fold(name), scope)
            yield (*row, name, value, as_of, beside)


def _beside(claim: Claim) -> list[str]:
    """The ids of the claims that a claim differs from, as somebody has said already."""
    return [
        block
        for name, sign, value in claim.attributes
        if name in (DISAGREES, CONTRADICTS) and sign == ":"
        for block in _ID_IN_LINK.findall(value)
    ]


def disputes(view: PageView) -> Iterator[tuple[Any, ...]]:
    """Pairs of claims that a standing claim says contradict one another, and of which one denies
    what the other says."""
    # By matter and whether it is denied, the first claim as of each day, in their order.
    stated: dict[tuple[Meaning, bool], dict[str, Claim]] = {}
    for placed in view.claims:
        claim = placed.claim
        if claim.successor is not None:
            continue
        day = fold(claim.attribute("as of") or "")
        others = stated.get((claim.matter, not claim.is_denied), {})
        other = (
            others.get(day)
            or others.get("")
            or (None if day else next(iter(others.values()), None))
        )
        if other is not None:
            yield (placed.line, *sorted((claim.id, other.id)))
        else:
            stated.setdefault((claim.matter, claim.is_denied), {}).setdefault(day, claim)
    for placed in view.claims:
        if placed.claim.successor is None:
            for name, sign, value in placed.claim.attributes:
                if (name, sign) == (CONTRADICTS, ":"):
                    for other in _ID_IN_LINK.findall(value):
                        yield (placed.line, *sorted((placed.claim.id, other)))


def quoted(view: PageView) -> Iterator[tuple[Any, ...]]:
    """The sources that standing claims quote, each once."""
    for placed in view.claims:
        if placed.claim.successor is None:
            for source in sorted({evidence.source for evidence, _line in placed.evidence}):
                yield placed.line, placed.claim.id, source


def records(view: PageView) -> Iterator[tuple[Any, ...]]:
    """The claims that a ledger's record names."""
    if not is_ledger(view):
        return
    for found in view.body:
        if found.node.kind == "record":
            for line, part in enumerate(found.node.parts, start=found.line + 1):
                if part.kind in ("at", "dead"):
                    yield line, part.key[1], part.kind


# --- who cites a claim -----------------------------------------------------------------------


def citations(view: PageView) -> Iterator[tuple[Any, ...]]:
    """The links that rest on a claim, with the id of the claim or note that they stand in."""
    found = [link for link in view.links if _ID.fullmatch(link.block)]
    if not found or kind_of(view) == "source":
        return
    body = view.body
    begins = [placed.line for placed in body]
    items = {placed.line: placed.claim for placed in (*view.claims, *view.notes)}
    for link in found:
        at = bisect_right(begins, link.line) - 1
        if at < 0 or body[at].node.kind in ("rel", "fn"):
            continue
        item = items.get(body[at].line)
        # What was struck rests on nothing, and a claim rests on what it names as its support.
        if item is None or (item.successor is None and _rests(item, link.block)):
            shown = f"[[{link.target}#^{link.block}]]"
            yield *view.place(link.start), link.block, item.id if item else "", shown


def _rests(item: Claim, ident: str) -> bool:
    if item.id.startswith("n-"):
        return True
    told = item.attributes
    return any(name == "supports" and f"#^{ident}" in value for name, _sign, value in told)


# --- what stands at the head of a page ---------------------------------------------------------


def is_overtaken(claim: Claim) -> bool:
    """Whether a claim was struck, or another one updates it."""
    later = any((name, op) == (UPDATED_BY, ":") for name, op, _value in claim.attributes)
    return later or claim.successor is not None


def tools_prose(view: PageView) -> Iterator[tuple[str, int, str]]:
    """(what it is, its line, its text) of what the tool wrote at the head of a page."""
    page = view.page
    if page.lead and page.lead_is_tools and page.marks.prose:
        line = next((p.line for p in view.body if p.node.kind == "lead"), 1)
        yield "lead", line, read(page.lead)
    if page.description and page.description_is_tools:
        yield "description", view.front_line("description"), page.description
