"""Recall of memory beside that of search: the same turns as notes of days, and as pages.

usage: python -m benchmarks.memory_recall [--limit-queries N] DIR…

Each DIR holds corpus.jsonl and queries.jsonl (their form: `benchmarks/evaluation_sets.py`) of long
conversations, a turn a document, the talk and its date in the title. Once each turn is a page, and
`wiki search` ranks; once it is a note of the memory on the page of a day, one day a title, and the
passages of `wiki context` are taken by their score. Each is told the same words.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

from benchmarks.evaluation_sets import Document, EvaluationSet, SetError, read_set
from benchmarks.measures import DEPTH, Answered, summarise
from benchmarks.retrieval import Figures, Product, measure, table
from benchmarks.scratch import isolate_git, tell, work_folder
from benchmarks.set_wiki import build_wiki, land_pages
from llmwiki.app.wiki import Wiki
from llmwiki.core.page_and_note_kinds import DAILY
from llmwiki.core.text import normalise
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.index.open_index import open_corpus
from llmwiki.pages.memory_notes import learned_node, new_page, note_id
from llmwiki.pages.page import Page
from llmwiki.pages.write import add_to_section

START = date(2000, 1, 1)
BUDGET = 4_000
"""Tokens of passages: room for more than `DEPTH` notes."""


def days_of(documents: Sequence[Document]) -> tuple[list[Page], dict[str, str]]:
    """A page of a day for each title; the id of each document by that of its note."""
    titles: dict[str, list[Document]] = {}
    for document in documents:
        titles.setdefault(document.title, []).append(document)
    pages: list[Page] = []
    ids: dict[str, str] = {}
    for number, (title, told) in enumerate(titles.items()):
        page = new_page(f"{DAILY}{START + timedelta(days=number)}.md", "benchmarks")
        for document in told:
            text = normalise(f"{title}: {document.text}")
            if ids.setdefault(note_id(text), document.id) == document.id:
                page = add_to_section(
                    page, "Notes", learned_node(text, kind="fact", told_by="agent")
                )
        pages.append(page)
    return pages, ids


class Memory:
    """What the passages of a context name, as a ranking of documents."""

    def __init__(self, wiki: Wiki, ids: dict[str, str]) -> None:
        self._wiki = wiki
        self._ids = ids

    def search(self, question: str, limit: int) -> list[str]:
        """At most `limit` ids."""
        shown = self._wiki.context(question, budget=BUDGET, more=True).context.shown
        found = sorted(shown, key=lambda each: -each.score)
        notes = (each.passage.handle.rpartition("#^")[2].removesuffix("]]") for each in found)
        return [self._ids[note] for note in notes if note in self._ids][:limit]


def recalled(given: EvaluationSet, root: Path) -> Figures:
    """The figures of the memory."""
    build_wiki(root, ())
    pages, ids = days_of(given.documents)
    land_pages(root, pages)
    answers = []
    with Wiki.open(root) as wiki:
        memory = Memory(wiki, ids)
        memory.search(given.questions[0].text, DEPTH)
        for question in given.questions:
            begin = time.perf_counter()
            found = memory.search(question.text, DEPTH)
            took = (time.perf_counter() - begin) * 1000
            answers.append(Answered(tuple(found), question.gold, took))
    return summarise(answers)


def main(argv: Sequence[str]) -> int:
    """Prints a table for each set; 2: one cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory_recall", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("sets", metavar="DIR", nargs="+", type=Path)
    parser.add_argument("--limit-queries", metavar="N", type=int, help="ask the first N only")
    options = parser.parse_args(argv)
    isolate_git()
    try:
        sets = [read_set(place, most_questions=options.limit_queries) for place in options.sets]
    except SetError as error:
        tell(str(error))
        return 2
    with work_folder(None) as work:
        for given in sets:
            ids = build_wiki(work / "pages", given.documents)
            with (
                Repository(layout_of(work / "pages")) as repo,
                open_corpus(repo, notice=tell) as held,
            ):
                searched = measure(Product(held, ids), given.questions)
            noted = recalled(given, work / "notes")
            print(table(given.name, {"search": searched, "memory": noted}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
