"""How many lines of Markdown an operation changes, and how large a wiki is.

    python benchmarks/histories.py [--program FOLDER] [--folder WIKI]

Makes a wiki of documents that an agent reads, each with prepared answers: readings, readings of a
new version, a manual of 100 claims that gets a remark on top, renames, merges of pages and undos.
Counted are changed lines below wiki/ by `git diff -M --shortstat`, without what follows from all
pages (index, overview and log). `--program` is a checkout of another version: its commands are
run, so that two versions can be compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scratch import isolate_git, tell, work_folder

THINGS = ("Crane", "Quay", "Lock", "Tug", "Depot", "Signal")
FACTS = (
    "{} number {} carries {} tonnes a day",
    "{} number {} was inspected in {}",
    "{} number {} stands {} metres above the water",
    "{} number {} fails in frost below {} degrees",
)
_ID = re.compile(r" \^(c-[0-9a-z]+)$", re.MULTILINE)
_ON_ONE_BRANCH = tuple(f":(exclude,glob)wiki/{name}*.md" for name in ("index", "overview", "log"))


class BenchWiki:
    """A wiki that is written by the commands of a program."""

    def __init__(self, root: Path, program: Path) -> None:
        self.root = root
        self._program = program
        root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.wiki("init")

    def git(self, *args: str, ok: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(["git", *args], cwd=self.root, capture_output=True, check=False)
        if done.returncode not in ok:
            raise SystemExit(f"git {' '.join(args)}: {done.stderr.decode()}")
        return done.stdout.decode()

    def wiki(self, *args: str) -> str:
        env = {**os.environ, "PYTHONPATH": str(self._program), "NO_COLOR": "1"}
        command = [sys.executable, "-m", "llmwiki", *args]
        done = subprocess.run(
            command,
            check=False,
            cwd=self.root,
            capture_output=True,
            env=env,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(args)}: {done.stderr}")
        return done.stdout

    def read(self, name: str, lines: Sequence[str], claims: Sequence[Mapping[str, object]]) -> None:
        """An agent reads a document of these lines."""
        text = "\n".join(lines) + "\n"
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.wiki("ingest", name, "--prepare")
        answer = self.root.parent / "answer.json"
        answer.write_text(json.dumps(_answer(lines[0].strip("# "), text, claims)))
        self.wiki("apply", str(answer))

    def ids(self, revision: str) -> set[str]:
        """The claims of a commit."""
        pattern = r" \^c-[0-9a-z]+$"
        found = self.git("grep", "-h", "-E", pattern, revision, "--", "wiki", ok=(0, 1))
        return set(_ID.findall(found))

    def changed(self, revision: str) -> int:
        """Lines that a commit added and took out, of pages; renamed files count by their lines."""
        others = (":(exclude,glob)wiki/**/index*.md", *_ON_ONE_BRANCH)
        told = self.git(
            "diff", "-M", "--shortstat", f"{revision}~1", revision, "--", "wiki", *others
        )
        return sum(map(int, re.findall(r"(\d+) (?:insertion|deletion)", told)))

    def size(self) -> int:
        """Bytes of its Markdown."""
        return sum(path.stat().st_size for path in (self.root / "wiki").rglob("*.md"))


def _answer(title: str, text: str, claims: Sequence[Mapping[str, object]]) -> dict[str, object]:
    named = sorted({str(each["subject"]) for each in claims})
    source = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "segment": [1, 1]}
    return {
        "schema": "llmwiki.extraction/1",
        "source": source,
        "document": {"title": title, "summary": f"{title}, from the port.", "date": "2025-03-01"},
        "subjects": [
            {"name": name, "kind": "concept", "description": f"{name} of the port."}
            for name in named
        ],
        "claims": list(claims),
        "relations": [],
        "questions": [],
        "end": True,
    }


def sentence(document: int, number: int, value: int) -> tuple[str, str]:
    """What a document says, and of which subject."""
    thing = THINGS[(document + number) % len(THINGS)]
    return thing, FACTS[number % len(FACTS)].format(thing, document * 100 + number, value) + "."


def claims_of(said: Sequence[tuple[str, str]], first: int) -> list[dict[str, object]]:
    """A claim for each sentence, the first of which stands in line `first`; every third in words of
    its own, every fourth with a stance."""
    made: list[dict[str, object]] = []
    for number, (thing, words) in enumerate(said):
        text = words if number % 3 else f"According to the port, {words[0].lower()}{words[1:]}"
        line = first + number
        claim: dict[str, object] = {
            "id": f"k{number}",
            "subject": thing,
            "text": text,
            "evidence": [{"quote": words, "lines": [line, line]}],
        }
        if number % 4 == 1:
            claim |= {"stance": "measured", "scope": "in summer"}
        made.append(claim)
    return made


def histories(wiki: BenchWiki, documents: int) -> Iterator[tuple[str, str]]:
    """Each operation by its kind, with its commit."""
    said = {n: [sentence(n, k, 10 + n + k) for k in range(8)] for n in range(documents)}
    for number, lines in said.items():
        wiki.read(f"raw/report-{number}.md", _lines(number, (), lines), claims_of(lines, 3))
        yield "ingest", wiki.git("rev-parse", "HEAD").strip()
    for number in range(0, documents, 2):
        lines = [*said[number], sentence(number, 8, 99)]
        lines[0] = sentence(number, 0, 77)
        remark = ("A remark that came later.", "")
        wiki.read(f"raw/report-{number}.md", _lines(number, remark, lines), claims_of(lines, 5))
        yield "re-ingest", wiki.git("rev-parse", "HEAD").strip()
    manual = [sentence(900 + k // 20, k, k) for k in range(100)]
    wiki.read("raw/manual.md", ["# Manual", "", *(w for _, w in manual)], claims_of(manual, 3))
    remark = ("# Manual", "", "Only a remark, and", "nothing else.")
    wiki.read("raw/manual.md", [*remark, *(w for _, w in manual)], claims_of(manual, 5))
    yield "remark on a manual of 100 claims", wiki.git("rev-parse", "HEAD").strip()
    for old, new in (("Tug", "Tug boat"), ("Depot", "Grain depot")):
        wiki.wiki("rename", old, new)
        yield "rename", wiki.git("rev-parse", "HEAD").strip()
    wiki.wiki("merge", "Signal", "Lock")
    yield "merge of pages", wiki.git("rev-parse", "HEAD").strip()
    wiki.wiki("undo")
    yield "undo", wiki.git("rev-parse", "HEAD").strip()


def _lines(number: int, remark: Sequence[str], said: Sequence[tuple[str, str]]) -> list[str]:
    return [f"# Report {number}", "", *remark, *(words for _, words in said)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--program", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--folder", type=Path, help="where the wiki is made; it stays")
    parser.add_argument("--documents", type=int, default=10)
    given = parser.parse_args()
    isolate_git()
    with work_folder(given.folder) as folder:
        wiki = BenchWiki(folder / "wiki", given.program.absolute())
        lines: dict[str, list[int]] = defaultdict(list)
        claims: dict[str, int] = defaultdict(int)
        for kind, commit in histories(wiki, given.documents):
            lines[kind].append(wiki.changed(commit))
            claims[kind] += len(wiki.ids(commit) - wiki.ids(f"{commit}~1"))
            tell(f"{kind}: {lines[kind][-1]} lines")
        print("| operation | commits | lines a commit | claims added | lines a claim |")
        print("|---|---|---|---|---|")
        for kind, found in lines.items():
            each = f"{sum(found) / claims[kind]:.1f}" if claims[kind] else "–"
            mean = f"{sum(found) / len(found):.1f}"
            print(f"| {kind} | {len(found)} | {mean} | {claims[kind]} | {each} |")
        print(f"\nMarkdown of the wiki: {wiki.size():,} bytes, {len(wiki.ids('HEAD'))} claims.")


if __name__ == "__main__":
    main()
