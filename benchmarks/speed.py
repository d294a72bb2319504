"""Time and memory of whole processes on wikis of several sizes, beside ripgrep and qmd.

usage: python -m benchmarks.speed GENERATOR [--sizes 1000,10000,100000] [--json] [--work DIR]

GENERATOR is a Python script called as `GENERATOR OUT N` that writes a wiki of N pages below
OUT/wiki. Every figure is a cold process: start-up, imports and all; the tools take turns in each
round. ripgrep is looked for on the PATH; qmd is installed from npm below the work folder unless
`--no-qmd`. What is missing is said on stderr and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.processes import Command, CommandFailed, Run, Timing, in_turn, run, summarise
from benchmarks.qmd import Qmd, install
from benchmarks.scratch import isolate_git, tell, work_folder
from benchmarks.speed_wiki import choose_words, commit_all, pages_of, prepare

SCHEMA = "llmwiki.bench.speed/1"
SWEEP_BELOW = 20_000
"""Pages up to which an uncommitted edit is seen without `--fresh`."""
SIZES = (1000, 10_000, 100_000)
QUERY_MS = dict(zip(SIZES, (90, 100, 150), strict=True))
QUERY_MB = dict(zip(SIZES, (40, 60, 120), strict=True))
INDEX_MS = dict(zip(SIZES, (300, 2000, 22_000), strict=True))
CHANGED_MS = dict(zip(SIZES, (40, 40, 120), strict=True))
"""What is to be reached at each size; the last one over start-up."""
LINT_MS = dict(zip(SIZES[1:], (150, 500), strict=True))
LINT_ALL_MS = dict(zip(SIZES[1:], (2500, 25_000), strict=True))
"""The same for a lint where nothing changed, and for one that makes the index as well."""


@dataclass(frozen=True, slots=True)
class Row:
    """One job, done by each tool that can do it."""

    name: str
    tools: Mapping[str, Timing]
    """By name: `wiki`, `rg`, `qmd`."""
    over_start_ms: float | None = None
    """The product's median less that of `wiki --version`, where that is what counts."""
    over_again_ms: float | None = None
    """Its median less that of the same command run again, when nothing has changed since."""
    target_ms: float | None = None
    target_mb: float | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """One generated wiki and the tools to be measured on it."""

    root: Path
    wiki: str
    environment: dict[str, str]
    rounds: int
    rg: str | None
    qmd: Qmd | None
    rows: list[Row] = field(default_factory=list)

    def command(self, *arguments: str) -> Command:
        """A call of the product that must succeed."""
        return Command((self.wiki, *arguments), self.root, self.environment)

    def rg_command(self, words: str) -> Command:
        """The files that hold any of the words."""
        patterns = [part for word in words.split() for part in ("-e", word)]
        argv = (str(self.rg), "-l", "-w", "-i", *patterns, "wiki")
        return Command(argv, self.root, self.environment, accepted=(0, 1))


def measure(bench: Bench, pages: int) -> list[Row]:
    """All rows for one wiki."""
    words = choose_words(bench.root)
    start = in_turn({"wiki": bench.command("--version")}, bench.rounds)
    bench.rows.append(Row("start-up: wiki --version", start))
    _full_index(bench, pages)
    for name, asked in words.rows().items():
        tools = {"wiki": bench.command("search", *asked.split())}
        if bench.rg:
            tools["rg"] = bench.rg_command(asked)
        if bench.qmd:
            tools["qmd"] = bench.qmd.command(bench.root, "search", asked)
        _query(bench, f"search: {name}", tools, pages)
    for name, asked in words.rows().items():
        _query(bench, f"context: {name}", {"wiki": bench.command("context", asked)}, pages)
    nothing = {"wiki": bench.command("index")}
    if bench.qmd:
        nothing["qmd"] = bench.qmd.command(bench.root, "update")
    rounds = bench.rounds if pages < SWEEP_BELOW else 2
    bench.rows.append(Row("index: nothing changed", in_turn(nothing, rounds)))
    middle = start["wiki"].median_ms
    _changed(bench, "one page changed, committed", middle, pages, committed=True)
    _changed(bench, "one page changed, not committed", middle, pages, committed=False)
    _lint(bench, pages)
    return bench.rows


