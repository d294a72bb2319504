"""A branch that waits for review: what of it the wiki does not hold yet, item by item.

The rest of a review is computed, never stored: the pages of the branch are merged into those of
HEAD in memory, claim by claim, and the difference to HEAD's is what is left to decide. So nothing
grows stale: whatever HEAD has taken since, by an accepted part, by a forge or by another source,
is not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from llmwiki.core.errors import InputError, PolicyError, StateError
from llmwiki.core.text import fold, nearest
from llmwiki.history.moved_review import merge_moved, moves
from llmwiki.history.rejected_words import rejected_words
from llmwiki.history.renamed_since import PageSides, under_names_of_now
from llmwiki.history.review_quotes import ReviewedCommits, ReviewedTexts
from llmwiki.index.facts import is_catalogue, is_page
from llmwiki.memory.join_merged import joins_of
from llmwiki.memory.state import WikiState
from llmwiki.pages.assembled import settle
from llmwiki.pages.disputes import Dispute, decided, undecided
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.join_claims import Joins, join_equals, redirect
from llmwiki.pages.log import LOG_FILE
from llmwiki.pages.merge_page import merge_marked, merge_page
from llmwiki.pages.names import stem_of
from llmwiki.pages.page import Claim, Page
from llmwiki.pages.partial import is_partial, taken_whole
from llmwiki.pages.retraction import retraction
from llmwiki.pages.review_items import ChangeItem, items_of, word_id
from llmwiki.pages.taken_out import without_claims
from llmwiki.pages.tombstones import ledger_path
from llmwiki.pages.write import remove_node
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository
from llmwiki.repo.survey import (
    REVIEWS,
    changed_between,
    landed_branches,
    merge_base,
    review_branches,
)
from llmwiki.repo.trees import EXECUTABLE, FILE

_RAW = "raw/"


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing to decide, and why it cannot be accepted as things stand."""

    item: ChangeItem
    hindrance: str = ""
    """Empty where it can be."""
    is_in_the_way: bool = True
    """Whether a hindrance conflicts with the wiki: a commit on the branch would decide that."""

    @property
    def is_conflict(self) -> bool:
        """Whether it is in the way of any commit on the branch."""
        return bool(self.hindrance) and self.is_in_the_way

    @property
    def id(self) -> str:
        """The id by which a person names it."""
        return self.item.id


@dataclass(frozen=True, slots=True)
class Review:
    """A branch under review, against HEAD."""

    branch: str
    """`wiki-review/ID`; of a remote, that nobody has here yet, `origin/wiki-review/ID`."""
    tip: str
    head: str
    base: str
    """The commit that the branch began from, or that was merged into it last."""
    commits: tuple[Commit, ...]
    """Its operations, oldest first."""
    before: Mapping[str, Page]
    """The pages concerned as HEAD has them."""
    after: Mapping[str, Page]
    """The same with all of the branch in them."""
    items: tuple[ReviewItem, ...]
    """What is left to decide, by page."""
    joins: Joins = field(default_factory=dict)
    """Claims of the branch that HEAD has by another id: they bring their evidence to that one."""
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    """Files below raw/ that the branch has and HEAD has not, or in another version; None: it takes
    the file out."""
    homes: Mapping[str, str] = field(default_factory=dict)
    """Claims that stand both on the pages of the branch and on HEAD, each with its page there."""
    others: tuple[str, ...] = ()
    """Files of the branch that are neither pages nor sources: git alone can merge them."""
    whole: str = ""
    """Why it can only be decided as a whole; empty: it is decided item by item."""

    @property
    def id(self) -> str:
        """What the branch is called after `wiki-review/`."""
        return self.branch.partition(REVIEWS)[2]

    @property
    def title(self) -> str:
        """What its operations are about, decisions on it aside."""
        kept = [commit for commit in self.commits if commit.kind != "review"] or self.commits
        told = [commit.subject.partition(": ")[2] or commit.subject for commit in kept]
        return told[0] + (f" and {len(told) - 1} more" if len(told) > 1 else "") if told else ""

    @property
    def is_changed(self) -> bool:
        """Whether all of the branch would change a page."""
        paths = {*self.before, *self.after}
        return any(_node(self.before, path) != _node(self.after, path) for path in paths)

    @property
    def is_local(self) -> bool:
        """Whether there is a branch of that name in this clone."""
        return self.branch.startswith(REVIEWS)

    @property
    def is_done(self) -> bool:
        """Whether HEAD holds all of it."""
        return not (self.is_changed or self.items or self.files or self.others)


