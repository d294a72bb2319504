"""What takes changes back or decides about them, a method a use case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.app.wiki_place import WikiPlace
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from llmwiki.edit.merging import ResolveResult
    from llmwiki.history.retract import RetractResult
    from llmwiki.history.review import ReviewOutcome
    from llmwiki.history.supersede import SupersedeResult
    from llmwiki.history.undo import UndoResult
    from llmwiki.store.recover import Recovery


class WikiDecisions(WikiPlace):
    """What takes back, replaces or decides what stands already; one commit an operation."""

    def recover(self) -> Recovery:
        """Finishes or drops an operation that was cut off; every call that writes does so first."""
        from llmwiki.store.transaction import recover

        with self._opened() as wiki:
            return recover(wiki.repo, wiki.config.number("lock.wait"))

    def resolve(
        self, about: Collection[str] = (), *, take: str | None = None, dry_run: bool = False
    ) -> ResolveResult:
        """Merges, claim by claim, the pages that a stopped merge of git left.

        Where both sides worded one thing differently, both stand between marks until `take`,
        `ours` or `theirs`, decides: for all, or for what `about` names (claim ids, paths).
        Raises InputError for `about` without `take`, and for a name of nothing undecided.
        """
        from llmwiki.edit.merging import SideChoice, resolve

        if about and take is None:
            raise InputError(
                "say which side's wording shall stand", fix="Add --take ours or theirs."
            )
        choice = SideChoice(take == "theirs", frozenset(about)) if take else None
        with self._opened() as wiki:
            wait = wiki.config.number("lock.wait")
            return resolve(wiki.repo, wait=wait, dry_run=dry_run, choice=choice)

    def undo(
        self, name: str | None = None, *, dry_run: bool = False, allow_detached: bool = False
    ) -> UndoResult:
        """Takes an operation or a batch back, in a commit of its own; None: the last operation.

        `name` is an operation's or a batch's id, or a commit. Raises InputError where there is
        none, StateError where it may lie beyond what this clone holds.
        """
        from llmwiki.history.undo import targets, undo

        with self._opened() as wiki:
            terms = wiki.landing(allow_detached)
            operations = targets(wiki.repo, name)
            return undo(wiki.repo, wiki.state, operations, terms=terms, dry_run=dry_run)

    def accept_review(
        self,
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
        from llmwiki.history.review import accept
        from llmwiki.history.review_branch import find_branch

        with self._opened() as wiki:
            branch, terms = find_branch(wiki.repo, name), wiki.landing(allow_detached)
            return accept(wiki.repo, wiki.state, branch, tuple(items), terms=terms, dry_run=dry_run)

    def reject_review(self, name: str = "", items: Sequence[str] = ()) -> ReviewOutcome:
        """Takes items out of a branch, in a commit on it; none named: the branch goes, and files
        that it had taken over lie in raw/ again. Raises as `accept_review` does."""
        from llmwiki.history.review import reject
        from llmwiki.history.review_branch import find_branch

        with self._opened() as wiki:
            branch = find_branch(wiki.repo, name)
            return reject(wiki.repo, wiki.state, branch, tuple(items), terms=wiki.landing())

    @property
    def is_reviewed_always(self) -> bool:
        """Whether the team's setting `review` has all that changes pages wait for a person."""
        with self._opened() as wiki:
            return wiki.reviews_always

    def retract(
        self, source: str, *, dry_run: bool = False, allow_detached: bool = False
    ) -> RetractResult:
        """Takes a source out of the wiki, with all that rests on it alone, in one commit.

        `source` is its file, its page or its title. Raises InputError for none or several.
        """
        from llmwiki.history.retract import retract

        with self._opened() as wiki:
            terms = wiki.landing(allow_detached)
            return retract(wiki.repo, wiki.state, source, terms=terms, dry_run=dry_run)

    def supersede(
        self, old: str, new: str, *, dry_run: bool = False, allow_detached: bool = False
    ) -> SupersedeResult:
        """Strikes the claim with the id `old` for the one with the id `new`, in one commit.

        Raises InputError for no such claim, StateError where one of them was struck before.
        """
        from llmwiki.history.supersede import supersede

        with self._opened() as wiki:
            terms = wiki.landing(allow_detached)
            return supersede(wiki.repo, wiki.state, old, new, terms=terms, dry_run=dry_run)
