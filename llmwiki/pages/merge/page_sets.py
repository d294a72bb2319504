"""Two sides' changes to a set of pages merged, where a side has moved claims or renamed pages.

`merge_page` merges one page. Here the three states are first brought into one layout: each
page under one path in all of them, each claim on one page. Then every page is merged by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from llmwiki.core.text import fold
from llmwiki.pages import write
from llmwiki.pages.difference.row_changes import homes_on, is_moving, page_moves, went_to
from llmwiki.pages.merge.repair_assembled_page import give_footnotes, with_footnotes_of
from llmwiki.pages.merge.three_way import merge_page
from llmwiki.pages.merge.two_pages import page_of_both, titled
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import name_key, stem_of
from llmwiki.pages.page_syntax import parse
from llmwiki.pages.page_tree import Conflict, Key, PageNode
from llmwiki.pages.redirect_links import leading, relinked
from llmwiki.pages.write import with_body
from llmwiki.pages.write_claims import claim_rank

State = dict[str, Page]


class PageMove(NamedTuple):
    """What has become of a page."""

    path: str
    """Where it stands now, or the page that has its claims."""
    is_same: bool
    """Whether it is the page itself under another name; False: it was merged into another one."""


class MergedStates(NamedTuple):
    """What came of a merge."""

    pages: dict[str, Page | None]
    """The pages that any of the states has; None: it is not there any more."""
    moved: frozenset[str]
    """The paths that another page's move has touched."""
    conflicts: tuple[tuple[str, Conflict], ...] = ()
    """(page, what both sides worded)."""
    led: Mapping[str, str] = {}
    """The pages that are no more, each with the one that links to it lead to then."""


@dataclass(slots=True)
class _Sides:
    """Base, ours and theirs, being brought into one layout."""

    base: State
    ours: State
    theirs: State
    touched: set[str]
    takes_back: bool = False

    @property
    def states(self) -> tuple[State, State, State]:
        return self.base, self.ours, self.theirs


def merge_states(
    base: Mapping[str, Page],
    ours: Mapping[str, Page],
    theirs: Mapping[str, Page],
    *,
    known: Mapping[str, PageMove] = {},
    ours_stands: bool = False,
    takes_back: bool = False,
) -> MergedStates:
    """The pages three ways, by path; the same, save for marks, whichever side is called ours.

    What one side moved and the other changed is changed where it stands then. Of two places that
    the sides moved a page or a claim to, the one of the smaller title stands. `known` says what has
    become in `ours` of pages of the others; `ours_stands` is as of `merge_page`.

    Where it `takes_back`, `theirs` is what an operation found and `base` what it left: nothing
    moves otherwise than `ours` has it since, and what has come to a page or claim since does not go
    where theirs takes the rest.
    """
    sides = _Sides(dict(base), dict(ours), dict(theirs), set(), takes_back)
    led = _one_path_each(sides, known)
    gone = _merged_away(sides, known)
    _one_page_each(sides, gone)
    for old, new in sorted(gone.items()):
        _with_the_rest(sides, old, new)
    led |= gone
    paths = sorted({*base, *ours, *theirs, *sides.base, *sides.ours, *sides.theirs})
    merged: dict[str, Page | None] = {}
    conflicts: list[tuple[str, Conflict]] = []
    for path in paths:
        versions = (state.get(path) for state in sides.states)
        merged[path], found = merge_page(*versions, ours_stands=ours_stands)
        conflicts += [(path, conflict) for conflict in found]
    if takes_back:
        led |= _taken_away(sides, merged)
    elif led or sides.touched:
        sides.touched |= {*led, *led.values()}
        sides.touched |= _lead_links(merged, led, sides.touched)
    return MergedStates(merged, frozenset(sides.touched), tuple(conflicts), led)


# --- pages ---------------------------------------------------------------------------------


