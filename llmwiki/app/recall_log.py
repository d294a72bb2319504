"""What was put before a coding agent without being asked for: a private file, bounded.

It stands in the git directory of the work tree, a line a time, and is what a session is asked for
when a passage is not to be shown twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from llmwiki.store.private import PrivateFiles, worktree_files

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.repo.repository import Repository

FILE = "recalls.jsonl"
MOST_BYTES = 400_000
"""Of the file: beyond, its older half goes."""
SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
RecallOccasion = Literal["start", "compaction", "prompt"]
"""The beginning of a session, its going on after a compaction, what a person typed."""


class RecallRecord(NamedTuple):
    """One text that an agent was given."""

    at: int
    """Seconds since the epoch."""
    session: str
    """The agent's own id of its session; empty where it gave none."""
    occasion: RecallOccasion
    tokens: int
    """An estimate: the text's bytes in UTF-8 by 3."""
    handles: tuple[str, ...] = ()
    """Of the passages in it, best first."""


class RecallLog:
    """The file of one work tree."""

    def __init__(self, repo: Repository) -> None:
        self._files: PrivateFiles = worktree_files(repo)

    def records(self) -> tuple[RecallRecord, ...]:
        """All that is kept, oldest first; lines that are damaged are left out."""
        lines = (self._files.read(FILE) or b"").splitlines()
        return tuple(record for line in lines if (record := _read(line)) is not None)

    def shown(self, session: str) -> frozenset[str]:
        """The handles that the session still sees: what came before a compaction is gone from it.

        There are none where the session has no id, for then nobody knows what it saw.
        """
        handles: set[str] = set()
        for record in self.records() if session else ():
            if record.session == session:
                if record.occasion == "compaction":
                    handles.clear()
                handles.update(record.handles)
        return frozenset(handles)

    def add(self, record: RecallRecord) -> None:
        """Keeps one more. Raises StateError where the file cannot be written."""
        self._files.append(FILE, _line(record))
        held = self._files.read(FILE) or b""
        if len(held) > MOST_BYTES:
            self._files.write(FILE, b"".join(_newest(held.splitlines(keepends=True))))


def recalls(wiki: OpenWiki) -> tuple[RecallRecord, ...]:
    """What `recall` and `briefing` gave in this work tree, newest first; older ones go."""
    return RecallLog(wiki.repo).records()[::-1]


def _newest(lines: list[bytes]) -> Iterable[bytes]:
    """The last lines that have half of the room."""
    room = MOST_BYTES // 2
    kept: list[bytes] = []
    for line in reversed(lines):
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    return reversed(kept)


def _line(record: RecallRecord) -> bytes:
    return json.dumps(record._asdict(), separators=(",", ":")).encode() + b"\n"


def _read(line: bytes) -> RecallRecord | None:
    try:
        told = json.loads(line)
        at, session, tokens = told["at"], told["session"], told["tokens"]
        handles = tuple(_texts(told["handles"]))
        occasion = told["occasion"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    fits = isinstance(at, int) and isinstance(tokens, int) and isinstance(session, str)
    if not fits or occasion not in get_args(RecallOccasion):
        return None
    return RecallRecord(at, session, occasion, tokens, handles)


def _texts(value: object) -> Iterator[str]:
    for each in value if isinstance(value, list) else ():
        if isinstance(each, str):
            yield each
