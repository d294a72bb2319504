"""A branch that waits for review: what of it the wiki does not hold yet, item by item.

The rest of a review is computed, never stored: the pages of the branch are merged into those of
HEAD in memory, claim by claim, and the difference to HEAD's is what is left to decide. So nothing
grows stale: whatever HEAD has taken since, by an accepted part, by a forge or by another source,
is not in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import NamedTuple

from llmwiki.core.errors import InputError, PolicyError, StateError
from llmwiki.core.text import cut, fold, nearest, normalise, sha256_hex
from llmwiki.git.changed_files_and_branches import (
    REVIEWS,
    landed_branches,
    merge_base,
    review_branches,
)
from llmwiki.git.commits_and_trailers import Commit
from llmwiki.git.repository import Repository
from llmwiki.git.trees import EXECUTABLE, FILE
from llmwiki.index.page_facts_record import is_catalogue, is_page
from llmwiki.landing.earlier_pages import as_now, joins_of, moved_pages, pages_at, paths_since
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.difference.review_items import ChangeItem, items_of, page_item, page_item_id
from llmwiki.pages.difference.row_changes import compare
from llmwiki.pages.linked_text import markdown_of, read
from llmwiki.pages.log_page import LOG_FILE
from llmwiki.pages.merge.join_claims import Joins, join_equals, redirect
from llmwiki.pages.merge.page_sets import merge_states
from llmwiki.pages.page import Evidence, Page, SourceRef
from llmwiki.pages.page_file_names import stem_of
from llmwiki.pages.tombstones import is_partial, is_retracted, ledger_path, taken_whole
from llmwiki.sources.quotes import QuotePlaces

_RAW = "raw/"
Pages = Mapping[str, Page]


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
    items: tuple[ChangeItem, ...]
    """What is left to decide, by page."""
    joins: Joins = field(default_factory=dict)
    """Claims of the branch that HEAD has by another id: they bring their evidence to that one."""
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    """Files below raw/ that the branch has and HEAD has not, or in another version; None: it takes
    the file out."""
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
        return any(self.before.get(path) != self.after.get(path) for path in paths)

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


def read_review(state: WikiState, branch: str) -> Review:
    """A branch against the commit that `state` stands on.

    Raises StateError where the two have no commit in common.
    """
    repo, head = state.repo, state.commit
    tip = repo.resolve(f"refs/heads/{branch}") or repo.resolve(f"refs/remotes/{branch}")
    base = merge_base(repo, head, tip) if head and tip else None
    if head is None or tip is None or base is None:
        raise StateError(
            "this branch has no commit in common with the wiki", where=branch, fix=repo.beyond
        )
    named = [change.path for change in repo.diff_trees(base, tip)]
    operations = [c for c in repo.log(f"{base}..{tip}") if c.operation and c.kind]
    merged = merge_branch(state, base, tip, filter(is_page, named))
    texts = _ReviewedTexts(
        repo, (head, base, tip), lambda path: merged.after.get(path) or state.page(path)
    )
    items = [
        replace(
            texts.shown(item),
            hindrance=item.hindrance or _retracted_since(item, merged) or texts.hindrance(item),
        )
        for item in merged.items
    ]
    moving = "it renames pages or moves claims between them" if merged.is_moving else ""
    return Review(
        branch=branch,
        tip=tip,
        head=head,
        base=base,
        commits=tuple(operations[::-1]),
        before=merged.before,
        after=merged.after,
        items=tuple(items),
        joins=merged.joins,
        files=_files(repo, head, tip, named),
        others=_others(repo, base, tip),
        whole=moving or _is_whole(operations),
    )


_WHOLE = {
    "undo": "it takes an operation back",
    "retract": "it takes a source out",
}
"""Kinds of operations of which a part would leave pages that do not fit each other."""


def _is_whole(operations: Iterable[Commit]) -> str:
    """Why a branch of these operations is decided as a whole; empty where it is not."""
    return next((_WHOLE[c.kind] for c in operations if c.kind in _WHOLE), "")


def _retracted_since(item: ChangeItem, merged: MergedBranch) -> str:
    """Why an item cannot be accepted that is of a source which HEAD has retracted since the branch
    began; empty for any other."""
    retracted = {
        path: page.value("source") or stem_of(path)
        for path, page in merged.before.items()
        if is_retracted(page) and not ((was := merged.base.get(path)) and is_retracted(was))
    }
    concerned = {item.path, *map(ledger_path, item.sources)}
    theirs = merged.theirs.get(item.path)
    if item.path not in merged.before and theirs is not None:
        # What a new page says before its claims rests on them.
        cited = {ledger_path(e.source) for claim in theirs.claims for e in claim.evidence}
        concerned |= cited if cited <= retracted.keys() else set()
    found = sorted(concerned & retracted.keys())
    return f"its source was retracted since: {retracted[found[0]]}" if found else ""


class _ReviewedTexts:
    """The sources that a branch brings, with which its quotes are compared."""

    def __init__(
        self,
        repo: Repository,
        commits: tuple[str, str, str],
        page: Callable[[str], Page | None],
    ) -> None:
        """`commits` are HEAD, the common one and the tip of the branch; `page` gives a page as it
        is with all of the branch in it."""
        self._repo = repo
        self._commits = commits
        self._page = page
        self._faults: dict[str, str] = {}
        self._places = QuotePlaces(repo, commits[-1], self._file, most=None)

    def shown(self, item: ChangeItem) -> ChangeItem:
        """An item whose quotes have their lines, as far as its sources are at hand."""
        return replace(item, claim=self._places.claim(item.claim)) if item.claim else item

    def hindrance(self, item: ChangeItem) -> str:
        """Why the evidence that an item brings cannot land; empty where it can."""
        if item.claim is None or item.kind not in ("claim", "evidence"):
            return ""
        had = {e.identity for e in item.before.evidence} if item.before else set()
        came = (e for e in item.claim.evidence if e.identity not in had)
        return next((why for evidence in came if (why := self._fault(evidence))), "")

    def _own(self, source: str) -> SourceRef | None:
        ledger = self._page(ledger_path(source))
        return ledger.own_source if ledger else None

    def _file(self, source: str) -> str:
        own = self._own(source)
        return own.resource.removeprefix("/") if own else ""

    def _fault(self, evidence: Evidence) -> str:
        source, path = evidence.source, self._file(evidence.source)
        if source not in self._faults:
            self._faults[source] = self._changed(source, path)
        if self._faults[source] or self._places.located(evidence).first:
            return self._faults[source]
        return f"its quote does not stand in {path}"

    def _changed(self, source: str, path: str) -> str:
        """Why a source is not the one that its page tells of; empty where it is."""
        own = self._own(source)
        if own is None or not path.startswith(_RAW):
            return f"the page of its source, {source}, does not say which file it is"
        data = self._repo.read(self._commits[-1], path)
        if data is None or sha256_hex(data) != own.sha256:
            return f"{path} on the branch is not what its source's page records"
        here, began, there = (self._repo.entry(commit, path) for commit in self._commits)
        if here is not None and here not in (began, there):
            return f"{path} has other bytes in the wiki since"
        return ""


def _files(repo: Repository, head: str, tip: str, paths: list[str]) -> dict[str, bytes | None]:
    wanted = [path for path in paths if path.startswith(_RAW)]
    return {
        path: repo.read(tip, path)
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

    return tuple(each.path for each in repo.changes(base, tip) if not is_ours(each.path))


# --- the branch merged into HEAD ------------------------------------------------------------------


class MergedBranch(NamedTuple):
    """What a branch comes to on HEAD."""

    before: dict[str, Page]
    """The pages concerned as HEAD has them."""
    after: dict[str, Page]
    """The same with all of the branch in them; where both worded one thing, as HEAD does."""
    base: Pages
    """Those pages in the common commit, and, in `theirs`, on the branch."""
    theirs: Pages
    is_moving: bool
    """Whether the branch renames pages or moves claims between them."""
    joins: dict[str, str]
    """Claims of the branch that are no more, each with the one that has its evidence."""
    items: tuple[ChangeItem, ...]
    """What differs; last what the branch words otherwise than HEAD does, which cannot land."""


def merge_branch(state: WikiState, base: str, tip: str, paths: Iterable[str]) -> MergedBranch:
    """The branch at `tip`, which changes the pages at `paths` since a commit, merged into HEAD.

    What it changes on a page that has another name in HEAD, or on a claim that stands elsewhere,
    is changed there.
    """
    paths = tuple(paths)
    then, theirs = (pages_at(state.repo, commit, paths) for commit in (base, tip))
    is_moving = any(each.verb == "moved" for each in compare(then, theirs))
    led = paths_since(state.repo.log(f"{base}..{state.commit}"))
    moved = moved_pages(state, base, then, led)
    more = {move.path for move in moved.values()}
    claims = {c.id for page in (*then.values(), *theirs.values()) for c in page.claims}
    more.update(state.claim_pages(sorted(claims)).values())
    if is_moving:
        more.update(change.path for change in state.repo.diff_trees(base, state.commit, "wiki"))
    more -= {*paths}
    then |= pages_at(state.repo, base, more)
    theirs |= pages_at(state.repo, tip, more)
    then, theirs = as_now(state, (then, theirs), {}, led)
    here = {path: state.page(path) for path in sorted({*paths, *more})}
    ours = {path: page for path, page in here.items() if page is not None}
    merged = merge_states(then, ours, theirs, known=moved, ours_stands=True)
    after = {path: page for path, page in merged.pages.items() if page is not None}
    for path, page in after.items():
        was, now = then.get(path), theirs.get(path)
        if now is not None and not is_partial(now) and (was is None or is_partial(was)):
            # Once all of the branch is in the wiki, the source is.
            after[path] = taken_whole(page)
    after, found = _joined(after, ours)
    joins = {**joins_of(state.repo.log(f"{base}..{tip}")), **found}
    items = {item.id: item for item in _items(ours, after, joins)}
    for path, conflict in merged.conflicts:
        is_claim = conflict.key[0] in ("c", "n")
        kept, dropped = (
            read(markdown_of(text)) if is_claim else text
            for text in (conflict.kept, conflict.dropped)
        )
        ident = conflict.key[1] if is_claim else page_item_id(path)
        held = items.get(ident) or ChangeItem(ident, "reworded", path, dropped)
        why = f"it was worded otherwise since: {cut(normalise(kept), 80)}"
        items[ident] = replace(held, hindrance=why)
    return MergedBranch(ours, after, then, theirs, is_moving, joins, tuple(items.values()))


def _joined(pages: Pages, before: Pages) -> tuple[dict[str, Page], Joins]:
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


def _items(before: Pages, after: Pages, joins: Joins) -> Iterator[ChangeItem]:
    changes = compare(before, after)
    renames = {each.before: each.page for each in changes if each.is_rename}
    moved = [each for each in changes if each.is_move and renames.get(each.before) != each.page]
    for old, new in sorted(renames.items()):
        yield page_item(new, f"{before[old].title} to {after[new].title}", "page renamed")
    if renames or moved:
        for path in sorted(before.keys() - after.keys() - renames.keys()):
            yield page_item(path, before[path].title, "page removed")
    for move in moved:
        claim = after[move.page].claim(move.id)
        if claim is not None:
            sources = frozenset(evidence.source for evidence in claim.evidence)
            yield ChangeItem(
                *(move.id, "moved", move.page, claim.text, sources, claim, claim),
                page_before=move.before,
            )
    # A page that only got another name is compared with what it was under the old one.
    known = {move.id for move in moved} | joins.keys()
    home = {renames.get(path, path): page for path, page in before.items()}
    home = {path: Page(path, page.node) for path, page in home.items()}
    for item in items_of(home, after):
        if item.id not in known and not (item.kind == "page removed" and (renames or moved)):
            yield item


# --- what a person names -------------------------------------------------------------------------


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
            fix=f"Accept all of it (wiki review accept {review.id}), or drop the branch "
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


def _is_named(review: Review, item: ChangeItem, name: str) -> bool:
    if name in (item.id, f"^{item.id}"):
        return True
    page = review.after.get(item.path) or review.before.get(item.path)
    titles = (item.path, stem_of(item.path), page.title if page else "")
    if item.path and fold(name) in {fold(title) for title in titles if title}:
        return True
    return any(
        name in (source, quoted_file(review, source))
        for source in (*item.sources, *([stem_of(item.path)] if _is_ledger(item) else []))
    )


def _is_ledger(item: ChangeItem) -> bool:
    return bool(item.path) and item.path == ledger_path(stem_of(item.path))


# --- the reviews of a wiki, and one for those who show it ----------------------------------------


def reviews(wiki: OpenWiki) -> tuple[Review, ...]:
    """The branches that wait for review, and what of each is left to decide."""
    wiki.state.follow()
    return tuple(read_review(wiki.state, each) for each in review_branches(wiki.repo))


def landed_reviews(wiki: OpenWiki) -> tuple[str, ...]:
    """The branches for review that have landed whole, and are still there."""
    return landed_branches(wiki.repo)


def review(wiki: OpenWiki, name: str = "") -> Review:
    """One branch that waits for review: by its id, or the only one. Raises InputError."""
    wiki.state.follow()
    return read_review(wiki.state, find_branch(wiki.repo, name))


def review_pages(found: Review) -> Iterator[tuple[str, str, list[ChangeItem]]]:
    """Path, title and items of each page of a review; those between pages, without either, last."""
    items = sorted(found.items, key=lambda each: (not each.path, each.path))
    for path, group in groupby(items, key=lambda each: each.path):
        page = found.after.get(path) or found.before.get(path)
        yield path, page.title if page else path, list(group)


def quoted_file(found: Review, source: str) -> str:
    """The file of a source that a review quotes; its id, where the branch does not say."""
    ledger = found.after.get(ledger_path(source))
    return (ledger.value("source") if ledger else "") or source
