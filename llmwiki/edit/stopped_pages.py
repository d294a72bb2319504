"""All pages that the two sides of a stopped merge have changed, merged together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from llmwiki.index.facts import is_catalogue, is_page
from llmwiki.pages.disputes import decided
from llmwiki.pages.merge_states import merge_states
from llmwiki.pages.page import Page
from llmwiki.pages.syntax import PageError
from llmwiki.repo.conflicts import StoppedStep, stopped_step
from llmwiki.repo.repository import Repository

Sides = tuple[bytes | None, bytes | None, bytes | None]
"""A file's bytes in base, ours and theirs; None: it is not there."""


class MovedPage(NamedTuple):
    """A page that a merge concerns by what a side has moved."""

    text: str | None
    """What it shall be; None: it shall be no more."""
    sides: Sides


def moved_pages(repo: Repository) -> dict[str, MovedPage]:
    """The pages that merge otherwise than each by itself, for a side has moved claims or renamed
    pages; by path. Empty where nothing has moved, or a page cannot be read."""
    step = stopped_step(repo)
    if step is None or not step.bases:
        return {}
    base = _base(repo, step)
    paths = _changed(repo, base, step)
    states = [_pages(repo, commit, paths) for commit in (base, step.ours, step.theirs)]
    states[0] = {path: _undisputed(page) for path, page in states[0].items()}
    try:
        merged = merge_states(*states)
    except PageError:
        return {}
    found = {}
    for path in sorted(merged.moved):
        page = merged.pages.get(path)
        sides = [_bytes(state.get(path)) for state in states]
        found[path] = MovedPage(page.text if page else None, (sides[0], sides[1], sides[2]))
    return found


def _base(repo: Repository, step: StoppedStep) -> str:
    """The commit both sides began from; of several the newest, as what came before is in it."""
    return max(step.bases, key=lambda oid: (next(repo.log(oid, limit=1)).time, oid))


def _changed(repo: Repository, base: str, step: StoppedStep) -> list[str]:
    changes = [
        change.path
        for side in (step.ours, step.theirs)
        for change in repo.diff_trees(base, side, "wiki")
    ]
    return sorted({path for path in changes if is_page(path) and not is_catalogue(path)})


def _pages(repo: Repository, commit: str, paths: Iterable[str]) -> dict[str, Page]:
    texts = {path: repo.read(commit, path) for path in paths}
    return {
        path: Page.parse(path, data.decode("utf-8", "surrogateescape"))
        for path, data in texts.items()
        if data is not None
    }


def _undisputed(page: Page) -> Page:
    """What two merges left disputed before is nothing that both sides began from."""
    text = decided(page.text, lambda _dispute: "")
    return page if text == page.text else Page.parse(page.path, text)


def _bytes(page: Page | None) -> bytes | None:
    return None if page is None else page.text.encode("utf-8", "surrogateescape")
