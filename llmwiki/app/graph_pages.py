"""The pages that the graph's HTML file holds, as the one renderer of Markdown shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from llmwiki.app.show.page_html import PageText, body_of, rendered
from llmwiki.pages.catalogue import Entry
from llmwiki.pages.find_links import scan
from llmwiki.pages.link_targets import link_key, resolver_of
from llmwiki.pages.tombstones import ledger_path

if TYPE_CHECKING:
    from llmwiki.graph.nodes_and_edges import Graph
    from llmwiki.index.open_index import Index
    from llmwiki.pages.link_targets import LinkResolver
    from llmwiki.pages.page import Claim, Evidence

LONGEST = 50_000
"""Characters of one page's text that are shown."""
ROOM = 500_000
"""Characters of all: some 200 pages, the highest-ranked first. To render them takes a third of a
second; of the others the file has descriptions and first claims."""


class ViewerAddresses:
    """Places of the graph's page for pages that are in it, files beside it for all else."""

    def __init__(self, pages: Mapping[str, Entry]) -> None:
        self._pages = pages

    def page(self, path: str, fragment: str = "") -> str:
        """Of a page, by its path; see `viewer/address.js`."""
        if path not in self._pages:
            return f"../{quote(path, errors='replace')}"
        name = quote(path.removeprefix("wiki/").removesuffix(".md"), "/!*'()", errors="replace")
        place = f"&at={quote(fragment, errors='replace')}" if fragment else ""
        return f"#page={name.replace('%20', '+')}{place}"

    def entry(self, entry: Entry, fragment: str = "") -> str:
        """Of a page that is listed."""
        return self.page(entry.path, fragment)

    def source(self, ident: str) -> str:
        """Of a source's page, by its id, or of its file, by its path."""
        return self.page(ident if ident.startswith("raw/") else ledger_path(ident))

    def quoted(self, claim: Claim, evidence: Evidence) -> str:
        """Of the page of the source that is quoted."""
        del claim
        return self.source(evidence.source)

    def picture(self, path: str) -> str:
        """Of a picture's file; the viewer's policy loads none."""
        return self.page(path)

    def why(self, what: str) -> str:
        """Nowhere: the file holds no history."""
        del what
        return ""


def pages_as_html(index: Index, graph: Graph) -> list[str | None]:
    """The graph's pages in its order; None where there was no room left.

    Raises StateError where a page changes while it is read.
    """
    pages = {page.path: page for page in index.all_cards()}
    resolver = resolver_of((path, page.called) for path, page in pages.items())
    texts: dict[str, str] = {}
    room = ROOM
    for node in sorted(graph.nodes, key=lambda node: (-node.rank, node.path)):
        text = index.read(pages[node.path])
        room -= min(len(text), LONGEST)
        if room < 0:
            break
        texts[node.path] = text
    return texts_as_html(graph, texts, resolver)


def texts_as_html(
    graph: Graph, texts: Mapping[str, str], resolver: LinkResolver
) -> list[str | None]:
    """Some of a graph's pages, given as Markdown by their paths."""
    nodes = graph.nodes
    entries = {
        node.path: Entry(node.path, node.type, node.title, node.description) for node in nodes
    }
    to = ViewerAddresses(entries)
    return [
        _rendered(node.path, texts[node.path], to, entries, resolver)
        if node.path in texts
        else None
        for node in nodes
    ]


def _rendered(
    path: str,
    text: str,
    to: ViewerAddresses,
    entries: Mapping[str, Entry],
    resolver: LinkResolver,
) -> str:
    body, ids = body_of(text[:LONGEST])
    named = dict.fromkeys(link.target for link in scan(body) if link.target)
    leads = {target: resolver.lead(link_key(target, path), path) for target in named}
    targets = {name: entries[lead] for name, lead in leads.items() if lead and lead in entries}
    sources = {each: entries[at] for each in ids if (at := ledger_path(each)) in entries}
    return rendered(PageText(path, body, targets, sources), to).html
