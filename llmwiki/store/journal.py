"""The journal: what a landing is about to do, so that whoever comes after a crash can finish it.

It stands in the work tree's own git directory from just before the branch moves until work tree
and index agree with it. JSON, one object; paths are relative to the work tree's top.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.repo.failpoints import reach
from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import Entry
from llmwiki.store.private import replace_durably

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class JournalStep:
    """One path's change."""

    path: str
    """Relative to the work tree's top."""
    old: Entry | None
    new: Entry | None
    adopted: bool = False
    """The person's own file: the work tree is not to be touched."""


@dataclass(frozen=True, slots=True)
class Journal:
    """One landing."""

    operation: str
    ref: str | None
    """The branch; None: detached."""
    old: str | None
    new: str
    steps: tuple[JournalStep, ...]


def journal_path(repo: Repository) -> Path:
    """Where this work tree's journal lies."""
    return repo.git_dir / "llmwiki" / "journal"


def write_journal(repo: Repository, journal: Journal) -> None:
    """Make the journal durable. Raises OSError."""
    data = {
        "format": _FORMAT,
        "operation": journal.operation,
        "ref": journal.ref,
        "old": journal.old,
        "new": journal.new,
        "steps": [[s.path, s.old, s.new, s.adopted] for s in journal.steps],
    }
    path = journal_path(repo)
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    replace_durably(path, text.encode())
    reach("journal.written")


def read_journal(repo: Repository) -> Journal | None:
    """The journal a crash left; None when there is none. Raises StateError for a foreign one."""
    path = journal_path(repo)
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != _FORMAT:
            raise ValueError(f"format {data['format']}")
        return Journal(
            operation=data["operation"],
            ref=data["ref"],
            old=data["old"],
            new=data["new"],
            steps=tuple(
                JournalStep(p, old and (old[0], old[1]), new and (new[0], new[1]), adopted)
                for p, old, new, adopted in data["steps"]
            ),
        )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise StateError(
            f"the journal of an unfinished operation cannot be read ({error})",
            where=str(path),
            fix="Use the version that wrote it, or compare `git status` and remove the file.",
        ) from error


def remove_journal(repo: Repository) -> None:
    """The landing is complete."""
    journal_path(repo).unlink(missing_ok=True)
    reach("journal.removed")
