"""Words taken out of private files, in place: each byte stays where it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from llmwiki.git.store.private_files import PrivateFiles

SESSIONS = "sessions"
"""The folder of transcripts, as `chat.transcript` has it."""
_DERIVED = ("search.db", "search.db-wal", "search.db-shm", "search.db-journal")
MARK = b"[forgotten]"
_STRING = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)
_OF_FORM = frozenset(
    (b"type", b"sessionId", b"id", b"role", b"origin", b"kind", b"act", b"before", b"hides",
     b"commit", b"stop")
)  # fmt: skip
"""Keys of a transcript whose values nobody said: without them it could not be read."""


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
    text = blank.join(re.escape(part.encode("utf-8", "replace")) for part in parts)
    # Whole words: what holds "yes" does not hold "yesterday".
    before = rb"(?:(?<![0-9A-Za-z])|(?<=\\[nrt]))" if words.strip()[:1].isalnum() else b""
    behind = rb"(?![0-9A-Za-z])" if words.strip()[-1:].isalnum() else b""
    return re.compile(before + text + behind)


def _redact(path: Path, patterns: Sequence[re.Pattern[bytes]]) -> bool:
    with path.open("r+b") as file:
        data = file.read()
        found = [match.span() for pattern in patterns for match in pattern.finditer(data)]
        spans = [span for span in found if _is_said(data, *span)]
        for start, end in spans:
            file.seek(start)
            file.write(MARK[: end - start].ljust(end - start))
    return bool(spans)


def _is_said(data: bytes, start: int, end: int) -> bool:
    """Whether a span is part of a text, and not of the form of its line."""
    key = b""
    line = data.rfind(b"\n", 0, start) + 1
    for string in _STRING.finditer(data, line):
        is_key = data[string.end() : string.end() + 1] == b":"
        if start < string.end():
            is_within = string.start() < start and end <= string.end()
            return is_within and not is_key and key not in _OF_FORM
        key = string[0][1:-1] if is_key else key
    return False
