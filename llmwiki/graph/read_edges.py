"""Pages and the edges between them, as the index gives them."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.core.language.search_terms import STOP_WORDS, terms, words
from llmwiki.git.store.private_files import common_files, decoded, encoded
from llmwiki.graph.nodes_and_edges import (
    AMBIGUOUS,
    EXTRACTED,
    INFERRED,
    KINDS,
    MENTION,
    SURE,
    GraphEdge,
)
from llmwiki.index.lookups import RUN, TITLE
from llmwiki.index.names_and_words import title_key
from llmwiki.index.page_facts_record import is_catalogue
from llmwiki.index.source_index import own_links
from llmwiki.pages.claim_head import without_asked
from llmwiki.pages.link_targets import is_attachment, name_in, resolver_of
from llmwiki.pages.markdown_blocks import body_start

if TYPE_CHECKING:
    from llmwiki.git.repository import Repository
    from llmwiki.index.lookups import Card
    from llmwiki.index.open_index import Index
    from llmwiki.index.source_index import SourceIndex

# --- links -------------------------------------------------------------------------------------


class Links(NamedTuple):
    """All links of a wiki; pages by their places."""

    leads: list[array[int]]
    """For each page those it links to, rising, itself excepted."""
    missing: dict[str, tuple[int, ...]]
    """Folded names of wikilinks that lead to no page, to the pages they stand on; links to other
    files are left out."""


def links_of(pages: Sequence[Card], own: Iterable[tuple[str, str]] = ()) -> Links:
    """Every link between some pages, which are all of a wiki; `own` are those of their sources."""
    place_of = {page.path: place for place, page in enumerate(pages)}
    resolver = resolver_of((page.path, page.called) for page in pages)
    leads: list[array[int]] = []
    missing: dict[str, list[int]] = {}
    of_source: dict[int, set[int]] = {}
    for start, end in own:
        if start in place_of and end in place_of:
            of_source.setdefault(place_of[start], set()).add(place_of[end])
    for place, page in enumerate(pages):
        row = of_source.get(place, set())
        for key in page.links:
            target = resolver.lead(key, page.path)
            if target is not None:
                row.add(place_of[target])
            elif "//" not in key and not _is_elsewhere(name_in(key)):
                held = missing.setdefault(name_in(key), [])
                if place not in held[-1:]:
                    held.append(place)
        leads.append(array("I", sorted(row - {place})))
    return Links(leads, {name: tuple(held) for name, held in sorted(missing.items())})


def holds(row: Sequence[int], place: int) -> bool:
    """Whether a rising row of places holds one: of thousands as quickly as of ten."""
    at = bisect_left(row, place)
    return at < len(row) and row[at] == place


def _is_elsewhere(name: str) -> bool:
    """Whether a name means a file that is no page of the wiki: catalogue, picture, document."""
    if any(is_catalogue(f"wiki/{folder}{name}.md") for folder in ("", "part/", "daily/")):
        return True
    return is_attachment(name)


# --- names without a link ----------------------------------------------------------------------
#
# The index holds the capitalised names of each text. A title or an alias that stands among them,
# the longest at each place, is a mention, unless it stands on so many pages that it says nothing.

SHARE = 0.03
"""Of all pages; a name that stands on more leads nowhere. As retrieval's recipe has it."""
LEAST = 60
"""Pages on which a name may stand in however small a wiki; as there."""
BEARERS = 3
"""Pages of one name beyond which it means none of them."""
FEW = 5
"""Pages on which a name that is written small may stand in however small a wiki."""
NOUNS = 2_000
"""Pages of a wiki in which such names are looked for: a look-up each."""
HEAVIEST = 0.5
"""Weight of the rarest mention: a link says more."""


