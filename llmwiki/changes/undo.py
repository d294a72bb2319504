"""Undo: what an operation left, what it found and what stands now, merged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from llmwiki.changes.claims_without_evidence import (
    DroppedClaim,
    dangling,
    drop_claims,
    drop_evidence,
    without_dropped,
    words_brought,
)
from llmwiki.core.errors import InputError, StateError, WikiError
from llmwiki.core.forge_safe_line import plain_line
from llmwiki.git.commits_and_trailers import Commit
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.earlier_pages import EarlierChange, changes_now, moved_trailer, page_at
from llmwiki.landing.land import land
from llmwiki.landing.links_to_moved_pages import deleted_by_hand, lead_links, lost_claims
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.operation import Made, Operation
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.difference.row_changes import is_moving
from llmwiki.pages.merge.page_sets import PageMove, Pages, undone
from llmwiki.pages.merge.repair_assembled_page import read_back, with_footnotes_of
from llmwiki.pages.page import Page
from llmwiki.pages.page_tree import Conflict, Key
from llmwiki.pages.tombstones import bury, claim_refs, is_retracted, taken_back


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What undoing did, or would do."""

    operations: tuple[Commit, ...]
    """The commits, newest first; one that squashed a branch is taken back whole."""
    outcome: Outcome
    conflicts: tuple[tuple[str, Conflict], ...] = ()
    """(page, what could not be taken back because somebody changed it since)."""
    notes: tuple[DroppedClaim, ...] = ()
    """Claims that a person had reworded or written under: theirs now, as notes."""


def undo(
    wiki: OpenWiki, name: str | None = None, *, dry_run: bool = False, allow_detached: bool = False
) -> UndoResult:
    """Takes an operation or a batch back, in a commit of its own; None: the last operation.

    What others wrote since stays, and sources stay in raw/: they are a person's. `name` is an
    operation's or a batch's id, or a commit. Raises InputError where there is none, StateError
    where it may lie beyond what this clone holds, and what `land` raises.
    """
    operations = _targets(wiki.repo, name)
    terms, make = wiki.landing(allow_detached), partial(_made, operations)
    done = land(wiki.state, "undo", make, terms=terms, dry_run=dry_run)
    return replace(done.extra, outcome=done.outcome)


def _made(operations: Sequence[Commit], current: WikiState) -> Made[UndoResult]:
    """The operation that takes the operations, newest first, out of the pages as they are now, and
    what comes of it but for the commit."""
    since = _read_since(current, operations)
    changes = changes_now(current, operations, since)
    found = _without_changes(current, changes)
    dropped = _take_out(current, changes, found.pages)
    _settle_ledgers(current, operations, changes, found.pages)
    _refuse_other_versions(current, operations, found.pages)
    renamed = {old: new for old, new in found.renamed.items() if found.pages.get(old) is None}
    gone = {each.claim.id for each in dropped}
    pages = _with_links(current, found.pages, renamed, gone)
    notes = tuple(each for each in dropped if each.is_note)
    kept = (
        f"Kept as somebody changed it since: {path}, {plain_line(c.kept, 60)}"
        for path, c in found.conflicts[:10]
    )
    theirs = (
        f"A person had worked on ^{each.claim.id}: it is a note of theirs now."
        for each in notes[:10]
    )
    ids = tuple(ident for commit in operations for ident in commit.ids)
    wanted = Operation(
        title=_title(operations),
        pages=pages,
        notes=(*kept, *theirs),
        trailers={"Wiki-Undoes": ids, **moved_trailer(renamed)},
        takes_out=True,
    )
    return Made(wanted, UndoResult(tuple(operations), Outcome(None), tuple(found.conflicts), notes))


# --- which operations ------------------------------------------------------------------------