def find_branch(repo: Repository, name: str) -> str:
    """The branch that a person means: its id, the beginning of that, or its whole name; empty: the
    only one that waits. Raises InputError where there is none, or more than one."""
    found = review_branches(repo)
    ids = {branch.partition(REVIEWS)[2]: branch for branch in found}
    wanted = name.partition(REVIEWS)[2] or name
    hits = [branch for ident, branch in ids.items() if ident.startswith(wanted)]
    if wanted in ids:
        return ids[wanted]
    if len(hits) == 1:
        return hits[0]
    landed = [each for each in landed_branches(repo) if wanted and each == REVIEWS + wanted]
    if landed:
        return landed[0]
    if not found:
        raise InputError(
            "nothing waits for review",
            fix="`wiki ingest PATH --review` puts what it reads on a branch for review.",
        )
    listed = ", ".join(ids) if len(ids) <= 5 else "`wiki review list` lists them"
    if hits:
        raise InputError("more than one review waits; say which", where=name, fix=f"{listed}.")
    near = nearest(wanted, ids)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise InputError("no review has this id", where=name, fix=f"{hint}There is: {listed}.")


def read_review(repo: Repository, state: WikiState, branch: str) -> Review:
    """A branch against the commit that `state` stands on.

    Raises StateError where the two have no commit in common.
    """
    head = state.commit
    tip = repo.resolve(f"refs/heads/{branch}") or repo.resolve(f"refs/remotes/{branch}")
    base = merge_base(repo, head, tip) if head and tip else None
    if head is None or tip is None or base is None:
        raise StateError(
            "this branch has no commit in common with the wiki", where=branch, fix=repo.beyond
        )
    named = [change.path for change in repo.diff_trees(base, tip)]
    operations = [c for c in repo.log(f"{base}..{tip}") if c.operation and c.kind]
    sides: PageSides = _sides(repo, state, base, tip, named)
    if moves(*_states(sides)[::2]):
        return _read_moved(repo, state, branch, ReviewedCommits(head, base, tip), operations)
    sides = under_names_of_now(state, base, sides)
    merging = _Merging(state, _borne_on(sides))
    for path in sorted(sides):
        merging.merge(path, *sides[path])
    before = {path: page for path, (_b, page, _t) in sides.items() if page is not None}
    after, joins = _joined(merging.after, before)
    files = _files(repo, head, tip, named)
    commits = ReviewedCommits(head, base, tip)
    texts = ReviewedTexts(repo, commits, lambda path: after.get(path) or state.page(path))
    items = [
        ReviewItem(
            texts.shown(item),
            _retracted_since(item, sides)
            or merging.hindrance(item, before, sides)
            or texts.hindrance(item),
        )
        for item in items_of(before, after)
    ]
    rejected = rejected_words(repo, base, operations, (theirs for _b, _o, theirs in sides.values()))
    items = [
        ReviewItem(each.item, why, is_in_the_way=False)
        if not each.hindrance and (why := rejected.hindrance(each.item))
        else each
        for each in items
    ]
    return Review(
        branch=branch,
        tip=tip,
        head=head,
        base=base,
        commits=tuple(operations[::-1]),
        before=before,
        after=after,
        items=(*items, *merging.left_out(items)),
        joins=joins,
        files=files,
        homes=state.claim_page.among(sorted(_ids_on(theirs for _b, _o, theirs in sides.values()))),
        others=_others(repo, base, tip),
        whole=_is_whole(operations),
    )


_WHOLE = {
    "undo": "it takes an operation back",
    "retract": "it takes a source out",
}
"""Kinds of operations of which a part would leave pages that do not fit each other."""


def _is_whole(operations: Iterable[Commit]) -> str:
    """Why a branch of these operations is decided as a whole; empty where it is not."""
    return next((_WHOLE[c.kind] for c in operations if c.kind in _WHOLE), "")


