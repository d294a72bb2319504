"""A page's row in the index: the facts without a column of their own, as JSON."""

from __future__ import annotations

import json

from llmwiki.index.facts import PageFacts

SUMS = "n:"
"""The prefix under which the sums over all pages are tallied."""


def pack(facts: PageFacts) -> str:
    """The facts that have no column of their own."""
    return json.dumps(
        [
            facts.aliases,
            sorted(facts.links),
            facts.tags,
            facts.claims,
            facts.struck,
            [(s.id, s.resource, s.sha256) for s in facts.sources],
            facts.broken,
        ],
        ensure_ascii=False,
        separators=(",", ":"),
    )


def unpack(path: str, kind: str, title: str, description: str, rest: str) -> PageFacts:
    """The facts of a row."""
    from llmwiki.pages.page import SourceRef

    aliases, links, tags, claims, struck, sources, broken = json.loads(rest)
    return PageFacts(
        path=path,
        type=kind,
        title=title,
        description=description,
        aliases=tuple(aliases),
        tags=tuple(tags),
        claims=tuple(claims),
        struck=struck,
        links=frozenset(links),
        sources=tuple(SourceRef(*source) for source in sources),
        broken=broken,
    )
