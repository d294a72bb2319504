"""Hostile files against `wiki ingest`: what each costs, and that it leaves nothing behind.

usage: python -m benchmarks.bombs [NAME …] [--wiki PATH] [--work DIR]

Each file is made by the script, put below `raw/` of a scratch wiki and ingested by the real
command. Printed are its size, the exit code, wall seconds, the resident set of the command or of
the largest process below it, and whether anything changed. The command has to end within 60 s and
512 MB, with exit 2 or 7 and branch and work tree as before; the files in READ are harmless once
their format is understood, and may be read.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import hostile_archives, hostile_pages, hostile_texts
from benchmarks.processes import Command, run
from benchmarks.scratch import isolate_git, tell, work_folder

BOMBS: dict[str, Callable[[], bytes]] = {
    **hostile_archives.BOMBS,
    **hostile_pages.BOMBS,
    **hostile_texts.BOMBS,
}
"""All makers, by name of the file."""
READ = frozenset(
    (
        "brackets.md",
        "chain.docx",
        "columns.csv",
        "comments.eml",
        "contents.epub",
        "cues.srt",
        "deep.org",
        "entities.html",
        "footnotes.rst",
        "formats.xlsx",
        "forms.pdf",
        "hidden.html",
        "keys.txt",
        "line.txt",
        "lists.docx",
        "lists.html",
        "passwd.rst",
        "picture.ipynb",
        "repeats.vtt",
        "ring.docx",
        "styles.xlsx",
        "tags.vtt",
        "voices.vtt",
        "wide.xlsx",
    )
)
MOST_SECONDS = 60.0
MOST_MB = 537.0
"""512 MiB in 10^6 bytes, the unit of `Run.peak_mb`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one file."""

    name: str
    size: int
    code: int
    seconds: float
    peak_mb: float
    changed: bool
    """Whether the branch moved, or anything but the file itself is new or altered."""
    said: str

    @property
    def holds(self) -> bool:
        """Whether the promise was kept."""
        read = self.code == 0 and self.name in READ
        ended = read or (self.code in (2, 7) and not self.changed)
        return ended and self.seconds <= MOST_SECONDS and self.peak_mb <= MOST_MB


def state(root: Path) -> tuple[str, str]:
    """The commit, and the state of the work tree."""
    asked = (("rev-parse", "HEAD"), ("status", "--porcelain", "--ignored", "--untracked-files=all"))
    head, tree = (
        subprocess.run(("git", *args), cwd=root, check=True, capture_output=True, text=True).stdout
        for args in asked
    )
    return head, tree


def explode(name: str, root: Path, wiki: str) -> Outcome:
    """Ingests one file in the wiki at `root`, which is as before afterwards."""
    place = root / "raw" / name
    place.write_bytes(BOMBS[name]())
    before = state(root)
    command = Command(
        (wiki, "ingest", f"raw/{name}", "--model", "offline"),
        root,
        dict(os.environ),
        accepted=tuple(range(-64, 256)),
    )
    done = run(command)
    after = state(root)
    outcome = Outcome(
        name,
        place.stat().st_size,
        done.code,
        done.milliseconds / 1000,
        done.peak_mb,
        before != after,
        done.output,
    )
    for args in (("reset", "--quiet", "--hard", before[0].strip()), ("clean", "-qfdx", "raw")):
        subprocess.run(("git", *args), cwd=root, check=True, capture_output=True)
    return outcome


def main(argv: Sequence[str]) -> int:
    """Prints a line for each file; 1 where one broke the promise."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bombs", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("names", metavar="NAME", nargs="*", help="these files alone")
    parser.add_argument("--wiki", default=str(Path(sys.executable).with_name("wiki")))
    parser.add_argument("--work", metavar="DIR", type=Path, help="keep the wiki here")
    options = parser.parse_args(argv)
    if unknown := [name for name in options.names if name not in BOMBS]:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(sorted(BOMBS))}")
    isolate_git()
    failed = 0
    with work_folder(options.work) as work:
        root = work / "bombs"
        subprocess.run((options.wiki, "init", str(root)), check=True, capture_output=True)
        print(f"{'file':22}{'kB':>9}{'exit':>6}{'s':>7}{'MB':>6}  changed")
        for name in options.names or sorted(BOMBS):
            outcome = explode(name, root, options.wiki)
            failed += not outcome.holds
            print(
                f"{name:22}{outcome.size / 1000:9,.0f}{outcome.code:6}{outcome.seconds:7.1f}"
                f"{outcome.peak_mb:6.0f}  {'yes' if outcome.changed else 'no':8}"
                f"{'' if outcome.holds else 'BROKEN'}",
                flush=True,
            )
            tell("    " + " ".join(outcome.said.split())[:200])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
