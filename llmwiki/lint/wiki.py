"""The wiki as a whole, as rules over more than one page see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Protocol

from llmwiki.lint.limits import LintLimits

if TYPE_CHECKING:
    from llmwiki.index.lookup import Lookup
    from llmwiki.lint.history import History
    from llmwiki.lint.relation import Group, Relation
    from llmwiki.lint.view import PageView
    from llmwiki.pages.catalogue import Entry


class WikiView(Protocol):
    """What is linted: the pages, what they say, the other files, the commits behind them.

    All of one state: the work tree as it is, or one commit.
    """

    limits: LintLimits
    today: date
    """The date of HEAD's commit, or what the caller says."""

    @property
    def names(self) -> Lookup:
        """The titles and aliases of all pages but ledgers."""

    @property
    def history(self) -> History:
        """What the commits behind this state tell."""

    def paths(self) -> Sequence[str]:
        """All pages, sorted."""

    def page(self, path: str) -> PageView | None:
        """One page; None where there is none of that path."""

    def titles(self, paths: Sequence[str]) -> dict[str, str]:
        """The titles of pages; unknown ones are left out."""

    def entries(self) -> Iterator[Entry]:
        """All pages as the catalogue lists them, by path."""

    def groups(self, relation: Relation) -> Iterator[Group]:
        """Everything pages say in a relation, by key, sorted."""

    def group(self, relation: Relation, key: str) -> Group:
        """What pages say under one key; no rows where none says anything."""

    def file(self, path: str) -> bytes | None:
        """The bytes of a file below wiki/ or raw/; None where it is missing or no plain file."""

    def files(self) -> frozenset[str]:
        """The paths of all files below wiki/ and raw/ that are no pages."""

    def recall(self, key: str) -> str | None:
        """What a rule remembered in an earlier run under this key."""

    def remember(self, key: str, value: str) -> None:
        """Keep a text for later runs; lost whenever the index is made anew."""
