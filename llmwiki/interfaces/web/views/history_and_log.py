"""What changed: the history of a page, the operations, and what one of them did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.responses import Response

from llmwiki.changes.diff_lines import lines_by_page
from llmwiki.core.errors import InputError
from llmwiki.interfaces.web.site import asked, named, number, of_head
from llmwiki.pages.difference.change_words import count_words, word_diff

if TYPE_CHECKING:
    from starlette.requests import Request

    from llmwiki.app.public_types import MemoryDiff, PageLines
    from llmwiki.interfaces.web.site import Site

STEPS = 30
"""Commits of a page's history that are shown at once."""
OPERATIONS = 50
EVENTS = 400
"""Lines of one difference that are shown."""
COMPARED = 2_000_000
"""Bytes of pages that one view compares: more than a second of work."""
_NAMED = 10
"""Pages that are named where more were left out."""
_MOST = 2_000
"""Commits of a page's history at most."""


@dataclass(frozen=True, slots=True)
class ShownDiff:
    """A difference as it is shown."""

    pages: tuple[PageLines, ...]
    summary: str
    left_out: int
    """Lines that find no room."""
    too_large: tuple[str, ...]
    """Pages that are not compared."""
    too_large_count: int


def shown_diff(told: MemoryDiff) -> ShownDiff:
    """A difference by page, of which at most `EVENTS` lines are shown."""
    room, left_out, shown = EVENTS, 0, []
    for page in lines_by_page(told):
        kept = page.lines[:room]
        left_out += len(page.lines) - len(kept)
        room -= len(kept)
        if kept:
            shown.append(page._replace(lines=kept))
    large = told.left_out
    return ShownDiff(
        tuple(shown), ", ".join(count_words(told.changes)), left_out, large[:_NAMED], len(large)
    )


@of_head
def history(site: Site, request: Request) -> Response:
    """The commits that changed a page, each with what it meant."""
    path = named(request, "path")
    more = min(number(request, "steps") or STEPS, _MOST)
    steps = site.wiki.page_history(path, limit=more + 1, most=COMPARED)
    return site.page(
        request,
        "history.html",
        path=path,
        entry=_entry(site, path),
        steps=[(step, shown_diff(step.told)) for step in steps[:more]],
        more=more + STEPS if len(steps) > more else 0,
        word_diff=word_diff,
    )


def _entry(site: Site, path: str) -> object:
    try:
        return site.wiki.read_page(path).entry
    except InputError:
        # A page that is gone has a history all the same.
        return None


@of_head
def log(site: Site, request: Request) -> Response:
    """The operations, newest first."""
    kind, start = asked(request, "kind"), number(request, "start")
    found = site.wiki.log(limit=start + OPERATIONS + 1, kind=kind or None)
    return site.page(
        request,
        "log.html",
        rows=found.operations[start : start + OPERATIONS],
        lacking=found.lacking,
        kind=kind,
        start=start,
        more=start + OPERATIONS if len(found.operations) > start + OPERATIONS else 0,
        section="log",
    )


@of_head
def change(site: Site, request: Request) -> Response:
    """What one commit changed in memory."""
    commit, told = site.wiki.change(named(request, "commit"), most=COMPARED)
    return site.page(
        request,
        "change.html",
        commit=commit,
        diff_shown=shown_diff(told),
        word_diff=word_diff,
        section="log",
    )
