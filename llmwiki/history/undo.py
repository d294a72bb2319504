"""Undo: the inverse Changes of an operation, applied to what the wiki has become since."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.core.errors import InputError, StateError, WikiError
from llmwiki.core.page_kinds import OVERVIEW
from llmwiki.core.plain_line import plain_line
from llmwiki.history.fallen import FallenClaim, dangling, without_fallen
from llmwiki.history.withdrawn import WithdrawnEvidence, give_back, take_out
from llmwiki.index.facts import is_page
from llmwiki.memory.join_merged import joins_of
from llmwiki.memory.land import LandingOptions, Made, Operation, land
from llmwiki.memory.moved import moved_pages, paths_since, standing_on, stems_since
from llmwiki.memory.overview import lead_of
from llmwiki.memory.state import WikiState
from llmwiki.memory.taken_out import deleted_by_hand, lost_claims
from llmwiki.pages.changes import Changes, apply, diff, invert, under_new_names
from llmwiki.pages.join_claims import follow
from llmwiki.pages.nodes import Conflict
from llmwiki.pages.page import Page
from llmwiki.pages.retraction import retraction
from llmwiki.pages.tombstones import bury, taken_back
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository
from llmwiki.store.outcome import Outcome


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What undoing did, or would do."""

    operations: tuple[Commit, ...]
    """The commits, newest first; one that squashed a branch is taken back whole."""
    outcome: Outcome
    conflicts: tuple[tuple[str, Conflict], ...] = ()
    """(page, what could not be taken back because somebody changed it since)."""
    lead: bool = False
    """Whether the overview's lead is among what was taken back."""
    notes: tuple[FallenClaim, ...] = ()
    """Claims that a person had reworded or written under: theirs now, as notes."""


class _TakenBack(NamedTuple):
    conflicts: tuple[tuple[str, Conflict], ...]
    lead: bool
    notes: tuple[FallenClaim, ...]


def targets(repo: Repository, name: str | None) -> tuple[Commit, ...]:
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
    repo: Repository,
    state: WikiState,
    operations: tuple[Commit, ...],
    *,
    terms: LandingOptions,
    dry_run: bool = False,
) -> UndoResult:
    """Takes operations back in one commit; what others wrote since stays.

    Sources stay in raw/: they are a person's. Raises what `land` raises.
    """

    def make(current: WikiState) -> Made[_TakenBack]:
        head = current.commit
        conflicts: list[tuple[str, Conflict]] = []
        pages: dict[str, Page] = {}
        touched: set[str] = set()
        taken_out: set[str] = set()
        lead: tuple[str, str] | None = None
        since = tuple(repo.log(f"{operations[-1].oid}..{head}")) if head else ()
        _not_read_again(repo, operations, since)
        joined, led = joins_of(since), paths_since(since)
        withdrawn = WithdrawnEvidence()
        standing = current.claim_page.among(joined)
        joins = {gone: stays for gone, stays in joined.items() if gone not in standing}
        for commit in operations:
            changes = follow(invert(changes_of(repo, commit)), joins, current.page)
            taken_out.update(item.path for item in changes.pages if not item.exists)
            stems = stems_since(current, led)
            changes = under_new_names(changes, stems)
            moved = moved_pages(current, commit.oid, changes, led)
            for path in standing_on(current, changes, moved):
                if path not in touched and (held := current.page(path)) is not None:
                    pages[path] = held
                touched.add(path)
            pages, found = apply(changes, pages, moved)
            came = give_back(repo, current, commit, changes, pages, moved, stems)
            conflicts.extend((p, c) for p, c in found if c.key[-1] not in came)
            withdrawn.take(changes)
            lead = _lead_before(repo, commit, current if lead is None else None) or lead
        fallen = take_out(repo, current, pages, touched, withdrawn)
        touched |= pages.keys()
        taken_out -= _still_retracted(repo, operations, current, pages, touched)
        _bury(repo, current, pages, touched, taken_out)
        _same_versions(repo, operations, current, pages, touched)
        wanted = {path: pages.get(path) for path in sorted(touched)}
        lost = lost_claims(current, wanted) | dangling(current, wanted)
        gone = dict.fromkeys(lost, False)
        gone |= {each.claim.id: each.is_note for each in fallen}
        wanted, _revived = without_fallen(current, wanted, gone)
        notes = tuple(each for each in fallen if each.is_note)
        ids = tuple(ident for c in operations for ident in c.ids)
        operation = Operation(
            kind="undo",
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
            trailers={"Wiki-Undoes": ids},
            overview_lead=lead,
            takes_out=True,
        )
        return Made(operation, _TakenBack(tuple(conflicts), lead is not None, notes))

    done = land(repo, state, make, operation="undo", terms=terms, dry_run=dry_run)
    return UndoResult(operations, done.outcome, *done.extra)


def _still_retracted(
    repo: Repository,
    operations: tuple[Commit, ...],
    current: WikiState,
    pages: dict[str, Page],
    touched: Set[str],
) -> set[str]:
    """Leaves the pages of retracted sources as they are, and returns their paths.

    Undoing an ingest does not lift a retraction; undoing the operation that made it does.
    """
    kept: set[str] = set()
    for path in sorted(touched):
        ledger = current.page(path)
        if ledger is None or retraction(ledger) is None:
            continue
        if not any(_retracts(repo, commit, path) for commit in operations):
            pages[path] = ledger
            kept.add(path)
    return kept