def _targets(repo: Repository, name: str | None) -> tuple[Commit, ...]:
    """The operations to take back, newest first.

    `name` is an operation's or a batch's id, a commit or a revision such as `HEAD~1`; None: the
    last operation, an undo included. Raises InputError where there is none, StateError where there
    may be one, or more of the batch, among the commits that this clone lacks.
    """
    head = repo.head()
    found: list[Commit] = []
    wanted = _oid_or_id(repo, name) if name else ""
    for commit in repo.log(head) if head else ():
        if commit.operation is None or commit.kind is None:
            continue
        if "init" in commit.values("Wiki-Op"):
            if name and _named(commit, wanted):
                raise InputError("`wiki init` is not undone", where=name, fix="Use git revert.")
            continue
        if not name:
            return (commit,)
        if wanted in commit.values("Wiki-Batch"):
            found.append(commit)
        elif _named(commit, wanted):
            return (commit,)
    if not found:
        raise _not_found(repo, name)
    if repo.beyond:
        ids = " ".join(commit.operation or "" for commit in found)
        raise StateError(
            "the batch may hold more operations than those in this clone",
            where=wanted,
            fix=f"{repo.beyond} Or undo one by one, in this order: {ids}",
        )
    return tuple(found)


def _oid_or_id(repo: Repository, name: str) -> str:
    folded = name.lower()
    return folded if re.fullmatch("[0-9a-f]+", folded) else repo.resolve(name) or folded


def _not_found(repo: Repository, name: str | None) -> WikiError:
    what = "no operation or batch has that id" if name else "there is no operation to undo"
    if not repo.beyond:
        return InputError(what, where=name or "", fix="`wiki log` lists them.")
    return StateError(f"in this clone {what}", where=name or "", fix=repo.beyond)


def _named(commit: Commit, wanted: str) -> bool:
    return wanted in commit.ids or (len(wanted) >= 7 and commit.oid.startswith(wanted))


# --- pages ---------------------------------------------------------------------------------


class _Found(NamedTuple):
    """The pages once the operations are taken out of them."""

    pages: dict[str, Page | None]
    renamed: dict[str, str]
    """Those that are no more, each with the one that links to it lead to then."""
    conflicts: list[tuple[str, Conflict]]


def _without_changes(state: WikiState, changes: Sequence[EarlierChange]) -> _Found:
    pages: dict[str, Page | None] = {}
    renamed: dict[str, str] = {}
    conflicts: list[tuple[str, Conflict]] = []
    for before, after, moved in changes:
        now = _standing(state, pages, {**before, **after}, moved)
        done = undone(before, after, now, moved, _deleted(state, before, now))
        pages |= done.pages
        renamed |= {old: new for old, new in done.led.items() if state.fact(old)}
        conflicts += done.conflicts
    return _Found(pages, renamed, conflicts)


def _standing(
    state: WikiState,
    edited: Mapping[str, Page | None],
    pages: Pages,
    moved: Mapping[str, PageMove],
) -> dict[str, Page]:
    """The pages that an operation's `pages` concern as they are now: those, the ones that have
    become of them, and those on which their claims stand."""
    ids = sorted({n.key[1] for page in pages.values() for n in page.body if is_moving(n)})
    homes = state.claim_pages(ids).values()
    paths = sorted({*pages, *homes, *(move.path for move in moved.values())})
    now = {path: edited[path] if path in edited else state.page(path) for path in paths}
    return {path: page for path, page in now.items() if page is not None}


def _deleted(state: WikiState, before: Pages, now: Pages) -> frozenset[str]:
    """The claims of `before` that stand nowhere and that a record names: a person took them out."""
    here = {claim.id for page in now.values() for claim in page.claims}
    lacking = {claim.id for page in before.values() for claim in page.claims} - here
    held = (state.page(path) for path in state.naming(sorted(lacking))) if lacking else ()
    return frozenset(lacking & {ident for page in held if page for ident in claim_refs(page)})


