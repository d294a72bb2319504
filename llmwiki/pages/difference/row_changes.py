"""Two states of pages compared row by row: what was added, changed, gone, moved.

All that tells people of a difference (`diff`, `why`, `log`, commit messages, the digest, reviews)
tells of these values. The rows after a difference follow from those before it and its changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from llmwiki.core.claim_attributes import UPDATED_BY
from llmwiki.core.text import fold
from llmwiki.pages.difference.rows import TO, Row, RowKind, Rows, claim_rows, page_rows
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.linked_text import bare
from llmwiki.pages.page import Page, read_evidence
from llmwiki.pages.page_file_names import stem_of
from llmwiki.pages.page_syntax import is_inline, is_mark
from llmwiki.pages.page_tree import Key, PageNode

Verb = Literal["added", "changed", "gone", "moved"]
Pages = Mapping[str, Page]
ITEMS = ("claim", "note")


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row that differs."""

    kind: RowKind
    verb: Verb
    id: str
    name: str
    before: str
    """The value it had; of a slot of a new claim that of the claim `other`, which it overtakes."""
    after: str
    page: str
    """Path of the page it stands on, or stood on where it is gone."""
    other: str = ""
    """Of a claim that is gone the one that has its words and evidence; of a page that is gone the
    one that it was merged into."""

    @property
    def row(self) -> Row:
        """The row."""
        return Row(self.kind, self.id, self.name)

    @property
    def is_rename(self) -> bool:
        """Whether a page got another path."""
        return self.kind == "page" and self.verb == "moved"

    @property
    def is_move(self) -> bool:
        """Whether a claim came to another page."""
        return self.kind == "place" and self.verb == "moved"


@dataclass(frozen=True, slots=True)
class _Item:
    """A claim or note in one place."""

    id: str
    path: str
    rows: Rows
    own: tuple[str, Row | None] | None = None
    """The source that a claim's own line names, and the row of the quote that the claim is; the row
    is None where a person has taken the quotation marks away."""

    @property
    def text(self) -> str:
        return next(text for row, text in self.rows.items() if row.kind in ITEMS)

    @property
    def evidence(self) -> set[str]:
        return {row.name for row in self.rows if row.kind == "evidence"}


Pair = tuple["_Item | None", "_Item | None"]


class _State:
    """The rows of some pages, but for those of the claims and notes in `same`: path and key."""

    def __init__(
        self, pages: Pages, paths: Iterable[str], same: Collection[tuple[str, Key]] = ()
    ) -> None:
        self.pages = {path: pages[path] for path in paths if path in pages}
        self.items: dict[tuple[str, str], _Item] = {}
        """By id and path."""
        for path, page in self.pages.items():
            for node in page.body:
                if node.kind in ("c", "n") and (path, node.key) not in same:
                    ident = "#".join(node.key[1:])
                    self.items[ident, path] = _Item(
                        ident, path, claim_rows(path, node), _own(ident, node)
                    )
        self.of_pages = {path: page_rows(page) for path, page in self.pages.items()}

    def places(self) -> Iterator[tuple[str, Row]]:
        """The rows with their pages, in their order."""
        for path, found in self.of_pages.items():
            yield from ((path, row) for row in found)
        for item in self.items.values():
            yield from ((item.path, row) for row in item.rows)


def compare(before: Pages, after: Pages) -> tuple[RowChange, ...]:
    """What differs between two states: page by page, and on a page in the order of its rows."""
    paths = [p for p in sorted({*before, *after}) if before.get(p) != after.get(p)]
    same = _unchanged(before, after, paths)
    old, new = _State(before, paths, same), _State(after, paths, same)
    pairs = list(_pairs(old, new))
    gone = [one for one, other in pairs if one is not None and other is None and one.evidence]
    joined = _joined(gone, _State(after, paths)) if gone else {}
    changes = [each for pair in pairs for each in _of_item(*pair, joined)]
    changes += _of_pages(old, new, _moves(old, new, pairs, joined))
    order: dict[tuple[str, Row], int] = {}
    for place in (*new.places(), *old.places()):
        order.setdefault(place, len(order))
    return tuple(
        sorted(
            _with_values(changes, old, new), key=lambda c: (c.page, order.get((c.page, c.row), 0))
        )
    )


def _unchanged(before: Pages, after: Pages, paths: Iterable[str]) -> set[tuple[str, Key]]:
    """The claims and notes that are as they were: a page may have hundreds beside a new one."""
    found: set[tuple[str, Key]] = set()
    for path in paths:
        if path in before and path in after:
            held = {node.key: node for node in before[path].body if is_moving(node)}
            now = (node for node in after[path].body if is_moving(node))
            found.update((path, node.key) for node in now if held.get(node.key) == node)
    return found


