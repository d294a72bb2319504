"""From an operation to a commit: the last steps of every verb, and the only ones that write."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Generic, NamedTuple, TypeVar

from llmwiki.core.errors import InternalError, PolicyError, StateError
from llmwiki.core.page_and_note_kinds import KIND_OF_FOLDER, OVERVIEW, PAGE_KINDS
from llmwiki.core.settings_table import BY_KEY, default_of
from llmwiki.core.text import normalise, sha256_hex
from llmwiki.git.changed_files_and_branches import REVIEWS
from llmwiki.git.repository import Repository
from llmwiki.git.store.allowed_paths import INIT, ORDINARY
from llmwiki.git.store.outcome import Difference, Outcome, Plan
from llmwiki.git.store.private_files import common_files, remove_folder
from llmwiki.git.store.transaction import land_branch, transaction
from llmwiki.landing.after_merge import (
    edited_paths,
    followed_versions,
    mended,
    missed_lines,
    undoubled,
)
from llmwiki.landing.commit_message import body, differences, message
from llmwiki.landing.earlier_pages import JOINED
from llmwiki.landing.index_and_overview import overview_text
from llmwiki.landing.wiki_state import Preview, WikiState, encode
from llmwiki.pages.body_blocks import has_conflict_marks
from llmwiki.pages.log_page import LogLine, append_log
from llmwiki.pages.merge.join_claims import Joins
from llmwiki.pages.page import Page
from llmwiki.pages.page_syntax import reads_back

T = TypeVar("T")

_OF_A_PERSON = frozenset({"memory", "edit"})
"""Kinds of operations that are small: under review, those of one person wait on one branch."""
_WORD = re.compile(r"[a-z0-9]+")
_PAGE_PATH = re.compile(
    rf"wiki/(?:(?:{'|'.join(KIND_OF_FOLDER)})/(?:[^/\x00-\x1f]+/)*[^/\x00-\x1f]+"
    rf"|{'|'.join(kind.name for kind in PAGE_KINDS if not kind.folder)})\.md"
)


@dataclass(frozen=True, slots=True)
class Operation:
    """What one command wants to change."""

    title: str
    """In the commit, and in wiki/log.md where `logged` says nothing else."""
    pages: Mapping[str, Page | None] = field(default_factory=dict)
    """The state after, of the pages it touches; None: the page goes."""
    new_files: Mapping[str, bytes | None] = field(default_factory=dict)
    """New files below raw/; None: one that goes."""
    renews: frozenset[str] = frozenset()
    """Those of them that may be there in an older version: copied or fetched again, or reviewed."""
    adopts: Mapping[str, bytes | None] = field(default_factory=dict)
    """Files below raw/ as a person has them in the work tree."""
    constants: Mapping[str, bytes] = field(default_factory=dict)
    """Files outside of wiki/ and raw/ that `wiki init` writes; of the kind init only."""
    logged: str = ""
    """What the log says, where the title has words that may have to be forgotten."""
    notes: tuple[str, ...] = ()
    """Sentences for the message's body."""
    trailers: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    takes_out: bool = False
    """Whether claims may leave pages: undo and retract only."""
    joins: Joins = field(default_factory=dict)
    """Claims that leave because another one, which says the same, has their evidence."""
    merges: tuple[str, ...] = ()
    """Commits whose branches it merges: its pages are those after the merge."""
    catches_up: bool = False
    """Whether catalogue and log are brought in step with everything behind HEAD, even where no
    page changes."""


def turn_trailers(session: str, turn: int) -> dict[str, str]:
    """The trailers of a commit that a turn of a conversation made; none without a turn."""
    return {"Wiki-Session": normalise(session), "Wiki-Turn": str(turn)} if turn else {}


def _deaf(_landed: Outcome) -> None:
    pass


