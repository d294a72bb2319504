"""What a person changes, takes back, replaces or decides; one commit an operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from llmwiki.app.callbacks import ignore
from llmwiki.app.open_wiki import OpenWiki
from llmwiki.app.page_folders import layout_at
from llmwiki.changes import page_moves, prose
from llmwiki.changes import retract as retracting
from llmwiki.changes import review as reviewing
from llmwiki.changes import supersede as superseding
from llmwiki.changes import undo as undoing
from llmwiki.changes.page_moves import PageMoveResult
from llmwiki.changes.prose import EditedPage
from llmwiki.changes.retract import RetractResult
from llmwiki.changes.review import ReviewOutcome
from llmwiki.changes.review_branch import Review, find_branch, read_review
from llmwiki.changes.supersede import SupersedeResult
from llmwiki.changes.undo import UndoResult
from llmwiki.core import declared_options as declare
from llmwiki.core.declared_options import CheckedOptions, opt
from llmwiki.core.errors import PolicyError
from llmwiki.git.changed_files import landed_branches, review_branches
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.which_page import NoSuchPage, find_page
from llmwiki.pages.review_items import ChangeItem


@dataclass(frozen=True, slots=True)
class MoveOptions(CheckedOptions):
    """How pages are renamed, merged and split."""

    dry_run: bool = opt(False, "Say what would change; write nothing.")
    review: bool = declare.review()
    allow_detached: bool = declare.allow_detached()


def rename(
    wiki: OpenWiki, page: str, title: str, options: MoveOptions | None = None
) -> PageMoveResult:
    """Gives a page another title and file name, and leads every link to it; one commit.

    The old title stays as an alias; with `review` the commit waits on a branch. Raises InputError
    where there is no such page or the title is another page's, PolicyError for pages that keep
    their name.
    """
    return _moved(wiki, options, page_moves.rename, page, title)


def merge(
    wiki: OpenWiki, page: str, into: str, options: MoveOptions | None = None
) -> PageMoveResult:
    """Makes one page of two: what stands on `page` comes to `into`, and every link leads
    there; one commit. Raises as `rename`."""
    return _moved(wiki, options, page_moves.merge, page, into)


def split(
    wiki: OpenWiki,
    page: str,
    title: str,
    claims: Sequence[str],
    options: MoveOptions | None = None,
) -> PageMoveResult:
    """Moves the claims of these ids from `page` to the page `title`, which is made where there
    is none; one commit. Raises as `rename`, and InputError for a claim that is not there."""
    return _moved(wiki, options, page_moves.split, page, title, claims)


def _moved(
    wiki: OpenWiki, options: MoveOptions | None, move: Callable[..., PageMoveResult], *named: object
) -> PageMoveResult:
    chosen = options or MoveOptions()
    terms = wiki.landing(chosen.allow_detached, review=chosen.review)
    try:
        return move(wiki.repo, wiki.state, *named, terms=terms, dry_run=chosen.dry_run)
    except NoSuchPage as error:
        _refuse_note(wiki, error)
        raise


def _refuse_note(wiki: OpenWiki, error: NoSuchPage) -> None:
    """Raises PolicyError where the page that no command could find is a person's note."""
    # What writes does not so much as see the notes of a vault.
    layout = layout_at(wiki.repo.root, None, ignore)
    if layout.notes is None:
        return
    from llmwiki.git.repository import Repository

    with Repository(layout) as repo:
        reading = OpenWiki(repo, wiki.here, wiki.tell)
        reading.state.follow()
        path = find_page(reading.state, error.where)
    if path is not None and not path.startswith("wiki/"):
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
    day. `kind` is one of `core.page_kinds.NOTE_KINDS`; `told_by` is `person`
    or `agent`; a `session` stands in the note, and with a `turn` (from 1) both stand in the
    trailers of the commit. With a `key`, what was noted of it before, of that kind, is struck
    and leads to this note, whose `value` counts now; so is the note of the id `replaces`. With
    `review` it waits on a branch, as all does where the wiki says so. Raises PolicyError for
    what looks like a secret.
    """
    from llmwiki.memory.remember import remember as note

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


def undo(
    wiki: OpenWiki, name: str | None = None, *, dry_run: bool = False, allow_detached: bool = False
) -> UndoResult:
    """Takes an operation or a batch back, in a commit of its own; None: the last operation.

    `name` is an operation's or a batch's id, or a commit. Raises InputError where there is
    none, StateError where it may lie beyond what this clone holds.
    """
    terms = wiki.landing(allow_detached)
    operations = undoing.targets(wiki.repo, name)
    return undoing.undo(wiki.repo, wiki.state, operations, terms=terms, dry_run=dry_run)


def retract(
    wiki: OpenWiki, source: str, *, dry_run: bool = False, allow_detached: bool = False
) -> RetractResult:
    """Takes a source out of the wiki, with all that rests on it alone, in one commit.

    `source` is its file, its page or its title. Raises InputError for none or several.
    """
    terms = wiki.landing(allow_detached)
    return retracting.retract(wiki.repo, wiki.state, source, terms=terms, dry_run=dry_run)


def supersede(
    wiki: OpenWiki, old: str, new: str, *, dry_run: bool = False, allow_detached: bool = False
) -> SupersedeResult:
    """Strikes the claim with the id `old` for the one with the id `new`, in one commit.

    Raises InputError for no such claim, StateError where one of them was struck before.
    """
    terms = wiki.landing(allow_detached)
    return superseding.supersede(wiki.repo, wiki.state, old, new, terms=terms, dry_run=dry_run)


def reviews(wiki: OpenWiki) -> tuple[Review, ...]:
    """The branches that wait for review, and what of each is left to decide."""
    wiki.state.follow()
    return tuple(read_review(wiki.repo, wiki.state, each) for each in review_branches(wiki.repo))


def landed_reviews(wiki: OpenWiki) -> tuple[str, ...]:
    """The branches for review that have landed whole, and are still there."""
    return landed_branches(wiki.repo)


def review(wiki: OpenWiki, name: str = "") -> Review:
    """One branch that waits for review: by its id, or the only one. Raises InputError."""
    wiki.state.follow()
    return read_review(wiki.repo, wiki.state, find_branch(wiki.repo, name))


def accept_review(
    wiki: OpenWiki,
    name: str = "",
    items: Sequence[str] = (),
    *,
    dry_run: bool = False,
    allow_detached: bool = False,
) -> ReviewOutcome:
    """Lands items of a review in one commit; none named: all that can land.

    `items` are ids of claims and of other items, pages and sources. Whether a person has agreed
    is the caller's to know: see `is_reviewed_always`. Raises InputError for a name of nothing,
    StateError where one of them cannot land, or nothing can.
    """
    branch, terms = find_branch(wiki.repo, name), wiki.landing(allow_detached)
    return reviewing.accept(
        wiki.repo, wiki.state, branch, tuple(items), terms=terms, dry_run=dry_run
    )


def reject_review(wiki: OpenWiki, name: str = "", items: Sequence[str] = ()) -> ReviewOutcome:
    """Takes items out of a branch, in a commit on it; none named: the branch goes, and files
    that it had taken over lie in raw/ again. Raises as `accept_review` does."""
    branch = find_branch(wiki.repo, name)
    return reviewing.reject(wiki.repo, wiki.state, branch, tuple(items), terms=wiki.landing())


# --- a review, for those who show it ------------------------------------------------------------


def review_pages(found: Review) -> Iterator[tuple[str, str, list[ChangeItem]]]:
    """Path, title and items of each page of a review; those between pages, without either, last."""
    items = sorted(found.items, key=lambda each: (not each.path, each.path))
    for path, group in groupby(items, key=lambda each: each.path):
        page = found.after.get(path) or found.before.get(path)
        yield path, page.title if page else path, list(group)


def quoted_file(found: Review, source: str) -> str:
    """The file of a source that a review quotes; its id, where the branch does not say."""
    ledger = found.after.get(f"wiki/sources/{source}.md")
    return (ledger.value("source") if ledger else "") or source
