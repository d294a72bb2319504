"""The events between two states of pages: of their claims, and of the pages themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from llmwiki.pages import links
from llmwiki.pages.changes import Changes, PageChange, diff
from llmwiki.pages.claim_facts import ClaimPlace
from llmwiki.pages.dress import bare, markdown_of, read
from llmwiki.pages.events import (
    ClaimMatches,
    EventKind,
    MemoryEvent,
    MemoryEvents,
    Titled,
    body_change,
    claim_events,
    counted_quiet,
    front_change,
    matched_claims,
    titles_in,
)
from llmwiki.pages.names import stem_of
from llmwiki.pages.nodes import Change
from llmwiki.pages.page import SECTIONS, Page
from llmwiki.pages.relations import read_relation
from llmwiki.pages.syntax import PageError

_CONTRADICTION = re.compile(r">[ \t]*\[!warning\] Contradiction\b", re.IGNORECASE)
_QUIET_NODES = {
    "record": "record",
    "fn": "footnote",
    "tail": "blank line",
}
_DERIVED = {"generated", "sources", "sha256", "text", "read", "type", "fetched", "origin", "copied"}
"""Keys of frontmatter that follow from what else changed, or that events of sources tell."""


def events_of(
    changes: Changes, before: Mapping[str, Page], after: Mapping[str, Page], kind: str = ""
) -> MemoryEvents:
    """What the changes from `before` to `after` mean; `kind` is that of the operation, if it is
    one."""
    titled = titles_in(before, after)
    found = matched_claims(changes, before, after)
    events = list(claim_events(found, titled, kind))
    fates = _fates(changes, before, after, found)
    quiet: Counter[str] = Counter()
    for item in changes.pages:
        old, new = before.get(item.path), after.get(item.path)
        fate = fates.get(item.path)
        events += _Teller(item, old, new, titled).of_page(fate)
        inner = item
        if new is not None and fate is not None and fate.kind == "page-renamed":
            old = Page(item.path, before[fate.other].node)
            inner = next(iter(diff({item.path: old}, {item.path: new}).pages), _SAME)
        teller = _Teller(inner, old, new, titled)
        events += teller.of_source()
        if new is not None:
            events += (*teller.of_front(), *teller.of_body())
        _count_quiet(inner, found, quiet)
    events = _retractions(_without_mirrors(events))
    lines = _line_numbers(before, after, changes)
    order = {item.path: number for number, item in enumerate(changes.pages)}
    events.sort(key=lambda e: (order.get(e.path, -1), lines.get(e.place, -1)))
    return MemoryEvents(tuple(events), counted_quiet(quiet))


_SAME = PageChange("", True, True, Change())
"""Of a page that is renamed and else as it was."""


def _line_numbers(
    before: Mapping[str, Page], after: Mapping[str, Page], changes: Changes
) -> dict[ClaimPlace, int]:
    """Where on its page each claim stands, or stood: the number of its node."""
    found: dict[ClaimPlace, int] = {}
    for pages in (before, after):
        for path in changes.paths:
            page = pages.get(path)
            for number, node in enumerate(page.body if page else ()):
                if node.kind in ("c", "n"):
                    found[ClaimPlace(path, node.key[1], "".join(node.key[2:]))] = number
    return found


def _without_mirrors(events: Sequence[MemoryEvent]) -> list[MemoryEvent]:
    """A contradiction stands on the pages of both claims: it is told once."""
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for event in events:
        if event.kind in ("claim-contradicted", "claim-reconciled"):
            one, other = sorted((event.claim, event.after))
            if (event.kind, one, other) in seen:
                continue
            seen.add((event.kind, one, other))
        kept.append(event)
    return kept


def _retractions(events: Sequence[MemoryEvent]) -> list[MemoryEvent]:
    """A claim that goes with all its sources is retracted with them."""
    gone = {stem_of(e.path) for e in events if e.kind == "source-retracted"}
    return [
        replace(event, kind="claim-retracted")
        if event.kind == "claim-taken-out"
        and event.facts is not None
        and event.facts.evidence
        and {each.source for each in event.facts.evidence} <= gone
        else event
        for event in events
    ]


# --- pages that come and go ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Fate:
    """What became of a page that is gone, or where one that is new came from."""

    kind: EventKind
    other: str


def _fates(
    changes: Changes, before: Mapping[str, Page], after: Mapping[str, Page], found: ClaimMatches
) -> dict[str, _Fate]:
    """Of pages that came or went beside others: `path` to its fate."""
    created = [p.path for p in changes.pages if p.exists and not p.existed]
    removed = [p.path for p in changes.pages if p.existed and not p.exists]
    shared = _shared(found)
    for path in sorted({*removed} - {old for old, _new in shared}):
        same = (other for other in created if _is_same_page(before[path], after[other]))
        shared.update((path, other) for other in list(same)[:1])
    fates: dict[str, _Fate] = {}
    for (path, other), _count in sorted(shared.items(), key=lambda row: (-row[1], row[0])):
        if path in fates or other in fates:
            continue
        if path in removed and other in created:
            fates[path], fates[other] = _Fate("page-retired", ""), _Fate("page-renamed", path)
        elif path in removed:
            fates[path] = _Fate("page-merged", other)
        elif other in created and path in after:
            fates[other] = _Fate("page-split", path)
    return fates


def _shared(found: ClaimMatches) -> Counter[tuple[str, str]]:
    """How many claims went from one page to another, or were joined to one there."""
    went = [(pair.old.path, pair.new.path) for pair in found.pairs]
    went += [(old.path, place.path) for old, place in found.joined.items()]
    return Counter(pair for pair in went if pair[0] != pair[1])


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


class _Teller:
    """Tells the events of one page."""

    def __init__(self, item: PageChange, old: Page | None, new: Page | None, titled: Titled):
        self.item = item
        self.old = old
        self.new = new
        self._path = new.path if new is not None else item.path
        self._title, self._type = titled(self._path)

    def event(
        self, kind: EventKind, *, name: str = "", before: str = "", after: str = ""
    ) -> MemoryEvent:
        """An event of this page."""
        whose = (self._path, self._title, self._type)
        return MemoryEvent(kind, *whose, name=name, before=before, after=after)

    def of_page(self, fate: _Fate | None) -> Iterator[MemoryEvent]:
        """That the page came, went, or is another's continuation."""
        if self.new is None:
            if fate is None or fate.kind == "page-merged":
                yield self.event(
                    fate.kind if fate else "page-retired", after=fate.other if fate else ""
                )
        elif self.old is None:
            about = _scalar(self.new, "description")
            if fate is None:
                yield self.event("page-created", after=about)
            else:
                yield self.event(fate.kind, before=fate.other, after=about)
        elif _scalar(self.old, "status") != _scalar(self.new, "status") == "deprecated":
            yield self.event("page-retired", name="deprecated")

    def of_source(self) -> Iterator[MemoryEvent]:
        """What happened to the source that the page is of."""
        if self._type != "source" or self.new is None:
            return
        was, now = (_scalar(page, "sha256") for page in (self.old, self.new))
        name = _scalar(self.new, "source")
        if self.old is None:
            yield self.event("source-read", name=name, after=now)
        elif was != now:
            yield self.event("source-version", name=name, before=was, after=now)
        if _scalar(self.old, "status") != _scalar(self.new, "status") == "retracted":
            yield self.event("source-retracted", name=name)

    def of_front(self) -> Iterator[MemoryEvent]:
        """Names, tags and what the page says that it is."""
        for key, gained, lost in _LISTS:
            was, now = (_words(page, key) for page in (self.old, self.new))
            yield from (self.event(lost, name=word) for word in was if word not in now)
            yield from (self.event(gained, name=word) for word in now if word not in was)
        if self.old is None or self.new is None:
            return
        for key, kind in _SCALARS:
            was_so, is_so = (_scalar(page, key) for page in (self.old, self.new))
            if was_so != is_so:
                yield self.event(kind, before=was_so, after=is_so)

    def of_body(self) -> Iterator[MemoryEvent]:
        """Lead, relations, links and prose."""
        body = body_change(self.item)
        for node in (*body.removed, *body.added):
            relation = read_relation(node.raw) if node.kind == "rel" else None
            if relation is not None:
                kind: EventKind = "relation-lost" if node in body.removed else "relation-gained"
                yield self.event(kind, name=relation.label, after=relation.target)
        if self.old is None or self.new is None:
            return
        was, now = (read(page.lead) for page in (self.old, self.new))
        if was != now:
            yield self.event("lead-changed", before=was, after=now)
        targets, here = _targets(self.old), _targets(self.new)
        for key in sorted(targets.keys() - here.keys()):
            yield self.event("link-lost", name=targets[key])
        for key in sorted(here.keys() - targets.keys()):
            yield self.event("link-gained", name=here[key])
        before, after = _prose(self.old, self.new)
        if before != after:
            yield self.event("prose-changed", before=before, after=after)


