"""An agent's edges as a file: its schema, and what of it can be kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import BaseModel, Field

from llmwiki.core.errors import ModelOutputError
from llmwiki.core.text import normalise
from llmwiki.graph.edge_store import InferredEdge, PageReading, keep, readings
from llmwiki.graph.infer import LABEL, WHY
from llmwiki.models.agent import ParsedAnswer

if TYPE_CHECKING:
    from llmwiki.index.open_index import Index
    from llmwiki.repo.repository import Repository

MAX_EDGES = 20_000
MAX_PAGES = 10_000
"""Edges and pages of one file."""
_PATH = 4000

Path = Annotated[str, Field(min_length=1, max_length=_PATH)]


class _Page(BaseModel, extra="forbid", frozen=True):
    path: Path
    hash: Annotated[str, Field(max_length=64)] = ""
    """As the job names it; empty: the page as it is."""


class _Edge(BaseModel, extra="forbid", frozen=True, populate_by_name=True):
    source: Annotated[Path, Field(alias="from")]
    to: Path
    label: Annotated[str, Field(max_length=LABEL)] = ""
    confidence: Annotated[float, Field(ge=0, le=1)]
    why: Annotated[str, Field(max_length=WHY)] = ""


class EdgesFile(BaseModel, extra="forbid", frozen=True):
    """What an agent writes and `wiki apply` takes. Unknown keys are refused."""

    pages: Annotated[list[_Page], Field(max_length=MAX_PAGES)] = []
    """Pages that were read, also those without an edge: their earlier edges go."""
    edges: Annotated[list[_Edge], Field(max_length=MAX_EDGES)]


class RefusedEdge(NamedTuple):
    """An edge or a page that is not kept."""

    what: str
    reason: str


class EdgesOutcome(NamedTuple):
    """What came of a file."""

    edges: int
    """That are kept."""
    pages: int
    """That count as read."""
    refused: tuple[RefusedEdge, ...]


def apply_edges(
    repo: Repository, index: Index, handed_in: ParsedAnswer, *, by: str, dry_run: bool = False
) -> EdgesOutcome:
    """Checks a file of edges and keeps what stands, under the git directory; nothing is committed.

    Edges of a page that the file lists as read take the place of all its earlier ones; of another
    page they are added. Raises ModelOutputError where the file is none, or nothing of it stands.
    """
    file = handed_in.valid(EdgesFile)
    pages = list(dict.fromkeys([*(p.path for p in file.pages), *(e.source for e in file.edges)]))
    oids = index.oids(dict.fromkeys([*pages, *(edge.to for edge in file.edges)]))
    held = readings(repo)
    refused = [
        RefusedEdge(page.path, "there is no such page" if page.path not in oids else "has changed")
        for page in file.pages
        if page.path not in oids or page.hash not in ("", oids[page.path])
    ]
    changed = {each.what for each in refused}
    found: dict[str, dict[str, InferredEdge]] = {
        page.path: {} for page in file.pages if page.path not in changed
    }
    kept = 0
    for edge in file.edges:
        why_not = _why_not(edge, oids, changed)
        if why_not:
            refused.append(RefusedEdge(f"{edge.source} → {edge.to}", why_not))
            continue
        earlier = held.get(edge.source)
        if edge.source not in found:
            is_current = earlier is not None and earlier.oid == oids[edge.source]
            old = earlier.edges if earlier is not None and is_current else ()
            found[edge.source] = {told.target: told for told in old}
        found[edge.source][edge.to] = InferredEdge(
            edge.to, normalise(edge.label), round(edge.confidence, 3), normalise(edge.why)
        )
        kept += 1
    if refused and not found:
        raise ModelOutputError(
            f"nothing of it can be kept: {refused[0].what}: {refused[0].reason}",
            where=handed_in.name,
            fix="`wiki graph --prepare` prints the job anew.",
        )
    if not dry_run:
        keep(
            repo,
            (
                PageReading(path, oids[path], by, tuple(edges[to] for to in sorted(edges)))
                for path, edges in sorted(found.items())
            ),
        )
    return EdgesOutcome(kept, len(found), tuple(refused))


def _why_not(edge: _Edge, oids: Mapping[str, str], changed: set[str]) -> str:
    """Why an edge cannot be kept; empty where it can."""
    if edge.source == edge.to:
        return "leads to its own page"
    for path in (edge.source, edge.to):
        if path not in oids:
            return f"there is no page {path}"
    return "its page has changed since the job" if edge.source in changed else ""
