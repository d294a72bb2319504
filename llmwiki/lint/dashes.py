"""Wikis whose links write a blank where the file's name has a hyphen, as GitHub's wikis do."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from llmwiki.lint.leads import NAMES, link_key, paths_of

if TYPE_CHECKING:
    from llmwiki.lint.wiki import Wiki

_MARKS = ("wiki/Home.md", "wiki/_Footer.md", "wiki/_Sidebar.md")
"""Pages that GitHub gives a place of their own."""

_KNOWN: WeakKeyDictionary[Wiki, bool] = WeakKeyDictionary()
"""Whether each wiki that is being linted is one: every broken link asks."""


def has_dashes(wiki: Wiki) -> bool:
    """Whether blanks and hyphens are one in the links of this wiki.

    So it is where it has one of GitHub's own pages and no page's file name holds a blank; in other
    vaults `[[Tea cup]]` and `Tea-cup.md` stay two things, as they are to Obsidian.
    """
    found = _KNOWN.get(wiki)
    if found is None:
        paths = wiki.paths()
        is_marked = any(wiki.page(mark) is not None for mark in _MARKS)
        found = _KNOWN[wiki] = is_marked and not any(
            " " in path.rsplit("/", 1)[-1] for path in paths
        )
    return found


def dashed(key: str) -> str:
    """The folded file name that a folded name of a link stands for."""
    return key.replace(" ", "-")


def leads_by_dashes(target: str, wiki: Wiki) -> bool:
    """Whether a link without a page of its very name leads to one all the same."""
    key = link_key(target)
    other = dashed(key)
    return other != key and has_dashes(wiki) and bool(paths_of(wiki.group(NAMES, other)))
