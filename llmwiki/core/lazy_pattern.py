"""Patterns that are compiled when they are first used.

Compiling all patterns of the rooms that a question enters takes longer than the question: most of
them are for pages, scripts or mistakes that do not come up.
"""

from __future__ import annotations

import re
from typing import Any, cast

_USES = (
    *("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split"),
    *("pattern", "flags", "groups", "groupindex"),
)


class LazyPattern:
    """Stands for a pattern, and has what it has."""

    def __init__(self, source: str, flags: int) -> None:
        self._given = source, flags

    def __getattr__(self, name: str) -> Any:
        """Comes here once: from then on the uses of the pattern are attributes."""
        if name.startswith("_"):
            raise AttributeError(name)
        pattern = re.compile(*self._given)
        for use in _USES:
            setattr(self, use, getattr(pattern, use))
        return getattr(pattern, name)


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern of a module, to be compiled when it is first used.

    A mistake in it raises re.error then. It is for patterns of modules alone, whose methods are
    called; functions of `re` do not take it.
    """
    return cast("re.Pattern[str]", LazyPattern(source, flags))
