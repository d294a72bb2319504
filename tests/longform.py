"""How much the tests do: little with every change, much in `make soak`."""

from __future__ import annotations

import os

LONG = os.environ.get("LLMWIKI_LONG") == "1"
"""Whether this is the long form."""


def examples(many: int, most: int = 0) -> int:
    """How many examples a property is tried with.

    In the long form `most`, or `many` where that is more. Else a fifth of `many`, and at least 25,
    or as many as there are.
    """
    return max(many, most) if LONG else min(many, max(25, many // 5))
