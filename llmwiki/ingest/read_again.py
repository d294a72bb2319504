"""What the embedded extractor had read of a source, once somebody else has read it again.

Claims that only its reading had go, but for those that a person worked on and those that something
leads to: they stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from llmwiki.core.text import counted, fold
from llmwiki.memory.state import WikiState
from llmwiki.memory.taken_out import without_words
from llmwiki.pages import write
from llmwiki.pages.assembled import settle, settled
from llmwiki.pages.emptied import is_empty
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.link_targets import link_key, name_in
from llmwiki.pages.links import targets
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.nodes import PageNode, whole
from llmwiki.pages.page import Claim, Page
from llmwiki.pages.tombstones import claim_refs, ledger_path, strike_off
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository
from llmwiki.version import is_offline

_DERIVED = frozenset({"ref", "record"})
"""Lines that the tool writes of a claim, and takes out with it."""


@dataclass(frozen=True, slots=True)
class EarlierReading:
    """The pages without what only the earlier reading had."""

    pages: Mapping[str, Page | None] = field(default_factory=dict)
    """None: nothing is left there."""
    gone: int = 0
    """Claims that are taken out."""
    kept: int = 0
    """Claims that stay although the new reading does not say them."""

    @property
    def emptied(self) -> tuple[str, ...]:
        """The pages that go."""
        return tuple(path for path, page in self.pages.items() if page is None)

    @property
    def told(self) -> str:
        """What became of the earlier claims, in words; empty where there were none."""
        said = []
        if self.gone:
            said.append(f"{counted(self.gone, 'claim')} of the reading without a model taken out")
        if self.kept:
            why = "somebody worked on them, or something leads to them"
            said.append(f"{self.kept} of it left, for {why}")
        return "; ".join(said)


def without_earlier(
    repo: Repository,
    state: WikiState,
    source_id: str,
    pages: Mapping[str, Page],
    said: Collection[str],
) -> EarlierReading:
    """Takes out what only the embedded extractor had read of a source.

    `pages` are those after the new reading, which says the claims `said`. What came with a commit
    that this clone lacks stays: nobody knows who read it.
    """
    path = ledger_path(source_id)
    roster = [each for each in claim_refs(pages[path]) if each not in said]
    homes = state.claim_page.among(roster)
    held = {home: pages.get(home) or state.page(home) for home in sorted(set(homes.values()))}
    nodes = {
        node.key[1]: (page, node)
        for home, page in held.items() if page is not None
        for node in page.body if node.kind == "c" and homes.get(node.key[1]) == home
    }  # fmt: skip
    came, born = _read_offline(repo, pages[path], nodes.keys())
    gone = {
        ident for ident, claim in came.items()
        if (found := nodes[ident][0].claim(ident)) is not None
        and _is_as_it_came(nodes[ident][1], found, claim, source_id)
    }  # fmt: skip
    gone -= _led_to(state, pages, gone)
    if not gone:
        return EarlierReading(pages, 0, len(came))
    after: dict[str, Page | None] = dict(pages)
    emptied = set()
    for home in sorted({homes[ident] for ident in gone}):
        page = before = held[home]
        assert page is not None and before is not None
        for ident in gone:
            if homes[ident] == home:
                page = write.remove_node(page, ("c", ident))
        after[home] = page = settled(settle(before, page))
        if home in born and is_empty(page) and _is_as_it_was_born(page, born[home]):
            emptied.add(home)
    after = without_words(state, after, gone)
    for home in sorted(emptied):
        if not _is_linked(state, after, home):
            after = without_words(state, {**after, home: None}, frozenset())
    ledger = after[path]
    assert ledger is not None
    after[path] = strike_off(ledger, gone)
    return EarlierReading(after, len(gone), len(came) - len(gone))


def _read_offline(
    repo: Repository, ledger: Page, wanted: Collection[str]
) -> tuple[dict[str, Claim], dict[str, Page]]:
    """What came with the embedded extractor's readings since anybody else's: those of the wanted
    claims, and pages. What stood when another one read was said again by that, or was kept."""
    head, own = repo.head(), ledger.own_source
    read = f"{own.resource.removeprefix('/')} sha256:" if own else ""
    claims: dict[str, Claim] = {}
    born: dict[str, Page] = {}
    for commit in repo.log(head, paths=[ledger.path]) if head and wanted else ():
        if commit.kind != "ingest" or not any(each.startswith(read) for each in commit.sources):
            continue
        models = commit.values("Wiki-Model")
        if not models or not all(map(is_offline, models)):
            break
        for before, after in _changed_pages(repo, commit):
            had = {claim.id for claim in before.claims} if before else set()
            new = (claim for claim in after.claims if claim.id not in had)
            claims.update((claim.id, claim) for claim in new if claim.id in wanted)
            if before is None:
                born[after.path] = after
    return claims, born


def _changed_pages(repo: Repository, commit: Commit) -> Iterator[tuple[Page | None, Page]]:
    """The pages that a commit wrote, each as it was before and as it left them."""
    if not commit.parents.known:
        return
    for change in repo.diff_trees(commit.parents.first(), commit.oid, "wiki"):
        entries = (change.old, change.new)
        before, after = (
            Page.parse(change.path, repo.read_many([each[1]])[0].decode("utf-8", "surrogateescape"))
            if each else None
            for each in entries
        )  # fmt: skip
        if after is not None:
            yield before, after


def _is_as_it_came(node: PageNode, claim: Claim, came: Claim, source_id: str) -> bool:
    """Whether nobody has worked on a claim, and no other source supports it."""
    return (
        not any(part.kind == "x" and part.raw.strip() for part in node.parts)
        and fold(claim.text) == fold(came.text)
        and claim.attributes == came.attributes
        and claim.successor is None
        and {(e.source, fold(e.quote)) for e in claim.evidence}
        == {(source_id, fold(e.quote)) for e in came.evidence}
    )


def _is_as_it_was_born(page: Page, born: Page) -> bool:
    """Whether nobody has given a page another name or description since, or a tag."""
    names = ("title", "aliases", "tags")
    return page.description_is_tools and all(page.words(n) == born.words(n) for n in names)


def _led_to(state: WikiState, pages: Mapping[str, Page], claims: Collection[str]) -> set[str]:
    """Those of the claims that something leads to which does not go with them."""
    led: set[str] = set()
    for path in sorted({*state.naming(claims), *pages}) if claims else ():
        page = pages.get(path) or state.page(path)
        for node in page.body if page else ():
            if node.kind not in _DERIVED and not (node.kind == "c" and node.key[1] in claims):
                led.update(CLAIM_IN_LINK.findall(whole(node)))
    return led


def _is_linked(state: WikiState, pages: Mapping[str, Page | None], gone: str) -> bool:
    """Whether anything but the dress of claims and of the tool's leads links to a page."""
    name = name_key(stem_of(gone))
    for path in sorted({*state.linking(gone), *pages} - {gone}):
        page = pages[path] if path in pages else state.page(path)
        for node in page.body if page else ():
            if node.kind == "c" or (node.kind == "lead" and page and page.lead_is_tools):
                continue
            if any(name_in(link_key(target, path)) == name for target in targets(whole(node))):
                return True
    return False
