"""`wiki graph` as whole processes, beside the plain way with networkx and pyvis.

usage: python -m benchmarks.graph GENERATOR [--sizes 1000,10000,100000] [--json] [--work DIR]

GENERATOR is a Python script called as `GENERATOR OUT N` that writes a wiki of N pages below
OUT/wiki. `wiki graph` ranks, finds communities, bridges and missing links, and writes
graph/graph.json and graph/graph.html, from an index that is up to date. The plain way
(`benchmarks.graph_plain`) parses the pages, takes networkx's Louvain and writes a page of pyvis;
it knows no ranks, bridges or missing links. pyvis takes time with the square of the size, so
that it is left out above `--plain-up-to` pages.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.processes import Command, CommandFailed, Run, Timing, run, summarise
from benchmarks.scratch import isolate_git, tell, work_folder
from benchmarks.speed_wiki import pages_of, prepare

SCHEMA = "llmwiki.bench.graph/1"
SIZES = (1000, 10_000, 100_000)
TARGET_MS = dict(zip(SIZES, (500, 2000, 15_000), strict=True))
SLOW = 20_000
SLOW_PLAIN = 5000
"""Pages from which on `wiki graph`, and the plain way, run once."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way to the graph of one wiki."""

    name: str
    timing: Timing
    html_mb: float
    edges: int
    communities: int
    modularity: float


def measure(root: Path, wiki: str, env: dict[str, str], rounds: int, plain: bool) -> list[Row]:
    """Both ways, in turn in each round. Raises CommandFailed."""
    out = root / "graph" / "plain"
    commands = {"wiki graph": Command((wiki, "graph"), root, env)}
    if plain:
        argv = (sys.executable, "-m", "benchmarks.graph_plain", str(root), str(out))
        here = Path(__file__).parents[1]
        commands["networkx + pyvis"] = Command(argv, here, env)
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    run(commands["wiki graph"])
    once = pages_of(root)[SLOW_PLAIN:]
    for turn in range(rounds):
        for name, command in commands.items():
            if not (turn and once and name != "wiki graph"):
                runs[name].append(run(command))
    shown = run(Command((wiki, "graph", "--json"), root, env)).output
    # What it says to people comes behind the object, on the same stream here.
    told, _end = json.JSONDecoder().raw_decode(shown[shown.index("{") :])
    rows = [
        Row(
            *("wiki graph", summarise(runs["wiki graph"]), _megabytes(root / "graph")),
            *(told["edges"], len(told["communities"]), _modularity(root / "graph")),
        )
    ]
    if plain:
        theirs = runs["networkx + pyvis"]
        told = json.loads(theirs[-1].output.splitlines()[-1])
        rows.append(
            Row(
                *("networkx + pyvis", summarise(theirs), _megabytes(out)),
                *(told["edges"], told["communities"], told["modularity"]),
            )
        )
    return rows


def _modularity(folder: Path) -> float:
    """Of the communities in graph.json, by networkx."""
    import networkx

    data = json.loads((folder / "graph.json").read_text("utf-8"))
    made = networkx.node_link_graph(data, edges="edges")
    groups: dict[int, set[str]] = {}
    for name, community in made.nodes(data="community"):
        groups.setdefault(community, set()).add(name)
    return networkx.community.modularity(made, groups.values())


def _megabytes(folder: Path) -> float:
    return (folder / "graph.html").stat().st_size / 1e6


def table(pages: int, rows: Sequence[Row]) -> str:
    """One size's rows for people."""
    head = f"{'min ms':>9}{'median':>9}{'cpu':>9}{'target':>9}{'MB':>7}{'html MB':>9}{'edges':>9}"
    lines = [f"{pages:,} pages", f"  {'':18}{head}{'groups':>8}{'modularity':>12}"]
    for row in rows:
        done = row.timing
        target = f"{TARGET_MS.get(pages, '')}" if row.name == "wiki graph" else ""
        lines.append(
            f"  {row.name:18}{done.min_ms:9.0f}{done.median_ms:9.0f}{done.cpu_ms:9.0f}{target:>9}"
            f"{done.peak_mb:7.0f}{row.html_mb:9.2f}{row.edges:9}{row.communities:8}"
            f"{row.modularity:12.4f}"
        )
    return "\n".join(lines)


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("generator", type=Path, metavar="GENERATOR")
    parser.add_argument("--sizes", default="1000,10000,100000", help="pages, joined by commas")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--work", metavar="DIR", type=Path, help="make the wikis here, keep them")
    parser.add_argument(
        "--wiki", default=str(Path(sys.executable).with_name("wiki")), help="the command to measure"
    )
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, once above 20,000")
    parser.add_argument("--plain-up-to", type=int, default=10_000, metavar="PAGES")
    options = parser.parse_args(argv)
    try:
        options.sizes = [int(size) for size in options.sizes.split(",")]
    except ValueError:
        parser.error("--sizes takes whole numbers joined by commas")
    if not options.generator.is_file():
        parser.error(f"{options.generator} is no file")
    if shutil.which(options.wiki) is None:
        parser.error(f"there is no command {options.wiki}; name one with --wiki")
    return options


def main(argv: Sequence[str]) -> int:
    """Prints the figures; 1 where a command fails."""
    options = _parsed(argv)
    isolate_git()
    environment = dict(os.environ)
    wiki = str(Path(shutil.which(options.wiki) or options.wiki).absolute())
    result: dict[str, object] = {}
    with work_folder(options.work) as work:
        for pages in options.sizes:
            root = (work / f"wiki-{pages}").absolute()
            rounds = options.rounds if pages < SLOW else 1
            try:
                prepare(root, options.generator.absolute(), pages, wiki, environment)
                plain = pages <= options.plain_up_to
                rows = measure(root, wiki, environment, rounds, plain)
            except CommandFailed as error:
                tell(str(error))
                return 1
            result[str(pages)] = [asdict(row) for row in rows]
            if not options.json:
                print(table(pages, rows), flush=True)
    if options.json:
        machine = {"cores": os.cpu_count(), "python": sys.version.split()[0]}
        print(json.dumps({"schema": SCHEMA, "machine": machine, "sizes": result}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
