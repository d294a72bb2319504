"""A generated wiki made valid for the product, and the words to look for in it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import Command, run

SAMPLE = 5_000
"""Pages whose words are counted."""
START = "generated"
"""The tag of the wiki as it was generated."""
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_NOT_PROSE = re.compile(r"\[\[[^\]]*\]\]|^#.*$", re.MULTILINE)
_WORD = re.compile(r"[a-z]{2,}")


@dataclass(frozen=True, slots=True)
class Words:
    """What is searched for."""

    rare: str
    three: str
    question: str
    """Eight words, four of them common."""
    common: str

    def rows(self) -> dict[str, str]:
        """Name of the row to the words."""
        return {
            "1 rare word": self.rare,
            "3 words": self.three,
            "8 words, common ones among them": self.question,
            "1 very common word": self.common,
        }


def prepare(root: Path, generator: Path, pages: int, wiki: str, env: dict[str, str]) -> None:
    """Generates a wiki of so many pages in `root`, as a repository with one pack and an index.

    What stands there already, from an earlier run, is used again. Raises CommandFailed.
    """

    def do(*argv: str, cwd: Path = root) -> None:
        run(Command(argv, cwd, env))

    if not (root / "wiki").is_dir():
        root.parent.mkdir(parents=True, exist_ok=True)
        do(sys.executable, str(generator), str(root), str(pages), cwd=root.parent)
    if not (root / ".git").is_dir():
        do("git", "init", "-q", "-b", "main")
        # A marker is all that a vault needs to be written to; `wiki init` would first render the
        # catalogue of wikis that no one has ingested.
        (root / ".llmwiki.toml").write_text("format = 3\n")
        (root / ".gitignore").write_text("graph/\n")
        do("git", "add", "-A")
        do("git", "commit", "-q", "-m", "A generated wiki")
        do("git", "repack", "-a", "-d", "-q")
        do("git", "prune-packed", "-q")
        do("git", "tag", START)
    do("git", "reset", "-q", "--hard", START)
    do(wiki, "index", "--rebuild")


def pages_of(root: Path) -> list[Path]:
    """The pages in folders below wiki/, sorted; the catalogue is not among them."""
    return sorted((root / "wiki").glob("*/*.md"))


def choose_words(root: Path) -> Words:
    """Words of given frequency, by the pages they stand in among a sample; ties by spelling."""
    pages = pages_of(root)
    sample = pages[:: max(1, len(pages) // SAMPLE)]
    held: Counter[str] = Counter()
    for page in sample:
        text = _NOT_PROSE.sub(" ", _FRONT.sub("", page.read_text("utf-8")))
        held.update(set(_WORD.findall(text.lower())))
    by_count = sorted(held, key=lambda word: (-held[word], word))
    common = by_count[:8]
    least = held[by_count[-1]]
    once = sorted(word for word in by_count if held[word] == least and len(word) > 5)
    middling = [word for word in by_count if held[word] <= max(3, len(sample) // 100)]
    rare = once[len(once) // 2]
    named = [rare, middling[0], middling[len(middling) // 4]]
    mixed = [common[1], named[0], common[2], named[1], common[3], named[2], common[4], middling[1]]
    return Words(rare, " ".join(named), " ".join(mixed), common[0])


def commit_all(root: Path, env: dict[str, str]) -> None:
    """One commit of every change, by git alone."""
    subprocess.run(["git", "commit", "-q", "-a", "-m", "A change"], cwd=root, env=env, check=True)
