"""wiki graph: the wiki as a graph, as files, as a summary, and page by page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from llmwiki.cli.asking import EMPTY, START, searched
from llmwiki.cli.context import load_config, opened, output_place, say, say_json, tell
from llmwiki.cli.models import COST, accepting
from llmwiki.core.errors import InputError, PolicyError, StateError

if TYPE_CHECKING:
    from llmwiki.graph.build import BuiltGraph
    from llmwiki.graph.ground import GraphInput
    from llmwiki.graph.model import Graph
    from llmwiki.index.open_index import Index
    from llmwiki.repo.repository import Repository

_Function = TypeVar("_Function", bound=Callable[..., Any])

FORMATS = ("html", "json", "graphml", "gexf", "dot", "mermaid", "pyvis")
"""As `graph.export` has them, which help need not load."""
JOB = 20
"""Pages of one job for an agent, where nobody says otherwise."""
NO_PATH = 1


def _seeing(function: _Function) -> _Function:
    """The options of everything that looks at the graph."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
        click.option(
            "--fresh", is_flag=True, help="Look for edits in the work tree of a large wiki too."
        ),
        click.option("--at", "revision", metavar="REV", help="The wiki as it was in this commit."),
        click.option(
            "--no-mentions", is_flag=True, help="Only links: no edges for names in the text."
        ),
    ):
        function = option(function)
    return function


class Sight(NamedTuple):
    """Which graph is looked at."""

    revision: str | None
    fresh: bool
    mentions: bool


@click.group(invoke_without_command=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Print the graph in this format; write no files.",
)
@click.option("-o", "--output", metavar="FILE", help="With --format: write to FILE instead.")
@click.option("--infer", is_flag=True, help="Let a model read new and changed pages for edges.")
@click.option("--model", help="With --infer: the model.")
@click.option(
    "--max-cost",
    type=COST,
    metavar="USD",
    help="With --infer: stop before a call could pass this sum; needs prices.",
)
@accepting
@click.option("--prepare", is_flag=True, help="Print the same as a job for an agent, and stop.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --infer or --prepare: so many pages at most, by rank.  [--prepare: 20]",
)
@_seeing
@click.pass_context
def command(
    ctx: click.Context,
    form: str | None,
    output: str | None,
    infer: bool,
    model: str | None,
    max_cost: float | None,
    yes: bool,
    prepare: bool,
    limit: int | None,
    no_mentions: bool,
    revision: str | None,
    fresh: bool,
    as_json: bool,
) -> int:
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
            ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
            for name in ctx.params
        ):
            raise InputError(f"options of `graph {ctx.invoked_subcommand}` stand behind it")
        return 0
    _check(form, output, infer, prepare, as_json, revision)
    sight = Sight(revision, fresh, not no_mentions)
    with opened(ctx, reads_only=True) as repo:
        if infer:
            from llmwiki.cli.graph_told import infer as let_read

            let_read(repo, load_config(repo), model, max_cost, limit, yes=yes, fresh=fresh)
        with searched(repo, revision, fresh) as index:
            if prepare:
                from llmwiki.cli.graph_told import say_job

                return say_job(repo, index, limit or JOB)
            built = _built(repo, index, sight)
        if form is not None:
            _export(repo, built, form, output_place(ctx, repo, output) if output else None)
            return 0
        files = () if revision else _written(repo, built)
    return _tell(built, files, as_json)


def _check(
    form: str | None,
    output: str | None,
    infer: bool,
    prepare: bool,
    as_json: bool,
    revision: str | None,
) -> None:
    """Refuses options that do not go together."""
    if output and form is None:
        raise InputError("-o goes with --format")
    if form is not None and (as_json or prepare):
        raise InputError("--format prints the graph", fix="Leave out --json and --prepare.")
    if infer and (prepare or revision):
        raise InputError(
            "--infer reads the wiki as it is, by a model", fix="Leave out --prepare and --at."
        )


def _built(repo: Repository, index: Index, sight: Sight) -> BuiltGraph:
    from llmwiki.graph.build import build
    from llmwiki.graph.edge_store import readings, said

    return build(index, mentions=sight.mentions, said=said(readings(repo)))


def _ground(repo: Repository, index: Index, sight: Sight) -> GraphInput:
    from llmwiki.graph.edge_store import readings, said
    from llmwiki.graph.ground import ground_of

    return ground_of(index, mentions=sight.mentions, said=said(readings(repo)))


# --- files -------------------------------------------------------------------------------


