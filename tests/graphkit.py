"""A scratch wiki as a graph: pages by path, edges by their ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import gitkit

from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.graph.build import BuiltGraph, build
from llmwiki.graph.read_edges import GraphInput, PageReading, graph_input
from llmwiki.index.open_index import open_corpus

CLAIM_IDS = [f"c-{n:010d}" for n in range(100)]


def page(
    title: str,
    body: str = "",
    *,
    kind: str = "concept",
    aliases: Iterable[str] = (),
    tags: Iterable[str] = (),
    description: str = "",
) -> str:
    """A page as the tool writes it."""

    def listed(values: Iterable[str]) -> str:
        return ", ".join(f'"{value}"' for value in values)

    quoted = title.replace("\\", "\\\\").replace('"', '\\"')
    told = description.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f'---\ntype: {kind}\ntitle: "{quoted}"\ndescription: "{told}"\n'
        f"aliases: [{listed(aliases)}]\ntags: [{listed(tags)}]\n---\n\n# Heading\n\n{body}\n"
    )


def make(root: Path, pages: Mapping[str, str]) -> Path:
    """A repository with these pages below wiki/, by path without `wiki/` and `.md`."""
    gitkit.make_wiki(root, pages=0, commit=False)
    put(root, pages)
    return root


def put(root: Path, pages: Mapping[str, str]) -> None:
    """Writes pages and commits them."""
    gitkit.put(root, {f"wiki/{name}.md": text for name, text in pages.items()})
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-q", "-m", "pages")


def built(root: Path, *, said: Iterable[PageReading] = ()) -> BuiltGraph:
    """The graph of the wiki as it is."""
    with Repository(layout_of(root)) as repo, open_corpus(repo) as index:
        return build(index, said=said)


def ground(root: Path) -> GraphInput:
    """Pages and edges of the wiki as it is."""
    with Repository(layout_of(root)) as repo, open_corpus(repo) as index:
        return graph_input(index)


def edges(made: BuiltGraph, kind: str | None = None) -> set[tuple[str, str]]:
    """The ends of all edges, or of those of a kind."""
    ids = [node.id for node in made.graph.nodes]
    return {
        (ids[edge.source], ids[edge.target])
        for edge in made.graph.edges
        if kind in (None, edge.kind)
    }


def names(made: BuiltGraph, places: Iterable[int]) -> list[str]:
    """The ids of nodes."""
    return [made.graph.nodes[place].id for place in places]
