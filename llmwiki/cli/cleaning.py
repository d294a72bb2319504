"""Text of others, made safe to print."""

from __future__ import annotations

UNSAFE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff]"
)
"""Characters that move the cursor, change direction, or are none."""


def clean(text: str) -> str:
    """Text of others, safe to print: control and bidirectional characters become blanks."""
    import re

    return re.sub(UNSAFE, " ", text)