def _read_moved(
    repo: Repository,
    state: WikiState,
    branch: str,
    commits: ReviewedCommits,
    operations: list[Commit],
) -> Review:
    """A branch that renames pages or moves claims; what HEAD has changed since takes part too."""
    head, base, tip = commits
    changed = (repo.diff_trees(base, side) for side in (tip, head))
    named, here = ([change.path for change in found] for found in changed)
    sides = _sides(repo, state, base, tip, sorted({*named, *here}))
    joins = joins_of(repo.log(f"{base}..{tip}"))
    merged = merge_moved(state, *_states(sides), joins)
    items = [ReviewItem(item) for item in merged.items]
    for path, dispute in merged.disputes:
        item = ChangeItem(_item_id(path, dispute), "reworded", path, _short(dispute.theirs))
        items = [each for each in items if each.id != item.id]
        items.append(ReviewItem(item, f"it was worded otherwise since: {_short(dispute.ours)}"))
    ids = _ids_on((*merged.after.values(), *(theirs for _b, _o, theirs in sides.values())))
    return Review(
        branch=branch,
        tip=tip,
        head=head,
        base=base,
        commits=tuple(operations[::-1]),
        before=merged.before,
        after=merged.after,
        items=tuple(items),
        joins=joins,
        files=_files(repo, head, tip, named),
        homes=state.claim_page.among(sorted(ids)),
        others=_others(repo, base, tip),
        whole="it renames pages or moves claims between them",
    )


def _sides(
    repo: Repository, state: WikiState, base: str, tip: str, paths: list[str]
) -> dict[str, tuple[Page | None, Page | None, Page | None]]:
    def at(commit: str, path: str) -> Page | None:
        data = repo.read(commit, path)
        text = None if data is None else data.decode("utf-8", "surrogateescape")
        return None if text is None else Page.parse(path, text)

    return {
        path: (at(base, path), state.page(path), at(tip, path)) for path in paths if is_page(path)
    }


def _states(sides: PageSides) -> tuple[dict[str, Page], dict[str, Page], dict[str, Page]]:
    """The pages of the common commit, of HEAD and of the branch, each by path."""
    base, ours, theirs = (
        {path: page for path, pages in sides.items() if (page := pages[side]) is not None}
        for side in range(3)
    )
    return base, ours, theirs


def _retracted_since(item: ChangeItem, sides: PageSides) -> str:
    """Why an item cannot be accepted that is of a source which HEAD has retracted since the branch
    began; empty for any other."""
    retracted = {
        path: ours.value("source") or stem_of(path)
        for path, (base, ours, _theirs) in sides.items()
        if ours and retraction(ours) and not (base and retraction(base))
    }
    concerned = {item.path, *map(ledger_path, item.sources)}
    _base, ours, theirs = sides.get(item.path, (None, None, None))
    if ours is None and theirs is not None:
        # What a new page says before its claims rests on them.
        cited = {ledger_path(e.source) for claim in theirs.claims for e in claim.evidence}
        concerned |= cited if cited <= retracted.keys() else set()
    found = sorted(concerned & retracted.keys())
    return f"its source was retracted since: {retracted[found[0]]}" if found else ""


def _ids_on(pages: Iterable[Page | None]) -> set[str]:
    return {claim.id for page in pages if page is not None for claim in page.claims}


def _files(repo: Repository, head: str, tip: str, paths: list[str]) -> dict[str, bytes | None]:
    wanted = [path for path in paths if path.startswith(_RAW)]
    return {
        path: repo.read_source(tip, path)
        for path in wanted
        if repo.entry(head, path) != repo.entry(tip, path)
    }


def _others(repo: Repository, base: str, tip: str) -> tuple[str, ...]:
    def is_ours(path: str) -> bool:
        name = path.removeprefix(repo.prefix)
        known = is_page(name) or is_catalogue(name) or LOG_FILE.fullmatch(name) is not None
        if not path.startswith(repo.prefix) or not (known or name.startswith(_RAW)):
            return False
        # A link to a file, or a repository within this one, is neither page nor source.
        entry = repo.entry(tip, name)
        return entry is None or entry[0] in (FILE, EXECUTABLE)

    return tuple(path for path in changed_between(repo, base, tip) if not is_ours(path))