@dataclass(frozen=True, slots=True)
class LandingOptions:
    """On what terms an operation lands."""

    now: Callable[[], float]
    """The clock: seconds since the epoch."""
    wait: float = default_of("lock.wait")
    """Seconds to wait for another operation."""
    allow_detached: bool = False
    """Whether to write although HEAD is on no branch."""
    landed: Callable[[Outcome], None] = _deaf
    """Is told of each commit, see `git.store.transaction.LandingListener`."""
    review: bool = False
    """Whether it goes to a branch that waits for review."""
    batch: str = ""
    """The name of that branch where several operations are reviewed as one; empty: a branch each,
    but for notes and edits, which have one a person."""
    branch: str = str(BY_KEY["branch"].default)
    """On which index, overview and log are written; empty: on none."""

    def keep_catalogue(self, ref: str | None) -> bool:
        """Whether a commit to that branch, such as `refs/heads/main`, writes them.

        One branch does, so that two that share no page can be merged by any git and forge.
        """
        return ref == f"refs/heads/{self.branch}"


class Made(NamedTuple, Generic[T]):
    """What a verb wants to change, and what its caller wants to know of how that came about."""

    operation: Operation | None
    """None: there is nothing to change."""
    extra: T


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
        prepared = _prepare(state, kind, made.operation, base, moment, terms.keep_catalogue(on))
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
            prepared = _prepare(state, kind, wanted, base, moment, kept)
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


def _planned(prepared: _Prepared | None, extra: T) -> Landing[T]:
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
    repo: Repository, prepared: _Prepared, kind: str, moment: float, terms: LandingOptions
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
    prepared = _prepare(state, "review", wanted, base, terms.now(), terms.keep_catalogue(ref))
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


@dataclass(frozen=True, slots=True)
class _Prepared:
    plan: Plan
    id: str
    differences: tuple[Difference, ...]


def _prepare(
    state: WikiState,
    kind: str,
    wanted: Operation | None,
    base: str | None,
    now: float,
    catalogue: bool,
) -> _Prepared | None:
    """The plan of an operation; None: it would change nothing.

    `catalogue`: whether it writes index, overview and log.
    """
    if wanted is None:
        return None
    if not catalogue:
        wanted = replace(wanted, catches_up=False)
    before = state.pages(wanted.pages)
    after = {path: page for path, page in wanted.pages.items() if page is not None}
    changed = {
        path: page for path, page in sorted(wanted.pages.items())
        if (page and page.node) != ((was := before.get(path)) and was.node)
    }  # fmt: skip
    more = (wanted.new_files, wanted.adopts, wanted.catches_up, wanted.merges)
    changes_something = changed or any(more) or kind == "init"
    if not changes_something:
        return None
    _refuse_disputed(before[path] for path in changed if path in before)
    _admit(wanted, before, after)
    _refuse_doubles(state, before, after)
    told = differences(before, after)
    ident = _operation_id(base, kind, wanted, changed)

    date = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d")
    line = LogLine(date, kind, wanted.logged or wanted.title, len(changed), ident)
    shown = state.preview(changed)
    try:
        writes = _writes(wanted, changed)
        if catalogue:
            derived = _derived(state, wanted, base, changed, shown, line)
            writes = derived | writes
    finally:
        state.restore(shown)
    trailers = {"Wiki-Op": kind, "Wiki-Id": ident, **wanted.trailers}
    notes = wanted.notes
    if wanted.joins:
        pairs = sorted(wanted.joins.items())
        trailers[JOINED] = tuple(f"{gone} {stays}" for gone, stays in pairs)
        notes = (
            *notes,
            *(f"Joined ^{gone} to ^{stays}: they say the same." for gone, stays in pairs[:20]),
        )
    text = message(kind, wanted.title, body(list(told), notes), trailers)
    plan = Plan(base, writes, wanted.adopts, text, wanted.renews, wanted.merges)
    return _Prepared(plan, ident, told)


def _writes(wanted: Operation, changed: Mapping[str, Page | None]) -> dict[str, bytes | None]:
    """What the commit writes beside catalogue and log, by path; None: the file goes."""
    pages = {path: None if page is None else encode(page.text) for path, page in changed.items()}
    return {**pages, **wanted.new_files, **wanted.constants}


