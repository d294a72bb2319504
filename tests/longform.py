"""How much the tests do: little with every change, much in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

import pytest
from _pytest.mark.structures import ParameterSet

LONG = os.environ.get("LLMWIKI_LONG") == "1"
"""Whether this is the long form."""


def examples(many: int, most: int = 0) -> int:
    """How many examples a property is tried with.

    In the long form `most`, or `many` where that is more. Else a fifth of `many`, and at least 25,
    or as many as there are.
    """
    return max(many, most) if LONG else min(many, max(25, many // 5))


def seldom(names: Iterable[object], rare: Collection[object]) -> list[ParameterSet]:
    """Parameters in their order, of which the rare ones are for the long form only."""
    found = list(names)
    assert set(rare) <= set(found)
    marks = pytest.mark.soak
    return [
        pytest.param(n, marks=marks if n in rare else ()) for n in found if LONG or n not in rare
    ]
