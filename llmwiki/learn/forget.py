"""Words taken out of private files, in place: each byte stays where it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from llmwiki.store.private import PrivateFiles

SESSIONS = "sessions"
"""The folder of transcripts, as `chat.transcript` has it."""
_DERIVED = ("search.db", "search.db-wal", "search.db-shm", "search.db-journal")
MARK = b"[forgotten]"


def redact_sessions(files: PrivateFiles, words: Iterable[str]) -> tuple[str, ...]:
    """Overwrites words in all transcripts, forks with them; the sessions that held them.

    The search over conversations is made anew when it is next asked. A transcript that is being
    written loses nothing: its length stays.
    """
    patterns = [_pattern(each) for each in sorted(set(words), key=len, reverse=True) if each]
    changed = []
    for name in files.names(SESSIONS):
        if name.endswith(".jsonl") and _redact(files.path(name), patterns):
            changed.append(name.rpartition("/")[2].removesuffix(".jsonl"))
    if changed:
        for name in _DERIVED:
            files.delete(f"{SESSIONS}/{name}")
    return tuple(changed)


def is_held(files: PrivateFiles, session: str, words: str) -> bool | None:
    """Whether this clone's transcript of a session has these words; None: it has none."""
    if not re.fullmatch(r"[A-Za-z0-9-]{1,100}", session):
        return None
    data = files.read(f"{SESSIONS}/{session}.jsonl")
    return None if data is None else _pattern(words).search(data) is not None


def _pattern(words: str) -> re.Pattern[bytes]:
    """What words look like in JSON; blanks may be any white space there."""
    parts = [json.dumps(part, ensure_ascii=False)[1:-1] for part in words.split()]
    blank = rb"(?: |\\n|\\t|\\r){1,8}"
    return re.compile(blank.join(re.escape(part.encode("utf-8", "replace")) for part in parts))


def _redact(path: Path, patterns: Sequence[re.Pattern[bytes]]) -> bool:
    with path.open("r+b") as file:
        data = file.read()
        spans = [match.span() for pattern in patterns for match in pattern.finditer(data)]
        for start, end in spans:
            file.seek(start)
            file.write(MARK[: end - start].ljust(end - start))
    return bool(spans)