def _derived(
    state: WikiState,
    wanted: Operation,
    base: str | None,
    changed: Mapping[str, Page | None],
    shown: Preview,
    line: LogLine,
) -> dict[str, bytes | None]:
    """What it writes of catalogue and log, by path; None: the file goes."""
    missed = missed_lines(state, base, all_of_them=wanted.catches_up, merged=wanted.merges)
    once = {} if missed is None else undoubled(state)
    derived: dict[str, str | None] = {**once}
    derived |= append_log(lambda path: once.get(path, state.text(path)), (*(missed or ()), line))
    if missed is None:
        derived |= state.index_files_after(shown)
    else:
        derived |= dict.fromkeys(state.index_parts()) | state.index_files()
    derived[OVERVIEW] = overview_text(state.totals(), state.text(OVERVIEW))
    return {
        path: None if text is None else encode(text)
        for path, text in derived.items()
        if text is not None or state.repo.entry(base, path)
    }


def _operation_id(
    base: str | None, kind: str, wanted: Operation, pages: Mapping[str, Page | None]
) -> str:
    """12 hexadecimal digits of what is done to which commit: the same work, the same id."""
    digest = hashlib.sha256()
    parts = [base or "", kind, normalise(wanted.title)]
    for path in sorted(pages):
        page = pages[path]
        parts += [path, page.text if page else "\0"]
    parts += sorted({*wanted.new_files, *wanted.adopts, *wanted.constants})
    parts += wanted.merges
    for part in parts:
        data = encode(part)
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:12]


def _refuse_disputed(pages: Iterable[Page]) -> None:
    """Raises StateError where a merge left both sides in a page: what is written there would be
    written on one of them."""
    disputed = [page.path for page in pages if has_conflict_marks(page.text)]
    if disputed:
        raise StateError(
            "git left both sides of a merge here between conflict marks, and nobody has chosen: "
            + ", ".join(disputed[:10]),
            where=disputed[0] if len(disputed) == 1 else "",
            fix="Keep one, or both, take the marks out, and commit. Nothing was changed.",
        )


def _admit(wanted: Operation, before: Mapping[str, Page], after: Mapping[str, Page]) -> None:
    """The checks that hold for every change of memory, whoever asked for it."""
    for path, page in wanted.pages.items():
        if page is not None and page.path != path:
            raise InternalError(f"the page {page.path} was planned as {path}")
        if path not in before and not _PAGE_PATH.fullmatch(path):
            fix = "Pages lie in the folder of their kind, such as wiki/concepts/; move it there."
            raise PolicyError("a page of the wiki cannot stand there", where=path, fix=fix)
    for path, page in after.items():
        was = before.get(path)
        if was is not None and was.node == page.node:
            continue
        if not reads_back(page.node):
            raise InternalError("the page would not read back as it was written", where=path)
        page.values  # noqa: B018  (raises PageError where the frontmatter would be unreadable)
    if not wanted.takes_out:
        kept = {claim.id for page in after.values() for claim in page.claims}
        lost = sorted(
            claim.id
            for page in before.values()
            for claim in page.claims
            if claim.id not in kept and wanted.joins.get(claim.id) not in kept
        )
        if lost:
            raise InternalError(f"the change would lose {len(lost)} claims: {lost[0]} …")


def _refuse_doubles(
    state: WikiState, before: Mapping[str, Page], after: Mapping[str, Page]
) -> None:
    """Raises InternalError where a claim comes to a page and then stands on two, and on more than
    before: a merge of git may have left it on several."""
    held = {path: {claim.id for claim in page.claims} for path, page in after.items()}
    came: dict[str, str] = {}
    for path, ids in sorted(held.items()):
        had = {claim.id for claim in before[path].claims} if path in before else set()
        came |= dict.fromkeys(ids - had, path)
    homes = state.claim_homes(sorted(came))
    for ident, path in sorted(came.items()):
        stood = homes.get(ident, ())
        stands = {other for other, ids in held.items() if ident in ids}
        stands.update(home for home in stood if home not in held and home not in before)
        if len(stands) > max(1, len(stood)):
            raise InternalError(
                f"the change would put the claim ^{ident} on two pages",
                where=f"{path}, {min(stands - {path})}",
            )


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
