"""Deciding a review: what is accepted lands on HEAD; a branch of which nothing more shall, goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from llmwiki.changes.claims_without_evidence import dangling
from llmwiki.changes.open_reviews import Review, find_branch, read_review, selected
from llmwiki.core.errors import InputError, StateError, WikiError
from llmwiki.core.text import counted, cut
from llmwiki.git.changed_files_and_branches import REVIEWS
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome
from llmwiki.git.store.stopped_merge import put_back
from llmwiki.git.store.transaction import drop_branch, refuse_checked_out
from llmwiki.landing.land import forget_moved, kept_copy, land, land_review
from llmwiki.landing.links_to_moved_pages import lost_claims, without_words
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.operation import LandingOptions, Made, Operation
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.difference.review_items import ChangeItem, items_of
from llmwiki.pages.merge.leave_out_rejected import leave_out
from llmwiki.pages.page import Page
from llmwiki.pages.tombstones import is_retracted, taken_in_part


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """What became of a decision."""

    review: Review
    """As it was before."""
    items: tuple[ChangeItem, ...]
    """Those that were accepted or rejected."""
    outcome: Outcome
    """Of an acceptance; the commit on HEAD."""
    left: int = 0
    """Items that are left to decide."""
    updated: str = ""
    """The commit by which the branch took over what was accepted; empty: it did not."""
    dropped: bool = False
    """Whether the branch was deleted."""
    notice: str = ""
    """Why the branch is as it was although the items have landed; empty: nothing went wrong."""
    returned: tuple[str, ...] = ()
    """Files that lie in the work tree again, as they did before they were read for review."""
    waiting: tuple[ChangeItem, ...] = ()
    """Of an acceptance without names: what could not land."""


def accept_review(
    wiki: OpenWiki,
    name: str = "",
    items: Sequence[str] = (),
    *,
    dry_run: bool = False,
    allow_detached: bool = False,
) -> ReviewOutcome:
    """Lands items of a review in one commit; none named: all that can land.

    `items` are ids of claims and of other items, pages and sources. All of a branch lands as a
    merge of it. A part lands as a commit of its own; then the branch takes HEAD over, so that a
    merge by other means brings the rest. Whether a person has agreed is the caller's to know: see
    `is_reviewed_always`. Raises InputError for a name of nothing, StateError where one that is
    named cannot land, or none can, and what `land` raises.
    """
    repo, state, names = wiki.repo, wiki.state, tuple(items)
    branch, terms = find_branch(repo, name), wiki.landing(allow_detached)

    def make(now: WikiState) -> Made[tuple[Review, frozenset[str]]]:
        review = read_review(now, branch)
        _refuse_others(review)
        if review.is_local:
            refuse_checked_out(repo, _ref(review))
        if repo.is_ancestor(review.tip, review.head):
            # What accepted it was cut off before it deleted the branch.
            return Made(None, (review, frozenset()))
        ids = selected(review, names)
        if not names and not review.whole:
            # One that cannot land keeps the others from nothing, as long as there are any.
            ids = frozenset(each.id for each in review.items if not each.hindrance) or ids
        _refuse_hindered(review, ids, is_all=not names)
        everything = ids == {each.id for each in review.items}
        wanted = _all_of(now, review) if everything else _part_of(now, review, ids)
        _refuse_unfounded(now, review, wanted.pages)
        return Made(wanted, (review, ids))

    on_head = replace(terms, review=False)
    done = land(state, "review", make, terms=on_head, dry_run=dry_run)
    review, ids = done.extra
    landed = tuple(each for each in review.items if each.id in ids)
    left = [each for each in review.items if each.id not in ids]
    waiting = () if names else tuple(each for each in left if each.hindrance)
    outcome, out = done.outcome, [path for path, data in review.files.items() if data is None]
    if outcome.commit is not None and not dry_run:
        still = (p for p in out if repo.entry(outcome.commit, p) is None and repo.has_file(p))
        outcome = replace(outcome, kept=(*outcome.kept, *still))
    result = ReviewOutcome(review, landed, outcome, len(left), waiting=waiting)
    if dry_run:
        return result
    try:
        state.follow()
        rest = read_review(state, branch)
        result = replace(result, left=len(rest.items))
        if rest.is_done:
            return replace(result, left=0, dropped=_drop(repo, rest, terms))
        return replace(result, updated=_update(state, rest, terms))
    except WikiError as error:
        # The items have landed: that the branch stays as it was is no failure of the decision.
        return replace(result, notice=f"{branch} was left as it is: {error.what}")


def reject_review(wiki: OpenWiki, name: str = "") -> ReviewOutcome:
    """Deletes a branch of which nothing more shall land, and puts the files that it had taken over
    back where they lay. Raises InputError for a name of nothing, StateError where the branch is
    checked out or not in this clone."""
    repo, terms = wiki.repo, wiki.landing()
    branch = find_branch(repo, name)
    wiki.state.follow()
    review = read_review(wiki.state, branch)
    if not review.is_local:
        remote, _, name = review.branch.partition("/")
        raise StateError(
            "this branch is on a remote only",
            where=review.branch,
            fix=f"Delete it there: git push {remote} --delete {name}",
        )
    drop_branch(repo, _ref(review), review.tip, terms.wait)
    returned = []
    for path, data in sorted(review.files.items()):
        kept = kept_copy(repo, review.branch, path)
        if kept is not None and kept == data and put_back(repo, path, kept):
            returned.append(path)
    forget_moved(repo, review.branch)
    items = tuple(review.items)
    return ReviewOutcome(review, items, Outcome(None), dropped=True, returned=tuple(returned))


# --- what lands ----------------------------------------------------------------------------


def _all_of(state: WikiState, review: Review) -> Operation:
    operation = _of_branch(state, review, review.after)
    trailers = {"Wiki-Review": review.id, **_reviewer(state.repo)}
    return replace(operation, title=review.title, trailers=trailers, merges=(review.tip,))


def _part_of(state: WikiState, review: Review, ids: frozenset[str]) -> Operation:
    after = leave_out(review.before, review.after, _others_than(review, ids))
    pages = dict(after)
    for path in pages.keys() - review.before.keys():
        # What else it says nobody has looked at: its lines answer nothing yet.
        pages[path] = taken_in_part(pages[path])
    changed = {
        path for path in {*pages, *review.before} if pages.get(path) != review.before.get(path)
    }
    sources = {
        ledger.value("source") for path in changed if (ledger := pages.get(path)) is not None
    }
    texts = {ledger.value("text") for path in changed if (ledger := pages.get(path)) is not None}
    files = {path: data for path, data in review.files.items() if path in sources | texts}
    operation = _of_branch(state, replace(review, files=files), pages)
    count = f"{len(ids)} of {counted(len(review.items), 'item')}"
    return replace(
        operation,
        title=f"{count} of {review.title}",
        trailers={**_origin(review, sources), "Wiki-Review": review.id, **_reviewer(state.repo)},
    )


def _others_than(review: Review, ids: Set[str]) -> frozenset[str]:
    """What the branch brings and nobody has chosen."""
    return frozenset(each.id for each in items_of(review.before, review.after)) - ids


def _of_branch(state: WikiState, review: Review, pages: Mapping[str, Page]) -> Operation:
    """The operation that gives HEAD those pages and the branch's files, without what its pages say
    of claims that are no more."""
    changed = {
        path: pages.get(path)
        for path in {*pages, *review.before}
        if pages.get(path) != review.before.get(path)
    }
    gone = (lost_claims(state, changed) | dangling(state, changed)) - review.joins.keys()
    new: dict[str, bytes | None] = {}
    adopts: dict[str, bytes | None] = {}
    for path, data in review.files.items():
        if _lies(state.repo, path, data):
            adopts[path] = data
        else:
            new[path] = data
    return Operation(
        title=review.title,
        pages=without_words(state, changed, gone),
        new_files=new,
        adopts=adopts,
        renews=frozenset(path for path in new if state.repo.entry(review.head, path)),
        takes_out=any(each.kind == "taken out" for each in review.items),
        # Said in the commit, so that an undo of the operation on the branch follows it.
        joins=review.joins,
    )


def _lies(repo: Repository, path: str, data: bytes | None) -> bool:
    """Whether the work tree has a file that is not committed, with just these bytes; of one that
    goes, whether a person has changed it."""
    if data is None:
        return bool(repo.dirty([path]))
    if repo.entry(repo.head(), path) is not None:
        return False
    with repo.folders() as folders:
        return folders.read(repo.prefix + path) == data


def _origin(review: Review, files: Set[str]) -> dict[str, tuple[str, ...]]:
    """Who read the sources of which a part lands: as the commits of the branch say."""
    read = [c for c in review.commits if any(s.partition(" ")[0] in files for s in c.sources)]
    told = {
        name: tuple(dict.fromkeys(value for commit in read for value in commit.values(name)))
        for name in ("Wiki-Source", "Wiki-Model")
    }
    named = tuple(s for s in told["Wiki-Source"] if s.partition(" ")[0] in files)
    return {"Wiki-Source": named, "Wiki-Model": told["Wiki-Model"]}


def _reviewer(repo: Repository) -> dict[str, str]:
    return {"Reviewed-by": repo.settings.identity().author.rpartition("> ")[0] + ">"}


# --- refusing ------------------------------------------------------------------------------


def _refuse_others(review: Review) -> None:
    if review.others:
        raise StateError(
            f"the branch changes files that are neither pages nor sources: "
            f"{', '.join(review.others[:5])}",
            where=review.branch,
            fix=f"Merge it with git: git merge {review.branch}",
        )


def _refuse_hindered(review: Review, ids: frozenset[str], *, is_all: bool) -> None:
    if not review.items and not review.is_changed:
        raise InputError("nothing is left of this review", where=review.branch)
    hindered = [each for each in review.items if each.id in ids and each.hindrance]
    if hindered:
        first = hindered[0]
        more = f"; so do {len(hindered) - 1} others" if len(hindered) > 1 else ""
        drop = f"rop the branch: wiki review reject {review.id}"
        fix = f"Accept the others by their ids, or d{drop}"
        if review.whole or is_all:
            fix = f"D{drop}"
        raise StateError(
            f"this cannot be accepted: {first.hindrance}{more}",
            where=f"{first.id}: {cut(first.text, 80)}",
            fix=fix,
        )


def _refuse_unfounded(state: WikiState, review: Review, pages: Mapping[str, Page | None]) -> None:
    """Raises StateError where a claim would go on resting on a source that this takes out."""
    for place, new in sorted(pages.items()):
        ledger = state.page(place)
        if ledger is None or ledger.type != "source" or is_retracted(ledger):
            continue
        if new is not None and not is_retracted(new):
            continue
        for path in sorted({*pages, *state.citing(ledger.stem)}):
            page = pages[path] if path in pages else state.page(path)
            claims = page.claims if page is not None else ()
            if any(each.source == ledger.stem for claim in claims for each in claim.evidence):
                raise StateError(
                    f"a claim has rested on {ledger.stem} since, which this would take out",
                    where=path,
                    fix=f"Drop the branch, and do it anew: wiki review reject {review.id}",
                )


# --- the branch ----------------------------------------------------------------------------


def _ref(review: Review) -> str:
    return f"refs/heads/{REVIEWS}{review.id}"


def _update(state: WikiState, rest: Review, terms: LandingOptions) -> str:
    """Lets the branch take over what HEAD has, so that its merge brings the rest; not while a
    conflict is left, for that commit would decide it."""
    if rest.others or any(each.hindrance for each in rest.items):
        return ""
    operation = _of_branch(state, rest, rest.after)
    message = f"Merge what was accepted into {REVIEWS}{rest.id}\n"
    done = land_review(state, operation, ref=_ref(rest), tip=rest.tip, terms=terms, message=message)
    return done.commit or ""


def _drop(repo: Repository, review: Review, terms: LandingOptions) -> bool:
    if not review.is_local:
        return False
    drop_branch(repo, _ref(review), review.tip, terms.wait)
    forget_moved(repo, review.branch)
    return True
