"""Whether a context holds what answers a question, by size, on wikis with gold lines.

usage: python -m benchmarks.answers [--json] [--half NAME] [--missed] FOLDER…

Each FOLDER is a wiki with a file questions.jsonl, one question a line:
`{"id", "question", "gold": [{"source": "raw/a.md", "lines": [3, 5]}, …][, "half": "unseen"]
[, "also": "words"]}`; `also` are words that somebody who saw the question alone gives with it.
A gold item stands in a context where the passages shown are taken from more than half of its lines;
a question is answered where all its gold items stand. `raw` is plain BM25 over the paragraphs of
the sources, for comparison.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.scratch import isolate_git, tell
from llmwiki import Wiki
from llmwiki.core.language.search_terms import terms_of, words

SCHEMA = "llmwiki.bench.answers/1"
SIZES = (2_000, 4_000, 8_000)
"""Characters of a context."""

Place = tuple[str, int, int]
"""Path of a source, first and last line."""


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question and the lines that answer it."""

    id: str
    text: str
    gold: tuple[Place, ...]
    half: str
    also: str


class GoldError(ValueError):
    """A file of questions that cannot be read."""


def read_questions(folder: Path) -> list[GoldQuestion]:
    """The questions of a folder. Raises GoldError where the file is missing or not of that form."""
    path = folder / "questions.jsonl"
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        return [
            GoldQuestion(
                str(row["id"]),
                str(row["question"]),
                tuple((g["source"], int(g["lines"][0]), int(g["lines"][1])) for g in row["gold"]),
                str(row.get("half", "")),
                str(row.get("also", "")),
            )
            for row in rows
        ]
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise GoldError(f"{path}: {error!r}") from error


def stands(gold: Place, shown: Iterable[Place]) -> bool:
    """Whether more than half of the gold lines are among those shown."""
    source, first, last = gold
    held = {
        line
        for path, start, end in shown
        if path == source
        for line in range(max(start, first), min(end, last) + 1)
    }
    return 2 * len(held) > last - first + 1


Look = Callable[[GoldQuestion, int], list[Place]]
"""The places that a context of at most so many characters shows for a question."""


def context_of(wiki: Wiki) -> Look:
    """What `wiki context` shows."""

    def look(asked: GoldQuestion, size: int) -> list[Place]:
        # A budget counts bytes by three: texts of other scripts get the tokens they need.
        budget = size // 3
        text = wiki.context(asked.text, budget=budget, also=asked.also).context.text
        if len(text) < len(text.encode()):
            budget = size * len(text.encode()) // max(len(text), 1) // 3
        while True:
            context = wiki.context(asked.text, budget=budget, also=asked.also).context
            if len(context.text) <= size:
                break
            budget = budget * 19 // 20
        return [place[:3] for shown in context.shown for place in shown.passage.places]

    return look


def paragraphs(folder: Path, sources: Iterable[str]) -> Look:
    """Plain BM25 over the paragraphs of the sources."""
    import bm25s

    found: list[tuple[Place, str]] = []
    for source in sorted(set(sources)):
        lines = (folder / source).read_text("utf-8", "replace").splitlines()
        start = 0
        for number, line in enumerate([*lines, ""]):
            if line.strip():
                continue
            if text := "\n".join(lines[start:number]).strip():
                found.append(((source, start + 1, number), text))
            start = number + 1
    engine = bm25s.BM25()
    engine.index([_terms(text) for _, text in found], show_progress=False)

    def look(asked: GoldQuestion, size: int) -> list[Place]:
        terms = [_terms(f"{asked.text} {asked.also}")]
        order = engine.retrieve(terms, k=min(200, len(found)), show_progress=False).documents[0]
        shown = []
        for number in order:
            place, text = found[number]
            size -= len(text) + 20
            if size < 0:
                break
            shown.append(place)
        return shown

    return look


def _terms(text: str) -> list[str]:
    return [term for word in words(text) for term in terms_of(word)] or [""]


def measure(look: Look, questions: Sequence[GoldQuestion]) -> dict[int, list[GoldQuestion]]:
    """For each size the questions whose gold lines do not all stand."""
    missed: dict[int, list[GoldQuestion]] = {size: [] for size in SIZES}
    for size in SIZES:
        for asked in questions:
            shown = look(asked, size)
            if not all(stands(gold, shown) for gold in asked.gold):
                missed[size].append(asked)
    return missed


def main(argv: Sequence[str]) -> int:
    """Prints the figures; 2 where a folder cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--half", help="only the questions of this half")
    parser.add_argument("--missed", action="store_true", help="name the questions that miss")
    options = parser.parse_args(argv)
    isolate_git()
    result: dict[str, object] = {}
    for folder in options.folders:
        try:
            questions = read_questions(folder)
        except GoldError as error:
            tell(str(error))
            return 2
        if options.half:
            questions = [asked for asked in questions if asked.half == options.half]
        looks = {"llmwiki": context_of(Wiki.open(folder))}
        try:
            looks["raw"] = paragraphs(folder, (g[0] for asked in questions for g in asked.gold))
        except ImportError as error:
            tell(f"raw is left out: {error}. Install the extra `bench`.")
        rows = {name: measure(look, questions) for name, look in looks.items()}
        shares = {
            name: {size: 1 - len(missed) / max(len(questions), 1) for size, missed in row.items()}
            for name, row in rows.items()
        }
        result[str(folder)] = {"questions": len(questions), **shares}
        if not options.json:
            print(f"{folder}  {len(questions)} questions")
            for name, row in shares.items():
                cells = "".join(f"{size:>8,}: {100 * share:5.1f}" for size, share in row.items())
                print(f"  {name:10}{cells}", flush=True)
            if options.missed:
                for size, missed in rows["llmwiki"].items():
                    print(f"  {size:,} missed: {' '.join(asked.id for asked in missed)}")
    if options.json:
        print(json.dumps({"schema": SCHEMA, "folders": result}, ensure_ascii=False, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
