"""What one command wants to change, and the plan that it becomes: checked, with catalogue, message
and id."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Generic, NamedTuple, TypeVar

from llmwiki.core.errors import InternalError, PolicyError, StateError
from llmwiki.core.page_and_note_kinds import KIND_OF_FOLDER, OVERVIEW, PAGE_KINDS
from llmwiki.core.settings_table import BY_KEY, default_of
from llmwiki.core.text import normalise
from llmwiki.git.store.outcome import Difference, Outcome, Plan
from llmwiki.landing.after_merge import (
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

PAGE_PATH = re.compile(
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


# --- its plan ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PreparedPlan:
    """What lands, and what is told of it."""

    plan: Plan
    id: str
    differences: tuple[Difference, ...]


def prepare(
    state: WikiState,
    kind: str,
    wanted: Operation | None,
    base: str | None,
    now: float,
    catalogue: bool,
) -> PreparedPlan | None:
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
    return PreparedPlan(plan, ident, told)


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
        if path not in before and not PAGE_PATH.fullmatch(path):
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
