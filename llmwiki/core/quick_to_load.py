"""What keeps modules quick to load: patterns that are compiled when they are first used, and tuples
with named fields whose annotations nobody compiles.

Compiling all patterns of the rooms that a question enters takes longer than the question: most of
them are for pages, scripts or mistakes that do not come up. `typing.NamedTuple` compiles the
annotation of each field when its module is loaded: 3 ms of a search of 100, for checks that mypy
makes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

__all__ = ["LazyPattern", "NamedTuple", "lazy_pattern"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

    class _Meta(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body.get("__annotations__", {})
            defaults = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            for key, value in body.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Meta):
        """Its subclasses are tuples with named fields, as those of `typing.NamedTuple`."""


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
