"""What somebody changes directly: a note, the prose of a page, which pages there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from llmwiki.app.callbacks import ignore
from llmwiki.app.open_wiki import OpenWiki
from llmwiki.app.page_folders import layout_at
from llmwiki.core.errors import PolicyError
from llmwiki.edit import page_moves, prose
from llmwiki.edit.page_moves import NoSuchPage, PageMoveResult
from llmwiki.edit.prose import EditedPage
from llmwiki.store.outcome import Outcome


def rename(
    wiki: OpenWiki,
    page: str,
    title: str,
    *,
    dry_run: bool = False,
    allow_detached: bool = False,
    review: bool = False,
) -> PageMoveResult:
    """Gives a page another title and file name, and leads every link to it; one commit.

    The old title stays as an alias; with `review` the commit waits on a branch. Raises InputError
    where there is no such page or the title is another page's, PolicyError for pages that keep
    their name.
    """
    terms = wiki.landing(allow_detached, review=review)
    with _notes_refused(wiki):
        return page_moves.rename(wiki.repo, wiki.state, page, title, terms=terms, dry_run=dry_run)


def merge(
    wiki: OpenWiki,
    page: str,
    into: str,
    *,
    dry_run: bool = False,
    allow_detached: bool = False,
    review: bool = False,
) -> PageMoveResult:
    """Makes one page of two: what stands on `page` comes to `into`, and every link leads
    there; one commit. Raises as `rename`."""
    terms = wiki.landing(allow_detached, review=review)
    with _notes_refused(wiki):
        return page_moves.merge(wiki.repo, wiki.state, page, into, terms=terms, dry_run=dry_run)


def split(
    wiki: OpenWiki,
    page: str,
    title: str,
    claims: Sequence[str],
    *,
    dry_run: bool = False,
    allow_detached: bool = False,
    review: bool = False,
) -> PageMoveResult:
    """Moves the claims of these ids from `page` to the page `title`, which is made where there
    is none; one commit. Raises as `rename`, and InputError for a claim that is not there."""
    terms = wiki.landing(allow_detached, review=review)
    with _notes_refused(wiki):
        return page_moves.split(
            wiki.repo, wiki.state, page, title, claims, terms=terms, dry_run=dry_run
        )


@contextmanager
def _notes_refused(wiki: OpenWiki) -> Iterator[None]:
    """Says of a page that no command could find that it is a person's note, where it is one.

    Raises PolicyError then, and else what is raised within.
    """
    try:
        yield
    except NoSuchPage as error:
        # What writes does not so much as see the notes of a vault.
        layout = layout_at(wiki.repo.root, None, ignore)
        if layout.notes is None:
            raise
        from llmwiki.app.show import find_page
        from llmwiki.repo.repository import Repository

        with Repository(layout) as repo:
            reading = OpenWiki(repo, wiki.here, wiki.tell)
            reading.state.follow()
            path = find_page(reading.state, error.where)
        if path is None or path.startswith("wiki/"):
            raise
        raise PolicyError(
            "a note of yours: only pages below wiki/ are renamed, merged or split here",
            where=path,
            fix="Rename it where you write it (Obsidian leads links along), and commit that.",
        ) from error


def edit_page(
    wiki: OpenWiki,
    name: str,
    change: Callable[[str], str],
    *,
    session: str = "",
    turn: int = 0,
    dry_run: bool = False,
    allow_detached: bool = False,
) -> EditedPage:
    """Rewrites the prose of a page, in one commit; with `dry_run` nothing is written.

    `change` takes the whole text of the page and gives the new one; it may be called again.
    Raises InputError for no such page, PolicyError where more than prose would change or where
    there would be a secret or another error of safety (WK601 to WK611) that was not there
    before, and what `change` raises.
    """
    from llmwiki.lint.rules.safety import demand_no_new_error

    return prose.edit_page(
        wiki.repo,
        wiki.state,
        name,
        change,
        session=session,
        turn=turn,
        dry_run=dry_run,
        terms=wiki.landing(allow_detached),
        demand_safe=demand_no_new_error,
    )


def remember(
    wiki: OpenWiki,
    text: str,
    *,
    kind: str = "fact",
    told_by: str = "person",
    session: str = "",
    turn: int = 0,
    key: str = "",
    value: str = "",
    replaces: str = "",
    allow_secret: Iterable[str] = (),
    allow_detached: bool = False,
    review: bool = False,
) -> Outcome:
    """Adds a note, in one commit; the same words again change nothing.

    A person's preferences and procedures stand on wiki/memory.md, all else on the page of its
    day. `kind` is one of `core.note_kinds.NOTE_KINDS`; `told_by` is `person`
    or `agent`; a `session` stands in the note, and with a `turn` (from 1) both stand in the
    trailers of the commit. With a `key`, what was noted of it before, of that kind, is struck
    and leads to this note, whose `value` counts now; so is the note of the id `replaces`. With
    `review` it waits on a branch, as all does where the wiki says so. Raises PolicyError for
    what looks like a secret.
    """
    from llmwiki.learn.remember import remember as note

    return note(
        wiki.repo,
        wiki.state,
        text,
        kind=kind,
        told_by=told_by,
        session=session,
        turn=turn,
        key=key,
        value=value,
        replaces=replaces,
        terms=wiki.landing(allow_detached, review=review),
        allowed_secrets=frozenset(allow_secret),
    )