def _own(ident: str, node: PageNode) -> tuple[str, Row | None] | None:
    for part in filter(is_inline, node.parts):
        if is_mark(part):
            return part.key[1], None
        if (evidence := read_evidence(part)) is not None:
            return evidence.source, Row("evidence", ident, " ".join(evidence.identity))
    return None


# --- claims and notes --------------------------------------------------------------------------


def _pairs(old: _State, new: _State) -> Iterator[Pair]:
    """Each item with what it was: on its page, else the one of its id that left another page."""
    left: dict[str, list[_Item]] = {}
    for key, item in old.items.items():
        if key in new.items:
            yield item, new.items[key]
        else:
            left.setdefault(item.id, []).append(item)
    for key, item in new.items.items():
        if key not in old.items:
            waiting = left.get(item.id)
            yield waiting.pop(0) if waiting else None, item
    yield from ((item, None) for items in left.values() for item in items)


def _joined(gone: Iterable[_Item], new: _State) -> dict[str, _Item]:
    """Claims that are gone, by id, with one that has their words and all their evidence."""
    said: dict[str, list[_Item]] = {}
    for item in new.items.values():
        said.setdefault(fold(item.text), []).append(item)
    found = {}
    for item in gone:
        alike = said.get(fold(item.text), ())
        if other := next((each for each in alike if item.evidence <= each.evidence), None):
            found[item.id] = other
    return found


def _of_item(
    old: _Item | None, new: _Item | None, joined: Mapping[str, _Item]
) -> Iterator[RowChange]:
    page = new.path if new else old.path if old else ""
    reworded = _reworded(old, new) if old and new else ()
    for change in _differing(old.rows if old else {}, new.rows if new else {}, page):
        if change.row in reworded:
            continue
        into = joined.get(change.id) if change.verb == "gone" and change.kind in ITEMS else None
        yield replace(change, other=into.id) if into else change


def _reworded(old: _Item, new: _Item) -> tuple[Row | None, ...]:
    """The quotes that a claim was and is, where somebody reworded it in place: what its source
    says is the same, and goes below it with the next operation."""
    if old.own is None or new.own is None or old.own[0] != new.own[0] or old.own == new.own:
        return ()
    return old.own[1], new.own[1]


def _differing(old: Rows, new: Rows, page: str) -> Iterator[RowChange]:
    for row, was in old.items():
        if row not in new:
            yield RowChange(row.kind, "gone", row.id, row.name, was, "", page)
        elif new[row] != was:
            verb: Verb = "moved" if row.kind == "place" else "changed"
            yield RowChange(row.kind, verb, row.id, row.name, was, new[row], page)
    for row, now in new.items():
        if row not in old:
            yield RowChange(row.kind, "added", row.id, row.name, "", now, page)


def _with_values(changes: Sequence[RowChange], old: _State, new: _State) -> Iterator[RowChange]:
    """The changes with the value of a new claim as one that changed, where one claim of its page,
    and no other, had another value under its key and is struck, gone or updated by it now."""
    ended = {
        (each.page, each.id, each.name if each.kind == "tie" else "")
        for each in changes
        if (each.kind in ("strike", "tie") and each.verb == "added")
        or (each.kind in ITEMS and each.verb == "gone")
    }
    held: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for item in old.items.values():
        for row, value in item.rows.items():
            if row.kind == "slot":
                held.setdefault((item.path, fold(row.name)), []).append((item.id, value))
    for each in changes:
        if each.kind == "slot" and each.verb == "added" and (each.id, each.page) in new.items:
            over = [
                (ident, value)
                for ident, value in held.get((each.page, fold(each.name)), ())
                if {(each.page, ident, ""), (each.page, ident, f"{UPDATED_BY} {each.id}")} & ended
                and ident != each.id
            ]
            if len(over) == 1 and fold(over[0][1]) != fold(each.after):
                yield replace(each, verb="changed", other=over[0][0], before=over[0][1])
                continue
        yield each


# --- pages -------------------------------------------------------------------------------------


def _moves(
    old: _State, new: _State, pairs: Iterable[Pair], joined: Mapping[str, _Item]
) -> PageMoves:
    shared: Counter[tuple[str, str]] = Counter()
    for one, current in pairs:
        here = current or (joined.get(one.id) if one else None)
        if one is not None and here is not None and one.path != here.path:
            shared[one.path, here.path] += 1
    return page_moves(old.pages, new.pages, shared)


