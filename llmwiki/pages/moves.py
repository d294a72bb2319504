"""Claims and notes that move from page to page, and changes that follow them.

A claim is one thing, on whatever page it stands. A change that was made while it stood on another
page is done where it stands now, and what it has gained since goes along with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from llmwiki.pages import nodes
from llmwiki.pages.nodes import Change, Conflict, Key, PageNode

_BODY: Key = ("body",)
_TIED = frozenset({"rel", "fn"})
"""Kinds of lines that go with the claims of a page that is merged into another one."""


class ClaimMove(NamedTuple):
    """A claim or note that left one page for another."""

    id: str
    before: str
    """Path of the page it stood on."""
    after: str
    """Path of the page it stands on then."""


class PageMove(NamedTuple):
    """What has become of a page."""

    path: str
    """Where it stands now, or the page that has its claims."""
    is_same: bool
    """Whether it is the page itself under another name; False: it was merged into another one."""


class _Home(NamedTuple):
    path: str
    node: PageNode


@dataclass(slots=True)
class FollowedChanges:
    """Changes of pages, done where their claims stand now."""

    changes: dict[str, Change]
    """Path to what happens there."""
    rewritten: set[str] = field(default_factory=set)
    """The paths of which `changes` says something else than was asked for."""
    carried: set[tuple[str, str]] = field(default_factory=set)
    """(page that a claim leaves as it is now, page that it goes to)."""
    conflicts: list[tuple[str, Conflict]] = field(default_factory=list)


def is_moving(node: PageNode) -> bool:
    """Whether a node is one that keeps its identity on another page: a claim or a note."""
    return node.kind in ("c", "n") and len(node.key) == 2


def moves_of(changes: Mapping[str, Change]) -> tuple[ClaimMove, ...]:
    """The claims and notes that the changes of pages, by path, take from one page to another."""
    lost, gained = _lost_and_gained(changes)
    found = (
        ClaimMove(key[1], lost[key].path, home.path)
        for key, home in gained.items()
        if key in lost and lost[key].path != home.path
    )
    return tuple(sorted(found))


def renames_of(gone: Mapping[str, Change], came: Mapping[str, Change]) -> dict[str, str]:
    """Which of the pages that come is which of those that go: path before to path after."""
    found: dict[str, str] = {}
    new = {path: _keys(_body_of(change).added) for path, change in sorted(came.items())}
    for path, change in sorted(gone.items()):
        old = _keys(_body_of(change).removed)
        free = [other for other in new if other not in found.values()]
        alike = [other for other in free if _is_renamed(old, new[other])]
        if alike:
            found[path] = max(alike, key=lambda other: (len(old & new[other]), other))
    return found


def _keys(parts: Iterable[PageNode]) -> frozenset[Key]:
    """What the lines of a page are known by; its title and footnotes tell nothing."""
    return frozenset(
        (*node.key, node.raw) if node.kind == "lead" else node.key
        for node in parts
        if node.kind not in ("h1", "fn", "tail")
    )


def _is_renamed(old: frozenset[Key], new: frozenset[Key]) -> bool:
    claims = {key for key in old if key[0] in ("c", "n")}
    return claims <= new if claims else len(old & new) * 2 > len(old | new)


def _lost_and_gained(
    changes: Mapping[str, Change],
) -> tuple[dict[Key, _Home], dict[Key, _Home]]:
    bodies = {path: _body_of(change) for path, change in sorted(changes.items())}
    lost = _single((path, n) for path, body in bodies.items() for n in body.removed)
    gained = _single((path, n) for path, body in bodies.items() for n in body.added)
    return lost, gained


def _single(placed: Iterable[tuple[str, PageNode]]) -> dict[Key, _Home]:
    """Where each claim and note is; those that are on two pages are nowhere to be followed to."""
    found: dict[Key, _Home | None] = {}
    for path, node in placed:
        if is_moving(node):
            found[node.key] = None if node.key in found else _Home(path, node)
    return {key: home for key, home in found.items() if home is not None}


def places_of(changes: Mapping[str, Change]) -> dict[str, list[str]]:
    """Id of each claim and note that changes name, to the pages on which they do, by path."""
    found: dict[str, list[str]] = {}
    for path, change in sorted(changes.items()):
        body = _body_of(change)
        named = {node.key for node in (*body.removed, *body.added)}
        named.update(key for key, _inner in body.changed)
        for key in sorted(named):
            if key[0] in ("c", "n") and len(key) == 2:
                found.setdefault(key[1], []).append(path)
    return found


def followed(changes: Mapping[str, Change], bodies: Mapping[str, PageNode]) -> FollowedChanges:
    """The changes, done where each claim and note stands.

    `bodies` are the bodies of the pages there are now, by path. A claim that the changes move, and
    that somebody has moved elsewhere since, stays there; one that is no more is not brought back.
    """
    homes = _single((path, node) for path, body in bodies.items() for node in body.parts)
    done = FollowedChanges(dict(changes))
    lost, gained = _lost_and_gained(changes)
    for ident, named in sorted(places_of(changes).items()):
        key = (ident[0], ident)
        old, new, home = lost.get(key), gained.get(key), homes.get(key)
        if old and new and old.path != new.path:
            _move(done, old, new, home)
        elif home is not None and len(named) == 1 and named[0] != home.path:
            _lead(done, key, named[0], home.path)
    return done


def _move(done: FollowedChanges, old: _Home, new: _Home, home: _Home | None) -> None:
    """Moves a claim, as it is now, from the one page to the other."""
    key = old.node.key
    change = nodes.diff(old.node, new.node)
    if home is None:
        _put(done, new.path, _without(_body_at(done, new.path), key))
        done.conflicts.append((new.path, Conflict(key, "", new.node.raw)))
    elif home.path == old.path:
        if home.node != old.node:
            node, found = nodes.apply(change, home.node)
            done.conflicts += [(new.path, conflict) for conflict in found]
            _swap(done, old.path, home.node, is_removed=True)
            _swap(done, new.path, node, is_removed=False)
            done.carried.add((old.path, new.path))
    else:
        # Somebody has moved it: there it stays, and only what was worded is taken along.
        for path in (old.path, new.path):
            _put(done, path, _without(_body_at(done, path), key))
        if change:
            body = _body_at(done, home.path)
            _put(done, home.path, replace(body, changed=(*body.changed, (key, change))))


def _lead(done: FollowedChanges, key: Key, path: str, home: str) -> None:
    """Does on the page at `home` what is asked for a claim on the page at `path`."""
    body = _body_at(done, path)
    _put(done, path, _without(body, key))
    _put(done, home, _joined(_body_at(done, home), _only(body, key)))


def tied(change: Change) -> Change:
    """What of a page's change goes with its claims where the page was merged into another one."""
    body = _body_of(change)
    return _of_body(
        Change(
            removed=tuple(n for n in body.removed if n.kind in _TIED or is_moving(n)),
            added=tuple(n for n in body.added if n.kind in _TIED or is_moving(n)),
            changed=tuple(c for c in body.changed if c[0][0] in (*_TIED, "c", "n")),
        )
    )


