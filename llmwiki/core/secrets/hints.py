"""Searching a text for many patterns, of which few have a place in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SecretPattern(Generic[T]):
    """One pattern, and what it finds."""

    what: T
    hints: tuple[str, ...]
    """Literal parts, in lower case, of which every match holds one (in any case)."""
    source: str
    flags: int
    begins: bool
    """Whether every match begins with one of the hints: then nothing else is looked at."""


def search(
    table: Sequence[SecretPattern[T]], text: str, lowered: str
) -> Iterator[tuple[T, re.Match[str]]]:
    """The matches of each pattern; `lowered` is the text in lower case, place by place."""
    for sought in table:
        for hint in sought.hints:
            at = lowered.find(hint)
            if at < 0:
                continue
            pattern = _compiled(sought.source, sought.flags)
            if not sought.begins:
                yield from ((sought.what, match) for match in pattern.finditer(text))
                break
            behind = 0
            while at >= 0:
                match = pattern.match(text, at) if at >= behind else None
                if match:
                    behind = match.end()
                    yield sought.what, match
                at = lowered.find(hint, at + len(hint))


@lru_cache(maxsize=1024)
def _compiled(source: str, flags: int) -> re.Pattern[str]:
    return re.compile(source, flags)
