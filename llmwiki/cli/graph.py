"""wiki graph: the wiki as a graph, as files, as a summary, and page by page."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.desk import AskOptions
from llmwiki.app.graph import FORMATS, GraphOptions
from llmwiki.cli.asking import EMPTY, NO_MATCH, START
from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.groups import CommandGroup
from llmwiki.cli.options import AS_JSON, PAGE, YES, filled, max_cost, option, options, together
from llmwiki.cli.questions import JOBS, forecast_text, run_lines, say_jobs
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki import Wiki, WikiGraph

_seeing = together(options(GraphOptions), AS_JSON)
"""The options of everything that looks at the graph."""


@click.group(cls=CommandGroup, invoke_without_command=True)
@option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    excludes=("--json", "--prepare", "--estimate"),
    help="Print the graph in this format; write no files.",
)
@option(
    "-o",
    "--output",
    metavar="FILE",
    needs=("--format",),
    help="With --format: write to FILE instead.",
)
@option(
    "--infer",
    is_flag=True,
    excludes=("--prepare", "--estimate", "--at"),
    help="Let a model read new and changed pages for edges.",
)
@option("--model", needs=("--infer", "--estimate"), help="With --infer: the model.")
@max_cost(
    "With --infer: stop before a call could pass this sum; needs prices.",
    needs=("--infer", "--estimate"),
)
@YES
@JOBS
@option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    needs=("--infer", "--prepare", "--estimate"),
    help="With --infer, --prepare or --estimate: so many pages at most, by rank.",
)
@_seeing
@click.pass_context
def command(
    ctx: click.Context,
    /,
    form: str | None,
    output: str | None,
    infer: bool,
    model: str | None,
    max_cost: float | None,
    yes: bool,
    limit: int | None,
    as_json: bool,
    **given: Any,
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
    seen = filled(GraphOptions, given)
    is_job = given["prepare"] or given["estimate"]
    begun = time.monotonic()
    wiki = open_wiki(ctx, yes=yes)
    if infer or is_job:
        _ask(wiki, AskOptions(model, max_cost), seen, limit, given)
    if is_job:
        return 0
    drawn = wiki.graph(seen)
    if form is not None:
        _export(wiki, drawn, form, output)
    else:
        _tell(drawn, () if seen.at else wiki.write_graph(drawn), as_json)
        # Not on the standard output, which is the same for the same wiki.
        tell(f"wiki: drawn in {time.monotonic() - begun:.1f} s")
    return 0


def _ask(
    wiki: Wiki,
    asked: AskOptions,
    options: GraphOptions,
    limit: int | None,
    given: dict[str, Any],
) -> None:
    """Lets a model read for edges, or prepares or measures that."""
    if given["estimate"]:
        say(forecast_text(wiki.measure_parts("edges", asked, options, limit=limit)))
    elif given["prepare"]:
        say_jobs(wiki.prepare_parts("edges", given["part"], options, limit=limit))
    else:
        told = wiki.ask_parts("edges", asked, options, limit=limit)
        for result in told.results:
            tell(f"wiki: read {result.title}")
            for each in result.left_out:
                tell(f"wiki: refused  {each.what}: {each.reason}")
        for line in run_lines(told):
            tell(f"wiki: {line}")
        if told.failure:
            raise told.failure


def _export(wiki: Wiki, drawn: WikiGraph, form: str, output: str | None) -> None:
    if form == "mermaid" and (cut := drawn.mermaid_cut()):
        tell(f"wiki: {cut}")
    if output is None:
        sys.stdout.buffer.writelines(drawn.export(form))
        sys.stdout.buffer.flush()
    else:
        wiki.export_graph(drawn, form, output)


def _tell(drawn: WikiGraph, files: tuple[tuple[str, int], ...], as_json: bool) -> None:
    seen = drawn.survey()
    if as_json:
        from llmwiki.app.shapes.graph import graph_json

        say_json(graph_json(drawn, seen, files))
    else:
        from llmwiki.cli.graph_text import survey_text

        say(survey_text(drawn.built, seen, files))
    if not drawn.built.graph.nodes:
        tell(f"wiki: {EMPTY}\n  {START}")


# --- from page to page -------------------------------------------------------------------


@command.command("path")
@click.argument("start", metavar="A", type=PAGE)
@click.argument("goal", metavar="B", type=PAGE)
@_seeing
@click.pass_context
def path_command(ctx: click.Context, /, start: str, goal: str, as_json: bool, **given: Any) -> int:
    """Show a shortest way from page A to page B.

    Edges are walked whichever way they point. A page is named by its title, an alias or its path.
    Exit code 1: nothing joins the two.

    \b
    Example:
      wiki graph path "Green tea" Teapot
    """
    way = open_wiki(ctx).path(start, goal, filled(GraphOptions, given))
    if as_json:
        from llmwiki.app.shapes.graph import GraphPathJson

        say_json(GraphPathJson.of(way))
    elif way.steps:
        from llmwiki.cli.graph_text import path_text

        say(path_text(way))
    if not way.steps:
        tell(f"wiki: no edges lead from {way.start.title} to {way.goal.title}")
    return 0 if way.steps else NO_MATCH


@command.command("neighbours")
@click.argument("name", metavar="A", type=PAGE)
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
    ctx: click.Context, /, name: str, depth: int, as_json: bool, **given: Any
) -> int:
    """List the pages around page A, by their distance.

    A is its title, an alias or its path.

    \b
    Example:
      wiki graph neighbours "Green tea" --depth 2
    """
    around = open_wiki(ctx).neighbours(name, depth, filled(GraphOptions, given))
    if as_json:
        from llmwiki.app.shapes.graph import NeighboursJson

        say_json(NeighboursJson.of(around))
    else:
        from llmwiki.cli.graph_text import neighbours_text

        say(neighbours_text(around))
    return 0
