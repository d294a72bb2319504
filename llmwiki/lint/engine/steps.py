"""How far a lint is, for who waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
Step = Callable[[str, int, int], None]
"""Takes what is done, how many of it are done, and of how many; 0: that is not known."""


def no_step(_doing: str, _done: int, _total: int) -> None:
    """Takes a step and does nothing."""


def counted(items: Iterable[T], step: Step, doing: str, total: int) -> Iterator[T]:
    """The items, each told as a step when it is taken."""
    for number, item in enumerate(items, start=1):
        step(doing, number, total)
        yield item
