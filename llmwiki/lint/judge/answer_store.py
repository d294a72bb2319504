"""Answers that are kept: in the git directory, never committed.

`judge/kept/…` holds one answer a part; it counts for a unit as long as the unit is the same, and
a verdict in it for as long as its claims are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pydantic import TypeAdapter

from llmwiki.core.plain_line import plain_line
from llmwiki.lint.judge.verdict import Verdict
from llmwiki.store.private import common_files
from llmwiki.store.records import RecordFolder

if TYPE_CHECKING:
    from llmwiki.lint.judge.parts import Part
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


_ANSWER = TypeAdapter(StoredAnswer).validate_python


class JudgementStore:
    """The answers of one repository."""

    def __init__(self, repo: Repository) -> None:
        self._kept = RecordFolder(common_files(repo), "judge/kept", "llmwiki.judgement/1")

    def keep(self, part: Part, by: str, verdicts: Sequence[Verdict]) -> None:
        """Keeps the answer to a part, durably; an earlier one to the same part is replaced."""
        answer = StoredAnswer(part.keys, plain_line(by, 80), tuple(verdicts))
        self._kept.put(part.id, answer._asdict())

    def kept(self) -> tuple[StoredAnswer, ...]:
        """All answers, in the order of their names."""
        return tuple(self._kept.all(_ANSWER))

    def tidy(self, keys: Collection[str]) -> None:
        """Drops what counts for none of these units, once there is very much of it."""
        names = self._kept.names()
        if len(names) <= MAX_KEPT:
            return
        for name in names:
            answer = self._kept.get(name, _ANSWER)
            if answer is None or not set(answer.keys) & set(keys):
                self._kept.delete(name)
