"""The wiki as a whole, as rules over more than one page see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from llmwiki.index.lookup import Lookup
    from llmwiki.lint.history import History
    from llmwiki.lint.rule import Group, Relation
    from llmwiki.lint.view import PageView
    from llmwiki.pages.catalogue import Entry


@dataclass(frozen=True, slots=True)
class LintLimits:
    """The numbers that rules compare with; `lint.*` of the settings changes them."""

    stub_bytes: int = 100
    """A page whose body is shorter says nothing (llm-wiki-agent's health check)."""
    hub_stub_bytes: int = 500
    """A much-linked page whose body is shorter says too little (llm-wiki-agent)."""
    links: int = 2
    """A page should lead to at least so many others (llm-wiki-agent)."""
    missing_uses: int = 3
    """So many pages that use a name without a page make it worth one (llm-wiki-agent)."""
    chain: int = 3
    """So many claims that replaced one another are one too many to follow."""
    sources: int = 20
    """A page that rests on more sources speaks of too much."""
    aging_days: int = 30
    """From so many days on knowledge ages (OpenClaw memory-wiki)."""
    stale_days: int = 90
    """From so many days on it is stale (OpenClaw memory-wiki)."""
    is_foreign: bool = False
    """No number: whether nobody made this a wiki of ours (no `.llmwiki.toml`). Folders called
    `daily` or `sources` then mean what their author meant."""


class Wiki(Protocol):
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
