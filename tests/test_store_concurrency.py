"""Several processes land at once, and a person commits in between: nothing is lost."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import gitkit
import pytest

import llmwiki

DRIVER = Path(__file__).parent / "crash" / "driver.py"


def start(root: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-S", str(DRIVER), "many", str(root), name, str(count)],
        env=gitkit.environment({"PYTHONPATH": str(Path(llmwiki.__file__).parents[1])}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def race(root: Path, processes: int, landings: int) -> int:
    """Run them all, a person committing meanwhile; how many commits the person made."""
    running = [start(root, f"p{number}", landings) for number in range(processes)]
    by_hand = 0
    while any(process.poll() is None for process in running):
        # A commit through an index of its own, so that the person does not fail on index.lock.
        oid = gitkit.git(root, "hash-object", "-w", "--stdin", stdin=b"%d" % by_hand).strip()
        old = gitkit.git(root, "rev-parse", "HEAD").strip()
        listing = gitkit.git(root, "ls-tree", old) + f"100644 blob {oid}\thand-{by_hand}.txt\n"
        tree = gitkit.git(root, "mktree", stdin=listing.encode()).strip()
        new = gitkit.git(root, "commit-tree", tree, "-p", old, "-m", f"hand {by_hand}").strip()
        moved = subprocess.run(
            ["git", "update-ref", "HEAD", new, old],
            cwd=root,
            env=gitkit.environment(),
            capture_output=True,
            check=False,
        )
        by_hand += moved.returncode == 0
        time.sleep(0.05)
    for process in running:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    return by_hand


def check(root: Path, processes: int, landings: int, by_hand: int) -> None:
    names = sorted(f"p{p}-{n}" for p in range(processes) for n in range(landings))
    log = (root / "wiki/log.md").read_text().splitlines()[1:]
    assert sorted(log) == [f"## {name}" for name in names]
    shared = (root / "wiki/concepts/P0000.md").read_text()
    assert all(shared.count(f"- {name}\n") == 1 for name in names)
    commits = gitkit.git(root, "rev-list", "--count", "HEAD").strip()
    assert int(commits) == 1 + len(names) + by_hand
    assert by_hand > 0
    # Only the person's own files, which were committed past the index, differ from it.
    left = [line for line in gitkit.status(root).splitlines() if "hand-" not in line]
    assert left == []
    gitkit.git(root, "fsck", "--strict")
    assert gitkit.leftovers(root) == []


def test_landings_of_three_processes_and_a_person(tmp_path: Path) -> None:
    root = gitkit.make_wiki(tmp_path / "w")
    check(root, 3, 5, race(root, 3, 5))


@pytest.mark.soak
def test_landings_of_eight_processes_and_a_person(tmp_path: Path) -> None:
    root = gitkit.make_wiki(tmp_path / "w")
    check(root, 8, 12, race(root, 8, 12))