def _with_links(
    state: WikiState,
    pages: Mapping[str, Page | None],
    renamed: Mapping[str, str],
    dropped: Set[str],
) -> dict[str, Page | None]:
    """The pages and all others that lead to them, without what rests on claims that are gone."""
    gone = lost_claims(state, pages) | dangling(state, pages) | dropped
    led = lead_links(state, pages, renamed)
    return without_dropped(state, led.pages, gone)[0]


# --- evidence ------------------------------------------------------------------------------


def _quotes_brought(changes: Sequence[EarlierChange]) -> dict[str, set[Key]]:
    """The quotes that the operations brought, by claim, less those that they took out."""
    brought: dict[str, set[Key]] = {}
    for before, after, _moved in changes:
        found, left = quotes_on(before), quotes_on(after)
        for ident, keys in left.items():
            brought.setdefault(ident, set()).update(keys - found.get(ident, set()))
        for ident, keys in found.items():
            brought.get(ident, set()).difference_update(keys - left.get(ident, set()))
    return brought


def quotes_on(pages: Pages) -> dict[str, set[Key]]:
    """The keys of the quotes of each claim."""
    found: dict[str, set[Key]] = {}
    for claim in (claim for page in pages.values() for claim in page.claims):
        found.setdefault(claim.id, set()).update(("e", *e.identity) for e in claim.evidence)
    return found


def _take_out(
    state: WikiState, changes: Sequence[EarlierChange], pages: dict[str, Page | None]
) -> list[DroppedClaim]:
    """Takes quotes out of the claims that still have them, and claims that have none any more."""
    brought = _quotes_brought(changes)
    asked = {ident for ident, keys in brought.items() if keys}
    places = {c.id: path for path, page in sorted(pages.items()) if page for c in page.claims}
    homes = {**state.claim_pages(sorted(asked)), **places}
    paths = {homes[ident] for ident in asked if ident in homes}
    held = {path: pages[path] if path in pages else state.page(path) for path in paths}
    changed, unproven = drop_evidence(
        state,
        {path: page for path, page in held.items() if page is not None},
        lambda ident, piece: ("e", *piece.identity) in brought.get(ident, ()),
    )
    unproven = {ident: claim for ident, claim in unproven.items() if ident in asked}
    changed = {p: page for p, page in changed.items() if p in pages or page is not held[p]}
    words = {ident: said for each in changes for ident, said in words_brought(each.after).items()}
    dropped = drop_claims(state.repo, changed, unproven, words)
    for path, page in sorted(changed.items()):
        before = state.page(path)
        pages[path] = read_back(with_footnotes_of(page, before) if before else page)
    return dropped


# --- pages of sources --------------------------------------------------------------------------


def _settle_ledgers(
    state: WikiState,
    operations: Sequence[Commit],
    changes: Sequence[EarlierChange],
    pages: dict[str, Page | None],
) -> None:
    """Leaves the pages of retracted sources as they are, and keeps in mind what people deleted: an
    undo takes the links out by which that is known.

    Undoing an ingest does not lift a retraction; undoing the operation that made it does.
    """
    held = ((path, state.page(path)) for path in sorted(pages))
    ledgers = {path: page for path, page in held if page is not None and page.type == "source"}
    retracted = {
        path: page
        for path, page in ledgers.items()
        if is_retracted(page)
        and not any(_retracts(state.repo, commit, path) for commit in operations)
    }
    pages |= retracted
    taken_out = {path for each in changes for path in each.after.keys() - each.before.keys()}
    for path in sorted(ledgers.keys() - retracted.keys()):
        ledger, left = ledgers[path], pages[path]
        deleted = deleted_by_hand(state, ledger, left)
        if path in taken_out and _is_cited(state, ledger, pages):
            # Later readings of the source stand, and with them the bytes that they quote.
            left = left if left and any(_versions(left, ledger.stem)) else ledger
            pages[path] = bury(left, deleted)
        elif deleted or (path in taken_out and left is not None):
            page = taken_back(ledger, left) if path in taken_out else left or ledger
            pages[path] = bury(page, deleted)


