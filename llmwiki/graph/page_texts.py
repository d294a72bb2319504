"""What the HTML page shows beside the graph: the texts of the pages, and when each was born."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.pages.asked import without_asked
from llmwiki.repo.file_history import steps

if TYPE_CHECKING:
    from llmwiki.graph.model import Graph
    from llmwiki.index.open_index import Index
    from llmwiki.repo.repository import Repository

TEXT_CUT = 100_000
"""Characters of one page's text."""
TEXTS_ALL = 32_000_000
"""Characters of all texts: some 15,000 pages of 300 words, the highest-ranked first."""
COMMITS = 10_000
"""Commits that are looked through; a page that is older counts as born in the first of them."""


class BirthCommit(NamedTuple):
    """A commit that brought pages."""

    time: int
    """Committer's time, seconds since the epoch."""
    subject: str


class PageTexts(NamedTuple):
    """Texts and births of the pages of one graph, in the order of its nodes."""

    texts: Sequence[str | None] = ()
    """Markdown files as they are shown, cut; None where there was no room left. Empty: none are
    known."""
    births: tuple[BirthCommit, ...] = ()
    """The commits that brought the pages, the first one first; empty: not known."""
    born: Sequence[int] = ()
    """For each page the place of its commit in `births`; their number where it is uncommitted."""


def page_texts(repo: Repository, index: Index, graph: Graph, revision: str) -> PageTexts:
    """Reads the texts of the graph's pages, and finds their births behind `revision`.

    Raises StateError where a page changes while it is read.
    """
    place_of = {node.path: place for place, node in enumerate(graph.nodes)}
    texts: list[str | None] = [None] * len(graph.nodes)
    room = TEXTS_ALL
    found = [page for page in index.all_cards() if page.path in place_of]
    found.sort(key=lambda page: (-graph.nodes[place_of[page.path]].rank, page.path))
    for page in found:
        text = without_asked(index.read(page))[:TEXT_CUT]
        room -= len(text)
        if room < 0:
            break
        texts[place_of[page.path]] = text
    births, born = _births(repo, revision, place_of)
    return PageTexts(texts, births, born)


def _births(
    repo: Repository, revision: str, place_of: dict[str, int]
) -> tuple[tuple[BirthCommit, ...], list[int]]:
    """The commits that first held the pages, and for each page its own.

    None in a clone that lacks history: at its border every page would look new.
    """
    if repo.incomplete or repo.resolve(revision) is None:
        return (), []
    first: dict[str, str] = {}
    oldest = ""
    for number, step in enumerate(steps(repo, revision, ["wiki"])):
        if number == COMMITS:
            break
        oldest = step.commit
        for change in step.changes:
            # Children come before parents: what is seen last was there first.
            if not change.old and change.path in place_of:
                first[change.path] = oldest
    asked = {*first.values(), oldest}
    commits = [each for each in repo.log(revision) if each.oid in asked][::-1]
    commits.sort(key=lambda each: each.time)
    order = {each.oid: number for number, each in enumerate(commits)}
    committed = repo.tree(revision, "wiki")
    born = [
        order.get(first.get(path, oldest), 0) if path in committed else len(commits)
        for path in place_of
    ]
    return tuple(BirthCommit(each.time, each.subject) for each in commits), born
