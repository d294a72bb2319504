"""Undo: what an operation left, what it found and what stands now, merged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.changes.lost_evidence import (
    DroppedClaim,
    dangling,
    drop_claims,
    drop_evidence,
    without_dropped,
    words_brought,
)
from llmwiki.core.errors import InputError, StateError, WikiError
from llmwiki.core.plain_line import plain_line
from llmwiki.git.log import Commit
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.after_merge import joins_of
from llmwiki.landing.earlier import (
    as_now,
    moved_pages,
    moved_trailer,
    page_at,
    pages_of,
    paths_since,
)
from llmwiki.landing.land import Made, Operation, land
from llmwiki.landing.lead_links import deleted_by_hand, lead_links, lost_claims
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.state import WikiState
from llmwiki.pages.difference.row_changes import is_moving
from llmwiki.pages.merge.assembled import read_back, with_footnotes_of
from llmwiki.pages.merge.states import PageMove, Pages, undone
from llmwiki.pages.nodes import Conflict, Key
from llmwiki.pages.page import Page
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


class _TakenBack(NamedTuple):
    conflicts: tuple[tuple[str, Conflict], ...]
    notes: tuple[DroppedClaim, ...]


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


def undo(
    wiki: OpenWiki, name: str | None = None, *, dry_run: bool = False, allow_detached: bool = False
) -> UndoResult:
    """Takes an operation or a batch back, in a commit of its own; None: the last operation.

    What others wrote since stays, and sources stay in raw/: they are a person's. `name` is an
    operation's or a batch's id, or a commit. Raises InputError where there is none, StateError
    where it may lie beyond what this clone holds, and what `land` raises.
    """
    repo, terms = wiki.repo, wiki.landing(allow_detached)
    operations = _targets(repo, name)

    def make(current: WikiState) -> Made[_TakenBack]:
        head = current.commit
        conflicts: list[tuple[str, Conflict]] = []
        pages: dict[str, Page | None] = {}
        renamed: dict[str, str] = {}
        taken_out: set[str] = set()
        since = tuple(repo.log(f"{operations[-1].oid}..{head}")) if head else ()
        _not_read_again(repo, operations, since)
        joins, led = joins_of(since), paths_since(since)
        standing = current.claim_pages(joins)
        joins = {gone: stays for gone, stays in joins.items() if gone not in standing}
        brought: dict[str, set[Key]] = {}
        words: dict[str, str] = {}
        for commit in operations:
            before, after = as_now(current, pages_of(repo, commit), joins, led)
            taken_out.update(after.keys() - before.keys())
            moved = moved_pages(current, commit.oid, after, led)
            now = _standing(current, pages, {**before, **after}, moved)
            done = undone(before, after, now, moved, _deleted(current, before, now))
            pages |= done.pages
            renamed |= {old: new for old, new in done.led.items() if current.fact(old)}
            conflicts += done.conflicts
            _withdraw(brought, before, after)
            words |= words_brought(after)
        dropped = _take_out(current, pages, brought, words)
        taken_out -= _still_retracted(operations, current, pages)
        _bury(current, pages, taken_out)
        _same_versions(operations, current, pages)
        gone = lost_claims(current, pages) | dangling(current, pages)
        gone |= {each.claim.id for each in dropped}
        renamed = {old: new for old, new in renamed.items() if pages.get(old) is None}
        told = lead_links(current, pages, renamed, _moving_now(current, pages))
        wanted, _revived = without_dropped(current, told.pages, gone)
        notes = tuple(each for each in dropped if each.is_note)
        ids = tuple(ident for c in operations for ident in c.ids)
        operation = Operation(
            title=_title(operations),
            pages=wanted,
            notes=tuple(
                f"Kept as somebody changed it since: {path}, {plain_line(c.kept, 60)}"
                for path, c in conflicts[:10]
            )
            + tuple(
                f"A person had worked on ^{each.claim.id}: it is a note of theirs now."
                for each in notes[:10]
            ),
            trailers={"Wiki-Undoes": ids, **moved_trailer(renamed)},
            takes_out=True,
        )
        return Made(operation, _TakenBack(tuple(conflicts), notes))

    done = land(wiki.state, "undo", make, terms=terms, dry_run=dry_run)
    return UndoResult(operations, done.outcome, *done.extra)


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


def _moving_now(state: WikiState, pages: Mapping[str, Page | None]) -> frozenset[str]:
    """The claims that stand on another page once the pages do."""
    places = {c.id: path for path, page in sorted(pages.items()) if page for c in page.claims}
    homes = state.claim_pages(sorted(places))
    return frozenset(ident for ident, path in homes.items() if places[ident] != path)


# --- evidence ------------------------------------------------------------------------------


def _withdraw(brought: dict[str, set[Key]], before: Pages, after: Pages) -> None:
    """Takes note of the quotes that an operation brought, by claim, less those that it took out."""
    found, left = quotes_on(before), quotes_on(after)
    for ident, keys in left.items():
        brought.setdefault(ident, set()).update(keys - found.get(ident, set()))
    for ident, keys in found.items():
        brought.get(ident, set()).difference_update(keys - left.get(ident, set()))


def quotes_on(pages: Pages) -> dict[str, set[Key]]:
    """The keys of the quotes of each claim."""
    found: dict[str, set[Key]] = {}
    for claim in (claim for page in pages.values() for claim in page.claims):
        found.setdefault(claim.id, set()).update(("e", *e.identity) for e in claim.evidence)
    return found


def _take_out(
    state: WikiState,
    pages: dict[str, Page | None],
    brought: Mapping[str, Set[Key]],
    words: Mapping[str, str],
) -> list[DroppedClaim]:
    """Takes quotes out of the claims that still have them, and claims that have none any more."""
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
    dropped = drop_claims(state.repo, changed, unproven, words)
    for path, page in sorted(changed.items()):
        before = state.page(path)
        pages[path] = read_back(with_footnotes_of(page, before) if before else page)
    return dropped


# --- what stays ----------------------------------------------------------------------------


def _still_retracted(
    operations: tuple[Commit, ...],
    current: WikiState,
    pages: dict[str, Page | None],
) -> set[str]:
    """Leaves the pages of retracted sources as they are, and returns their paths.

    Undoing an ingest does not lift a retraction; undoing the operation that made it does.
    """
    kept: set[str] = set()
    for path in sorted(pages):
        ledger = current.page(path)
        if ledger is None or not is_retracted(ledger):
            continue
        if not any(_retracts(current.repo, commit, path) for commit in operations):
            pages[path] = ledger
            kept.add(path)
    return kept


def _retracts(repo: Repository, commit: Commit, path: str) -> bool:
    """Whether an operation retracted the source of a page, or lifted its retraction."""
    pages = (page_at(repo, revision, path) for revision in (commit.parents.first(), commit.oid))
    was, now = (page is not None and is_retracted(page) for page in pages)
    return was != now


def _bury(current: WikiState, pages: dict[str, Page | None], taken_out: Set[str]) -> None:
    """Keeps in mind what people deleted: an undo takes the links out by which it is known."""
    for path in sorted(pages):
        ledger = current.page(path)
        if ledger is None or ledger.type != "source":
            continue
        left = pages[path]
        deleted = deleted_by_hand(current, ledger, left)
        if path in taken_out and _is_cited(current, ledger, pages):
            # Later readings of the source stand, and with them the bytes that they quote.
            left = left if left and any(_versions(left, ledger.stem)) else ledger
            pages[path] = bury(left, deleted)
        elif deleted or (path in taken_out and left is not None):
            page = taken_back(ledger, left) if path in taken_out else left or ledger
            pages[path] = bury(page, deleted)


def _is_cited(current: WikiState, ledger: Page, pages: Mapping[str, Page | None]) -> bool:
    """Whether any page cites the ledger's source once `pages` stand."""
    paths = {*pages, *current.linking(ledger.path)} - {ledger.path}
    held = (pages[path] if path in pages else current.page(path) for path in sorted(paths))
    return any(page is not None and ledger.stem in page.cited() for page in held)


