"""Rules over several pages: what pages emit under a key, and the group that it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.lint.thresholds import LintLimits

if TYPE_CHECKING:
    from llmwiki.lint.view import PageView


Value = tuple[str | int, ...]
"""What a page says under one key: words and numbers, as JSON holds them."""


class GroupRow(NamedTuple):
    """What one page says under a key."""

    path: str
    value: Value


class Relation(NamedTuple):
    """What is gathered from single pages so that it can be compared between them.

    `emit` gives (key, value) pairs of one page. All pairs with one key, of all pages, form a
    `Group`, which is checked as a whole, and again only when a page that emits the key changes.
    Example: the key is a folded title, and a group of two is a duplicate title.
    """

    name: str
    emit: Callable[[PageView], Iterable[tuple[str, Value]]]
    """(key, value) pairs. One page may say several things under one key."""


class Group(NamedTuple):
    """Everything that pages say under one key of a relation."""

    key: str
    rows: tuple[GroupRow, ...]
    """By path; those of one page in the order it said them."""
    limits: LintLimits = LintLimits()