class _Names:
    """The titles and aliases of the pages, and the pages in whose text or source each stands."""

    def __init__(
        self, index: Index, pages: Sequence[Card], further: Iterable[tuple[str, int]]
    ) -> None:
        """`further` are capitalised names that stand in the source of a page."""
        self._pages = pages
        place_of = {page.doc: place for place, page in enumerate(pages)}
        self.bearers: dict[str, tuple[int, ...]] = {}
        for name, docs in index.below(TITLE):
            self.bearers[name] = (*self.bearers.get(name, ()), *_places(docs, place_of))
        opens = {name.partition(" ")[0] for name in self.bearers}
        self.holders: dict[str, set[int]] = {}
        on_pages = ((spoken, _places(docs, place_of)) for spoken, docs in index.below(RUN))
        for spoken, places in chain(on_pages, ((spoken, [place]) for spoken, place in further)):
            words = spoken.split(" ")
            if not opens.isdisjoint(words):
                for name in _named(words, self.bearers):
                    self.holders.setdefault(name, set()).update(places)
        if len(pages) <= NOUNS:
            self._add_nouns(index, pages)

    def _add_nouns(self, index: Index, pages: Sequence[Card]) -> None:
        """Adds the names with no capital but their first, as `Rowing club`, which texts write small
        like any noun, where they stand on few pages."""
        called = (name for page in pages for name in (page.title, *page.aliases))
        nouns = {title_key(name) for name in called if name[1:] == name[1:].lower()}
        most = max(FEW, int(SHARE * len(pages)))
        place_of = {page.path: place for place, page in enumerate(pages)}

        @cache
        def said(path: str) -> str:
            text = without_asked(index.read(pages[place_of[path]]))
            return f" {' '.join(words(text[body_start(text) :]))} "

        for name in sorted(nouns & self.bearers.keys()):
            paths = [path for path in index.together(terms(name)) if path in place_of]
            if len(paths) <= most:
                places = {place_of[path] for path in paths if f" {name} " in said(path)}
                if places:
                    self.holders.setdefault(name, set()).update(places)

    def mentions(self, leads: Sequence[Sequence[int]]) -> list[GraphEdge]:
        """Every mention between pages that no link joins, by source and target; of two by their
        weights, which follow from how rare the name is and how many pages have it."""
        most = max(LEAST, int(SHARE * len(leads)))
        found = []
        for name, sources in self.holders.items():
            bearers = self.bearers[name]
            if len(sources) > most or not 0 < len(bearers) <= BEARERS:
                continue
            weight = _weight(len(leads), len(sources), len(bearers))
            targets = [each for each in bearers if not _is_chapter(self._pages[each], name)]
            found += [
                GraphEdge(source, target, MENTION, weight)
                for source in sources.difference(bearers)
                for target in targets
                if not holds(leads[source], target) and not holds(leads[target], source)
            ]
        return sorted(found)


def _places(docs: array[int], place_of: Mapping[int, int]) -> list[int]:
    return [place_of[doc] for doc in docs if doc in place_of]


def _named(words: list[str], names: Collection[str]) -> Iterable[str]:
    """The titles in a name, from left to right the longest at each place."""
    start = 0
    while start < len(words):
        step = 1
        for size in range(len(words) - start, 0, -1):
            name = " ".join(words[start : start + size])
            if name in names and (size > 1 or _names_alone(name)):
                yield name
                step = size
                break
        start += step


def _names_alone(word: str) -> bool:
    return word not in STOP_WORDS and not word.isdigit() and len(word) > 2


def _weight(pages: int, holders: int, bearers: int) -> float:
    rarity = math.log(1 + pages / holders) / math.log(1 + pages)
    return max(round(HEAVIEST * rarity / bearers, 3), 0.001)


# --- all edges ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GraphInput:
    """All pages and edges; pages by their places."""

    pages: Sequence[Card]
    """By path."""
    links: Links
    others: Sequence[GraphEdge]
    """Edges that are no links, before one is chosen for each pair."""
    edges: tuple[GraphEdge, ...]
    """One for each unordered pair of pages; `joined` chooses it."""


def graph_input(
    index: Index,
    *,
    mentions: bool = True,
    said: Iterable[PageReading] = (),
    sources: SourceIndex | None = None,
) -> GraphInput:
    """What an indexed wiki holds, with what was said of its pages; `sources` are their texts."""
    pages = [page for page in index.all_cards() if not page.is_retracted]
    links = links_of(pages, own_links(sources) if sources else ())
    others: list[GraphEdge] = []
    if mentions:
        at = {page.path: place for place, page in enumerate(pages)}
        keyed = sources.keyed(RUN) if sources else ()
        further = ((key[len(RUN) :], at[page]) for key, page, _ in keyed if page in at)
        others = _Names(index, pages, further).mentions(links.leads)
    others += told_edges(pages, said)
    return GraphInput(pages, links, others, joined(links.leads, others))


def kind_of(confidence: float) -> str:
    """The kind of an edge that a model or an agent is so sure of."""
    return INFERRED if confidence >= SURE else AMBIGUOUS


