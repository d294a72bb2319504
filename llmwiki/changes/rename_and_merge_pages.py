"""Renaming a page, and merging one into another.

Each is one operation: the page, and every link of the wiki that leads to what has moved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from llmwiki.core import declared_options
from llmwiki.core.declared_options import CheckedOptions, opt
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.page_and_note_kinds import MEMORY, SUBJECTS
from llmwiki.core.text import normalise
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.after_merge import join
from llmwiki.landing.earlier_pages import moved_trailer
from llmwiki.landing.land import land
from llmwiki.landing.links_to_moved_pages import Pages, UnledLink, lead_links
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.operation import Made, Operation
from llmwiki.landing.page_by_typed_name import NoSuchPage, find_page, page_named
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages import write
from llmwiki.pages.escape import escape
from llmwiki.pages.merge.join_claims import Joins
from llmwiki.pages.merge.two_pages import page_of_both, titled
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import name_key, page_path, stem_of
from llmwiki.version import SIGNED

_RENAMED = (*SUBJECTS, "synthesis")
"""Kinds of pages that are merged, and whose file is named by their title."""


@dataclass(frozen=True, slots=True)
class PageMoveResult:
    """What a rename or a merge did, or would do."""

    kind: str
    """`rename` or `merge`."""
    source: str
    """Path of the page that was named first."""
    page: str
    """Path of the page that has the claims now."""
    outcome: Outcome = field(default_factory=lambda: Outcome(None))
    claims: tuple[str, ...] = ()
    """The claims that stand on another page now, by id."""
    joins: Joins = field(default_factory=dict)
    """Claims that are no more to those that say the same and have their evidence."""
    left: tuple[UnledLink, ...] = ()
    """Links that were not rewritten, and why."""
    notes: tuple[str, ...] = ()
    """What a person may want to look at."""


@dataclass(frozen=True, slots=True)
class MoveOptions(CheckedOptions):
    """How pages are renamed and merged."""

    dry_run: bool = opt(False, "Say what would change; write nothing.")
    review: bool = declared_options.review()
    allow_detached: bool = declared_options.allow_detached()


def _landed(
    wiki: OpenWiki,
    kind: str,
    make: Callable[[WikiState], Made[PageMoveResult]],
    options: MoveOptions | None,
) -> PageMoveResult:
    chosen = options or MoveOptions()
    terms = wiki.landing(chosen.allow_detached, review=chosen.review)
    try:
        done = land(wiki.state, kind, make, terms=terms, dry_run=chosen.dry_run)
    except NoSuchPage as error:
        _refuse_note(wiki, error)
        raise
    return replace(done.extra, outcome=done.outcome)


def _refuse_note(wiki: OpenWiki, error: NoSuchPage) -> None:
    """Raises PolicyError where the page that no command could find is a person's note."""
    if wiki.vault is None:
        return
    with Repository(wiki.vault) as repo:
        reading = OpenWiki(repo, wiki.here, wiki.tell)
        reading.state.follow()
        path = find_page(reading.state, error.where)
    if path is not None and not path.startswith("wiki/"):
        raise PolicyError(
            "a note of yours: only pages below wiki/ are renamed or merged here",
            where=path,
            fix="Rename it where you write it (Obsidian leads links along), and commit that.",
        ) from error


def _needed(state: WikiState, name: str) -> Page:
    """The page of that name, to be merged. Raises InputError where there is none,
    PolicyError where its file name is more than its title."""
    page = page_named(state, name)
    if page.type == "source":
        file = page.value("source") or page.path
        raise PolicyError(
            "the page of a document keeps its claims: their quotes go by its file",
            where=page.path,
            fix=f"Of two that are one document take one out (wiki retract {file}), or tell them "
            f"apart (wiki rename {page.path} TITLE).",
        )
    _refuse_unnamed(page)
    return page


def _refuse_unnamed(page: Page) -> None:
    """Raises PolicyError for a page whose file name is more than its title."""
    if page.path == MEMORY or page.type not in _RENAMED:
        raise PolicyError(
            f"a {page.type or 'foreign'} page keeps its name and its claims",
            where=page.path,
            fix=f"Pages of these types are renamed and merged: {', '.join(_RENAMED)}.",
        )
    page.values  # noqa: B018  (raises PageError)


def _refuse_untitled(title: str) -> None:
    if not normalise(title):
        raise InputError("a page needs a title", fix="Such as: wiki rename Tea 'Green tea'")


def _free_path(state: WikiState, title: str, own: Page) -> str:
    """The path for a page of that title. Raises InputError where another page has the name."""
    _refuse_untitled(title)
    taken = [path for path in state.names.by_title(title) if path != own.path]
    path = page_path(own.type, title, lambda _key: False, state.types().get(own.type, 0))
    key = name_key(stem_of(path))
    held = state.file_named(key)
    if held not in (None, own.path):
        taken.append(held)
    if taken:
        raise InputError(
            "another page has that name",
            where=f"{title}: {taken[0]}",
            fix=f"Choose another title, or make them one: wiki merge '{own.title}' '{title}'",
        )
    return path