def joined(one: Change, other: Change) -> Change:
    """A page's change and what another page's change does to its lines as well."""
    return _with_body(one, _joined(_body_of(one), _body_of(other)))


def worded(change: Change) -> tuple[str, ...]:
    """What a page's change takes out or puts in that is bound to that page: its lead, prose."""
    body = _body_of(change)
    own = [n.raw for n in (*body.added, *body.removed) if n.kind in ("lead", "x")]
    changed = [inner.raw[1] for key, inner in body.changed if key[0] == "lead" and inner.raw]
    return (*own, *changed)


# --- the parts of changes ------------------------------------------------------------------


def _body_of(change: Change) -> Change:
    return dict(change.changed).get(_BODY, Change())


def _of_body(body: Change) -> Change:
    return Change(changed=((_BODY, body),)) if body else Change()


def _with_body(change: Change, body: Change) -> Change:
    rest = tuple(pair for pair in change.changed if pair[0] != _BODY)
    return replace(change, changed=(*rest, (_BODY, body)) if body else rest)


def _body_at(done: FollowedChanges, path: str) -> Change:
    return _body_of(done.changes.get(path, Change()))


def _put(done: FollowedChanges, path: str, body: Change) -> None:
    done.changes[path] = _with_body(done.changes.get(path, Change()), body)
    done.rewritten.add(path)


def _swap(done: FollowedChanges, path: str, node: PageNode, *, is_removed: bool) -> None:
    """Puts a node in the place of the one with its key in what goes, or comes, at a path."""
    body = _body_at(done, path)
    held = body.removed if is_removed else body.added
    new = tuple(node if part.key == node.key else part for part in held)
    _put(done, path, replace(body, removed=new) if is_removed else replace(body, added=new))


def _only(body: Change, key: Key) -> Change:
    return Change(
        removed=tuple(n for n in body.removed if n.key == key),
        added=tuple(n for n in body.added if n.key == key),
        changed=tuple(pair for pair in body.changed if pair[0] == key),
    )


def _without(body: Change, key: Key) -> Change:
    return replace(
        body,
        removed=tuple(n for n in body.removed if n.key != key),
        added=tuple(n for n in body.added if n.key != key),
        changed=tuple(pair for pair in body.changed if pair[0] != key),
    )


def _joined(one: Change, other: Change) -> Change:
    """Both changes as one. What the one takes out and the other puts in stays, as it is then."""
    gone = {n.key for n in one.removed}
    came = {n.key for n in one.added}
    edited = {key for key, _inner in one.changed}
    removed = (*one.removed, *(n for n in other.removed if n.key not in gone))
    added = (*one.added, *(n for n in other.added if n.key not in came))
    changed = (*one.changed, *(pair for pair in other.changed if pair[0] not in edited))
    was, now = ({n.key: n for n in held} for held in (removed, added))
    stays = was.keys() & now.keys()
    worded_anew = ((key, nodes.diff(was[key], now[key])) for key in sorted(stays))
    return replace(
        one,
        removed=tuple(n for n in removed if n.key not in stays),
        added=tuple(n for n in added if n.key not in stays),
        changed=(*changed, *((key, inner) for key, inner in worded_anew if inner)),
    )