def _one_path_each(sides: _Sides, known: Mapping[str, PageMove]) -> dict[str, str]:
    """Brings each page under one path in all states; paths that are no more, to that of now."""
    renamed = {old: move.path for old, move in known.items() if move.is_same}
    ours = page_moves(sides.base, sides.ours).renamed | {
        old: new for old, new in renamed.items() if old in sides.base and new in sides.ours
    }
    theirs = page_moves(sides.base, sides.theirs).renamed
    led: dict[str, str] = {}
    for old in sorted({*ours, *theirs}):
        news = {ours.get(old, old), theirs.get(old, old)} - {old}
        if any(old in state and news & state.keys() for state in sides.states):
            continue  # Another page stands there by now.
        titles = {new: _title(sides, new) for new in news}
        path = min(news, key=lambda new: _rank(sides, new))
        if sides.takes_back:
            path = ours.get(old, path)
        for state in sides.states:
            _at(state, {old, *news}, path, titles, all_of_them=sides.takes_back)
        led |= dict.fromkeys({old, *news} - {path}, path)
    return led


def _title(sides: _Sides, path: str) -> str:
    return next((state[path].title for state in sides.states if path in state), path)


def _at(
    state: State, paths: set[str], path: str, titles: Mapping[str, str], *, all_of_them: bool
) -> None:
    """Puts the page that a state has at one of these paths to `path`, and under its title: of the
    pages at paths with a title, or of all of them."""
    here = next((one for one in sorted(paths) if one in state), None)
    if here is None:
        return
    page = state.pop(here)
    if here != path and (here in titles or all_of_them):
        page = titled(page, page.title, titles[path])
    state[path] = Page(path, page.node)


def _merged_away(sides: _Sides, known: Mapping[str, PageMove]) -> dict[str, str]:
    """The pages that one side merged into another one: path to the path of that.

    Where that one is merged away by the other side, it is the page it ends on. Of pages that the
    sides merged into each other the one of the smaller title stands.
    """
    found = {
        old: move.path for old, move in sorted(known.items())
        if old not in sides.ours and move.path in sides.ours
        and (old in sides.base or old in sides.theirs)
    }  # fmt: skip
    both = ((sides.ours, sides.theirs), (sides.theirs, sides.ours))
    for side, other in both[:1] if sides.takes_back else both:
        for path, page in sorted(sides.base.items()):
            if path in side or path in found or (path not in other and not sides.takes_back):
                continue
            went = went_to(page, side) or _named_since(sides.base, side, page)
            if went:
                found[path] = went
    for path in sorted(found):
        way = [path]
        while (after := found.get(way[-1])) is not None and after not in way:
            way.append(after)
        if after is not None:
            del found[min(way[way.index(after) :], key=lambda one: _rank(sides, one))]
    return {path: _end(found, path) for path in found}


def _taken_away(sides: _Sides, merged: Mapping[str, Page | None]) -> dict[str, str]:
    """The pages that an undo takes out, each with the one that has most of its claims again."""
    gone = (path for path in sorted(sides.base) if path in merged and merged[path] is None)
    went = {path: went_to(sides.base[path], sides.theirs) for path in gone}
    return {path: home for path, home in went.items() if home}


def _named_since(base: State, side: State, gone: Page) -> str:
    """The page of a side that has got the title of a page for an alias; empty: none has."""
    name = name_key(gone.title)
    had = {path for path, page in base.items() if name in map(name_key, page.aliases)}
    came = (p for p, page in side.items() if p not in had and name in map(name_key, page.aliases))
    return min(came, default="")


def _end(led: Mapping[str, str], path: str) -> str:
    while path in led:
        path = led[path]
    return path


def _rank(sides: _Sides, path: str) -> tuple[str, str]:
    """What decides between two pages."""
    return fold(_title(sides, path)), path


def _with_the_rest(sides: _Sides, old: str, new: str) -> None:
    """Takes a page that was merged away out of all states; what a side has added to it since
    comes to the page that has its claims, and its relations go there in all of them."""
    base = sides.base.get(old)
    for state in sides.states:
        page = state.pop(old, None)
        if page is None or base is None:
            continue
        had = {_told(node) for node in base.body if node.kind != "rel"}
        more = [node for node in page.body if _told(node) not in had or node.kind in ("h", "tail")]
        if sides.takes_back:
            more = [node for node in more if node.kind in ("rel", "tail")]
        rest = write.with_body(page, _without_empty_sections(more))
        says = any(node.kind not in ("h", "h1", "fn", "tail") for node in rest.body)
        if says or not set(page.aliases) <= set(base.aliases):
            state[new] = page_of_both(_there(sides, state, new), rest).page
    sides.touched |= {old, new}


