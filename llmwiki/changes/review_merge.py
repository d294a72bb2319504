"""The pages of a branch under review merged into those of HEAD, and what can be decided of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from llmwiki.core.text import cut, normalise
from llmwiki.landing.after_merge import joins_of
from llmwiki.landing.earlier import as_now, moved_pages, pages_at, paths_since
from llmwiki.landing.state import WikiState
from llmwiki.pages.difference.review_items import ChangeItem, items_of, page_item, page_item_id
from llmwiki.pages.difference.row_changes import compare
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.merge.assembled import with_footnotes_of
from llmwiki.pages.merge.join_claims import Joins, join_equals, redirect
from llmwiki.pages.merge.leave_out import successor
from llmwiki.pages.merge.states import merge_states
from llmwiki.pages.nodes import Conflict
from llmwiki.pages.page import Claim, Page
from llmwiki.pages.tombstones import is_partial, taken_whole, without_claims
from llmwiki.pages.write import remove_node

Pages = Mapping[str, Page]


@dataclass(slots=True)
class MergedBranch:
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
    items: tuple[ChangeItem, ...] = ()
    _borne_on: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Id of each claim that is new on the branch to those that it strikes or leads to there."""
    _disputes: dict[str, str] = field(default_factory=dict)
    """Id of an item to how HEAD words it."""
    _lost: dict[str, tuple[str, Claim, str]] = field(default_factory=dict)
    """Id of a claim that cannot land to its page, itself and why."""
    _pageless: list[ChangeItem] = field(default_factory=list)
    """What the branch says on pages that the wiki has no more."""

    def hindrance(self, item: ChangeItem) -> str:
        """Why an item cannot be accepted; empty where it can be."""
        if item.id in self._disputes:
            return f"it was worded otherwise since: {_short(self._disputes[item.id])}"
        for ident in sorted(self._borne_on.get(item.id, ())):
            if ident in self._lost:
                return f"it bears on ^{ident}, and {self._lost[ident][2]}"
            was, now = (_claim(pages, ident) for pages in (self.base, self.before))
            if was and was.successor is None and (now is None or now.successor):
                what = "was struck" if now else "was taken out"
                return f"it bears on ^{ident}, which {what} since"
        return ""

    def left_out(self) -> list[ChangeItem]:
        """What the branch says and the merged pages do not: it can only be rejected."""
        known = {item.id for item in self.items}
        left = list(self._pageless)
        left += [
            ChangeItem(ident, "evidence", path, claim.text, claim=claim, hindrance=why)
            for ident, (path, claim, why) in sorted(self._lost.items())
        ]
        left += [
            ChangeItem(
                ident,
                "reworded",
                "",
                _short(ours),
                hindrance=f"it was worded otherwise since: {_short(ours)}",
            )
            for ident, ours in sorted(self._disputes.items())
        ]
        return [each for each in left if each.id not in known]


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
    more.update(state.claim_pages(sorted(ids_on((*then.values(), *theirs.values())))).values())
    if is_moving:
        more.update(change.path for change in state.repo.diff_trees(base, state.commit, "wiki"))
    more -= {*paths}
    then |= pages_at(state.repo, base, more)
    theirs |= pages_at(state.repo, tip, more)
    then, theirs = as_now(state, (then, theirs), {}, led)
    here = {path: state.page(path) for path in sorted({*paths, *more})}
    ours = {path: page for path, page in here.items() if page is not None}
    joins = dict(joins_of(state.repo.log(f"{base}..{tip}")))
    done = MergedBranch(
        ours, {}, dict(then), dict(theirs), is_moving, joins, (), _bearing(then, theirs)
    )
    for path in sorted(then.keys() & theirs.keys() - ours.keys() - moved.keys()):
        _leave_out(done, path, then.pop(path), theirs.pop(path))
    merged = merge_states(then, ours, theirs, known=moved, ours_stands=True)
    after = {path: page for path, page in merged.pages.items() if page is not None}
    for path, conflict in merged.conflicts:
        # A strike is a matter of the claim that strikes; that one is hindered.
        if successor(conflict.dropped.partition("\n")[0]) not in done._borne_on:
            done._disputes[_item_id(path, conflict)] = conflict.kept
    _mark_whole(after, then, theirs)
    _take_lost(state, done, after)
    done.after, found = _joined(after, ours)
    done.joins |= found
    done.items = tuple(_items(ours, done.after, done.joins))
    return done


def ids_on(pages: Iterable[Page | None]) -> set[str]:
    """The ids of the claims that stand on pages."""
    return {claim.id for page in pages if page is not None for claim in page.claims}


def _claim(pages: Pages, ident: str) -> Claim | None:
    return next((claim for page in pages.values() if (claim := page.claim(ident))), None)


def _bearing(base: Pages, tip: Pages) -> dict[str, frozenset[str]]:
    found = {}
    for item in items_of(base, tip):
        if item.kind == "claim" and item.claim is not None:
            links = [value for _name, _op, value in item.claim.attributes]
            led = {ident for value in links for ident in CLAIM_IN_LINK.findall(value)}
            found[item.id] = frozenset(led | {effect.claim for effect in item.effects})
    return found


def _leave_out(done: MergedBranch, path: str, base: Page, theirs: Page) -> None:
    """Keeps what the branch says on a page that HEAD has no more from making that page anew."""
    why = f"its page is no more: {path} was taken out since"
    items = items_of({path: base}, {path: theirs})
    found = [replace(item, hindrance=why) for item in items]
    if not found and base.node != theirs.node:
        found = [replace(page_item(path, f"lines of {theirs.title}"), hindrance=why)]
    done._pageless += found


def _mark_whole(after: dict[str, Page], base: Pages, theirs: Pages) -> None:
    """Takes the mark off sources that are in the wiki whole once all of the branch is."""
    for path, page in after.items():
        was, now = base.get(path), theirs.get(path)
        if now is not None and not is_partial(now) and (was is None or is_partial(was)):
            after[path] = taken_whole(page)


def _take_lost(state: WikiState, done: MergedBranch, after: dict[str, Page]) -> None:
    """Takes claims out that HEAD has taken out since, or has on another page."""
    had, held = ids_on(done.base.values()), ids_on(done.before.values())
    for path, page in sorted(after.items()):
        came = [claim for claim in page.claims if claim.id not in held]
        elsewhere = state.claim_pages([claim.id for claim in came])
        gone = set()
        for claim in came:
            if claim.id in elsewhere:
                why = f"it stands on {elsewhere[claim.id]} since"
            elif claim.id in had:
                why = "it was taken out of the wiki since"
            else:
                continue
            done._lost[claim.id] = (path, claim, why)
            gone.add(claim.id)
        rest = page
        for ident in sorted(gone):
            rest = remove_node(rest, ("c", ident))
        if gone:
            after[path] = with_footnotes_of(without_claims(rest, gone), page)


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
            yield ChangeItem(move.id, "moved", move.page, claim.text, sources, claim, claim)
    # A page that only got another name is compared with what it was under the old one.
    known = {move.id for move in moved} | joins.keys()
    home = {renames.get(path, path): page for path, page in before.items()}
    home = {path: Page(path, page.node) for path, page in home.items()}
    for item in items_of(home, after):
        if item.id not in known and not (item.kind == "page removed" and (renames or moved)):
            yield item


def _item_id(path: str, conflict: Conflict) -> str:
    return conflict.key[1] if conflict.key[0] in ("c", "n") else page_item_id(path)


def _short(text: str) -> str:
    return cut(normalise(text), 80)