def _not_read_again(
    repo: Repository, operations: tuple[Commit, ...], since: Sequence[Commit]
) -> None:
    """Refuses where a later reading of the same file stands: what both say came with the first.

    Readings of two clones came side by side, and neither is the later one. `since` are the commits
    behind the operations, newest first. Raises StateError.
    """
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


def _files_of(commit: Commit) -> set[str]:
    return {source.partition(" sha256:")[0] for source in commit.sources}


def _same_versions(
    operations: tuple[Commit, ...],
    current: WikiState,
    pages: Mapping[str, Page | None],
) -> None:
    """Refuses to bring back quotes of a version of a source that has been read anew since.

    Their lines would point into other bytes than the ledger records. Raises StateError.
    """
    for source in sorted(_brought_back(current, pages)):
        path = f"wiki/sources/{source}.md"
        ledger = pages.get(path) or current.page(path)
        now = _versions(ledger, source)
        found = (page_at(current.repo, commit.parents.first(), path) for commit in operations)
        if not any(_versions(page, source) == now for page in found):
            raise StateError(
                "the source has been read in another version since",
                where=path,
                fix="Undo the operations on it that came after first; `wiki log` lists them.",
            )


def _brought_back(current: WikiState, pages: Mapping[str, Page | None]) -> set[str]:
    """The sources of evidence that the pages have and the wiki has not, on whatever page."""
    held = (page for path in pages if (page := current.page(path)) is not None)
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


def _title(operations: tuple[Commit, ...]) -> str:
    if len(operations) != 1:
        return f"batch of {len(operations)} operations"
    subject = operations[0].subject.removeprefix("wiki ")
    if operations[0].kind != "undo":
        return subject
    told = subject.removeprefix("undo: ")
    if told.startswith("redo of "):
        return f"undo of {told.removeprefix('redo of ')}"
    return f"redo of {told.removeprefix('undo of ')}"