def _joined(
    pages: Mapping[str, Page], before: Mapping[str, Page]
) -> tuple[dict[str, Page], dict[str, str]]:
    """The pages with each claim that HEAD has in equal words as evidence of that one."""
    joins: dict[str, str] = {}
    after = dict(pages)
    for path, page in sorted(pages.items()):
        held = before.get(path)
        standing = {claim.id for claim in held.claims} if held else set()
        joined, found = join_equals(page, standing)
        if standing and found and not found.keys() & standing:
            after[path] = joined
            joins |= found
    if joins:
        after = {path: redirect(page, joins) for path, page in after.items()}
    return after, joins


class _Merging:
    """The pages of a branch merged into those of HEAD, and what could not be."""

    def __init__(self, state: WikiState, borne_on: Mapping[str, frozenset[str]]) -> None:
        """`borne_on`: id of a claim of the branch to those that it bears on."""
        self._state = state
        self._borne_on = borne_on
        self.after: dict[str, Page] = {}
        self._disputes: dict[str, str] = {}
        """Id of an item to how HEAD words it."""
        self._lost: dict[str, tuple[str, Claim, str]] = {}
        """Id of a claim that cannot land to its page, itself and why."""
        self._pageless: list[ReviewItem] = []
        """What the branch says on pages that the wiki has no more."""

    def merge(self, path: str, base: Page | None, ours: Page | None, theirs: Page | None) -> None:
        """Merges one page, claim by claim. HEAD's wording stands where both worded one thing."""
        if base is not None and ours is None and theirs is not None:
            self._leave_out(path, base, theirs)
            return
        merged, conflicts = merge_page(base, ours, theirs)
        if merged is None:
            return
        if conflicts:
            marked = merge_marked(base, ours, theirs) or merged
            for dispute in undecided(marked.text):
                # A strike is a matter of the claim that strikes; that one is hindered.
                if _successor(dispute.theirs.partition("\n")[0]) not in self._borne_on:
                    self._disputes[_item_id(path, dispute)] = dispute.ours
            text = decided(marked.text, lambda dispute: dispute.ours)
            merged = settle(marked, Page.parse(path, text))
        if theirs is not None and not is_partial(theirs) and (base is None or is_partial(base)):
            # With all of the branch in it the source is in the wiki whole.
            merged = taken_whole(merged)
        self.after[path] = self._without_lost(path, merged, base, ours)

    def _leave_out(self, path: str, base: Page, theirs: Page) -> None:
        """Keeps what the branch says on a page that HEAD has no more from making that page anew."""
        why = f"its page is no more: {path} was merged or taken out since"
        found = [ReviewItem(item, why) for item in items_of({path: base}, {path: theirs})]
        if not found:
            item = ChangeItem(word_id(path, "words"), "words", path, f"lines of {theirs.title}")
            found = [ReviewItem(item, why)]
        self._pageless += found

    def _without_lost(self, path: str, page: Page, base: Page | None, ours: Page | None) -> Page:
        """The page without claims that HEAD has taken out since, or has on another page."""
        held = {claim.id for claim in ours.claims} if ours else set()
        had = {claim.id for claim in base.claims} if base else set()
        came = [claim for claim in page.claims if claim.id not in held]
        elsewhere = self._state.claim_page.among([claim.id for claim in came])
        for claim in came:
            if claim.id in elsewhere and elsewhere[claim.id] != path:
                why = f"it stands on {elsewhere[claim.id]} since"
            elif claim.id in had:
                why = "it was taken out of the wiki since"
            else:
                continue
            self._lost[claim.id] = (path, claim, why)
            page = remove_node(page, ("c", claim.id))
        gone = {claim.id for claim in came if claim.id in self._lost}
        return settle(page, without_claims(page, gone)) if gone else page

    def hindrance(self, item: ChangeItem, before: Mapping[str, Page], sides: PageSides) -> str:
        """Why an item cannot be accepted; empty where it can be."""
        if item.id in self._disputes:
            return f"it was worded otherwise since: {_short(self._disputes[item.id])}"
        for ident in sorted(self._borne_on.get(item.id, ())):
            if ident in self._lost and self._lost[ident][2].endswith("since"):
                return f"it bears on ^{ident}, and {self._lost[ident][2]}"
            for path, (base, _ours, _theirs) in sides.items():
                was = base.claim(ident) if base else None
                now = before[path].claim(ident) if path in before else None
                if was and was.successor is None and (now is None or now.successor):
                    what = "was struck" if now else "was taken out"
                    return f"it bears on ^{ident}, which {what} since"
        return ""

    def left_out(self, items: list[ReviewItem]) -> list[ReviewItem]:
        """What the branch says and the merged pages do not: it can only be rejected."""
        known = {item.id for item in items}
        left = list(self._pageless)
        left += [
            ReviewItem(ChangeItem(ident, "evidence", path, claim.text, claim=claim), why)
            for ident, (path, claim, why) in sorted(self._lost.items())
        ]
        left += [
            ReviewItem(
                ChangeItem(ident, "reworded", "", _short(ours)),
                f"it was worded otherwise since: {_short(ours)}",
            )
            for ident, ours in sorted(self._disputes.items())
            if ident not in known
        ]
        return [item for item in left if item.id not in known]