_LISTS: tuple[tuple[str, EventKind, EventKind], ...] = (
    ("aliases", "alias-gained", "alias-lost"),
    ("tags", "tag-gained", "tag-lost"),
)
_SCALARS: tuple[tuple[str, EventKind], ...] = (
    ("title", "title-changed"),
    ("description", "description-changed"),
)


def _scalar(page: Page | None, key: str) -> str:
    try:
        return page.value(key) if page else ""
    except PageError:
        return ""


def _words(page: Page | None, key: str) -> tuple[str, ...]:
    try:
        return page.words(key) if page else ()
    except PageError:
        return ()


def _targets(page: Page) -> dict[str, str]:
    """Pages that the body links to, folded name to name; links to sources and claims are not."""
    shown = "\n".join(
        markdown_of(n.raw) if n.kind in ("c", "n") else n.raw
        for n in page.body
        if n.kind in ("lead", "c", "n", "x", "h") and not _CONTRADICTION.match(n.raw)
    )
    return {name.casefold(): name for name in sorted(links.targets(shown))}


def _prose(old: Page, new: Page) -> tuple[str, str]:
    """What people wrote that only one of two states of a page has."""
    one, other = (list(_foreign(page)) for page in (old, new))
    was, now = Counter(one), Counter(other)
    return (
        "\n\n".join(text for text in one if was[text] > now[text]),
        "\n\n".join(text for text in other if now[text] > was[text]),
    )


