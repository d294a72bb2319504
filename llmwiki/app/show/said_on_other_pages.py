"""What stands on other pages and belongs to one: read when it is asked for, written nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from llmwiki.core.claim_attributes import ABOUT, LINKS, UPDATED_BY
from llmwiki.core.text import cut
from llmwiki.pages.claim_links import read_relation
from llmwiki.pages.difference.change_words import qualified, spoken
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.page_file_names import stem_of
from llmwiki.pages.page_syntax import target_of

if TYPE_CHECKING:
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.pages.page import Claim, Page

MOST_TOLD = 8
"""Claims about a page that are shown of those that stand elsewhere."""
READ = 60
"""Pages that are read for them; a hub may be named by thousands."""
SHOWN = 200
"""Characters of a claim of a document that its own page shows."""
Show = Callable[[str], str]
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


def elsewhere(state: WikiState, page: Page, show: Show = str) -> str:
    """What other pages of the state say that belongs to `page`, as Markdown, each part under a
    heading; empty where there is nothing. `show` makes Markdown of a text, where it is rendered."""
    facts = state.fact(page.path)
    if facts is None or facts.broken:
        return ""
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
    told = [f"- {show(each.said)} {each.handle}" for each in about[:MOST_TOLD]]
    if more := len(about) - len(told):
        told.append(f"- … and {more} more")
    parts = {
        "Values": list(_values([*_claims(state, page.path), *about[:MOST_TOLD]], show)),
        "Told elsewhere": told,
        "Related elsewhere": [*_relations(state, page, show), *_ties(state, page, show)],
        "What this document says, by page": list(_of_source(state, page, show)),
    }
    return "\n".join(
        line
        for heading, lines in parts.items()
        if lines
        for line in (f"## {heading}\n", *lines, "")
    )


def _claims(state: WikiState, path: str) -> Iterator[ClaimElsewhere]:
    page, facts = state.page(path), state.fact(path)
    for claim in page.claims if page and facts else ():
        if claim.successor is None and facts is not None:
            yield ClaimElsewhere(claim, path, facts.title)


def _values(told: Sequence[ClaimElsewhere], show: Show) -> Iterator[str]:
    """The values that claims here and elsewhere give properties of the subject, by key, each with
    its condition, who says so and since when; none where fewer than two give one."""
    rows = []
    for each in told:
        if each.claim.slot is not None:
            under = (each.claim.attribute(name) for name in ("stance", "speaker", "scope", "as of"))
            cells = (*each.claim.slot, ", ".join(filter(None, under)))
            rows.append((*map(show, cells), each.handle))
    if len(rows) > 1:
        yield from ("| | value | | |", "|---|---|---|---|")
        for row in sorted(rows, key=lambda row: row[0]):
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _leads(state: WikiState, link: str, path: str) -> bool:
    key = link_key(target_of(link))
    return bool(key) and state.resolver.lead(key, "") == path


def _ties(state: WikiState, page: Page, show: Show) -> Iterator[str]:
    """Ties to claims of the page that are written on claims of other pages."""
    own = {claim.id for claim in page.claims}
    for path in state.naming(sorted(own))[:READ] if own else ():
        other, facts = state.page(path), state.fact(path)
        for claim in other.claims if other and path != page.path else ():
            for name, _, value in claim.attributes:
                if name in LINKS and name in _FROM_HERE:
                    where = ClaimElsewhere(claim, path, facts.title if facts else "")
                    for ident in own.intersection(CLAIM_IN_LINK.findall(value)):
                        said = f"{show(cut(where.said, SHOWN))} {where.handle}"
                        yield f"- ^{ident} {_FROM_HERE[name]}: {said}"


def _relations(state: WikiState, page: Page, show: Show) -> Iterator[str]:
    """Relations to the page that are written on other ones."""
    for path in state.linking(page.path)[:READ]:
        other, facts = state.page(path), state.fact(path)
        for node in other.section("Related") if other and facts else ():
            line = read_relation(node.raw) if node.kind == "rel" else None
            if line and line.direction == "out" and _leads(state, f"[[{line.target}]]", page.path):
                yield f"- [[{stem_of(path)}]] {show(line.label)} this"


def _of_source(state: WikiState, page: Page, show: Show) -> Iterator[str]:
    """Of a source's page: the standing claims that rest on it, by page, then as they stand."""
    for path in state.citing(page.stem)[:READ] if page.own_source else ():
        resting = [
            each
            for each in _claims(state, path)
            if any(evidence.source == page.stem for evidence in each.claim.evidence)
        ]
        if resting:
            yield f"- {show(resting[0].title)}"
        yield from (f"  - {show(cut(each.said, SHOWN))} {each.handle}" for each in resting)
