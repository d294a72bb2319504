"""From an operation to a commit: the last steps of every verb, and the only ones that write."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from llmwiki.core.errors import StateError
from llmwiki.core.text import sha256_hex
from llmwiki.git.changed_files_and_branches import REVIEWS
from llmwiki.git.repository import Repository
from llmwiki.git.store.allowed_paths import INIT, ORDINARY
from llmwiki.git.store.outcome import Outcome, Plan
from llmwiki.git.store.private_files import common_files, remove_folder
from llmwiki.git.store.transaction import land_branch, transaction
from llmwiki.landing.after_merge import (
    edited_paths,
    followed_versions,
    mended,
)
from llmwiki.landing.operation import LandingOptions, Made, Operation, PreparedPlan, prepare
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.merge.join_claims import Joins
from llmwiki.pages.page import Page

T = TypeVar("T")

_OF_A_PERSON = frozenset({"memory", "edit"})
"""Kinds of operations that are small: under review, those of one person wait on one branch."""
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Landing(Generic[T]):
    """What `land` did."""

    outcome: Outcome
    extra: T
    """Of the operation that landed, or that had nothing to change; see `Made`."""
    plan: Plan | None = None
    """Of a dry run that would change something."""


def land(
    state: WikiState,
    kind: str,
    make: Callable[[WikiState], Made[T]],
    *,
    terms: LandingOptions,
    dry_run: bool = False,
) -> Landing[T]:
    """Makes the operation against HEAD under the lock and lands it as one commit.

    `kind` is init, ingest, note, edit, lint, undo, retract, rename, merge, tidy, review, memory or
    skill, and stands in the commit and the log.

    `make` is pure and quick; it is called again when a person's own commit came in between. With
    `terms.review` the commit goes to a branch `wiki-review/…`. On any branch but `terms.branch` it
    has pages and raw files only: catalogue and log follow with the first operation there, once it
    is merged. With `dry_run` nothing is written.
    Raises what `make` raises, StateError, LockTimeout and PolicyError; then nothing has changed.
    """
    repo, moment = state.repo, terms.now()
    if dry_run or terms.review:
        base = review_base(state, terms, kind) if terms.review else state.follow()
        made = make(state)
        on = f"refs/heads/{REVIEWS}" if terms.review else repo.branch()
        prepared = prepare(state, kind, made.operation, base, moment, terms.keep_catalogue(on))
        if dry_run or prepared is None:
            return _planned(prepared, made.extra)
        return Landing(_on_branch(repo, prepared, kind, moment, terms), made.extra)
    with transaction(
        repo,
        operation=kind,
        wait=terms.wait,
        allow_detached=terms.allow_detached,
        allow=INIT if kind == "init" else ORDINARY,
        now=moment,
        landed=terms.landed,
    ) as opened:
        while True:
            base = opened.head()
            state.advance(base)
            edited = [] if kind == "lint" else edited_paths(state, base)
            if edited is None:
                # Of a shallow clone, say: what the operation concerns is looked at.
                wanted = make(state).operation
                edited = [] if wanted is None else sorted(wanted.pages)
            mends = _mends(state, edited)
            with state.shown(mends.pages):
                made = make(state)
            kept = terms.keep_catalogue(repo.branch())
            wanted = _with_mends(state, mends, made.operation)
            prepared = prepare(state, kind, wanted, base, moment, kept)
            if prepared is None:
                return _planned(None, made.extra)
            landed = opened.land(prepared.plan)
            if landed is not None:
                break
    if landed.commit is None:
        return _planned(None, made.extra)
    state.landed(landed.commit, told=kept)
    told = replace(landed, id=prepared.id, differences=prepared.differences)
    return Landing(told, made.extra)


def _planned(prepared: PreparedPlan | None, extra: T) -> Landing[T]:
    """What is told where nothing is committed."""
    if prepared is None:
        return Landing(Outcome(None), extra)
    return Landing(Outcome(None, "", prepared.differences), extra, prepared.plan)


class _Mends(NamedTuple):
    """What merges and people left to the next operation."""

    pages: Mapping[str, Page | None]
    """Their state after it."""
    joins: Joins
    edited: Sequence[str]
    """The pages that were looked at."""


def _mends(state: WikiState, edited: Sequence[str]) -> _Mends:
    """What is to be done to pages that have changed since the last operation: the one that is made
    now is made against them."""
    done = mended(state, edited) if edited else None
    # Pages that somebody is editing are left to them, and to lint: nothing else shall wait.
    if done is None or state.repo.dirty(sorted(done.pages)):
        return _Mends({}, {}, ())
    return _Mends(done.pages, done.joins, edited)


def _with_mends(state: WikiState, mends: _Mends, wanted: Operation | None) -> Operation | None:
    """The operation with what is done beside it."""
    if wanted is None or not mends.edited:
        return wanted
    pages, joins = {**mends.pages, **wanted.pages}, {**mends.joins, **wanted.joins}
    with state.shown(pages):
        settled = followed_versions(state, mends.edited)
    if not state.repo.dirty(sorted(settled)):
        pages |= settled
    return replace(wanted, pages=pages, joins=joins)


def review_base(state: WikiState, terms: LandingOptions, kind: str) -> str | None:
    """Brings the pages to the commit that an operation under review is made against: the tip of
    its branch while that waits, else HEAD."""
    repo = state.repo
    head, name = repo.head(), _shared_name(repo, terms, kind)
    tip = repo.resolve(f"refs/heads/{REVIEWS}{name}") if name else None
    is_done = tip is None or (head is not None and repo.is_ancestor(tip, head))
    base = head if is_done else tip
    state.advance(base)
    return base


def _shared_name(repo: Repository, terms: LandingOptions, kind: str) -> str:
    """The branch, below `wiki-review/`, of several operations; empty for one of its own."""
    if terms.batch or kind not in _OF_A_PERSON:
        return terms.batch
    who = repo.settings.identity().author
    words = _WORD.findall(who.partition(" <")[2].partition("@")[0].casefold())
    return "-".join([*words, "notes"])


def _on_branch(
    repo: Repository, prepared: PreparedPlan, kind: str, moment: float, terms: LandingOptions
) -> Outcome:
    """Commits to the branch that waits for review."""
    shared = _shared_name(repo, terms, kind)
    name = f"{REVIEWS}{shared or prepared.id}"
    ref = f"refs/heads/{name}"
    if not shared and repo.resolve(ref) is not None:
        raise StateError(
            "this waits for review already",
            where=name,
            fix=f"`wiki review show {prepared.id}` shows it; `wiki review accept` lands it.",
        )
    adopted = {path: data for path, data in prepared.plan.adopts.items() if data is not None}
    lay = {path for path in adopted if repo.has_file(path)}
    landed = land_branch(
        repo,
        prepared.plan,
        ref,
        operation=kind,
        wait=terms.wait,
        now=moment,
        landed=terms.landed,
    )
    moved = tuple(sorted(path for path in lay if not _lies(repo, path, adopted[path])))
    for path in moved:
        keep_moved(repo, name, path, adopted[path])
    return Outcome(landed.commit, prepared.id, prepared.differences, branch=name, moved=moved)


def _lies(repo: Repository, path: str, data: bytes) -> bool:
    """Whether the work tree has those bytes at a path."""
    with repo.folders() as folders:
        return folders.read(repo.prefix + path) == data


def land_review(
    state: WikiState,
    wanted: Operation,
    *,
    ref: str,
    tip: str,
    terms: LandingOptions,
    message: str = "",
) -> Outcome:
    """Commits to a branch that waits for review what it shall hold, made against HEAD.

    The commit has `tip`, which the branch holds, as its first parent, and HEAD as its second where
    that is not behind it. With a `message` it is a mere merge, and no operation. Raises StateError
    where the branch has moved.
    """
    base = state.follow()
    prepared = prepare(state, "review", wanted, base, terms.now(), terms.keep_catalogue(ref))
    if prepared is None:
        return Outcome(None)
    plan = replace(prepared.plan, message=message) if message else prepared.plan
    landed = land_branch(
        state.repo,
        plan,
        ref,
        operation="review",
        wait=terms.wait,
        now=terms.now(),
        on=tip,
    )
    ident = "" if message else prepared.id
    return replace(landed, id=ident, differences=prepared.differences)


# --- files that went to a branch -----------------------------------------------------------------

_FOLDER = "review"


def _name(branch: str, path: str) -> str:
    key = sha256_hex(path.encode("utf-8", "surrogateescape"))[:16]
    return f"{_FOLDER}/{sha256_hex(branch.encode())[:16]}/{key}"


def keep_moved(repo: Repository, branch: str, path: str, data: bytes) -> None:
    """Keeps the bytes of a file that the branch has taken over."""
    common_files(repo).write(_name(branch, path), data)


def kept_copy(repo: Repository, branch: str, path: str) -> bytes | None:
    """The bytes that were kept of a file; None where there are none."""
    return common_files(repo).read(_name(branch, path))


def forget_moved(repo: Repository, branch: str) -> None:
    """Drops the copies of a branch: its files are committed, or lie in the work tree again."""
    remove_folder(common_files(repo), _name(branch, "").rpartition("/")[0])
