"""What a difference between two states of memory means, as a list of events.

An event is a sentence about memory: a claim was added, lost evidence, moved to another page. All
that tells people of a difference (commit messages, `diff`, `why`, reviews) tells of these values.

Nothing that claims hold changes without an event: the facts after a difference follow from those
before it and its events. What people need not look at is only counted; see `MemoryEvents.quiet`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from llmwiki.core.claim_attributes import UPDATED_BY
from llmwiki.core.text import fold
from llmwiki.pages.changes import Changes, PageChange
from llmwiki.pages.claim_facts import (
    ClaimFacts,
    ClaimPlace,
    facts_of_node,
    place_of,
)
from llmwiki.pages.nodes import Change, Key, PageNode
from llmwiki.pages.page import Evidence, Page
from llmwiki.pages.syntax import PageError

EventKind = Literal[
    "page-created",
    "page-renamed",
    "page-merged",
    "page-split",
    "page-retired",
    "claim-added",
    "claim-reworded",
    "claim-moved",
    "claim-superseded",
    "claim-struck",
    "claim-revived",
    "claim-updated",
    "claim-reattributed",
    "claim-reidentified",
    "claim-joined",
    "claim-retracted",
    "claim-taken-out",
    "claim-contradicted",
    "claim-reconciled",
    "evidence-gained",
    "evidence-lost",
    "evidence-relocated",
    "source-read",
    "source-version",
    "source-retracted",
    "title-changed",
    "description-changed",
    "lead-changed",
    "alias-gained",
    "alias-lost",
    "tag-gained",
    "tag-lost",
    "relation-gained",
    "relation-lost",
    "link-gained",
    "link-lost",
    "prose-changed",
]


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """One thing that happened to memory."""

    kind: EventKind
    path: str
    """Of the page it concerns as it is after, or as it was where it is gone."""
    title: str = ""
    """The title of that page."""
    page_type: str = ""
    claim: str = ""
    """The id of the claim or note it concerns; empty of events of pages."""
    number: str = ""
    """See `ClaimPlace`."""
    text: str = ""
    """What that claim says after; before, where it is gone."""
    name: str = ""
    """Of an attribute, alias, tag, relation or link: which one."""
    op: str = ""
    """Of an attribute: `:`, or `=` of a slot."""
    before: str = ""
    """What stood before: words, a value, an id, a path, by the kind."""
    after: str = ""
    evidence: Evidence | None = None
    """The evidence gained, lost, or as it is relocated."""
    facts: ClaimFacts | None = None
    """All that an added claim holds, or that one held which is gone."""

    @property
    def place(self) -> ClaimPlace:
        """Where the claim stands after."""
        return ClaimPlace(self.path, self.claim, self.number)


@dataclass(frozen=True, slots=True)
class MemoryEvents:
    """What happened between two states."""

    events: tuple[MemoryEvent, ...] = ()
    """By page, and on a page in the order of its lines."""
    quiet: tuple[tuple[str, int], ...] = ()
    """What else changed, by its name in the singular, counted: `in-text link`, `record` of a
    source, `footnote`, `mark`, `reordering` …"""

    def __bool__(self) -> bool:
        return bool(self.events or self.quiet)

    def of(self, *kinds: EventKind) -> tuple[MemoryEvent, ...]:
        """The events of these kinds."""
        return tuple(event for event in self.events if event.kind in kinds)


# --- claims ----------------------------------------------------------------------------------


class ClaimPair(NamedTuple):
    """One claim before and after."""

    old: ClaimPlace
    new: ClaimPlace
    before: ClaimFacts
    after: ClaimFacts


@dataclass(slots=True)
class ClaimMatches:
    """Which claims of two states are one, as far as they differ."""

    pairs: list[ClaimPair]
    gone: dict[ClaimPlace, ClaimFacts]
    came: dict[ClaimPlace, ClaimFacts]
    joined: dict[ClaimPlace, ClaimPlace]
    """Those of `gone` of which another one has words and evidence."""
    renamed: dict[ClaimPlace, ClaimPlace]
    """Those that stand under another id on the same page."""


def matched_claims(
    changes: Changes, before: Mapping[str, Page], after: Mapping[str, Page]
) -> ClaimMatches:
    """Pairs claims by their ids, wherever they stand, and else by what they hold."""
    found = ClaimMatches([], {}, {}, {}, {})
    for item in changes.pages:
        body = body_change(item)
        found.gone |= _facts(item.path, body.removed)
        found.came |= _facts(item.path, body.added)
        keys = [key for key, _inner in body.changed if key[0] in ("c", "n")]
        old, new = (_nodes(pages.get(item.path), keys) for pages in (before, after))
        for key in keys:
            place = place_of(item.path, new[key])
            pair = ClaimPair(place, place, facts_of_node(old[key]), facts_of_node(new[key]))
            found.pairs.append(pair)
    _match_moves(found)
    _match_equals(found)
    _match_joins(found, after)
    return found


def _facts(path: str, nodes: Iterable[PageNode]) -> dict[ClaimPlace, ClaimFacts]:
    return {place_of(path, n): facts_of_node(n) for n in nodes if n.kind in ("c", "n")}


def _nodes(page: Page | None, keys: Sequence[Key]) -> dict[Key, PageNode]:
    wanted = set(keys)
    return {node.key: node for node in page.body if node.key in wanted} if page and keys else {}


def _match_moves(found: ClaimMatches) -> None:
    """A claim that left one place and came to one other has moved."""
    came = _once(found.came)
    for claim, old in _once(found.gone).items():
        new = came.get(claim)
        if new is not None and not (old.number or new.number):
            pair = ClaimPair(old, new, found.gone.pop(old), found.came.pop(new))
            found.pairs.append(pair)


def _once(places: Iterable[ClaimPlace]) -> dict[str, ClaimPlace]:
    """Id to place, of the ids that stand in one place only."""
    held: dict[str, list[ClaimPlace]] = {}
    for place in places:
        held.setdefault(place.id, []).append(place)
    return {claim: each[0] for claim, each in held.items() if len(each) == 1}


def _match_equals(found: ClaimMatches) -> None:
    by_facts = {(place.path, facts): place for place, facts in reversed(found.came.items())}
    for old, facts in list(found.gone.items()):
        new = by_facts.pop((old.path, facts), None)
        if new is not None:
            found.renamed[old] = new
            del found.gone[old], found.came[new]


def _match_joins(found: ClaimMatches, after: Mapping[str, Page]) -> None:
    """A claim is joined where one with the same words has all its evidence."""
    paths = {place.path for place in (*found.gone, *found.came, *(p.new for p in found.pairs))}
    if not found.gone:
        return
    said: dict[str, list[tuple[ClaimPlace, ClaimFacts]]] = {}
    for path in sorted(paths & after.keys()):
        for place, facts in _facts(path, after[path].body).items():
            said.setdefault(fold(facts.text), []).append((place, facts))
    for old, facts in found.gone.items():
        needed = {each.identity for each in facts.evidence}
        for place, other in said.get(fold(facts.text), ()):
            if needed and needed <= {each.identity for each in other.evidence}:
                found.joined[old] = place
                break


def body_change(item: PageChange) -> Change:
    """What happens to the body of a page."""
    return _part_change(item.change, ("body",))


def front_change(item: PageChange) -> Change:
    """What happens to the frontmatter of a page."""
    return _part_change(item.change, ("front",))


def _part_change(change: Change, key: Key) -> Change:
    inner = dict(change.changed).get(key)
    if inner is not None:
        return inner
    gone = [n for part in change.removed if part.key == key for n in part.parts]
    came = [n for part in change.added if part.key == key for n in part.parts]
    return Change(removed=tuple(gone), added=tuple(came))


Titled = Callable[[str], tuple[str, str]]
"""Path to the title and the type of the page there, after or else before."""


def claim_events(found: ClaimMatches, titled: Titled, kind: str) -> Iterator[MemoryEvent]:
    """The events of claims and notes, in no order. `kind` is that of the operation."""

    def event(
        what: EventKind,
        place: ClaimPlace,
        facts: ClaimFacts,
        *,
        name: str = "",
        op: str = "",
        before: str = "",
        after: str = "",
    ) -> MemoryEvent:
        whose = (place.path, *titled(place.path), place.id, place.number)
        return MemoryEvent(what, *whose, facts.text, name, op, before, after)

    for place, facts in found.gone.items():
        into = found.joined.get(place)
        if into is not None:
            yield event("claim-joined", place, facts, after=into.id)
        else:
            what: EventKind = "claim-retracted" if kind == "retract" else "claim-taken-out"
            yield replace(event(what, place, facts, name=kind), facts=facts)
    for old, new in found.renamed.items():
        title, page_type = titled(new.path)
        yield MemoryEvent(
            "claim-reidentified", new.path, title, page_type, new.id, new.number,
            before="#".join(filter(None, old[1:])),
        )  # fmt: skip
    for place, facts in found.came.items():
        yield replace(event("claim-added", place, facts), facts=facts)
    for pair in found.pairs:
        old, new, before, after = pair
        if old != new:
            yield event("claim-moved", new, after, before=old.path, after=new.path)
        if before.text != after.text:
            yield event("claim-reworded", new, after, before=before.text, after=after.text)
        if before.successor != after.successor:
            yield event(
                _struck_kind(after.successor), new, after,
                before=before.successor or "", after=after.successor or "",
            )  # fmt: skip
        yield from _attribute_events(pair, event)
        yield from _evidence_events(pair, event)


def _struck_kind(successor: str | None) -> EventKind:
    if successor is None:
        return "claim-revived"
    return "claim-superseded" if successor.startswith("c-") else "claim-struck"


def _attribute_events(pair: ClaimPair, event: Callable[..., MemoryEvent]) -> Iterator[MemoryEvent]:
    """A value that changed is one event; links and what came or went are events of their own."""
    old, new = set(pair.before.attributes), set(pair.after.attributes)
    lost, gained = sorted(old - new), sorted(new - old)
    values = {(name, op): value for name, op, value in lost}
    for name, op, value in gained:
        if name == UPDATED_BY and value.startswith("c-"):
            yield event("claim-updated", pair.new, pair.after, name=name, op=op, after=value)
            continue
        is_link = op == ":" and value.startswith("c-")
        was = "" if is_link else values.get((name, op), "")
        if was:
            lost.remove((name, op, was))
        yield event(
            "claim-reattributed", pair.new, pair.after, name=name, op=op, before=was, after=value
        )
    for name, op, value in lost:
        yield event("claim-reattributed", pair.new, pair.after, name=name, op=op, before=value)


def _evidence_events(pair: ClaimPair, event: Callable[..., MemoryEvent]) -> Iterator[MemoryEvent]:
    old = {each.identity: each for each in pair.before.evidence}
    new = {each.identity: each for each in pair.after.evidence}
    for identity in sorted(old.keys() - new.keys()):
        yield replace(event("evidence-lost", pair.new, pair.after), evidence=old[identity])
    for identity in sorted(new.keys() - old.keys()):
        yield replace(event("evidence-gained", pair.new, pair.after), evidence=new[identity])
    for identity in sorted(old.keys() & new.keys()):
        was, now = old[identity], new[identity]
        if was != now:
            told = event("evidence-relocated", pair.new, pair.after)
            yield replace(told, before=was.span, after=now.span, evidence=now)


# --- all together ----------------------------------------------------------------------------


def title_of(page: Page | None, path: str) -> tuple[str, str]:
    """The title and the type of a page; by its file's name where its frontmatter is broken."""
    try:
        return (page.title, page.type) if page else (path, "")
    except PageError:
        return path.rpartition("/")[2].removesuffix(".md"), ""


def titles_in(before: Mapping[str, Page], after: Mapping[str, Page]) -> Titled:
    """Who says what the pages of two states are called."""
    return lambda path: title_of(after.get(path) or before.get(path), path)


def counted_quiet(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Counts by name, without those of nothing."""
    return tuple(sorted((name, count) for name, count in counts.items() if count))
