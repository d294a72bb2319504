"""Claims that a merge of branches left double: one page has them, others link to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from llmwiki.index.facts import is_page
from llmwiki.memory.catch_up import JOINED, left_double, newest_commit
from llmwiki.memory.settled_versions import doubtful_ledgers
from llmwiki.memory.state import WikiState
from llmwiki.memory.unite_claims import on_two_pages, unite
from llmwiki.pages.disputes import is_disputed
from llmwiki.pages.ids import CLAIM_ID
from llmwiki.pages.join_claims import Joins, join_equals, redirect
from llmwiki.pages.page import Page
from llmwiki.repo.log import Commit

_ID = re.compile(CLAIM_ID)


@dataclass(frozen=True, slots=True)
class JoinedClaims:
    """The pages after some claims were joined, and which."""

    pages: Mapping[str, Page] = field(default_factory=dict)
    joins: Joins = field(default_factory=dict)
    doubtful: tuple[str, ...] = ()
    """Pages of sources that merges have left without the version that was read."""


def join(state: WikiState, paths: Iterable[str], edited: Mapping[str, Page | None]) -> JoinedClaims:
    """The equal claims of each of the pages as one, with every link to them led on.

    `edited` are pages as they shall be where they differ from the state. Where nobody has chosen
    yet between the sides of a merge, nothing is joined.
    """
    pages: dict[str, Page] = {}
    joins: dict[str, str] = {}

    def held(path: str) -> Page | None:
        if path in pages:
            return pages[path]
        return edited[path] if path in edited else state.page(path)

    for path in sorted(set(paths)):
        page = held(path)
        if page is None:
            continue
        joined, found = join_equals(page)
        if joined is page:
            continue
        led = {path: redirect(joined, found)}
        for other in sorted({*state.linking(path), *state.naming(found)}):
            linking = held(other)
            if linking is not None and (new := redirect(linking, found)).node != linking.node:
                led[other] = new
        if not any(is_disputed(one.text) for one in led.values()):
            joins |= found
            pages |= led
    return JoinedClaims(pages, joins)


def join_doubles(state: WikiState, base: str | None) -> JoinedClaims:
    """The claims that stand double since the last operation, on one page or on two.

    Looks at the pages that a merge has from its sides, or that an undo gave back what had been
    joined there, and at no others.
    """
    if base is None or base == state.own:
        return JoinedClaims()
    newest = newest_commit(state, base)
    if newest.operation and newest.kind != "undo":
        return JoinedClaims()
    paths: set[str] = set()
    apart: set[str] = set()
    for commit in left_double(state, base):
        sides = [
            {change.path for change in state.repo.diff_trees(parent, commit.oid, "wiki")}
            for parent in commit.parents.all()
        ]
        paths.update(path for path in set.intersection(*sides) if is_page(path))
        if len(sides) > 1:
            apart.update(path for path in set.union(*sides) if is_page(path))
    united = unite(state, on_two_pages(state, apart))
    joined = join(state, paths, united)
    doubtful = doubtful_ledgers(state, paths)
    return JoinedClaims({**united, **joined.pages}, joined.joins, doubtful)


def joins_of(commits: Iterable[Commit]) -> Joins:
    """What the commits, newest first, joined: each id to the one that has its evidence now."""
    joins: dict[str, str] = {}
    for commit in commits:
        for value in commit.values(JOINED):
            gone, _, stays = value.partition(" ")
            if _ID.fullmatch(gone) and _ID.fullmatch(stays):
                joins[gone] = joins.get(stays, stays)
    return joins
