"""Offline ingest of many generated sources in one batch: rate, drift, peak memory.

usage: python -m benchmarks.ingest [COUNT] [BYTES]
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.documents import document, vocabulary


def git(root: Path, *args: str) -> str:
    """Runs git in the scratch wiki."""
    return subprocess.run(
        ["git", *args], cwd=root, check=True, capture_output=True, text=True
    ).stdout


def main(argv: list[str]) -> int:
    """Prints the figures of one batch."""
    # Ledgers are written once, so their times tell when each source landed.
    count = int(argv[0]) if argv else 1000
    size = int(argv[1]) if len(argv) > 1 else 5_000
    wiki = [sys.executable, "-m", "llmwiki"]
    with tempfile.TemporaryDirectory(prefix="llmwiki-bench-") as scratch:
        root = Path(scratch)
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        os.environ.update(
            GIT_CONFIG_GLOBAL=os.devnull,
            GIT_AUTHOR_NAME="Bench",
            GIT_AUTHOR_EMAIL="bench@localhost",
            GIT_COMMITTER_NAME="Bench",
            GIT_COMMITTER_EMAIL="bench@localhost",
        )
        env = dict(os.environ)
        subprocess.run([*wiki, "init", str(root)], check=True, capture_output=True, env=env)
        names = vocabulary(max(300, count * 3 + 10))
        for number in range(count):
            (root / "raw" / f"report-{number:05}.md").write_text(
                document(number, names, size), "utf-8"
            )
        start = time.perf_counter()
        done = subprocess.run(
            [*wiki, "ingest", "raw/", "--model", "offline"],
            cwd=root,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        if done.returncode:
            print(done.stdout[-2000:], done.stderr[-2000:], sep="\n")
            return done.returncode
        moments = sorted(
            place.stat().st_mtime for place in (root / "wiki" / "sources").glob("report-*.md")
        )
        commits = len(git(root, "rev-list", "HEAD").split()) - 1
        pages = len(git(root, "ls-files", "wiki").split("\n")) - 1
        claims = len(
            re.findall(
                r"^\+- .* \^c-",
                git(root, "log", "-p", "--", "wiki/concepts", "wiki/entities"),
                re.M,
            )
        )
        print(f"sources            {count} of about {size} bytes")
        print(f"commits            {commits}")
        print(f"pages, claims      {pages}, {claims}")
        print(f"seconds            {seconds:.1f}")
        print(f"sources a second   {count / seconds:.1f}")
        print(f"peak memory        {peak:.0f} MB")
        if count >= 200:
            first, last = moments[100] - moments[0], moments[-1] - moments[-101]
            print(f"last 100 / first 100   {last:.2f} s / {first:.2f} s = {last / first:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