def told_edges(pages: Sequence[Card], said: Iterable[PageReading]) -> list[GraphEdge]:
    """Edges that a model or an agent inferred earlier, of pages whose blob id is unchanged.

    Edges of changed pages are dropped.
    """
    place_of = {page.path: place for place, page in enumerate(pages)}
    edges = []
    for each in said:
        source = place_of.get(each.path)
        if source is None or pages[source].oid != each.oid:
            continue
        for edge in each.edges:
            target = place_of.get(edge.target)
            if target is not None and target != source:
                why = ": ".join(part for part in (edge.label, edge.why) if part)
                kind = kind_of(edge.confidence)
                edges.append(GraphEdge(source, target, kind, edge.confidence, why))
    return edges


def joined(leads: Sequence[Sequence[int]], others: Iterable[GraphEdge]) -> tuple[GraphEdge, ...]:
    """One edge for each unordered pair: a link before all others, then the surest kind.

    Of two links, one each way, the one from the first page stays; of two others of one kind the
    heavier, then the first by its ends.
    """
    edges = [
        GraphEdge(source, target, EXTRACTED, 1.0)
        for source, row in enumerate(leads)
        for target in row
        if source < target or not holds(leads[target], source)
    ]
    best: dict[tuple[int, int], GraphEdge] = {}
    for edge in sorted(others, key=lambda e: (KINDS.index(e.kind), -e.weight, *e[:2], e.why)):
        pair = (min(edge[:2]), max(edge[:2]))
        source, target = edge[:2]
        if not holds(leads[source], target) and not holds(leads[target], source):
            best.setdefault(pair, edge)
    if best:
        edges = sorted([*edges, *best.values()])
    return tuple(edges)


def _is_chapter(page: Card, name: str) -> bool:
    """Whether a word is all that a document's title has before its parenthesis, as `Introduction`
    of `Introduction (Manual of the pump)`: it names a part of any document."""
    return page.type == "source" and " " not in name and len(words(page.title)) > 1


# --- edges that a model or an agent has found -----------------------------------------------------
# One line of JSON for each reading of a page; the last one of a page counts. They can be remade.

FILE = "graph/edges.jsonl"
"""Below `llmwiki/` of the git directory; all work trees share it."""
_SCHEMA = "llmwiki.reading/1"
STALE = 4
SPARE = 1000
"""The file is written anew when it has more lines than so many for each page and this many more."""


class InferredEdge(NamedTuple):
    """One edge out of the page that was read."""

    target: str
    """Path of the other page."""
    label: str
    """What it is to it, in a few words."""
    confidence: float
    why: str


class PageReading(NamedTuple):
    """What one reading of a page gave."""

    path: str
    oid: str
    """Blob id of the page that was read."""
    by: str
    """The model's id, or `agent`."""
    edges: tuple[InferredEdge, ...]


def readings(repo: Repository) -> dict[str, PageReading]:
    """The last reading of each page, by path. Lines that are cut or foreign are passed over."""
    return dict(_each(common_files(repo).read(FILE) or b""))


def _each(data: bytes) -> Iterator[tuple[str, PageReading]]:
    for line in data.splitlines():
        reading = decoded(line, _SCHEMA, _reading)
        if reading is not None:
            yield reading.path, reading


def _reading(data: Mapping[str, Any]) -> PageReading:
    rows = [(str(to), str(label), float(sure), str(why)) for to, label, sure, why in data["edges"]]
    # JSON here may hold NaN.
    edges = tuple(InferredEdge(*row) for row in rows if 0 <= row[2] <= 1)
    return PageReading(str(data["path"]), str(data["oid"]), str(data["by"]), edges)


def keep(repo: Repository, found: Iterable[PageReading]) -> None:
    """Adds readings, each in place of an earlier one of its page. Raises StateError."""
    files = common_files(repo)
    added = [_line(reading) for reading in found]
    if not added:
        return
    files.append(FILE, b"".join(added))
    data = files.read(FILE) or b""
    held = dict(_each(data))
    if data.count(b"\n") > STALE * len(held) + SPARE:
        files.write(FILE, b"".join(_line(held[path]) for path in sorted(held)))


def _line(reading: PageReading) -> bytes:
    # A line that a crash had cut would swallow the one behind it.
    return b"\n" + encoded(_SCHEMA, reading._asdict()) + b"\n"


def unread(held: Mapping[str, PageReading], oids: Mapping[str, str]) -> list[str]:
    """The pages that are new or have changed since they were read, sorted."""
    return sorted(path for path, oid in oids.items() if path not in held or held[path].oid != oid)
