"""Answers that are kept, and parts that wait for an agent: in the git directory, never committed.

`judge/kept/…` holds one answer a part; it counts for a unit as long as the unit is the same, and
a verdict in it for as long as its claims are. `judge/jobs/…` holds the parts that were printed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.message import plain_line
from llmwiki.lint.judge.parts import Part, from_json, to_json
from llmwiki.lint.judge.verdict import MAX_WHY, MAX_WORDS, Verdict
from llmwiki.store.private import common_files

if TYPE_CHECKING:
    from llmwiki.repo.repository import Repository

MAX_KEPT = 10_000
"""Answers that are kept before those are dropped that count for no page of this work tree."""


class StoredAnswer(NamedTuple):
    """One answer."""

    keys: tuple[str, ...]
    """The units it judges."""
    by: str
    """The model's id, or `agent`."""
    verdicts: tuple[Verdict, ...]


class JudgementStore:
    """The answers and jobs of one repository."""

    def __init__(self, repo: Repository) -> None:
        self._files = common_files(repo)

    def keep(self, part: Part, by: str, verdicts: Sequence[Verdict]) -> None:
        """Keeps the answer to a part, durably; an earlier one to the same part is replaced."""
        rows = {"keys": part.keys, "by": plain_line(by, 80), "verdicts": verdicts}
        data = json.dumps(rows, ensure_ascii=False, sort_keys=True).encode()
        self._files.write(f"judge/kept/{part.id}.json", data)

    def kept(self) -> tuple[StoredAnswer, ...]:
        """All answers, in the order of their names."""
        held = (self._files.read(name) for name in self._files.names("judge/kept"))
        return tuple(answer for data in held if data and (answer := _kept(data)) is not None)

    def tidy(self, keys: Collection[str]) -> None:
        """Drops what counts for none of these units, once there is very much of it."""
        names = self._files.names("judge/kept")
        if len(names) <= MAX_KEPT:
            return
        for name in names:
            answer = _kept(self._files.read(name) or b"")
            if answer is None or not set(answer.keys) & set(keys):
                self._files.delete(name)

    def put_jobs(self, parts: Iterable[Part]) -> None:
        """Remembers parts that are printed, and forgets those that are answered."""
        answered = {key for answer in self.kept() for key in answer.keys}
        for name in self._files.names("judge/jobs"):
            waiting = from_json(self._files.read(name) or b"")
            if waiting is None or answered.issuperset(waiting.keys):
                self._files.delete(name)
        for part in parts:
            self._files.write(f"judge/jobs/{part.id}.json", to_json(part))

    def job(self, ident: str) -> Part | None:
        """The part that was printed under this id."""
        if len(ident) != 16 or not all(c in "0123456789abcdef" for c in ident):
            return None
        data = self._files.read(f"judge/jobs/{ident}.json")
        return from_json(data) if data else None


def _kept(data: bytes) -> StoredAnswer | None:
    """A kept answer; None for one that is cut or that another version kept."""
    try:
        rows = json.loads(data)
        return StoredAnswer(
            tuple(str(key) for key in rows["keys"]),
            str(rows["by"]),
            tuple(_verdict(row) for row in rows["verdicts"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _verdict(row: list[object]) -> Verdict:
    kind, claims, why, keys, words, page = row
    if not (isinstance(claims, list) and isinstance(keys, list)):
        raise TypeError
    return Verdict(
        kind=str(kind),
        claims=tuple((str(ident), str(mark)) for ident, mark in claims),
        why=plain_line(str(why), MAX_WHY),
        keys=tuple(str(key) for key in keys),
        words=plain_line(str(words), MAX_WORDS),
        page=str(page),
    )