def _retracts(repo: Repository, commit: Commit, path: str) -> bool:
    """Whether an operation retracted the source of a page, or lifted its retraction."""
    states = []
    for revision in (commit.parents.first(), commit.oid):
        text = (repo.read(revision, path) or b"").decode("utf-8", "surrogateescape")
        states.append(retraction(Page.parse(path, text)) is not None)
    return states[0] != states[1]


def changes_of(repo: Repository, commit: Commit) -> Changes:
    """What an operation's commit changed in pages, against its first parent.

    Raises BeyondBorder where that is not known.
    """
    parent = commit.parents.first()
    before: dict[str, Page] = {}
    after: dict[str, Page] = {}
    for change in repo.diff_trees(parent, commit.oid, "wiki"):
        if not is_page(change.path):
            continue
        for entry, pages in ((change.old, before), (change.new, after)):
            if entry is not None:
                text = repo.read_many([entry[1]])[0].decode("utf-8", "surrogateescape")
                pages[change.path] = Page.parse(change.path, text)
    return diff(before, after)


def _bury(
    repo: Repository,
    current: WikiState,
    pages: dict[str, Page],
    touched: Set[str],
    taken_out: Set[str],
) -> None:
    """Keeps in mind what people deleted: an undo takes the links out by which it is known."""
    for path in sorted(touched):
        ledger = current.page(path)
        if ledger is None or ledger.type != "source":
            continue
        left = pages.get(path)
        deleted = deleted_by_hand(current, ledger, left)
        if path in taken_out and _is_cited(current, ledger, pages, touched):
            # Later readings of the source stand, and with them the bytes that they quote.
            left = left if left and any(_versions(left, ledger.stem)) else ledger
            pages[path] = bury(left, deleted)
        elif deleted or (path in taken_out and left is not None):
            page = taken_back(ledger, left) if path in taken_out else left or ledger
            pages[path] = bury(page, deleted)


def _is_cited(
    current: WikiState, ledger: Page, pages: Mapping[str, Page], touched: Set[str]
) -> bool:
    """Whether any page cites the ledger's source once `pages` stand in place of those touched."""
    paths = {*pages, *current.linking(ledger.path)} - {ledger.path}
    held = (pages.get(path) if path in touched else current.page(path) for path in sorted(paths))
    return any(page is not None and ledger.stem in page.cited() for page in held)


def _not_read_again(
    repo: Repository, operations: tuple[Commit, ...], since: Sequence[Commit]
) -> None:
    """Refuses where a later reading of the same bytes stands: what both say came with the first.

    Readings of two clones came side by side, and neither is the later one. `since` are the commits
    behind the operations, newest first. Raises StateError.
    """
    own = {commit.oid for commit in operations}
    read = {source: c for c in operations if c.kind == "ingest" for source in c.sources}
    undone: set[str] = set()
    for commit in since:
        if not undone.isdisjoint(commit.ids):
            continue
        undone.update(commit.values("Wiki-Undoes"))
        if commit.kind != "ingest" or commit.oid in own:
            continue
        for source in sorted(read.keys() & {*commit.sources}):
            if repo.is_ancestor(read[source].oid, commit.oid):
                raise StateError(
                    "the source was read again since, and both readings may say the same",
                    where=source.partition(" sha256:")[0],
                    fix=f"Undo the later reading first: wiki undo {commit.ids[0]}",
                )


def _same_versions(
    repo: Repository,
    operations: tuple[Commit, ...],
    current: WikiState,
    pages: Mapping[str, Page],
    touched: Set[str],
) -> None:
    """Refuses to bring back quotes of a version of a source that has been read anew since.

    Their lines would point into other bytes than the ledger records. Raises StateError.
    """
    for source in sorted(_brought_back(current, pages, touched)):
        path = f"wiki/sources/{source}.md"
        ledger = pages.get(path) or current.page(path)
        now = _versions(ledger, source)
        parents = [c.parents.first() for c in operations]
        texts = [(repo.read(r, path) or b"").decode("utf-8", "surrogateescape") for r in parents]
        if not any(_versions(Page.parse(path, text), source) == now for text in texts):
            raise StateError(
                "the source has been read in another version since",
                where=path,
                fix="Undo the operations on it that came after first; `wiki log` lists them.",
            )


def _brought_back(current: WikiState, pages: Mapping[str, Page], touched: Set[str]) -> set[str]:
    """The sources of evidence that the pages have and the wiki has not, on whatever page."""
    held = (page for path in touched if (page := current.page(path)) is not None)
    had = {(c.id, e, c.successor) for page in held for c in page.claims for e in c.evidence}
    return {
        evidence.source
        for path in touched & pages.keys()
        for claim in pages[path].claims
        if not (claim.successor or "").startswith("gone in ")
        for evidence in claim.evidence
        if (claim.id, evidence, claim.successor) not in had
    }


def _versions(ledger: Page | None, source: str) -> set[str]:
    return {s.sha256 for s in ledger.sources if s.id == source} if ledger else set()


def _lead_before(
    repo: Repository, commit: Commit, current: WikiState | None
) -> tuple[str, str] | None:
    """The overview's lead before a commit that rewrote it, and the line that says who wrote it.

    None where the commit left it alone, or where it is another by now than the commit's.
    """
    parent = commit.parents.first()
    before, after = (
        lead_of((repo.read(r, OVERVIEW) or b"").decode("utf-8", "surrogateescape"))
        for r in (parent, commit.oid)
    )
    if before == after:
        return None
    if current is not None and lead_of(current.text(OVERVIEW)) != after:
        return None
    return before


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
