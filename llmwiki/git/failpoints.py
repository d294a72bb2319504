"""Named places of a landing, where tests end, fail or starve the program.

What a name stands for, and what may happen there, is in `tests/crash/armed.py`: the program itself
has no way to arm one.
"""

from __future__ import annotations

from collections.abc import Callable

armed: Callable[[str], None] | None = None
"""Called with the name of each place that is reached; set by tests alone."""


def reach(name: str) -> None:
    """Says that the place `name` is reached."""
    if armed is not None:
        armed(name)