def _told(node: PageNode) -> tuple[Key, str]:
    return node.key, node.raw if node.kind == "lead" else ""


def _without_empty_sections(body: list[PageNode]) -> list[PageNode]:
    return [
        node
        for node, after in zip(body, [*body[1:], None], strict=True)
        if node.kind != "h" or (after is not None and after.kind not in ("h", "fn", "tail"))
    ]


# --- claims --------------------------------------------------------------------------------


def _one_page_each(sides: _Sides, gone: Mapping[str, str]) -> None:
    """Brings each claim to one page in all states."""
    homes = [homes_on(state) for state in sides.states]
    for key in sorted({*homes[1], *homes[2]}):
        base, ours, theirs = (held.get(key) for held in homes)
        path = _home(sides, base, ours, theirs, gone)
        for state, here in zip(sides.states, (base, ours, theirs), strict=True):
            if here is not None and here != path:
                _carry(sides, state, key, here, path)
                sides.touched |= {here, path}


def _home(
    sides: _Sides, base: str | None, ours: str | None, theirs: str | None, gone: Mapping[str, str]
) -> str:
    """The page on which a claim shall stand, of those on which the states have it."""
    if sides.takes_back and ours is not None and (ours != base or theirs is None):
        return ours
    places = {gone.get(path, path) for path in (ours, theirs) if path is not None}
    moved = places - {base}
    return min(moved or places, key=lambda path: _rank(sides, path))


def _carry(sides: _Sides, state: State, key: Key, old: str, new: str) -> None:
    """Brings a claim to another page of a state, with its footnotes."""
    page = state[old]
    node = next(part for part in page.body if part.key == key)
    target = _there(sides, state, new)
    target = write.add_to_section(target, "Claims", node.bare(), claim_rank)
    state[new] = give_footnotes(page, target)
    state[old] = with_footnotes_of(write.remove_node(page, key), page)


def _there(sides: _Sides, state: State, path: str) -> Page:
    """The page of a state; where it does not have it, one on which nothing stands.

    Title and lead are those of base, or a page that a side took away would come back without.
    """
    if (page := state.get(path)) is not None:
        return page
    if (page := sides.base.get(path)) is None:
        return Page(path, parse("---\n---\n"))
    return write.with_body(page, [n for n in page.body if n.kind in ("h1", "lead", "tail")])


# --- links ---------------------------------------------------------------------------------


def _lead_links(
    merged: dict[str, Page | None], led: Mapping[str, str], touched: Iterable[str]
) -> set[str]:
    """Leads links to pages that are no more, and to claims that stand elsewhere, to where they
    are now; the paths of the pages they stand on."""
    gone = {name_key(stem_of(old)): new for old, new in led.items() if merged.get(old) is None}
    moved = {path: page for path in touched if (page := merged.get(path)) is not None}
    homes = {key[1]: path for key, path in homes_on(moved).items()}
    found = set()
    for path, page in merged.items():
        if page is None:
            continue
        text = relinked(path, page.text, leading(path, gone, homes), stem_of).text
        if text != page.text:
            merged[path] = Page.parse(path, text)
            found.add(path)
    return found


# --- an operation taken back ---------------------------------------------------------------------

Pages = Mapping[str, Page]