def _item_id(path: str, dispute: Dispute) -> str:
    name = dispute.name
    if name.startswith(("c-", "n-")):
        return name
    kinds = {"lead": "lead", "title": "title", "description": "description"}
    return word_id(path, kinds.get(name, "words"), "" if name in kinds else name)  # type: ignore[arg-type]


def _borne_on(sides: PageSides) -> dict[str, frozenset[str]]:
    """Id of each claim that is new on the branch to those that it strikes or leads to there."""
    base = {path: page for path, (page, _ours, _theirs) in sides.items() if page is not None}
    tip = {path: page for path, (_base, _ours, page) in sides.items() if page is not None}
    found = {}
    for item in items_of(base, tip):
        if item.kind == "claim" and item.claim is not None:
            links = [value for _name, _op, value in item.claim.attributes]
            led = {ident for value in links for ident in CLAIM_IN_LINK.findall(value)}
            found[item.id] = frozenset(led | {effect.claim for effect in item.effects})
    return found


def _node(pages: Mapping[str, Page], path: str) -> object:
    return pages[path].node if path in pages else None


def _successor(raw: str) -> str:
    """The claim that took the place of a struck one, by the text of its line."""
    found = CLAIM_IN_LINK.search(raw.rpartition("~~ → ")[2]) if "~~ → " in raw else None
    return found[1] if found else ""


def _short(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= 80 else said[:79] + "…"


def selected(review: Review, names: tuple[str, ...]) -> frozenset[str]:
    """The ids of the items that a person names: by id, by page, or by source; none: all of them.

    Raises InputError for a name of nothing that is left, PolicyError for a part of a review that
    is decided as a whole.
    """
    if not names:
        return frozenset(item.id for item in review.items)
    if review.whole:
        raise PolicyError(
            f"this review is decided as a whole: {review.whole}",
            where=review.branch,
            fix=f"Accept all of it (wiki review accept {review.id}), or reject all of it "
            f"(wiki review reject {review.id}).",
        )
    found: set[str] = set()
    for name in names:
        hits = {item.id for item in review.items if _is_named(review, item, name)}
        if not hits:
            known = [item.id for item in review.items]
            near = nearest(name, known)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise InputError(
                "nothing of that name is left to decide",
                where=name,
                fix=f"{hint}`wiki review show {review.id}` lists what is.",
            )
        found |= hits
    return frozenset(found)


def _is_named(review: Review, each: ReviewItem, name: str) -> bool:
    item = each.item
    if name in (item.id, f"^{item.id}"):
        return True
    page = review.after.get(item.path) or review.before.get(item.path)
    titles = (item.path, stem_of(item.path), page.title if page else "")
    if item.path and fold(name) in {fold(title) for title in titles if title}:
        return True
    return any(
        name in (source, _file_of(review, source))
        for source in (*item.sources, *([stem_of(item.path)] if _is_ledger(item) else []))
    )


def _is_ledger(item: ChangeItem) -> bool:
    return bool(item.path) and item.path == ledger_path(stem_of(item.path))


def _file_of(review: Review, source: str) -> str:
    ledger = review.after.get(ledger_path(source))
    return ledger.value("source") if ledger else ""