def _retracts(repo: Repository, commit: Commit, path: str) -> bool:
    """Whether an operation retracted the source of a page, or lifted its retraction."""
    pages = (page_at(repo, revision, path) for revision in (commit.parents.first(), commit.oid))
    was, now = (page is not None and is_retracted(page) for page in pages)
    return was != now


def _is_cited(state: WikiState, ledger: Page, pages: Mapping[str, Page | None]) -> bool:
    """Whether any page cites the ledger's source once `pages` stand."""
    paths = {*pages, *state.linking(ledger.path)} - {ledger.path}
    held = (pages[path] if path in pages else state.page(path) for path in sorted(paths))
    return any(page is not None and ledger.stem in page.cited() for page in held)


def _read_since(state: WikiState, operations: Sequence[Commit]) -> tuple[Commit, ...]:
    """The commits behind the operations, newest first.

    Raises StateError where a later reading of the same file is one of them: what both say came with
    the first. Readings of two clones came side by side, and neither is the later one.
    """
    repo, head = state.repo, state.commit
    since = tuple(repo.log(f"{operations[-1].oid}..{head}")) if head else ()
    own = {commit.oid for commit in operations}
    read = {path: c for c in operations if c.kind == "ingest" for path in _files_of(c)}
    undone: set[str] = set()
    for commit in since:
        if not undone.isdisjoint(commit.ids):
            continue
        undone.update(commit.values("Wiki-Undoes"))
        if commit.kind != "ingest" or commit.oid in own:
            continue
        for path in sorted(read.keys() & _files_of(commit)):
            if repo.is_ancestor(read[path].oid, commit.oid):
                raise StateError(
                    "the source was read again since, and both readings may say the same",
                    where=path,
                    fix=f"Undo the later reading first: wiki undo {commit.ids[0]}",
                )
    return since


def _files_of(commit: Commit) -> set[str]:
    return {source.partition(" sha256:")[0] for source in commit.sources}


def _refuse_other_versions(
    state: WikiState, operations: Sequence[Commit], pages: Mapping[str, Page | None]
) -> None:
    """Refuses to bring back quotes of a version of a source that has been read anew since.

    Their lines would point into other bytes than the ledger records. Raises StateError.
    """
    for source in sorted(_brought_back(state, pages)):
        path = f"wiki/sources/{source}.md"
        ledger = pages.get(path) or state.page(path)
        now = _versions(ledger, source)
        found = (page_at(state.repo, commit.parents.first(), path) for commit in operations)
        if not any(_versions(page, source) == now for page in found):
            raise StateError(
                "the source has been read in another version since",
                where=path,
                fix="Undo the operations on it that came after first; `wiki log` lists them.",
            )


def _brought_back(state: WikiState, pages: Mapping[str, Page | None]) -> set[str]:
    """The sources of evidence that the pages have and the wiki has not, on whatever page."""
    held = (page for path in pages if (page := state.page(path)) is not None)
    had = {(c.id, e, c.successor) for page in held for c in page.claims for e in c.evidence}
    return {
        evidence.source
        for page in pages.values()
        for claim in (page.claims if page else ())
        if not (claim.successor or "").startswith("gone in ")
        for evidence in claim.evidence
        if (claim.id, evidence, claim.successor) not in had
    }


def _versions(ledger: Page | None, source: str) -> set[str]:
    return {s.sha256 for s in ledger.sources if s.id == source} if ledger else set()


def _title(operations: Sequence[Commit]) -> str:
    if len(operations) != 1:
        return f"batch of {len(operations)} operations"
    subject = operations[0].subject.removeprefix("wiki ")
    if operations[0].kind != "undo":
        return subject
    told = subject.removeprefix("undo: ")
    if told.startswith("redo of "):
        return f"undo of {told.removeprefix('redo of ')}"
    return f"redo of {told.removeprefix('undo of ')}"