def _written(repo: Repository, built: BuiltGraph) -> tuple[tuple[str, int], ...]:
    """Writes graph.json and graph.html; their paths and sizes."""
    from llmwiki.graph import html
    from llmwiki.store.private import derive

    sizes = []
    for path, data in (
        ("graph/graph.json", _encoded(built, "json")),
        ("graph/graph.html", [html.render(built.graph, name=repo.root.name)]),
    ):
        derive(repo, path, data)
        sizes.append((path, (repo.root / path).stat().st_size))
    return tuple(sizes)


def _encoded(built: BuiltGraph, form: str) -> Iterable[bytes]:
    from llmwiki.graph.export import WRITERS, as_json

    if form == "json":
        pieces: Iterable[str] = as_json(built.graph, modularity=built.modularity)
    else:
        write: Callable[[Graph], Iterable[str]] = WRITERS[form]
        pieces = write(built.graph)
    return (piece.encode() for piece in pieces)


def _export(repo: Repository, built: BuiltGraph, form: str, place: Path | None) -> None:
    if form == "mermaid":
        _tell_cut(built.graph)
    if form == "html":
        from llmwiki.graph import html

        data: Iterable[bytes] = (html.render(built.graph, name=repo.root.name),)
    else:
        data = _encoded(built, form)
    if place is None:
        sys.stdout.buffer.writelines(data)
        sys.stdout.buffer.flush()
        return
    _refuse_inside(repo, place)
    try:
        with place.open("wb") as file:
            file.writelines(data)
    except OSError as error:
        raise StateError(f"cannot be written: {error.strerror}", where=str(place)) from error


def _refuse_inside(repo: Repository, place: Path) -> None:
    """What is committed, and git's own files, are written by operations alone."""
    real = Path(os.path.realpath(place))
    for folder in (repo.root / "wiki", repo.root / "raw", repo.git_dir, repo.common_dir):
        if real.is_relative_to(os.path.realpath(folder)):
            raise PolicyError("exports are not written there", where=str(place))


def _tell_cut(graph: Graph) -> None:
    from llmwiki.graph.export import MERMAID_EDGES, as_mermaid

    if len(graph.edges) > MERMAID_EDGES:
        shown = as_mermaid(graph)
        tell(
            f"wiki: Mermaid draws {MERMAID_EDGES} edges at most: the {shown.nodes} pages of the"
            f" highest rank are drawn, of {len(graph.nodes)}, and {shown.edges} edges, of"
            f" {len(graph.edges)}"
        )


def _tell(built: BuiltGraph, files: Sequence[tuple[str, int]], as_json: bool) -> int:
    from llmwiki.cli.graph_text import survey_json, survey_text
    from llmwiki.graph.survey import survey

    seen = survey(built)
    if as_json:
        say_json(survey_json(built, seen, files))
    else:
        say(survey_text(built, seen, files))
    if not built.graph.nodes:
        tell(f"wiki: {EMPTY}\n  {START}")
    return 0


# --- from page to page -------------------------------------------------------------------


@command.command("path")
@click.argument("start", metavar="A")
@click.argument("goal", metavar="B")
@_seeing
@click.pass_context
def path_command(
    ctx: click.Context,
    start: str,
    goal: str,
    no_mentions: bool,
    revision: str | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """Show a shortest way from page A to page B.

    Edges are walked whichever way they point. A page is named by its title, an alias or its path.
    Exit code 1: nothing joins the two.
    """
    from llmwiki.cli.graph_text import path_json, path_text

    with opened(ctx, reads_only=True) as repo:
        from llmwiki.graph.walk import page_named, shortest_path

        with searched(repo, revision, fresh) as index:
            ground = _ground(repo, index, Sight(revision, fresh, not no_mentions))
        ends = page_named(ground.pages, start), page_named(ground.pages, goal)
        steps = shortest_path(ground, *ends)
    if as_json:
        say_json({**path_json(ground, ends, steps), "exit_code": 0 if steps else NO_PATH})
    elif steps:
        say(path_text(ground, steps))
    if not steps:
        one, other = (ground.pages[place].title for place in ends)
        tell(f"wiki: no edges lead from {one} to {other}")
    return 0 if steps else NO_PATH


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
@click.pass_context
def neighbours_command(
    ctx: click.Context,
    name: str,
    depth: int,
    no_mentions: bool,
    revision: str | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """List the pages around page A, by their distance.

    A is its title, an alias or its path.
    """
    from llmwiki.cli.graph_text import neighbours_json, neighbours_text

    with opened(ctx, reads_only=True) as repo:
        from llmwiki.graph.walk import neighbours, page_named

        with searched(repo, revision, fresh) as index:
            ground = _ground(repo, index, Sight(revision, fresh, not no_mentions))
        start = page_named(ground.pages, name)
        rings = neighbours(ground, start, depth)
    if as_json:
        say_json(neighbours_json(ground, start, rings))
    else:
        say(neighbours_text(ground, start, rings))
    return 0
