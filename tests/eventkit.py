"""What claims hold, from the events that changed it: the other way round of `pages.events`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from llmwiki.pages.claim_facts import ClaimFacts, ClaimPlace, facts_of_node, place_of
from llmwiki.pages.events import MemoryEvent
from llmwiki.pages.page import Page


def facts_of(pages: Mapping[str, Page]) -> dict[ClaimPlace, ClaimFacts]:
    """The facts of all claims and notes on these pages."""
    return {
        place_of(path, node): facts_of_node(node)
        for path, page in pages.items()
        for node in page.body
        if node.kind in ("c", "n")
    }


def fold(
    facts: Mapping[ClaimPlace, ClaimFacts], events: Iterable[MemoryEvent]
) -> dict[ClaimPlace, ClaimFacts]:
    """The claims of a state after the events."""
    listed = list(events)
    held = dict(facts)
    for event in listed:
        if event.kind in ("claim-retracted", "claim-taken-out", "claim-joined"):
            del held[event.place]
    shifted = {event.place: held.pop(_came_from(event)) for event in listed if _shifts(event)}
    held |= shifted
    for event in listed:
        if event.kind == "claim-added" and event.facts is not None:
            held[event.place] = event.facts
    for event in listed:
        if event.claim and event.place in held:
            held[event.place] = _after(held[event.place], event)
    return held


def _shifts(event: MemoryEvent) -> bool:
    return event.kind in ("claim-moved", "claim-reidentified")


def _came_from(event: MemoryEvent) -> ClaimPlace:
    if event.kind == "claim-moved":
        return ClaimPlace(event.before, event.claim, "")
    claim, _, number = event.before.partition("#")
    return ClaimPlace(event.path, claim, number)


def _after(facts: ClaimFacts, event: MemoryEvent) -> ClaimFacts:
    if event.kind == "claim-reworded":
        return replace(facts, text=event.after)
    if event.kind in ("claim-superseded", "claim-struck", "claim-revived"):
        return replace(facts, successor=event.after or None)
    if event.kind in ("claim-updated", "claim-reattributed"):
        kept = set(facts.attributes) - {(event.name, event.op, event.before)}
        if event.after:
            kept.add((event.name, event.op, event.after))
        return replace(facts, attributes=tuple(sorted(kept)))
    if event.evidence is not None and event.kind.startswith("evidence-"):
        held = {each.identity: each for each in facts.evidence}
        held.pop(event.evidence.identity, None)
        if event.kind != "evidence-lost":
            held[event.evidence.identity] = event.evidence
        return replace(facts, evidence=tuple(held[key] for key in sorted(held)))
    return facts
