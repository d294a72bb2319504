"""The graph as output: what it shows as text and as JSON, ways and neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from llmwiki.app.graph import UNLINKED
from llmwiki.core.text import counted, cut

if TYPE_CHECKING:
    from llmwiki import BuiltGraph, GraphEdge, GraphSurvey, Neighbourhood, PagePath

SHOWN = 10
"""Rows of a list in text; JSON has them all, up to `TOLD`."""
MISSING = 20
"""Rows of links that seem missing: they are to be worked off one by one."""
RING = 100
"""Pages of one distance in text."""
_TITLE = 60


# --- the whole ---------------------------------------------------------------------------


def survey_text(built: BuiltGraph, seen: GraphSurvey, files: Sequence[tuple[str, int]]) -> str:
    """What the graph shows, for people."""
    return "\n".join(_survey_lines(built, seen, files))


def _survey_lines(
    built: BuiltGraph, seen: GraphSurvey, files: Sequence[tuple[str, int]]
) -> Iterator[str]:
    nodes, communities = built.graph.nodes, built.graph.communities
    kinds = ", ".join(f"{count} {kind}" for kind, count in seen.kinds.items())
    types = ", ".join(f"{count} {kind or 'other'}" for kind, count in seen.types.items())
    yield f"Pages        {len(nodes)}" + (f" ({types})" if types else "")
    yield f"Edges        {len(built.graph.edges)}" + (f" ({kinds})" if kinds else "")
    broken = "1 link leads" if built.broken == 1 else f"{built.broken} links lead"
    yield f"             {seen.per_page} a page; {broken} nowhere"
    name = _names(nodes)
    hubs = [f"{name(place)} ({len(built.net.near[place])})" for place in seen.hubs]
    yield from _list("Hubs", hubs, "by rank, with their edges")
    real = [each for each in communities if each.name != UNLINKED]
    rows = [
        f"{len(each.members):6}  {_cut(each.name)}"
        + "".join(f", {name(place)}" for place in _others(built, each.members, each.name))
        for each in real
    ]
    yield from _list("Communities", rows, f"{len(real)}, modularity {built.modularity:.2f}")
    parted = seen.parts
    bridges = [f"{name(page.node)}: {page.parted} pages hang on it" for page in parted.pages]
    bridges += [
        f"{name(edge.source)} — {name(edge.target)}: {edge.parted} pages" for edge in parted.edges
    ]
    yield from _list("Bridges", bridges, "whose loss would split the graph")
    isolated = [
        f"{len(part):6}  " + ", ".join(name(place) for place in part[:3])
        for part in parted.parts[1:]
        if len(part) > 1
    ]
    isolated += [name(place) for place in seen.unlinked]
    alone = counted(len(seen.unlinked), "page")
    yield from _list("Isolated", isolated, f"{alone} without any edge")
    missing = [
        f"{name(each.source)} → {name(each.target)}: "
        + ", ".join(
            part
            for part in (
                f"names it {each.times} times" if each.times > 1 else "",
                f"{len(each.shared)} neighbours in common" if each.shared else "",
            )
            if part
        )
        for each in seen.missing
    ]
    yield from _list("Missing", missing, "links that seem missing", MISSING)
    phantoms = [
        f"{_cut(each.name)}: linked from {len(each.sources)} pages" for each in seen.phantoms
    ]
    yield from _list("Phantoms", phantoms, "pages that several link to and nobody wrote")
    health = list(seen.remarks) or [f"good: {seen.in_largest:.0%} of the pages hang together"]
    if nodes:
        yield f"Health       {health[0]}"
        yield from (f"             {remark}" for remark in health[1:])
    for number, (path, size) in enumerate(files):
        yield f"{'' if number else 'Written':12} {path} ({_size(size)})"


def _list(name: str, rows: Sequence[str], about: str, most: int = SHOWN) -> Iterator[str]:
    """A heading and the first rows; nothing where there are none."""
    if not rows:
        return
    yield f"{name:12} {about}"
    yield from (f"  {row}" for row in rows[:most])
    if len(rows) > most:
        yield f"  and {len(rows) - most} more (see --json)"


def _others(built: BuiltGraph, members: Sequence[int], name: str) -> list[int]:
    """The two highest subjects of a community beside the page that names it."""
    nodes = built.graph.nodes
    subjects = (
        place for place in members if nodes[place].type != "source" and nodes[place].title != name
    )
    return list(islice(subjects, 2))


class _Titled(Protocol):
    """What of a page names it: a node of the graph, or a page of the index."""

    @property
    def title(self) -> str: ...
    @property
    def path(self) -> str: ...


def _names(pages: Sequence[_Titled]) -> Callable[[int], str]:
    """Pages by their titles, with the path where several have one: a ledger and its subject do."""
    borne = Counter(page.title for page in pages)

    def name(place: int) -> str:
        page = pages[place]
        shown = _cut(page.title)
        return shown if borne[page.title] == 1 else f"{shown} [{page.path}]"

    return name


def _cut(text: str) -> str:
    return cut(text, _TITLE)


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count / 1000:.1f} kB"


# --- from page to page -------------------------------------------------------------------


def path_text(way: PagePath) -> str:
    """A way, a page a line."""
    lines = []
    for number, step in enumerate(way.steps):
        page = way.ground.pages[step.place]
        reached = f"{_arrow(step.edge, step.place)} " if step.edge else ""
        lines.append(f"{'  ' * number}{reached}{_cut(page.title)}  {page.path}")
    return "\n".join(lines)


def _arrow(edge: GraphEdge, place: int) -> str:
    """An edge as it is walked to a page: which way it points, its kind and reason."""
    why = f" ({edge.why})" if edge.why else ""
    mark = f"{edge.kind}{why}"
    return f"— {mark} →" if edge.target == place else f"← {mark} —"


def neighbours_text(around: Neighbourhood) -> str:
    """The pages around one, a heading for each distance."""
    pages, rings = around.ground.pages, around.rings
    page, name = pages[around.page], _names(pages)
    lines = [f"{_cut(page.title)}  {page.path}"]
    if not rings:
        lines.append("  nothing is linked to it")
    for distance, ring in enumerate(rings, start=1):
        lines.append(f"{counted(distance, 'edge')} away: {len(ring)}")
        for near in ring[:RING]:
            via = f"  via {name(near.via)}" if distance > 1 else ""
            lines.append(f"  {_arrow(near.edge, near.place)} {name(near.place)}{via}")
        if len(ring) > RING:
            lines.append(f"  and {len(ring) - RING} more (see --json)")
    return "\n".join(lines)
