"""What a claim holds, apart from how its lines are written: the form in which states are compared.

Links inside the text, the words of links to claims, the order of evidence and of attributes are how
it is written. Two claims with equal facts say the same and rest on the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Evidence, read_claim

ClaimAttributes = tuple[tuple[str, str, str], ...]
"""(name, `:` or `=`, value) each; of a link the value is the id of the claim it leads to."""


class ClaimPlace(NamedTuple):
    """Where a claim or note stands."""

    path: str
    id: str
    number: str = ""
    """Empty of the first with this id on its page; else which of several it is."""


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """What a claim or note holds."""

    text: str
    """As it is read: without links and escapes."""
    evidence: tuple[Evidence, ...] = ()
    """By source and folded quote, each once."""
    attributes: ClaimAttributes = ()
    """Sorted."""
    successor: str | None = None
    """None while it stands; else the id of the claim that the arrow leads to, or `gone in …`."""


def facts_of_node(node: PageNode) -> ClaimFacts:
    """The facts of the claim or note that a node holds."""
    claim = read_claim(node)
    evidence = {each.identity: each for each in reversed(claim.evidence)}
    attributes: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for name, op, value in reversed(claim.attributes):
        led = CLAIM_IN_LINK.search(value) if op == ":" else None
        key = (name, op, led[1]) if led else (name, op)
        attributes[key] = (name, op, led[1] if led else value)
    arrow = CLAIM_IN_LINK.search(claim.successor or "")
    return ClaimFacts(
        claim.text,
        tuple(evidence[key] for key in sorted(evidence)),
        tuple(sorted(attributes.values())),
        arrow[1] if arrow else claim.successor,
    )


def place_of(path: str, node: PageNode) -> ClaimPlace:
    """Where the claim of a node stands, on the page at `path`."""
    return ClaimPlace(path, node.key[1], "".join(node.key[2:]))
