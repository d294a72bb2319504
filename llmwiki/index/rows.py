"""A page's row in the index: the facts without a column of their own, as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.index.facts import PageFacts

if TYPE_CHECKING:
    from llmwiki.pages.memory_notes import MemoryNote

SUMS = "n:"
"""The prefix under which the sums over all pages are tallied."""


class PackedFacts(NamedTuple):
    """The column `rest`: a JSON list in this order. Another order needs another `schema.FACTS`."""

    aliases: list[str]
    links: list[str]
    """Keys, sorted; see `pages.link_targets`."""
    tags: list[str]
    claims: list[str]
    struck: int
    sources: list[tuple[str, ...]]
    """The fields of each `SourceRef`."""
    broken: str
    """Why its frontmatter cannot be read; empty where it can."""
    cites: list[str]
    about: list[str]
    notes: list[list[Any]]
    """The fields of each note of the memory, its page excepted, in order."""


def pack(facts: PageFacts) -> str:
    """The facts that have no column of their own."""
    packed = PackedFacts(
        aliases=list(facts.aliases),
        links=sorted(facts.links),
        tags=list(facts.tags),
        claims=list(facts.claims),
        struck=facts.struck,
        sources=[(s.id, s.resource, s.sha256, s.origin, s.copied) for s in facts.sources],
        broken=facts.broken,
        cites=list(facts.cites),
        about=list(facts.about),
        notes=[[note.id, *note[2:]] for note in facts.notes],
    )
    return json.dumps(packed, ensure_ascii=False, separators=(",", ":"))


def read_packed(rest: str) -> PackedFacts:
    """What `pack` has made."""
    return PackedFacts(*json.loads(rest))


def unpack(path: str, kind: str, title: str, description: str, rest: str) -> PageFacts:
    """The facts of a row."""
    from llmwiki.pages.page import SourceRef

    packed = read_packed(rest)
    return PageFacts(
        path=path,
        type=kind,
        title=title,
        description=description,
        aliases=tuple(packed.aliases),
        tags=tuple(packed.tags),
        claims=tuple(packed.claims),
        struck=packed.struck,
        links=frozenset(packed.links),
        sources=tuple(SourceRef(*source) for source in packed.sources),
        broken=packed.broken,
        cites=tuple(packed.cites),
        about=tuple(packed.about),
        notes=_notes(path, packed.notes) if packed.notes else (),
    )


def _notes(path: str, rows: list[list[Any]]) -> tuple[MemoryNote, ...]:
    from llmwiki.pages.memory_notes import MemoryNote

    notes = (MemoryNote(row[0], path, *row[1:]) for row in rows)
    # JSON has no tuples.
    return tuple(n._replace(sources=tuple((day, ident) for day, ident in n.sources)) for n in notes)
