"""Taint: all that rests on a source, an operation or a model, directly and through other things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, NamedTuple

from llmwiki.core.errors import InputError
from llmwiki.core.text import fold
from llmwiki.history.retract import source_named
from llmwiki.history.undo import quotes_on
from llmwiki.memory.earlier import pages_of
from llmwiki.memory.state import WikiState
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.names import stem_of
from llmwiki.pages.nodes import Key, whole
from llmwiki.pages.page import Claim, read_claim
from llmwiki.pages.tombstones import claim_refs, ledger_path
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository

TaintKind = Literal["source", "operation", "model"]
How = Literal["quotes it", "cites", "was struck for", "quotes a page of"]
_MOST_DEPTH = 50


class TaintedItem(NamedTuple):
    """A claim or a note that rests on it."""

    depth: int
    """1: it quotes it; 2: it rests on something of depth 1 …"""
    id: str
    page: str
    text: str
    how: How
    """How it rests on the last of `via`, or on what was asked for."""
    is_alone: bool
    """Whether it has no evidence of anything else."""
    via: tuple[str, ...]
    """The ids by which it rests on it, from what quotes it on; empty at depth 1."""


@dataclass(frozen=True, slots=True)
class TaintReport:
    """What rests on one thing."""

    name: str
    """The source's file, the operation's id, or the model."""
    kind: TaintKind
    operations: tuple[Commit, ...]
    """Those of the model, or the one that was asked for; newest first."""
    items: tuple[TaintedItem, ...]
    """By depth, page and id."""

    @property
    def pages(self) -> tuple[str, ...]:
        """The pages they stand on, sorted."""
        return tuple(sorted({item.page for item in self.items}))


def taint(repo: Repository, state: WikiState, name: str) -> TaintReport:
    """What rests on a source, an operation (its id or commit) or a model, as the wiki is at HEAD.

    Of an operation and of a model only what they brought counts that still has that evidence; of a
    model claims that have gained other evidence since do not. Raises InputError for what is none
    of them.
    """
    head = state.follow()
    parts, joined = _operations(repo.log(head)) if head else ([], frozenset())
    wanted = name.strip().lower()
    kind: TaintKind = "operation"
    found = _operations_of(parts, wanted)
    if not found:
        kind = "model"
        found = [part for part in parts if wanted in map(fold, part.values("Wiki-Model"))]
    if found:
        brought = _brought(repo, state, found, joined)
        items = [item for item in _having(state, brought) if item.is_alone or kind == "operation"]
        name, operations = _name_of(found[0], wanted, kind), _without_accepted(found)
        return TaintReport(name, kind, operations, _spread(state, items))
    try:
        ledger = source_named(state, name)
    except InputError as error:
        error.what = f"{error.what}, nor an operation or a model of that name"
        raise
    page = state.page(ledger.path)
    own = page.own_source if page else None
    resource = own.resource.removeprefix("/") if own else ledger.stem
    items = list(_of_source(state, ledger.stem))
    return TaintReport(resource, "source", (), _spread(state, items))


def _operations(commits: Iterable[Commit]) -> tuple[list[Commit], frozenset[str]]:
    """The operations, newest first, and the commits that join several.

    Of a squash they come one by one; one that was picked onto another branch comes once.
    """
    found: dict[str, Commit] = {}
    joined: set[str] = set()
    for commit in commits:
        parts = commit.by_operation()
        if len(parts) > 1:
            joined.add(commit.oid)
        for part in reversed(parts):
            found.setdefault(part.operation or "", part)
    return list(found.values()), frozenset(joined)


def _operations_of(parts: Iterable[Commit], wanted: str) -> list[Commit]:
    """The operations of that id or commit; else what was accepted of a review of that id."""
    own, accepted = [], []
    for part in parts:
        if part.operation == wanted or (len(wanted) >= 7 and part.oid.startswith(wanted)):
            own.append(part)
        elif wanted in part.values("Wiki-Review") and part.sources:
            accepted.append(part)
    return own or accepted


def _name_of(newest: Commit, wanted: str, kind: TaintKind) -> str:
    if kind == "model":
        return next(each for each in newest.values("Wiki-Model") if fold(each) == wanted)
    is_commit = wanted != newest.operation and newest.oid.startswith(wanted)
    return (newest.operation or wanted) if is_commit else wanted


def _without_accepted(parts: Sequence[Commit]) -> tuple[Commit, ...]:
    """The operations without accepted parts of those that have landed whole as well."""
    ids = {part.operation for part in parts}
    return tuple(part for part in parts if not ids.intersection(part.values("Wiki-Review")))


def _brought(
    repo: Repository, state: WikiState, parts: Iterable[Commit], joined: Set[str]
) -> dict[str, set[Key]]:
    """Claim id to the keys of the quotes that the operations added to it."""
    brought: dict[str, set[Key]] = {}
    for part in parts:
        if part.kind not in ("ingest", "review") or not part.parents.known:
            continue
        before, after = map(quotes_on, pages_of(repo, part))
        # Only their sources tell which quotes of a squash are of which operation.
        is_whole = part.oid not in joined
        for ident, keys in after.items():
            came = keys - before.get(ident, set())
            mine = {key for key in came if is_whole or _is_of(state, key, part.sources)}
            brought.setdefault(ident, set()).update(mine)
    return brought


def _is_of(state: WikiState, quote: Key, sources: Iterable[str]) -> bool:
    """Whether a quote is of one of the sources that an operation names, by file or by bytes."""
    page = state.page(ledger_path(quote[1]))
    own = page.own_source if page else None
    if own is None:
        return False
    named = [source.partition(" sha256:") for source in sources]
    return any(own.resource == f"/{path}" or own.sha256 == digest for path, _, digest in named)


def _having(state: WikiState, quotes: Mapping[str, set[Key]]) -> Iterator[TaintedItem]:
    homes = state.claim_pages(sorted(quotes))
    for ident, path in sorted(homes.items()):
        page = state.page(path)
        claim = page.claim(ident) if page else None
        keys = [("e", *piece.identity) for piece in claim.evidence] if claim else []
        mine = [key for key in keys if key in quotes[ident]]
        if claim is not None and mine:
            yield _item(claim, path, is_alone=len(mine) == len(keys))


def _of_source(state: WikiState, ident: str) -> Iterator[TaintedItem]:
    """The claims with evidence of a source, or of a page that is cited like one."""
    path = ledger_path(ident)
    ledger = state.page(path)
    homes = state.claim_pages(claim_refs(ledger)).values() if ledger else ()
    for home in sorted({*state.citing(ident), *homes, *([path] if ledger else [])}):
        page = state.page(home)
        for claim in page.claims if page else ():
            mine = [piece for piece in claim.evidence if piece.source == ident]
            if mine:
                yield _item(claim, home, is_alone=len(mine) == len(claim.evidence))


def _item(claim: Claim, path: str, *, is_alone: bool) -> TaintedItem:
    return TaintedItem(1, claim.id, path, claim.text, "quotes it", is_alone, ())


def _spread(state: WikiState, direct: Iterable[TaintedItem]) -> tuple[TaintedItem, ...]:
    """The items, and all that rests on them."""
    found = {item.id: item for item in sorted(direct, key=lambda item: (item.page, item.id))}
    front = list(found.values())
    for _ in range(_MOST_DEPTH):
        reached = [
            item for item in (*_citing(state, front), *_quoting(state, front))
            if item.id not in found
        ]  # fmt: skip
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
                yield _after(through, node.key[1], path, claim.text, how, is_alone=alone)


def _quoting(state: WikiState, front: Iterable[TaintedItem]) -> Iterator[TaintedItem]:
    """Claims whose evidence is a page with notes that rest on it: a filed answer, a day."""
    for through in front:
        if through.id.startswith("n-"):
            for item in _of_source(state, stem_of(through.page)):
                yield _after(
                    through, item.id, item.page, item.text, "quotes a page of",
                    is_alone=item.is_alone,
                )  # fmt: skip


def _after(
    through: TaintedItem, ident: str, path: str, text: str, how: How, *, is_alone: bool
) -> TaintedItem:
    via = (*through.via, through.id)
    return TaintedItem(through.depth + 1, ident, path, text, how, is_alone, via)
