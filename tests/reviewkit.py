"""Readings that wait for review, and what of them is accepted in copies of their wiki."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

from wikikit import Wiki, sha

from llmwiki.pages.difference.row_changes import RowChange, compare
from llmwiki.pages.page import Page

_numbers = itertools.count()


def put_up(wiki: Wiki, name: str, text: str, told: Mapping[str, Any], *args: str) -> str:
    """Puts a reading on a branch for review; the id of that."""
    wiki.put(name, text)
    wiki.prepare(name)
    source = {"sha256": sha(text), "segment": [1, 1]}
    done = wiki.apply({**told, "source": source}, "--review", *args)
    assert done.code == 0, done
    return str(done.operation["id"])


def waiting(wiki: Wiki, name: str = "") -> dict[str, Any]:
    """What of a review is left to decide, as the command tells it."""
    return wiki.ok("review", "show", *([name] if name else []), "--json").json


def ids(wiki: Wiki, name: str = "") -> dict[str, str]:
    """The text of each claim that is left to its id."""
    items = waiting(wiki, name)["items"]
    return {i["text"]: i["id"] for i in items if i["id"].startswith(("c-", "n-"))}


def branches(wiki: Wiki) -> list[str]:
    """The branches that wait."""
    return wiki.git("branch", "--format=%(refname:short)", "--list", "wiki-review/*").split()


def copied(wiki: Wiki) -> Wiki:
    """A copy of the wiki with its branches."""
    place = wiki.root.with_name(f"{wiki.root.name}-{next(_numbers)}")
    shutil.copytree(wiki.root, place, symlinks=True)
    return Wiki(place, wiki.commands, dict(wiki.env))


def accept(wiki: Wiki, items: Iterable[str] = ()) -> Wiki:
    """A copy of the wiki in which those items of its only review were accepted; all of them where
    none is named."""
    here = copied(wiki)
    (branch,) = branches(here)
    here.ok("review", "accept", branch.partition("/")[2], *sorted(items), "--yes")
    return here


def differing(one: Wiki, other: Wiki) -> tuple[RowChange, ...]:
    """The rows in which the pages of two wikis differ: links inside claims are none."""
    return compare(pages(one), pages(other))


def pages(wiki: Wiki) -> dict[str, Page]:
    """The pages that operations write claims on."""
    return {path: page for path, page in wiki.pages().items() if path.count("/") > 1}