def undone(
    before: Pages,
    after: Pages,
    now: Pages,
    moved: Mapping[str, PageMove] = {},
    deleted: Set[str] = frozenset(),
) -> MergedStates:
    """The pages `now` without what an operation did, which found them as `before` and left them as
    `after`: pages that it made, changed or took out.

    What others have changed since stands. `now` has the pages of the operation that are there
    still, and those on which their claims stand by now; `moved` says what has become of the
    others. A claim that is no more comes back only where the operation took evidence off it, with
    that alone, and if it is none of those `deleted` by a person.
    """
    found, left = dict(before), dict(after)
    lost = _without_lost(found, left, now, deleted)
    _stand_as_now(found, left, now, moved)
    merged = merge_states(left, now, found, known=moved, ours_stands=True, takes_back=True)
    beside = _passages_beside(found, left, now)
    return merged._replace(conflicts=(*lost, *beside, *merged.conflicts))


def _passages_beside(found: Pages, left: Pages, now: Pages) -> list[tuple[str, Conflict]]:
    """What somebody has made since of passages of the operation: it stands, and those that the
    operation took out come back beside it."""
    conflicts = []
    for path in sorted(found.keys() & left.keys() & now.keys()):
        was, had, stand = (
            {node.key: node.raw for node in side[path].body if node.kind == "x"}
            for side in (found, left, now)
        )
        back = was.keys() - had.keys() - stand.keys()
        is_changed = had.keys() - was.keys() - stand.keys()
        own = [key for key in stand if key not in had and key not in was]
        if back and is_changed and own:
            texts = (stand[key] for key in own), (was[key] for key in sorted(back))
            conflicts.append((path, Conflict(own[0], *map("\n\n".join, texts))))
    return conflicts


def _without_lost(
    found: dict[str, Page], left: dict[str, Page], now: Pages, deleted: Set[str]
) -> list[tuple[str, Conflict]]:
    """Takes claims that are no more out of both states, save for evidence to give back."""
    standing = {node.key for page in now.values() for node in page.body}
    had = {n.key: n for page in found.values() for n in page.body if is_moving(n)}
    conflicts = []
    for path, page in sorted(left.items()):
        gone = {n.key: n for n in page.body if is_moving(n) and n.key not in standing}
        if not gone:
            continue
        left[path] = _with_nodes(page, dict.fromkeys(gone))
        wanted: dict[Key, PageNode | None] = {}
        for key, node in gone.items():
            was = had.get(key)
            fresh = _evidence_lost(was, node) if was and key[1] not in deleted else ()
            wanted[key] = replace(was, parts=fresh, gap=None) if was and fresh else None
            if was is not None and not fresh and was != node:
                conflicts.append((path, Conflict(key, "", was.raw)))
        for other, held in found.items():
            found[other] = _with_nodes(held, wanted)
    return conflicts


def _evidence_lost(was: PageNode, node: PageNode) -> tuple[PageNode, ...]:
    """What is to be given back to a claim that is no more: evidence, and how that is read."""
    kept = {part.key for part in node.parts}
    fresh = [part for part in was.parts if part.kind == "e" and part.key not in kept]
    return tuple(p for p in was.parts if p in fresh or p.kind == "a") if fresh else ()


def _with_nodes(page: Page, wanted: Mapping[Key, PageNode | None]) -> Page:
    """The page with other nodes in the place of those of their keys; None: without it."""
    if not any(node.key in wanted for node in page.body):
        return page
    body = (wanted.get(node.key, node) for node in page.body)
    return with_body(page, [node for node in body if node is not None])


def _stand_as_now(
    found: dict[str, Page], left: dict[str, Page], now: Pages, moved: Mapping[str, PageMove]
) -> None:
    """Puts the pages that the operation left alone into both states as they are now, without the
    lines that it knew elsewhere."""
    known = {*found, *left}
    renamed = {move.path for old, move in moved.items() if move.is_same and old in left}
    lines = {
        node.key for state in (found, left) for page in state.values() for node in page.body
        if is_moving(node)
    }  # fmt: skip
    for path, page in now.items():
        if path in known or path in renamed:
            continue
        told = {
            node.key for old, move in moved.items() if move.path == path
            for state in (found, left) if old in state
            for node in state[old].body if node.kind == "rel"
        }  # fmt: skip
        rest = _with_nodes(page, dict.fromkeys(lines | told))
        found[path] = left[path] = rest if rest is page else with_footnotes_of(rest, page)