# --- rename --------------------------------------------------------------------------------


def rename(
    wiki: OpenWiki, page: str, title: str, options: MoveOptions | None = None
) -> PageMoveResult:
    """Gives a page another title and file name, and leads every link to it; one commit.

    The old title stays as an alias, unless another page has it. The page of a document keeps its
    file, for its quotes go by that. With `review` the commit waits on a branch. Raises InputError
    where there is no such page or the title is another page's, PolicyError for pages that keep
    their name, and what `land` raises.
    """

    def make(current: WikiState) -> Made[PageMoveResult]:
        old = page_named(current, page)
        new_title = normalise(title)
        if old.type == "source":
            return _document_titled(current, old, new_title)
        _refuse_unnamed(old)
        named = _free_path(current, new_title, old)
        path = old.path[: old.path.rfind("/") + 1] + named.rpartition("/")[2]
        if (path, new_title) == (old.path, old.title):
            return Made(None, PageMoveResult("rename", old.path, old.path))
        new = titled(Page(path, old.node), old.title, new_title)
        edited: dict[str, Page | None] = {old.path: None, path: new}
        told = PageMoveResult("rename", old.path, path)
        return _made(current, told, f"{old.title} to {new_title}", edited)

    return _landed(wiki, "rename", make, options)


def _document_titled(state: WikiState, old: Page, title: str) -> Made[PageMoveResult]:
    """The operation that gives the page of a document a title, and footnotes that name it so."""
    _refuse_untitled(title)
    told = PageMoveResult("rename", old.path, old.path)
    own = old.own_source
    if title == old.title or own is None:
        return Made(None, told)
    taken = [path for path in state.names.by_title(title) if path != old.path]
    if taken:
        raise InputError(
            "another page has that name",
            where=f"{title}: {taken[0]}",
            fix="Choose another title: the page of a document is not made one with another.",
        )
    new = titled(old, old.title, title)
    if any(path != old.path for path in state.names.by_title(old.title)):
        # Its subject has the old title: one name leads to one page.
        new = write.set_words(new, "aliases", [a for a in old.aliases if a != title])
    new = _described(new, old.title, title)
    edited: dict[str, Page | None] = {old.path: new}
    for path in (old.path, *state.citing(old.stem)):
        page = edited.get(path) or state.page(path)
        if page is not None and own.id in page.footnotes:
            date = page.footnotes[own.id].date
            edited[path] = write.add_footnote(page, own.id, title, own.resource, date)
    return _made(state, told, f"{old.title} to {title}", edited)


def _described(page: Page, old: str, title: str) -> Page:
    """The page with a description and a lead that begin with the new title, where they did with
    the old one."""
    told = page.description
    if told.rstrip(".") == old:
        page = write.set_value(page, "description", title + told[len(old) :])
    begun = escape(old)
    if page.lead.startswith((f"{begun}.", f"{begun} (")) and page.lead_is_tools:
        page = write.set_lead(page, escape(title) + page.lead[len(begun) :], SIGNED)
    return page


def _made(
    state: WikiState, told: PageMoveResult, title: str, edited: Pages
) -> Made[PageMoveResult]:
    """The operation that makes these pages, with every link led that leads to what has moved. On a
    page that gets another one's claims equal ones become one."""
    moved = {told.source: told.page} if edited[told.source] is None else {}
    led = lead_links(state, edited, moved)
    joined = join(state, [told.page] if told.kind == "merge" else [], led.pages)
    left = (f"Left as it is: a link in {one.path}:{one.line}, {one.why}" for one in led.left[:10])
    operation = Operation(
        title=title,
        pages={**led.pages, **joined.pages},
        joins=joined.joins,
        trailers=moved_trailer(moved),
        notes=(*told.notes, *left),
    )
    ids = tuple(ident for ident in told.claims if ident not in joined.joins)
    return Made(operation, replace(told, claims=ids, joins=joined.joins, left=tuple(led.left)))


# --- merge ---------------------------------------------------------------------------------


def merging(state: WikiState, name: str, into: str) -> Made[PageMoveResult]:
    """The operation that merges the page `name` into another one; see `merge`."""
    gone, kept = _needed(state, name), _needed(state, into)
    if gone.path == kept.path:
        raise InputError(
            "both names are of one page", where=gone.path, fix="Name two pages to merge."
        )
    whole = page_of_both(kept, gone)
    edited: dict[str, Page | None] = {gone.path: None, kept.path: whole.page}
    ids = sorted(claim.id for claim in gone.claims)
    told = PageMoveResult("merge", gone.path, kept.path, claims=tuple(ids), notes=whole.notes)
    return _made(state, told, f"{gone.title} into {kept.title}", edited)


def merge(
    wiki: OpenWiki, page: str, into: str, options: MoveOptions | None = None
) -> PageMoveResult:
    """Makes one page of two: what stands on `page` comes to `into`, and every link leads
    there; one commit. Raises as `rename`, and InputError where both names are of one page."""
    return _landed(wiki, "merge", lambda current: merging(current, page, into), options)