def _query(bench: Bench, name: str, tools: Mapping[str, Command], pages: int) -> None:
    timed = in_turn(tools, bench.rounds)
    row = Row(name, timed, target_ms=QUERY_MS.get(pages), target_mb=QUERY_MB.get(pages))
    bench.rows.append(row)


def _full_index(bench: Bench, pages: int) -> None:
    times = min(3, bench.rounds) if pages < SWEEP_BELOW else 1
    tools = {"wiki": [run(bench.command("index", "--rebuild")) for _ in range(times)]}
    if bench.qmd:
        bench.qmd.forget(bench.root)
        add = bench.qmd.command(bench.root, "collection", "add", "wiki", "--name", "bench")
        tools["qmd"] = [run(add)]
    timed = {name: summarise(runs) for name, runs in tools.items()}
    bench.rows.append(Row("index: all pages", timed, target_ms=INDEX_MS.get(pages)))


def _changed(bench: Bench, name: str, start_ms: float, pages: int, *, committed: bool) -> None:
    """Changes another page each round; the search must find what was written."""
    ours: list[Run] = []
    again: list[Run] = []
    theirs: list[Run] = []
    all_pages = pages_of(bench.root)
    rounds = bench.rounds if pages < SWEEP_BELOW else 5
    for turn in range(rounds):
        place = all_pages[(len(all_pages) // 3 + 977 * turn + committed) % len(all_pages)]
        # A word that no generator makes, another one each time.
        word = "q" + "zx"[committed] + "jv" + "abcdefghijklmnopqrstuvwxyz"[turn % 26]
        before = place.read_bytes()
        place.write_bytes(before + f"\nThe {word} was added here.\n".encode())
        if committed:
            commit_all(bench.root, bench.environment)
        fresh = () if committed or pages < SWEEP_BELOW else ("--fresh",)
        found = run(bench.command("search", word, *fresh))
        if place.stem not in found.output:
            raise CommandFailed(f"`wiki search {word}` does not find {place.stem}:\n{found.output}")
        ours.append(found)
        again.append(run(bench.command("search", word, *fresh)))
        if bench.qmd and turn < 2:
            theirs.append(run(bench.qmd.command(bench.root, "update")))
        place.write_bytes(before)
        if committed:
            commit_all(bench.root, bench.environment)
        run(bench.command("index"))
    tools = {"wiki": summarise(ours)}
    if theirs:
        tools["qmd"] = summarise(theirs)
    over = tools["wiki"].median_ms - start_ms
    target = CHANGED_MS.get(pages) if committed else None
    more = tools["wiki"].median_ms - summarise(again).median_ms
    bench.rows.append(Row(f"search: {name}", tools, over, more, target))


def _lint(bench: Bench, pages: int) -> None:
    """A lint that knows all pages, one that knows all but one, and those that know none."""
    # A generated wiki is not without faults: 1 says that some were found.
    lint = Command((bench.wiki, "lint"), bench.root, bench.environment, accepted=(0, 1))
    known = in_turn({"wiki": lint}, bench.rounds)
    bench.rows.append(Row("lint: nothing changed", known, target_ms=LINT_MS.get(pages)))
    changed, unread, unindexed = [], [], []
    all_pages = pages_of(bench.root)
    for turn in range(bench.rounds if pages < SWEEP_BELOW else 3):
        place = all_pages[(len(all_pages) // 5 + 977 * turn) % len(all_pages)]
        before = place.read_bytes()
        place.write_bytes(before + b"\nA line was added here.\n")
        commit_all(bench.root, bench.environment)
        changed.append(run(lint))
        place.write_bytes(before)
        commit_all(bench.root, bench.environment)
        run(lint)
    for _turn in range(min(3, bench.rounds) if pages < SWEEP_BELOW else 1):
        run(bench.command("index", "--rebuild"))
        unread.append(run(lint))
        for file in (bench.root / ".git" / "llmwiki").glob("index.db*"):
            file.unlink()
        unindexed.append(run(lint))
    for name, runs, target in (
        ("lint: one page changed, committed", changed, None),
        ("lint: all pages indexed, none linted", unread, None),
        ("lint: nothing indexed", unindexed, LINT_ALL_MS.get(pages)),
    ):
        bench.rows.append(Row(name, {"wiki": summarise(runs)}, target_ms=target))


def table(pages: int, rows: Sequence[Row]) -> str:
    """One size's rows for people."""
    own_columns = f"{'wiki min':>9}{'median':>9}{'cpu':>7}{'MB':>6}{'target':>9}"
    lines = [f"{pages:,} pages", f"  {'':46}{own_columns}{'rg':>9}{'qmd':>10}{'MB':>6}"]
    for row in rows:
        own, rg, qmd = (row.tools.get(name) for name in ("wiki", "rg", "qmd"))
        times = f"{own.min_ms:9.0f}{own.median_ms:9.0f}{own.cpu_ms:7.0f}" if own else " " * 25
        cells = times + (f"{own.peak_mb:6.0f}" if own else " " * 6)
        cells += f"{row.target_ms:9.0f}" if row.target_ms and row.over_start_ms is None else " " * 9
        cells += f"{rg.median_ms:9.0f}" if rg else " " * 9
        cells += f"{qmd.median_ms:10.0f}{qmd.peak_mb:6.0f}" if qmd else ""
        lines.append(f"  {row.name:46}{cells}".rstrip())
        if row.over_start_ms is not None:
            target = f"{row.target_ms:9.0f}" if row.target_ms else ""
            lines.append(f"  {'  over start-up':46}{'':9}{row.over_start_ms:9.0f}{'':13}{target}")
        if row.over_again_ms is not None:
            lines.append(f"  {'  over the same search again':46}{'':9}{row.over_again_ms:9.0f}")
    return "\n".join(lines)


def as_json(rows: Sequence[Row]) -> dict[str, object]:
    """One size's rows, by name."""
    return {
        row.name: {key: value for key, value in asdict(row).items() if key != "name"}
        for row in rows
    }


def _tool(name: str, find: Callable[[], Qmd]) -> Qmd | None:
    try:
        return find()
    except CommandFailed as error:
        tell(f"{name} is left out: {error}")
        return None


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("generator", type=Path, metavar="GENERATOR")
    parser.add_argument("--sizes", default="1000,10000,100000", help="pages, joined by commas")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--work", metavar="DIR", type=Path, help="make the wikis here, keep them")
    parser.add_argument(
        "--wiki",
        metavar="PATH",
        default=str(Path(sys.executable).with_name("wiki")),
        help="the command to measure; an editable install starts some 10 ms later",
    )
    parser.add_argument("--rounds", type=int, default=9, help="counted runs of each command")
    parser.add_argument("--no-qmd", action="store_true")
    options = parser.parse_args(argv)
    try:
        options.sizes = [int(size) for size in options.sizes.split(",")]
    except ValueError:
        parser.error("--sizes takes whole numbers joined by commas")
    if min(options.sizes) < 100 or options.rounds < 1:
        parser.error("a wiki has 100 pages or more, and a command runs at least once")
    if not options.generator.is_file():
        parser.error(f"{options.generator} is no file")
    if shutil.which(options.wiki) is None:
        parser.error(f"there is no command {options.wiki}; name one with --wiki")
    return options


def main(argv: Sequence[str]) -> int:
    """Prints the figures; 1 where the product itself fails."""
    options = _parsed(argv)
    isolate_git()
    environment = dict(os.environ)
    rg = shutil.which("rg")
    if rg is None:
        tell("rg is left out: it is not installed")
    result: dict[str, object] = {}
    with work_folder(options.work) as work:
        qmd = None
        if not options.no_qmd:
            qmd = _tool("qmd", lambda: install(work / "qmd", environment))
        for pages in options.sizes:
            root = (work / f"wiki-{pages}").absolute()
            wiki = str(Path(shutil.which(options.wiki) or options.wiki).absolute())
            try:
                prepare(root, options.generator.absolute(), pages, wiki, environment)
                rows = measure(Bench(root, wiki, environment, options.rounds, rg, qmd), pages)
            except CommandFailed as error:
                tell(str(error))
                return 1
            result[str(pages)] = as_json(rows)
            if not options.json:
                print(table(pages, rows), flush=True)
    if options.json:
        machine = {
            "cores": os.cpu_count(),
            "python": sys.version.split()[0],
            "sqlite": sqlite3.sqlite_version,
        }
        print(json.dumps({"schema": SCHEMA, "machine": machine, "sizes": result}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
