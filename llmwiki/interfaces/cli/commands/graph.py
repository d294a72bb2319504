"""wiki graph: the wiki as a graph, as files, as a summary, and page by page."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.graph import FORMATS, UNLINKED
from llmwiki.core.errors import InputError
from llmwiki.core.text import counted, cut
from llmwiki.interfaces.cli.command_context import open_wiki, say_err, told
from llmwiki.interfaces.cli.command_options import AS_JSON, AT, option, together
from llmwiki.interfaces.cli.command_table import CommandGroup
from llmwiki.interfaces.cli.commands.asking import add_asking
from llmwiki.interfaces.cli.commands.search_and_context import EMPTY, NO_MATCH, START
from llmwiki.interfaces.cli.safe_text import first_of

if TYPE_CHECKING:
    from llmwiki import BuiltGraph, GraphEdge, GraphSurvey, Neighbourhood, PagePath, Wiki, WikiGraph


_seeing = together(AT, AS_JSON)
"""The options of everything that looks at the graph."""


@click.group(cls=CommandGroup, invoke_without_command=True)
@option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    excludes=("--json",),
    help="Print the graph in this format; write no files.",
)
@option(
    "-o",
    "--output",
    metavar="FILE",
    needs=("--format",),
    help="With --format: write to FILE instead.",
)
@_seeing
@click.pass_context
def command(ctx: click.Context, form: str | None, output: str | None, at: str | None) -> int:
    """Draw the wiki as a graph, and say what it shows.

    Pages are nodes. Links are edges (EXTRACTED), names of other pages in the text (MENTION), and
    what a model or an agent told (INFERRED, AMBIGUOUS). Without --format, graph/graph.html (for
    any browser, needs no network) and graph/graph.json are written, and hubs, communities,
    bridges, isolated parts and links that seem missing are printed. --at writes no files.

    \b
    Examples:
      wiki graph
      wiki graph --format graphml -o wiki.graphml
      wiki graph path "Green tea" Teapot
      wiki graph neighbours "Green tea" --depth 2
    """
    if ctx.invoked_subcommand is not None:
        if any(
            ctx.get_parameter_source(each.name or "") is not click.core.ParameterSource.DEFAULT
            for each in ctx.command.params
        ):
            raise InputError(f"options of `graph {ctx.invoked_subcommand}` stand behind it")
        return 0
    begun = time.monotonic()
    wiki = open_wiki()
    drawn = wiki.graph(at=at)
    if form is not None:
        _export(wiki, drawn, form, output)
    else:
        _print_graph(drawn, () if at else wiki.write_graph(drawn))
        # Not on the standard output, which is the same for the same wiki.
        say_err(f"wiki: drawn in {time.monotonic() - begun:.1f} s")
    return 0


def _export(wiki: Wiki, drawn: WikiGraph, form: str, output: str | None) -> None:
    if output is None:
        sys.stdout.buffer.writelines(drawn.export(form))
        sys.stdout.buffer.flush()
    else:
        wiki.export_graph(drawn, form, output)


def _print_graph(drawn: WikiGraph, files: tuple[tuple[str, int], ...]) -> None:
    from llmwiki.app.json_output.composed_values import graph_parts

    seen = drawn.survey()
    parts = graph_parts(drawn, seen, files)
    told("graph", seen, _survey_lines(drawn.built, seen, files), **parts)
    if not drawn.built.graph.nodes:
        say_err(f"wiki: {EMPTY}\n  {START}")


# --- from page to page -------------------------------------------------------------------


@command.command("path")
@click.argument("start", metavar="A")
@click.argument("goal", metavar="B")
@_seeing
def path_command(start: str, goal: str, at: str | None) -> int:
    """Show a shortest way from page A to page B.

    Edges are walked whichever way they point. A page is named by its title, an alias or its path.
    Exit code 1: nothing joins the two.

    \b
    Example:
      wiki graph path "Green tea" Teapot
    """
    way = open_wiki().path(start, goal, at=at)
    told("graph-path", way, _path_lines(way))
    if not way.steps:
        say_err(f"wiki: no edges lead from {way.start.title} to {way.goal.title}")
    return 0 if way.steps else NO_MATCH


@command.command("neighbours")
@click.argument("name", metavar="A")
@click.option(
    "--depth",
    type=click.IntRange(min=1, max=10),
    default=1,
    show_default=True,
    metavar="N",
    help="Edges away at most.",
)
@_seeing
def neighbours_command(name: str, depth: int, at: str | None) -> int:
    """List the pages around page A, by their distance.

    A is its title, an alias or its path.

    \b
    Example:
      wiki graph neighbours "Green tea" --depth 2
    """
    around = open_wiki().neighbours(name, depth, at=at)
    return told("neighbours", around, _neighbour_lines(around))


add_asking(command, "graph")


SHOWN = 10
"""Rows of a list in text; JSON has them all, up to `TOLD`."""
RING = 100
"""Pages of one distance in text."""
_TITLE = 60


# --- the whole ---------------------------------------------------------------------------


def _survey_lines(
    built: BuiltGraph, seen: GraphSurvey, files: Sequence[tuple[str, int]]
) -> Iterator[str]:
    """What the graph shows, for people."""
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
    yield from _list("Communities", rows, f"{len(real)}, with their pages")
    parted = seen.parts
    bridges = [f"{name(page.node)}: {page.parted} pages hang on it" for page in parted.pages]
    yield from _list("Bridges", bridges, "whose loss would split the graph")
    isolated = [
        f"{len(part):6}  " + ", ".join(name(place) for place in part[:3])
        for part in parted.parts[1:]
        if len(part) > 1
    ]
    isolated += [name(place) for place in seen.unlinked]
    alone = f"{counted(len(seen.unlinked), 'page')} without any edge" if seen.unlinked else ""
    yield from _list("Isolated", isolated, alone or "parts that nothing joins to the largest")
    missing = [
        f"{name(each.source)} → {name(each.target)}: "
        + ", ".join(
            part
            for part in (
                "names it" if each.is_named else "",
                f"{counted(len(each.shared), 'neighbour')} in common" if each.shared else "",
            )
            if part
        )
        for each in seen.missing
    ]
    yield from _list("Missing", missing, "links that seem missing")
    health = list(seen.remarks) or [f"good: {seen.in_largest:.0%} of the pages hang together"]
    if nodes:
        yield f"Health       {health[0]}"
        yield from (f"             {remark}" for remark in health[1:])
    for number, (path, size) in enumerate(files):
        yield f"{'' if number else 'Written':12} {path} ({_size(size)})"


def _list(name: str, rows: Sequence[str], about: str) -> Iterator[str]:
    """A heading and the first rows; nothing where there are none."""
    if not rows:
        return
    yield f"{name:12} {about}"
    yield from first_of(rows, SHOWN, "  ")


def _others(built: BuiltGraph, members: Sequence[int], name: str) -> list[int]:
    """The two highest subjects of a community beside the page that names it."""
    nodes = built.graph.nodes
    subjects = (
        place for place in members if nodes[place].type != "source" and nodes[place].title != name
    )
    return list(islice(subjects, 2))


def _names(pages: Sequence[Any]) -> Callable[[int], str]:
    """Nodes of the graph, or pages of the index, by their titles, with the path where several have
    one: a ledger and its subject do."""
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


def _path_lines(way: PagePath) -> Iterator[str]:
    """A way, a page a line."""
    for number, step in enumerate(way.steps):
        page = way.ground.pages[step.place]
        reached = f"{_arrow(step.edge, step.place)} " if step.edge else ""
        yield f"{'  ' * number}{reached}{_cut(page.title)}  {page.path}"


def _arrow(edge: GraphEdge, place: int) -> str:
    """An edge as it is walked to a page: which way it points, its kind and reason."""
    why = f" ({edge.why})" if edge.why else ""
    mark = f"{edge.kind}{why}"
    return f"— {mark} →" if edge.target == place else f"← {mark} —"


def _neighbour_lines(around: Neighbourhood) -> Iterator[str]:
    """The pages around one, a heading for each distance."""
    pages, rings = around.ground.pages, around.rings
    page, name = pages[around.page], _names(pages)
    yield f"{_cut(page.title)}  {page.path}"
    if not rings:
        yield "  nothing is linked to it"
    for distance, ring in enumerate(rings, start=1):
        yield f"{counted(distance, 'edge')} away: {len(ring)}"
        rows = [
            f"{_arrow(near.edge, near.place)} {name(near.place)}"
            + (f"  via {name(near.via)}" if distance > 1 else "")
            for near in ring
        ]
        yield from first_of(rows, RING, "  ")
