"""Wikis whose links write a blank where the file's name has a hyphen, as GitHub's wikis do."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from llmwiki.lint.page_links import NAMES, paths_of
from llmwiki.pages import link_targets
from llmwiki.pages.link_targets import link_key, name_in

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView

_KNOWN: WeakKeyDictionary[WikiView, bool] = WeakKeyDictionary()
"""Answers for the wikis that are being linted: each broken link needs one."""


def has_dashes(wiki: WikiView) -> bool:
    """`link_targets.has_dashes` of the wiki's paths, worked out once."""
    if wiki not in _KNOWN:
        _KNOWN[wiki] = link_targets.has_dashes(wiki.paths)
    return _KNOWN[wiki]


def dashed(key: str) -> str:
    """The folded file name that a folded name of a link stands for."""
    return key.replace(" ", "-")


def leads_by_dashes(target: str, wiki: WikiView) -> bool:
    """Whether a link without a page of its very name leads to one all the same."""
    key = name_in(link_key(target))
    other = dashed(key)
    return other != key and has_dashes(wiki) and bool(paths_of(wiki.group(NAMES, other)))
