"""How the product does on wikis of several sizes: processor time, ratios within one run.

usage: python -m benchmarks.speed GENERATOR [--sizes 1000,10000,100000] [--json] [--work DIR]

GENERATOR is a Python script called as `GENERATOR OUT N` that writes a wiki of N pages below
OUT/wiki. Commands are cold processes, start-up, imports and all, beside `wiki --version` in the
same rounds; the whole index is compared with SQLite's FTS5 of the same files; what a session does
is timed in this process. Processor time is what counts: other work disturbs it less.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from benchmarks.processes import Command, CommandFailed, in_turn, run
from benchmarks.scratch import isolate_git, tell, work_folder
from benchmarks.speed_wiki import Words, choose_words, commit_all, pages_of, prepare
from llmwiki import Wiki
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.index.index_at_commit import CommittedIndex
from llmwiki.index.open_index import open_corpus

SCHEMA = "llmwiki.bench.speed/2"
FEW = 12
"""Pages of one landing."""
WORN = 0.1
"""Share of the pages that are changed before the second half of the figures."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a wiki."""

    name: str
    value: float
    unit: str
    """`x`: against what is named with it; `ms` and `s` of processor time; `MB`."""


class Bench:
    """One generated wiki."""

    def __init__(self, root: Path, wiki: str, environment: dict[str, str], rounds: int) -> None:
        self._root, self._wiki, self._environment = root, wiki, environment
        self._rounds = rounds
        self._words: Words = choose_words(root)
        self.figures: list[Figure] = []

    def measure(self) -> list[Figure]:
        """All figures."""
        self._whole_index()
        self._cold("fresh")
        self._session()
        self._small_changes()
        self._ingest()
        all_pages = pages_of(self._root)
        for page in all_pages[:: int(1 / WORN)]:
            page.write_bytes(page.read_bytes() + b"\nA line was added here.\n")
        commit_all(self._root, self._environment)
        self._cold(f"after {WORN:.0%} of the pages changed")
        return self.figures

    def _add(self, name: str, value: float, unit: str) -> None:
        self.figures.append(Figure(name, value, unit))

    def _command(self, *arguments: str) -> Command:
        return Command((self._wiki, *arguments), self._root, self._environment, accepted=(0, 1))

    def _whole_index(self) -> None:
        rebuilt = run(self._command("index", "--rebuild"))
        beside = self._root.with_name(f"{self._root.name}-fts5.db")
        plain = run(
            Command(
                (sys.executable, "-m", "benchmarks.plain_fts5", str(self._root), str(beside)),
                Path(__file__).parents[1],
                self._environment,
            )
        )
        beside.unlink()
        self._add("index from nothing", rebuilt.cpu_ms / 1000, "s")
        self._add(
            "index from nothing ÷ plain FTS5 of the same files", rebuilt.cpu_ms / plain.cpu_ms, "x"
        )
        pages = sum(page.stat().st_size for page in pages_of(self._root))
        files = sum(file.stat().st_size for file in (self._root / ".git/llmwiki").glob("*.db"))
        self._add("index files ÷ Markdown", files / pages, "x")

    def _cold(self, when: str) -> None:
        run(self._command("index"))
        asked = {
            "search, 3 words": ("search", *self._words.three.split()),
            "search, 8 words, common ones among them": ("search", *self._words.question.split()),
            "context, 3 words": ("context", self._words.three),
            "status": ("status",),
        }
        commands = {"": self._command("--version")}
        commands |= {name: self._command(*words) for name, words in asked.items()}
        timed = in_turn(commands, self._rounds)
        start = timed.pop("")
        self._add(f"wiki --version, {when}", start.cpu_ms, "ms")
        for name, found in timed.items():
            self._add(f"{name}, {when}", found.cpu_ms, "ms")
            self._add(f"{name} ÷ --version, {when}", found.cpu_ms / start.cpu_ms, "x")
            self._add(f"{name}, memory, {when}", found.peak_mb, "MB")

    def _session(self) -> None:
        words = self._words
        questions = [words.three, words.question, words.rare, *words.three.split()]
        with Wiki.open(self._root).session() as session:
            session.search(words.common)
            for name, ask in (("search", session.search), ("context", session.context)):
                spent = [_spent(partial(ask, q)) for q in questions for _ in range(3)]
                self._add(f"warm {name}", statistics.median(spent), "ms")

    def _small_changes(self) -> None:
        changed = pages_of(self._root)[7 :: max(1, len(pages_of(self._root)) // FEW)][:FEW]
        with Repository(layout_of(self._root)) as repo:
            committed = CommittedIndex(repo)
            committed.stand_at(repo.head())
            texts = {
                page.relative_to(self._root).as_posix(): page.read_bytes() + b"\nMore.\n"
                for page in changed
            }
            spent = []
            for _ in range(5):
                spent.append(_spent(lambda: committed.show(texts)))
                committed.take_back(0)
            self._add(f"preview of {FEW} pages", statistics.median(spent), "ms")
        spent = []
        for _ in range(5):
            for page in changed:
                page.write_bytes(page.read_bytes() + b"\nMore.\n")
            commit_all(self._root, self._environment)
            with Repository(layout_of(self._root)) as repo:
                spent.append(_spent(lambda: _opened(repo)))
        self._add(f"refresh after {FEW} pages", statistics.median(spent), "ms")

    def _ingest(self) -> None:
        spent = []
        for number in range(4):
            note = self._root / f"raw/note-{number}.md"
            note.parent.mkdir(exist_ok=True)
            note.write_text(f"# Note {number}\n\nThe copper kettle {number} holds two litres.\n")
            command = self._command("ingest", f"raw/{note.name}", "--model", "offline")
            spent.append(run(command).cpu_ms)
        self._add("ingest of a note", statistics.median(spent[1:]), "ms")


def _opened(repo: Repository) -> None:
    with open_corpus(repo, look="glance"):
        pass


def _spent(work: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1000


def table(pages: int, figures: Sequence[Figure]) -> str:
    """One size's figures for people."""
    rows = (f"  {each.name:70}{each.value:10.2f} {each.unit}" for each in figures)
    return "\n".join((f"{pages:,} pages", *rows))


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
    result: dict[str, object] = {}
    with work_folder(options.work) as work:
        for pages in options.sizes:
            root = (work / f"wiki-{pages}").absolute()
            wiki = str(Path(shutil.which(options.wiki) or options.wiki).absolute())
            try:
                prepare(root, options.generator.absolute(), pages, wiki, environment)
                figures = Bench(root, wiki, environment, options.rounds).measure()
            except CommandFailed as error:
                tell(str(error))
                return 1
            result[str(pages)] = [asdict(figure) for figure in figures]
            if not options.json:
                print(table(pages, figures), flush=True)
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
