"""What a page says, as rows of `index.lint_tables`: a function of its bytes."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from llmwiki.core.claim_attributes import ABOUT, CONTRADICTS, DISAGREES, UPDATED_BY
from llmwiki.core.language.name_keys import folded_key
from llmwiki.core.page_and_note_kinds import SUBJECTS
from llmwiki.core.text import fold
from llmwiki.index.tables_for_lint import Rows
from llmwiki.lint.ignore_comments import read as read_ignores
from llmwiki.lint.links_and_anchors import anchors, links
from llmwiki.lint.own_and_foreign_pages import (
    is_ledger,
    is_recorded,
    kind_of,
    thin,
)
from llmwiki.lint.page_view import PageView
from llmwiki.lint.similar_names import spellings
from llmwiki.lint.vault_and_archive_folders import VaultKind
from llmwiki.pages.id_and_evidence_patterns import ITEM_ID
from llmwiki.pages.link_targets import link_key, name_in
from llmwiki.pages.linked_text import read
from llmwiki.pages.page import Claim, Meaning
from llmwiki.pages.page_file_names import name_key
from llmwiki.pages.tombstones import RETRACTED


def rows_of(view: PageView, found: str, names: dict[str, str]) -> Rows:
    """All rows of a page; `found` is what rules over single pages found, as text, `names` the names
    of rules as `select_rules.names_of` has them."""
    quotes = sum(len(placed.evidence) for placed in view.claims)
    listed = len(view.sources)
    stem, kind = name_key(view.stem), "deprecated" if view.is_deprecated else kind_of(view)
    head = (
        stem,
        kind,
        thin(view),
        len(view.claims),
        quotes,
        listed,
        found,
    )
    rows: dict[str, list[tuple[Any, ...]]] = {"head": [head]}
    for table, say in _SAY.items():
        rows[table] = list(say(view))
    rows["silence"] = [
        (each.line, each.at, each.column, " ".join(sorted(each.codes)))
        for each in read_ignores(view, names)
    ]
    return rows


def _names(view: PageView) -> Iterator[tuple[Any, ...]]:
    is_subject = kind_of(view) in SUBJECTS and not view.broken

    def row(line: int, which: str, text: str) -> tuple[Any, ...]:
        key = link_key(text)
        return line, which, text[:200], key, name_in(key), fold(text) if is_subject else ""

    if is_subject:
        yield row(1, "file", view.stem)
    if not view.broken:
        if not view.is_foreign or view.is_headed:
            yield row(view.front_line("title"), "title", view.title)
        if view.vault in (VaultKind.SITE, VaultKind.DOCS) and (ident := view.head.value("id")):
            yield row(view.front_line("id"), "id", ident)
    for alias in dict.fromkeys(view.aliases):
        yield row(view.front_line("aliases"), "alias", alias)


def _sources(view: PageView) -> Iterator[tuple[Any, ...]]:
    if view.broken:
        return
    is_own_page = is_ledger(view)
    own = view.own_source
    if is_own_page and own is None:
        yield 1, view.stem, "", "", "own"
    refs = view.sources
    lines = {p.node.key[1]: p.line for p in view.body if p.node.kind == "fn"} if refs else {}
    for ref in refs:
        is_own = is_own_page and ref.id == view.stem
        is_known = is_recorded(ref) if is_own else bool(ref.resource)
        role = ("own" if is_own else "lists") if is_known else ""
        line = view.front_line("source") if is_own else lines.get(ref.id) or view.front_line("read")
        yield line, ref.id, ref.resource, ref.sha256.lower(), role


def _resources(view: PageView) -> Iterator[tuple[Any, ...]]:
    """The file below raw/ that a ledger tells of; without SHA-256: it was retracted."""
    # One of which a review has landed a part may lack the line `generated`.
    has_place = view.type == "source" and view.path == f"wiki/sources/{view.stem}.md"
    own = None if view.broken or not has_place else view.own_source
    if own is not None and (is_recorded(own) or RETRACTED in view.head.tags):
        yield view.front_line("source"), own.resource.removeprefix("/"), own.sha256.lower()


# --- claims ------------------------------------------------------------------------------------

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
    if not view.claims:
        # Most pages of others: their titles need not be read.
        return
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
        matter = claim.matter
        others = stated.get((matter, not claim.is_denied), {})
        other = (
            others.get(day)
            or others.get("")
            or (None if day else next(iter(others.values()), None))
        )
        if other is not None:
            yield (placed.line, *sorted((claim.id, other.id)))
        else:
            stated.setdefault((matter, claim.is_denied), {}).setdefault(day, claim)
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


_SAY: dict[str, Callable[[PageView], Iterable[tuple[Any, ...]]]] = {
    "name": _names,
    "link": links,
    "anchor": anchors,
    "spelling": spellings,
    "claim": claims,
    "slot": slots,
    "citation": citations,
    "dispute": disputes,
    "evidence": quoted,
    "record": records,
    "source": _sources,
    "resource": _resources,
}
