"""The wiki as a graph: what it shows, its files, and ways from page to page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llmwiki.core.errors import StateError, reason_of
from llmwiki.graph.nodes_and_edges import FORMATS as FORMATS
from llmwiki.graph.nodes_and_edges import UNLINKED as UNLINKED

if TYPE_CHECKING:
    import networkx
    from pyvis.network import Network

    from llmwiki.graph.build import BuiltGraph
    from llmwiki.graph.hubs_and_gaps import GraphSurvey
    from llmwiki.graph.paths_and_neighbours import NearPage, PathStep
    from llmwiki.graph.read_edges import GraphInput
    from llmwiki.index.lookups import Card
    from llmwiki.landing.open_wiki import OpenWiki


@dataclass(frozen=True, slots=True)
class WikiGraph:
    """The graph of a wiki."""

    built: BuiltGraph
    """Nodes, edges and communities."""
    name: str
    """Of the wiki's folder, for the title of the HTML page."""
    read_pages: Callable[[], list[str | None]] = field(default=list, repr=False, compare=False)
    """Gives each page as HTML, for the HTML file; see `graph_pages.pages_as_html`."""

    def survey(self) -> GraphSurvey:
        """What it shows: hubs, communities, bridges, isolated parts, links that seem missing."""
        from llmwiki.graph.hubs_and_gaps import survey

        return survey(self.built)

    def to_networkx(self) -> networkx.Graph[str]:
        """The graph for networkx: node attributes `title` as `label`, `type`, `path`, `rank`,
        `community`; edge attributes `kind`, `weight`, `why`."""
        from llmwiki.graph.export import to_networkx

        return to_networkx(self.built.graph)

    def to_pyvis(self, *, notebook: bool = False) -> Network:
        """The graph as a network of pyvis, drawn offline; see `graph.export.to_pyvis`.

        Raises InputError where pyvis is not installed.
        """
        from llmwiki.graph.export import to_pyvis

        return to_pyvis(self.built.graph, heading=self.name, notebook=notebook)

    def export(self, form: str) -> Iterable[bytes]:
        """The graph in one of `FORMATS`, piece by piece."""
        if form == "html":
            from llmwiki.graph import html_file

            return (html_file.render(self.built.graph, name=self.name, pages=self.read_pages()),)
        from llmwiki.graph.export import WRITERS

        return (piece.encode() for piece in WRITERS[form](self.built.graph))


@dataclass(frozen=True, slots=True)
class PagePath:
    """A shortest way between two pages."""

    start: Card
    goal: Card
    ground: GraphInput
    """The pages that the steps name by their places."""
    steps: tuple[PathStep, ...]
    """From start to goal, both included; empty: no edges join them."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The pages around one."""

    page: int
    """Its place among the pages."""
    ground: GraphInput
    """The pages that are named by their places."""
    rings: tuple[tuple[NearPage, ...], ...]
    """By their distance, from one edge on."""


def graph(wiki: OpenWiki, *, at: str | None = None) -> WikiGraph:
    """The graph of pages and the links and names between them, as they are or as of a commit."""
    from llmwiki.graph.build import build
    from llmwiki.query.sources_beside_pages import sources_beside

    with wiki.index(at) as index, sources_beside(wiki, index, at) as sources:
        built = build(index, said=_said(wiki), sources=sources)
    layout = wiki.repo.layout

    def read_pages() -> list[str | None]:
        from llmwiki.app.graph_pages import pages_as_html
        from llmwiki.git.repository import Repository
        from llmwiki.index.open_index import open_corpus

        # Whoever exports the graph may do so long after the wiki was closed.
        with (
            Repository(layout) as repo,
            open_corpus(repo, at=at) as index,
        ):
            return pages_as_html(index, built.graph)

    return WikiGraph(built, wiki.repo.root.name, read_pages)


def write_files(wiki: OpenWiki, drawn: WikiGraph) -> tuple[tuple[str, int], ...]:
    """Writes graph/graph.json and graph/graph.html; their paths and sizes in bytes.

    Nothing where there is no wiki, but Markdown that is only read, and in a bare repository.
    """
    from llmwiki.git.store.private_files import derive

    if not wiki.repo.layout.is_wiki or wiki.repo.layout.is_bare:
        return ()
    sizes = []
    for path, form in (("graph/graph.json", "json"), ("graph/graph.html", "html")):
        derive(wiki.repo, path, drawn.export(form))
        sizes.append((path, (wiki.repo.root / path).stat().st_size))
    return tuple(sizes)


def export(wiki: OpenWiki, drawn: WikiGraph, form: str, output: str) -> None:
    """Writes the graph in one of `FORMATS` into the file `output`.

    Raises PolicyError for a place that only operations write, StateError where it cannot be
    written.
    """
    place = wiki.output_place(output, ("wiki", "raw"), "exports are not written there")
    try:
        with place.open("wb") as file:
            file.writelines(drawn.export(form))
    except OSError as error:
        raise StateError(f"cannot be written: {reason_of(error)}", where=str(place)) from error


def path(wiki: OpenWiki, start: str, goal: str, *, at: str | None = None) -> PagePath:
    """A shortest way between two pages, edges walked whichever way they point.

    Pages are named by title, alias or path. Raises InputError for no such page.
    """
    from llmwiki.graph.paths_and_neighbours import page_named, shortest_path

    ground = _ground(wiki, at)
    ends = page_named(ground.pages, start), page_named(ground.pages, goal)
    steps = shortest_path(ground, *ends)
    return PagePath(ground.pages[ends[0]], ground.pages[ends[1]], ground, steps)


def neighbours(
    wiki: OpenWiki, name: str, depth: int = 1, *, at: str | None = None
) -> Neighbourhood:
    """The pages around one, by their distance up to `depth` edges. Raises InputError."""
    from llmwiki.graph.paths_and_neighbours import neighbours as around
    from llmwiki.graph.paths_and_neighbours import page_named

    ground = _ground(wiki, at)
    page = page_named(ground.pages, name)
    return Neighbourhood(page, ground, around(ground, page, depth))


def _ground(wiki: OpenWiki, at: str | None) -> GraphInput:
    from llmwiki.graph.read_edges import graph_input
    from llmwiki.query.sources_beside_pages import sources_beside

    with wiki.index(at) as index, sources_beside(wiki, index, at) as sources:
        return graph_input(index, said=_said(wiki), sources=sources)


def _said(wiki: OpenWiki) -> Iterable[Any]:
    from llmwiki.graph.read_edges import readings

    return readings(wiki.repo).values()
