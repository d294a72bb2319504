"""Recall and latency of the product's ranking, beside SQLite FTS5 and bm25s, on sets with gold.

usage: python -m benchmarks.retrieval [--json] [--limit-queries N] [--work DIR] DIR…

Each DIR holds corpus.jsonl and queries.jsonl (their form: `benchmarks/evaluation_sets.py`). A wiki
is built of each corpus by the product's own pages, store and index; each question runs through the
ranking that `wiki search` uses. Latency is per question, in one process, after ten questions that
are not timed. bm25s comes with the extra `bench`; without it its rows are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from benchmarks.evaluation_sets import EvaluationSet, Question, SetError, read_set
from benchmarks.measures import DEPTH, Answered, summarise
from benchmarks.peers import Bm25s, Engine, Fts5
from benchmarks.scratch import isolate_git, tell, work_folder
from benchmarks.set_wiki import build_wiki
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.index.lookups import Corpus
from llmwiki.index.open_index import open_corpus
from llmwiki.query.retrieval.rank_pages import rank

SCHEMA = "llmwiki.bench.retrieval/1"
COLUMNS = ("r@2", "r@5", "r@10", "ndcg@10", "mrr")
WARM_UP = 10
"""Questions asked before the clock runs."""

Figures = dict[str, float]


class Product:
    """The product's ranking over an indexed wiki."""

    def __init__(self, corpus: Corpus, ids: dict[str, str]) -> None:
        self._corpus = corpus
        self._ids = ids
        self._paths = {ident: path for path, ident in ids.items()}

    def search(self, question: str, limit: int, exclude: AbstractSet[str]) -> list[str]:
        """At most `limit` ids, none of them in `exclude`."""
        hidden = tuple(sorted(self._paths[ident] for ident in exclude if ident in self._paths))
        ranking = rank(self._corpus, question, limit=limit, exclude=hidden)
        return [self._ids[hit.card.path] for hit in ranking.hits]


def measure(engine: Engine, questions: Sequence[Question]) -> Figures:
    """Asks every question once, after a warm-up, and summarises."""
    for question in questions[:WARM_UP]:
        engine.search(question.text, DEPTH, question.exclude)
    answers = []
    for question in questions:
        begin = time.perf_counter()
        found = engine.search(question.text, DEPTH, question.exclude)
        milliseconds = (time.perf_counter() - begin) * 1000
        answers.append(Answered(tuple(found), question.gold, milliseconds))
    return summarise(answers)


def compare(given: EvaluationSet, root: Path) -> dict[str, Figures | None]:
    """The figures of each system on one set, whose wiki is built in `root`; None: not installed."""
    begin = time.perf_counter()
    ids = build_wiki(root, given.documents)
    built = time.perf_counter()
    with Repository(layout_of(root)) as repo, open_corpus(repo, notice=tell) as corpus:
        tell(
            f"{given.name}: {len(ids)} pages landed in {built - begin:.1f} s,"
            f" indexed in {time.perf_counter() - built:.1f} s; {len(given.questions)} questions"
        )
        figures: dict[str, Figures | None] = {
            "llmwiki": measure(Product(corpus, ids), given.questions)
        }
    peers: dict[str, Callable[[], Engine]] = {
        "fts5": lambda: Fts5(given.documents),
        "bm25s": lambda: Bm25s(given.documents),
    }
    for name, make in peers.items():
        try:
            engine = make()
        except ImportError as error:
            tell(f"{name} is left out: {error}. Install the extra `bench`.")
            figures[name] = None
        else:
            figures[name] = measure(engine, given.questions)
    return figures


def table(name: str, figures: dict[str, Figures | None]) -> str:
    """One set's figures for people: percent, then milliseconds."""
    rows = [f"{name:16}" + "".join(f"{column:>9}" for column in (*COLUMNS, "p50 ms", "p95 ms"))]
    for system, row in figures.items():
        if row is not None:
            cells = "".join(f"{100 * row[column]:9.1f}" for column in COLUMNS)
            rows.append(f"  {system:14}{cells}{row['p50_ms']:9.2f}{row['p95_ms']:9.2f}")
    return "\n".join(rows)


def main(argv: Sequence[str]) -> int:
    """Prints the figures; 2 where a set cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("sets", metavar="DIR", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--limit-queries", metavar="N", type=int, help="ask the first N only")
    parser.add_argument("--work", metavar="DIR", type=Path, help="build the wikis here, keep them")
    options = parser.parse_args(argv)
    if options.limit_queries is not None and options.limit_queries < 1:
        parser.error("--limit-queries must be at least 1")
    isolate_git()
    try:
        sets = [read_set(folder, most_questions=options.limit_queries) for folder in options.sets]
    except SetError as error:
        tell(str(error))
        return 2
    if len({given.name for given in sets}) < len(sets):
        tell("two sets have one name: the figures are told apart by the folders' names")
        return 2
    result: dict[str, dict[str, Figures | None]] = {}
    with work_folder(options.work) as work:
        for given in sets:
            for note in given.notes:
                tell(f"{given.name}: {note}")
            result[given.name] = compare(given, work / given.name)
            if not options.json:
                print(table(given.name, result[given.name]), flush=True)
    if options.json:
        print(json.dumps({"schema": SCHEMA, "sets": result}, ensure_ascii=False, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
