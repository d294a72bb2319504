"""The cost of landing a 12-page ingest against plain `git add` + `git commit` of the same files.

    python benchmarks/commit.py [PAGES …] [--rounds N] [--batch LANDINGS]

For each number of pages: a fresh repository (packed, as after a clone), then in turn one landing
of ours through a new `Repository`, one through a lasting one, and one plain commit; medians in
milliseconds. Ours includes writing the files, plain does not. `--batch` also lands that many
operations of ten files each in one growing wiki, as a batch of small sources does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Plan
from llmwiki.git.store.transaction import transaction

FOLDERS = ("concepts", "entities", "sources")
IDENTITY = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@example.org",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@example.org",
}
MESSAGE = "wiki ingest: Bench\n\nWiki-Op: ingest\nWiki-Id: 0123456789ab\n"


def git(root: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=root, check=True, capture_output=True)


def page(number: int, text: str) -> bytes:
    body = "".join(f"- Statement {n} about page {number}. {text}\n" for n in range(12))
    return f"---\ntype: concept\ntitle: Page {number}\n---\n\n# Page {number}\n\n{body}".encode()


def name(number: int) -> str:
    return f"wiki/{FOLDERS[number % 3]}/Page {number:06}.md"


def make(root: Path, pages: int) -> None:
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "gc.auto", "0")
    for folder in FOLDERS:
        (root / "wiki" / folder).mkdir(parents=True)
    (root / ".llmwiki.toml").write_text("format = 3\n")
    (root / "wiki/log.md").write_text("# Log\n")
    (root / "wiki/index.md").write_text("# Index\n")
    for number in range(pages):
        (root / name(number)).write_bytes(page(number, ""))
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "start")
    git(root, "gc", "-q")


def changes(pages: int, turn: int) -> dict[str, bytes | None]:
    """Nine changed pages, a new one, the log and the catalogue."""
    picked = [(turn * 7919 + n * 977) % pages for n in range(9)]
    files: dict[str, bytes | None] = {name(n): page(n, f"turn {turn}") for n in picked}
    files[name(10_000_000 + turn)] = page(turn, "new")
    files["wiki/log.md"] = b"# Log\n" + b"".join(b"## line %d\n" % n for n in range(turn))
    files["wiki/index.md"] = f"# Index\n{turn}\n".encode()
    return files


def ours(repo: Repository, files: dict[str, bytes | None]) -> None:
    with transaction(repo, operation="ingest") as opened:
        landed = opened.land(Plan(opened.head(), files, {}, MESSAGE))
    if landed is None or landed.commit is None or landed.pending:
        raise SystemExit(f"not landed: {landed}")


def plain(root: Path, files: dict[str, bytes | None]) -> float:
    for path, data in files.items():
        (root / path).write_bytes(data or b"")
    begin = time.perf_counter()
    git(root, "add", "--", *files)
    git(root, "commit", "-q", "-m", MESSAGE)
    return time.perf_counter() - begin


def compare(pages: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        make(root, pages)
        fresh, lasting, reference = [], [], []
        with Repository(layout_of(root)) as kept:
            for turn in range(rounds):
                begin = time.perf_counter()
                with Repository(layout_of(root)) as repo:
                    ours(repo, changes(pages, 3 * turn))
                fresh.append(time.perf_counter() - begin)
                begin = time.perf_counter()
                ours(kept, changes(pages, 3 * turn + 1))
                lasting.append(time.perf_counter() - begin)
                reference.append(plain(root, changes(pages, 3 * turn + 2)))
        a, b, c = (statistics.median(times) * 1000 for times in (fresh, lasting, reference))
        sys.stdout.write(
            f"{pages:>7} pages: ours {a:6.1f} ms, lasting process {b:6.1f} ms, "
            f"plain {c:6.1f} ms, ratio {a / c:.2f}\n"
        )
        sys.stdout.flush()


def batch(landings: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        make(root, 10)
        times = []
        with Repository(layout_of(root)) as repo:
            for turn in range(landings):
                files: dict[str, bytes | None] = {
                    name(turn * 7 + n): page(n, "small")[:600] for n in range(8)
                }
                files["wiki/log.md"] = b"# Log\n" + b"## line\n" * turn
                files["wiki/index.md"] = f"# Index\n{turn}\n".encode()
                begin = time.perf_counter()
                ours(repo, files)
                times.append(time.perf_counter() - begin)
        tail = times[-max(1, landings // 10) :]
        sys.stdout.write(
            f"batch of {landings}: median {statistics.median(times) * 1000:.1f} ms, mean "
            f"{statistics.mean(times) * 1000:.1f} ms, last tenth {statistics.mean(tail) * 1000:.1f}"
            " ms a landing\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=int, default=[1000, 10_000])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--batch", type=int, default=0)
    options = parser.parse_args()
    os.environ.update(IDENTITY)
    for pages in options.pages:
        compare(pages, options.rounds)
    if options.batch:
        batch(options.batch)


if __name__ == "__main__":
    main()
