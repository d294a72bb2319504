"""Whole-process times of what must be quick: `wiki --help`, and a source that is known already.

usage: python -m benchmarks.startup [RUNS]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.documents import document, vocabulary


def timed(command: list[str], cwd: Path, runs: int) -> tuple[float, float]:
    """Minimum and median wall time in milliseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, cwd=cwd, check=True, capture_output=True)
        times.append((time.perf_counter() - start) * 1000)
    return min(times), statistics.median(times)


def main(argv: list[str]) -> int:
    """Prints minimum and median of each."""
    runs = int(argv[0]) if argv else 15
    wiki = [str(Path(sys.executable).with_name("wiki"))]
    os.environ.update(
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_AUTHOR_NAME="Bench",
        GIT_AUTHOR_EMAIL="bench@localhost",
        GIT_COMMITTER_NAME="Bench",
        GIT_COMMITTER_EMAIL="bench@localhost",
    )
    with tempfile.TemporaryDirectory(prefix="llmwiki-bench-") as scratch:
        root = Path(scratch)
        subprocess.run([*wiki, "init", str(root)], check=True, capture_output=True)
        (root / "raw" / "a.md").write_text(document(1, vocabulary(300)), "utf-8")
        ingest = [*wiki, "ingest", "raw/a.md", "--model", "offline"]
        subprocess.run(ingest, cwd=root, check=True, capture_output=True)
        rows = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "wiki --help": [*wiki, "--help"],
            "wiki ingest, unchanged source": ingest,
            "wiki status": [*wiki, "status"],
        }
        for name, command in rows.items():
            least, middle = timed(command, root, runs)
            print(f"{name:32} min {least:6.0f} ms   median {middle:6.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