def _foreign(page: Page) -> Iterator[str]:
    """Paragraphs and headings that are no line of the tool's grammar, and remarks below claims."""
    for node in page.body:
        is_persons = node.kind == "h" and node.key[2] not in SECTIONS
        if is_persons or (node.kind == "x" and not _CONTRADICTION.match(node.raw)):
            yield node.raw
        elif node.kind in ("c", "n"):
            yield from (part.raw for part in node.parts if part.kind == "x")


def _count_quiet(item: PageChange, found: ClaimMatches, quiet: Counter[str]) -> None:
    """Counts what changed on a page that stays and that no event tells of."""
    if not (item.existed and item.exists):
        return
    body, front = body_change(item), front_change(item)
    for node in (*body.added, *body.removed):
        quiet[_QUIET_NODES.get(node.kind, "")] += 1
    for key, _inner in body.changed:
        quiet[_QUIET_NODES.get(key[0], "")] += 1
    for node in (*front.added, *front.removed):
        quiet["mark"] += node.key[-1] in _DERIVED
    quiet["mark"] += sum(key[-1] in _DERIVED for key, _inner in front.changed)
    for pair in found.pairs:
        if pair.old == pair.new and pair.new.path == item.path and pair.before == pair.after:
            quiet["in-text link"] += 1
    if not (body.added or body.removed) and body.before != body.after:
        quiet["reordering"] += 1
    del quiet[""]
