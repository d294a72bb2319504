"""Taint: all that rests on a source, directly and through other things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.page_by_typed_name import source_named
from llmwiki.landing.state import WikiState
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.nodes import whole
from llmwiki.pages.page import read_claim
from llmwiki.pages.tombstones import claim_refs, ledger_path

How = Literal["quotes it", "cites", "was struck for"]
_MOST_DEPTH = 50


class TaintedItem(NamedTuple):
    """A claim or a note that rests on it."""

    depth: int
    """1: it quotes it; 2: it rests on something of depth 1 …"""
    id: str
    page: str
    text: str
    how: How
    """How it rests on the last of `via`, or on the source."""
    is_alone: bool
    """Whether it has no evidence of anything else."""
    via: tuple[str, ...]
    """The ids by which it rests on it, from what quotes it on; empty at depth 1."""


@dataclass(frozen=True, slots=True)
class TaintReport:
    """What rests on one source."""

    name: str
    """The file of the source."""
    items: tuple[TaintedItem, ...]
    """By depth, page and id."""

    @property
    def pages(self) -> tuple[str, ...]:
        """The pages they stand on, sorted."""
        return tuple(sorted({item.page for item in self.items}))


def taint(wiki: OpenWiki, name: str) -> TaintReport:
    """What rests on a source, directly and through other things, as the wiki is at HEAD.

    Raises InputError where there is none of that name.
    """
    state = wiki.state
    state.follow()
    ledger = source_named(state, name)
    page = state.page(ledger.path)
    own = page.own_source if page else None
    resource = own.resource.removeprefix("/") if own else ledger.stem
    return TaintReport(resource, _spread(state, _of_source(state, ledger.stem)))


def _of_source(state: WikiState, ident: str) -> Iterator[TaintedItem]:
    """The claims with evidence of a source."""
    path = ledger_path(ident)
    ledger = state.page(path)
    homes = state.claim_pages(claim_refs(ledger)).values() if ledger else ()
    for home in sorted({*state.citing(ident), *homes, *([path] if ledger else [])}):
        page = state.page(home)
        for claim in page.claims if page else ():
            mine = [piece for piece in claim.evidence if piece.source == ident]
            if mine:
                alone = len(mine) == len(claim.evidence)
                yield TaintedItem(1, claim.id, home, claim.text, "quotes it", alone, ())


def _spread(state: WikiState, direct: Iterable[TaintedItem]) -> tuple[TaintedItem, ...]:
    """The items, and all that rests on them."""
    found = {item.id: item for item in sorted(direct, key=lambda item: (item.page, item.id))}
    front = list(found.values())
    for _ in range(_MOST_DEPTH):
        reached = [item for item in _citing(state, front) if item.id not in found]
        if not reached:
            break
        front = []
        for item in sorted(reached, key=lambda item: (item.page, item.id, item.via)):
            if item.id not in found:
                found[item.id] = item
                front.append(item)
    return tuple(sorted(found.values(), key=lambda item: (item.depth, item.page, item.id)))


def _citing(state: WikiState, front: Iterable[TaintedItem]) -> Iterator[TaintedItem]:
    """Notes that cite claims, and claims that were struck for them."""
    by_id = {item.id: item for item in front if item.id.startswith("c-")}
    for path in state.naming(by_id) if by_id else ():
        page = state.page(path)
        for node in page.body if page else ():
            if node.kind not in ("c", "n"):
                continue
            claim = read_claim(node)
            said = claim.successor or "" if node.kind == "c" else whole(node)
            how: How = "was struck for" if node.kind == "c" else "cites"
            named = list(dict.fromkeys(CLAIM_IN_LINK.findall(said)))
            through = next((by_id[ident] for ident in named if ident in by_id), None)
            if through is not None:
                alone = all(ident in by_id for ident in named)
                yield TaintedItem(
                    *(through.depth + 1, node.key[1], path, claim.text, how, alone),
                    via=(*through.via, through.id),
                )
