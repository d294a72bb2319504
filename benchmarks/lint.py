"""What a lint costs: all anew, one page edited, nothing changed, on pages with five claims each.

usage: python -m benchmarks.lint [PAGES …] [--wiki PROGRAM] [--before PROGRAM]

Makes a wiki of so many pages (1,000 and 10,000 where none are told) in a temporary folder, a fifth
of them the pages of sources. Prints processor seconds and the largest memory of one process; with
`--before` those of another program on the same wiki, in turn.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROUNDS = 5
_TEXT = """harbour crane brake quay winter load arm motor cable tower drum hook report renewal
cost year owner night signal rail wheel frost grease plan permit depth water stone gate lamp"""
_WORDS = _TEXT.split()


def make(root: Path, pages: int) -> None:
    """A wiki whose pages quote documents that are there."""
    rng = random.Random(pages)
    sources = max(1, pages // 5)
    names = [f"{rng.choice(_WORDS).title()} {rng.choice(_WORDS)} {n}" for n in range(pages)]
    lines: list[list[str]] = [[] for _ in range(sources)]
    rests: list[list[str]] = [[] for _ in range(sources)]
    bodies: list[str] = []
    for page in range(pages - sources):
        claims, cited = [], set()
        for number in range(5):
            source = (page * 5 + number) % sources if number else page % sources
            told = f"The {' '.join(rng.choices(_WORDS, k=8))} of part {page}-{number} holds."
            lines[source].append(told)
            ident = f"c-{page:06d}{number:04d}".replace("i", "0")
            rests[source].append(ident)
            cited.add(source)
            other = names[rng.randrange(pages - sources)]
            said = told.replace(" holds", f" [[{other}|holds]]") if number < 2 else told
            claims.append(f"- {said} ^{ident}\n  - “{told}” [^s{source}-md]\n")
        notes = "".join(
            f"[^s{each}-md]: [[sources/s{each}-md|S{each}]], raw/s{each}.md\n"
            for each in sorted(cited)
        )
        bodies.append(
            f"---\ntype: concept\ntitle: {names[page]}\ndescription: A part.\n"
            f"generated: llmwiki/0.1.0\n---\n\n# {names[page]}\n\n## Claims\n\n{''.join(claims)}"
            f"\n{notes}"
        )
    for name in ("wiki/concepts", "wiki/sources", "raw"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for page, text in enumerate(bodies):
        (root / f"wiki/concepts/{names[page]}.md").write_text(text, "utf-8")
    for source in range(sources):
        data = ("\n".join(lines[source]) + "\n").encode()
        (root / f"raw/s{source}.md").write_bytes(data)
        record = "".join(f"> - {ident}\n" for ident in rests[source])
        (root / f"wiki/sources/s{source}-md.md").write_text(
            f"---\ntype: source\ntitle: S{source}\ndescription: A document.\n"
            f"source: raw/s{source}.md\nsha256: {hashlib.sha256(data).hexdigest()}\n"
            f"generated: llmwiki/0.1.0\n---\n\n# S{source}\n\nA document about parts.\n\n"
            f"> [!note]- Record\n{record}",
            "utf-8",
        )
    (root / ".llmwiki.toml").write_text('format = 3\nbranch = "main"\n')
    for argv in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "pages")):
        subprocess.run(["git", *argv], cwd=root, check=True)


def cost(program: Sequence[str], root: Path) -> tuple[float, int]:
    """Processor seconds of one lint with its children, and the kilobytes of the largest process."""
    process = subprocess.Popen(
        [*program, "-C", str(root), "lint", "-q"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{program} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def measure(programs: dict[str, Sequence[str]], root: Path, rounds: int) -> dict[str, list[str]]:
    """Name of a program to its rows of the table."""
    kept = {name: root.parent / f"kept-{name}" for name in programs}
    state = root / ".git/llmwiki"
    page = sorted((root / "wiki/concepts").glob("*.md"))[7]
    text = page.read_text("utf-8")
    rows: dict[str, list[str]] = {}

    def turn(name: str) -> tuple[float, int]:
        if kept[name].exists():
            kept[name].rename(state)
        found = cost(programs[name], root)
        state.rename(kept[name])
        return found

    shutil.rmtree(state, ignore_errors=True)
    anew = {name: turn(name) for name in programs}
    unchanged: dict[str, list[float]] = {name: [] for name in programs}
    edited: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(rounds):
        for name in programs:
            unchanged[name].append(turn(name)[0])
        page.write_text(f"{text}\nEdit {number}.\n", "utf-8")
        for name in programs:
            edited[name].append(turn(name)[0])
    page.write_text(text, "utf-8")
    for name in programs:
        seconds, kilobytes = anew[name]
        values = (seconds, median(edited[name]), median(unchanged[name]))
        rows[name] = [*(f"{value:.2f}" for value in values), f"{kilobytes / 1024:.0f}"]
    return rows


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="*", type=int, default=[1_000, 10_000])
    parser.add_argument("--wiki", default=f"{sys.executable} -m llmwiki")
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    told = parser.parse_args()
    programs = {"now": told.wiki.split()}
    if told.before:
        programs["before"] = told.before.split()
    print("| pages | program | anew, s | one edit, s | unchanged, s | MB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for pages in told.pages:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "wiki"
            root.mkdir()
            make(root, pages)
            for name, row in measure(programs, root, told.rounds).items():
                print(f"| {pages:,} | {name} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
