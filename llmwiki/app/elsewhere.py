"""What stands on other pages and belongs to one: read when it is asked for, written nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from llmwiki.core.claim_attributes import ABOUT, LINKS, UPDATED_BY
from llmwiki.core.language.sentences import cut
from llmwiki.pages.change_words import qualified, spoken
from llmwiki.pages.claim_links import read_relation
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.names import stem_of
from llmwiki.pages.syntax import target_of

if TYPE_CHECKING:
    from llmwiki.landing.state import WikiState
    from llmwiki.pages.page import Claim, Page

MOST_TOLD = 8
"""Claims about a page that are shown of those that stand elsewhere."""
READ = 60
"""Pages that are read for them; a hub may be named by thousands."""
SHOWN = 200
"""Characters of a claim of a document that its own page shows."""
_FROM_HERE = {"supports": "is supported by", UPDATED_BY: "updates"}
"""What a tie that stands on the other claim is called from this side; both ends of the others
have a tie of their own."""


@dataclass(frozen=True, slots=True)
class ClaimElsewhere:
    """A claim of another page."""

    claim: Claim
    path: str
    """Of the page it stands on."""
    title: str

    @property
    def handle(self) -> str:
        """`[[Page#^c-…]]`."""
        return f"[[{stem_of(self.path)}#^{self.claim.id}]]"

    @property
    def said(self) -> str:
        """The claim with what changes its meaning: that it is denied, who says it, where."""
        told = tuple(pair for pair in self.claim.attributes if pair[0] != ABOUT and pair[1] == ":")
        return spoken(qualified(replace(self.claim, attributes=told)))


@dataclass(frozen=True, slots=True)
class ValueOfPage:
    """A value that a claim gives a property of the page's subject."""

    key: str
    value: str
    under: str
    """The condition, who says so and since when; may be empty."""
    told: ClaimElsewhere


@dataclass(frozen=True, slots=True)
class TieElsewhere:
    """A tie to a claim of the page that is written on a claim of another page."""

    id: str
    """Of the claim on the page."""
    how: str
    """`is supported by` or `updates`."""
    other: ClaimElsewhere


@dataclass(frozen=True, slots=True)
class RelationElsewhere:
    """A relation to the page that is written on another one."""

    path: str
    title: str
    label: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What other pages say that belongs to a page."""

    about: tuple[ClaimElsewhere, ...] = ()
    """Standing claims about its subject, those with a value first: `MOST_TOLD` at most."""
    about_count: int = 0
    values: tuple[ValueOfPage, ...] = ()
    """Of the standing claims here and elsewhere, by key; none where fewer than two give one."""
    ties: tuple[TieElsewhere, ...] = ()
    relations: tuple[RelationElsewhere, ...] = ()
    of_source: tuple[ClaimElsewhere, ...] = ()
    """Of a source's page: the standing claims that rest on it, by page, then as they stand."""


def elsewhere(state: WikiState, page: Page) -> Elsewhere:
    """What other pages of the state say that belongs to `page`."""
    facts = state.fact(page.path)
    if facts is None or facts.broken:
        return Elsewhere()
    about = [
        each
        for path in state.about(facts)[:READ]
        for each in _claims(state, path)
        if any(
            name == ABOUT and _leads(state, value, page.path)
            for name, _, value in each.claim.attributes
        )
    ]
    about.sort(key=lambda each: each.claim.slot is None)
    citing = state.citing(page.stem)[:READ] if page.own_source else ()
    of_source = tuple(
        each
        for path in citing
        for each in _claims(state, path)
        if any(evidence.source == page.stem for evidence in each.claim.evidence)
    )
    return Elsewhere(
        tuple(about[:MOST_TOLD]),
        len(about),
        _values([*_claims(state, page.path), *about[:MOST_TOLD]]),
        tuple(_ties(state, page)),
        tuple(_relations(state, page)),
        of_source,
    )


def _claims(state: WikiState, path: str) -> Iterator[ClaimElsewhere]:
    page, facts = state.page(path), state.fact(path)
    for claim in page.claims if page and facts else ():
        if claim.successor is None and facts is not None:
            yield ClaimElsewhere(claim, path, facts.title)


def _values(told: Sequence[ClaimElsewhere]) -> tuple[ValueOfPage, ...]:
    rows = []
    for each in told:
        if each.claim.slot is not None:
            key, value = each.claim.slot
            under = (each.claim.attribute(name) for name in ("stance", "speaker", "scope", "as of"))
            rows.append(ValueOfPage(key, value, ", ".join(filter(None, under)), each))
    return tuple(sorted(rows, key=lambda row: row.key)) if len(rows) > 1 else ()


def _leads(state: WikiState, link: str, path: str) -> bool:
    key = link_key(target_of(link))
    return bool(key) and state.resolver.lead(key, "") == path


def _ties(state: WikiState, page: Page) -> Iterator[TieElsewhere]:
    own = {claim.id for claim in page.claims}
    for path in state.naming(sorted(own))[:READ] if own else ():
        other, facts = state.page(path), state.fact(path)
        for claim in other.claims if other and path != page.path else ():
            for name, _, value in claim.attributes:
                if name in LINKS and name in _FROM_HERE:
                    for ident in own.intersection(CLAIM_IN_LINK.findall(value)):
                        where = ClaimElsewhere(claim, path, facts.title if facts else "")
                        yield TieElsewhere(ident, _FROM_HERE[name], where)


def _relations(state: WikiState, page: Page) -> Iterator[RelationElsewhere]:
    for path in state.linking(page.path)[:READ]:
        other, facts = state.page(path), state.fact(path)
        for node in other.section("Related") if other and facts else ():
            line = read_relation(node.raw) if node.kind == "rel" else None
            if (
                facts
                and line
                and line.direction == "out"
                and _leads(state, f"[[{line.target}]]", page.path)
            ):
                yield RelationElsewhere(path, facts.title, line.label)


def elsewhere_text(found: Elsewhere) -> Iterator[str]:
    """The same as lines of Markdown, each part under a heading; no lines where there is nothing."""
    if found.values:
        yield from ("## Values", "", "| | value | | |", "|---|---|---|---|")
        for row in found.values:
            cells = (*map(_cell, (row.key, row.value, row.under)), row.told.handle)
            yield f"| {' | '.join(cells)} |"
        yield ""
    if found.about:
        yield from ("## Told elsewhere", "")
        yield from (f"- {each.said} {each.handle}" for each in found.about)
        if more := found.about_count - len(found.about):
            yield f"- … and {more} more"
        yield ""
    if found.relations or found.ties:
        yield from ("## Related elsewhere", "")
        yield from (f"- [[{stem_of(each.path)}]] {each.label} this" for each in found.relations)
        for tie in found.ties:
            said = cut(tie.other.said, SHOWN)
            yield f"- ^{tie.id} {tie.how}: {said} {tie.other.handle}"
        yield ""
    if found.of_source:
        yield from ("## What this document says, by page", "")
        title = ""
        for each in found.of_source:
            if each.title != title:
                title = each.title
                yield f"- {title}"
            yield f"  - {cut(each.said, SHOWN)} {each.handle}"
        yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
