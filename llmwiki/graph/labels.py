"""Texts of pages as labels of other programs' graphs."""

from __future__ import annotations

import re

from llmwiki.core.text import cut

LABEL = 80
"""Characters of a title in a diagram."""

UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
)
"""What moves a cursor, changes direction, or may not stand in XML 1.0."""


def shown(text: str) -> str:
    """Text of others without what XML cannot hold or a terminal obeys."""
    return UNSEEN.sub("\ufffd", text)


def label(title: str) -> str:
    """A title of at most `LABEL` characters, an ellipsis where it was cut."""
    title = shown(title)
    return cut(title, LABEL)