def _of_pages(old: _State, new: _State, moves: PageMoves) -> Iterator[RowChange]:
    """The changes of rows that are of no claim; a renamed page is compared with itself."""
    was, now = _led(old, moves), _led(new, PageMoves({}, {}))
    origin = {path: before for before, path in moves.renamed.items()}
    for path in sorted({*was.own, *now.own}):
        if path in origin:
            yield RowChange("page", "moved", path, "", origin[path], path, path)
        for each in _differing(was.own.get(path, {}), now.own.get(path, {}), path):
            is_gone = each.kind == "page" and each.verb == "gone"
            yield replace(each, other=moves.merged.get(path, "")) if is_gone else each
    for each in _differing(was.shared, now.shared, ""):
        yield replace(each, page=(now if each.verb != "gone" else was).homes[each.row])


class _PageRows(NamedTuple):
    """The rows of pages that are of no claim."""

    own: dict[str, Rows]
    """By path."""
    shared: Rows
    """Those that two pages may tell: relations and mutual ties."""
    homes: dict[Row, str]
    """Of the shared ones: a page that tells it; of a relation the page that does it, if it does."""


def _led(state: _State, moves: PageMoves) -> _PageRows:
    """The rows with pages under the names that they have after the moves."""
    led = (*moves.renamed.items(), *moves.merged.items())
    stems = {stem_of(was): stem_of(path) for was, path in led}
    found = _PageRows({}, {}, {})
    for path, held in state.of_pages.items():
        here = moves.renamed.get(path, path)
        for row, value in held.items():
            if row.kind == "relation":
                label, arrow, other = row.name.rpartition(TO)
                name = f"{label}{arrow}{stems.get(other, other)}"
                same = Row(row.kind, stems.get(row.id, row.id), name)
                sources = {*found.shared.get(same, "").split(), *value.split()}
                found.shared[same] = " ".join(sorted(sources))
                found.homes.setdefault(same, here)
                if stem_of(here) == same.id:
                    found.homes[same] = here
            elif row.kind == "tie":
                found.shared[row] = value
                found.homes.setdefault(row, here)
            else:
                same = row._replace(id=here) if row.id == path else row
                found.own.setdefault(here, {})[same] = value
    return found


# --- what became of pages ------------------------------------------------------------------------


class PageMoves(NamedTuple):
    """What became of pages: each path to another one."""

    renamed: dict[str, str]
    """Before to after."""
    merged: dict[str, str]
    """One that is gone to the one that has its claims."""


def is_moving(node: PageNode) -> bool:
    """Whether a node is one that keeps its identity on another page: a claim or a note."""
    return node.kind in ("c", "n") and len(node.key) == 2


def homes_on(pages: Pages) -> dict[Key, str]:
    """Where each claim and note stands; the first by path."""
    found: dict[Key, str] = {}
    for path, page in sorted(pages.items()):
        for node in page.body:
            if is_moving(node):
                found.setdefault(node.key, path)
    return found


def went_to(page: Page, pages: Pages) -> str:
    """The one of the pages that most claims of a page stand on; empty: none does."""
    homes = homes_on(pages)
    found = Counter(homes[node.key] for node in page.body if node.key in homes)
    return min(found, key=lambda path: (-found[path], path), default="")


def page_moves(
    before: Pages, after: Pages, shared: Mapping[tuple[str, str], int] | None = None
) -> PageMoves:
    """What became of pages. `shared`: how many claims of a page are on another one, by their
    paths, where that is known already.

    A page without claims is known by its title or its words.
    """
    if shared is None:
        was, now = homes_on(before), homes_on(after)
        shared = Counter((was[key], now[key]) for key in was if now.get(key, was[key]) != was[key])
    gone = before.keys() - after.keys()
    came = sorted(after.keys() - before.keys())
    found = Counter(shared)
    for path in sorted(gone - {origin for origin, _path in shared}):
        same = [other for other in came if _is_same_page(before[path], after[other])]
        found.update((path, other) for other in same[:1])
    moves = PageMoves({}, {})
    for (path, other), _count in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])):
        if {path, other} & {*moves.renamed, *moves.renamed.values(), *moves.merged}:
            continue
        if path in gone and other in came:
            moves.renamed[path] = other
        elif path in gone:
            moves.merged[path] = other
    return moves


def _is_same_page(old: Page, new: Page) -> bool:
    """Whether two pages without claims in common are one under two names."""
    try:
        if old.title == new.title or old.title in new.aliases:
            return old.type == new.type
    except PageError:
        return False
    one, other = (
        bare("\n".join(n.raw for n in page.body if n.kind != "h1")) for page in (old, new)
    )
    return bool(one.strip()) and one == other
