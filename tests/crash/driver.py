"""One landing in a process of its own, to be killed from outside. Not a test.

python driver.py land ROOT | recover ROOT | many ROOT NAME COUNT
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from armed import arm  # type: ignore[import-not-found]

from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome, Plan
from llmwiki.git.store.transaction import recover, transaction

MESSAGE = "wiki ingest: Crash\n\nWiki-Op: ingest\nWiki-Id: {}\n"


def writes(repo: Repository, head: str | None, name: str) -> dict[str, bytes | None]:
    """Two changed pages, a new one in a new folder, a deleted one, a line in the log."""
    log = repo.read(head, "wiki/log.md") or b""
    old = repo.read(head, "wiki/concepts/P0001.md") or b""
    return {
        "wiki/log.md": log + f"## {name}\n".encode(),
        "wiki/concepts/P0001.md": old + f"- fact of {name}\n".encode(),
        "wiki/entities/New.md": f"# New\n\n{name}\n".encode(),
        "wiki/concepts/P0003.md": None,
    }


def transact(
    repo: Repository, plan_for: Callable[[str | None], Plan], wait: float = 30.0
) -> Outcome:
    """Land the plan that `plan_for` makes against HEAD."""
    with transaction(repo, operation="ingest", wait=wait) as opened:
        while True:
            landed = opened.land(plan_for(opened.head()))
            if landed is not None:
                return landed


def land(root: Path) -> None:
    """The landing that the crash tests kill."""
    with Repository(layout_of(root)) as repo:
        adopts = {"raw/mine.md": (root / "raw/mine.md").read_bytes()}
        landed = transact(
            repo,
            lambda head: Plan(head, writes(repo, head, "crash"), adopts, MESSAGE.format("c")),
        )
        sys.stdout.write(f"{landed.commit} {','.join(landed.pending)}\n")


def many(root: Path, name: str, count: int) -> None:
    """`count` landings that all touch the log and one shared page."""
    with Repository(layout_of(root)) as repo:
        for number in range(count):
            label = f"{name}-{number}"

            def plan(head: str | None, label: str = label) -> Plan:
                log = repo.read(head, "wiki/log.md") or b""
                shared = repo.read(head, "wiki/concepts/P0000.md") or b""
                files: dict[str, bytes | None] = {
                    "wiki/log.md": log + f"## {label}\n".encode(),
                    "wiki/concepts/P0000.md": shared + f"- {label}\n".encode(),
                    f"wiki/entities/{label}.md": b"# new\n",
                }
                return Plan(head, files, {}, MESSAGE.format(label))

            landed = transact(repo, plan, wait=120)
            if landed.commit is None or landed.pending:
                raise SystemExit(f"{label}: {landed}")


if __name__ == "__main__":
    arm()
    if sys.argv[1] == "land":
        land(Path(sys.argv[2]))
    elif sys.argv[1] == "recover":
        with Repository(layout_of(Path(sys.argv[2]))) as repository:
            sys.stdout.write(recover(repository).outcome + "\n")
    else:
        many(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
