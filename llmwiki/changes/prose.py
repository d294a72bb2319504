"""Rewriting the prose of a page by an agent: what carries evidence stays as it is."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from llmwiki.core.errors import PolicyError
from llmwiki.core.page_kinds import MEMORY
from llmwiki.core.secrets import refuse
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.land import LandingOptions, Made, Operation, land, turn_trailers
from llmwiki.landing.page_by_typed_name import page_named
from llmwiki.landing.state import WikiState
from llmwiki.pages.page import Page
from llmwiki.pages.syntax import render_node

_PROVEN = frozenset({"c", "n", "rel", "fn"})
"""Kinds of nodes that rest on a source or on somebody's word."""
MAX_PAGE = 200_000
"""Bytes of a page after an edit."""


@dataclass(frozen=True, slots=True)
class EditedPage:
    """What an edit of a page did, or would do."""

    path: str
    outcome: Outcome
    diff: str
    """The change as a unified diff; empty where nothing changes."""


def edit_page(
    repo: Repository,
    state: WikiState,
    name: str,
    change: Callable[[str], str],
    *,
    session: str,
    turn: int,
    dry_run: bool,
    terms: LandingOptions,
    demand_safe: Callable[[str, str, str], None],
) -> EditedPage:
    """Rewrites the prose of a page; see `Wiki.edit_page`.

    `demand_safe` takes the path, the text before and the new one, and raises what is wrong with it.
    """

    def make(current: WikiState) -> Made[tuple[str, str]]:
        before = _page(current, name)
        text = change(before.text)
        if len(text.encode("utf-8", "replace")) > MAX_PAGE:
            raise PolicyError(f"a page has at most {MAX_PAGE:,} bytes", where=before.path)
        after = Page.parse(before.path, text)
        if after.text == before.text:
            return Made(None, (before.path, ""))
        _demand_prose_only(before, after)
        diff = _diff(before, after)
        added = [line[1:] for line in diff.splitlines() if line.startswith("+")]
        refuse(added, allowed=(), what="the edit")
        demand_safe(before.path, before.text, after.text)
        operation = Operation(
            kind="edit",
            title=after.title,
            pages={before.path: after},
            trailers=turn_trailers(session, turn),
        )
        return Made(operation, (before.path, diff))

    landed = land(repo, state, make, operation="edit", terms=terms, dry_run=dry_run)
    path, diff = landed.extra
    return EditedPage(path, landed.outcome, diff)


def _page(state: WikiState, name: str) -> Page:
    """The page of a title, a file name or a path. Raises InputError, PolicyError for memory."""
    page = page_named(state, name)
    if page.path == MEMORY or page.type == "source":
        raise PolicyError(
            "pages of sources and the memory are not edited",
            where=page.path,
            fix="Prose goes on a page of a subject; what a person says is noted with `remember`.",
        )
    return page


def _demand_prose_only(before: Page, after: Page) -> None:
    """Raises PolicyError where an edit changes what rests on a source, or the frontmatter."""
    if before.front != after.front:
        raise PolicyError("an edit may not change the frontmatter", where=before.path)
    if before.cited() != after.cited() or _proven(before) != _proven(after):
        raise PolicyError(
            "an edit may not change claims, notes, links between claims or footnotes",
            where=before.path,
            fix="Change the prose around them; what a source says comes by ingesting it.",
        )


def _proven(page: Page) -> list[str]:
    return [render_node(node) for node in page.body if node.kind in _PROVEN]


def _diff(before: Page, after: Page) -> str:
    lines = difflib.unified_diff(
        before.text.splitlines(), after.text.splitlines(), before.path, after.path, lineterm="", n=2
    )
    return "\n".join(lines)
