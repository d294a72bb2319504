"""wiki review: decide what waits on branches for review, claim by claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from llmwiki.core.errors import PolicyError, StateError
from llmwiki.core.text import counted, cut
from llmwiki.interfaces.cli.command_context import (
    can_ask,
    demand_yes,
    open_wiki,
    say_err,
    told,
    wants_json,
)
from llmwiki.interfaces.cli.command_options import ALLOW_DETACHED, AS_JSON
from llmwiki.interfaces.cli.command_table import CommandGroup

if TYPE_CHECKING:
    from llmwiki import ChangeItem, Review, ReviewOutcome, Wiki

_SHOWN = 400
"""Characters of words that are shown of an item that is no claim."""


@click.group(cls=CommandGroup)
def command() -> None:
    """What waits for review: list it, show it, accept it claim by claim, or reject it.

    `wiki ingest --review` puts what it reads on a branch wiki-review/ID. What of a branch is left
    to decide is worked out against HEAD each time: what the wiki has taken since is not in it. The
    branch can also be merged with git or by a forge's button.

    \b
    Examples:
      wiki review list
      wiki review show 3f9c2a71b0d4
      wiki review accept 3f9c2a71b0d4 c-9f3a1c22k7 "Green tea"
      wiki review reject 3f9c2a71b0d4
    """


@command.command("list")
@AS_JSON
def list_reviews() -> int:
    """List the branches that wait, and how much of each is left to decide."""
    wiki = open_wiki()
    found = wiki.reviews()
    told("reviews", None, _rows(found), reviews=found)
    for branch in () if wants_json() else wiki.landed_reviews():
        ident = branch.partition("/")[2]
        say_err(f"wiki: {branch} has landed; this deletes it: wiki review accept {ident} --yes")
    return 0


def _rows(found: Sequence[Review]) -> Iterator[str]:
    for review in found:
        yield f"{review.id}  {_amount(review)}: {review.title}"
        if not review.is_local:
            yield f"  on {review.branch}"
    if not found:
        yield "Nothing waits for review."


@command.command("show")
@click.argument("name", required=False, default="", metavar="[ID]")
@AS_JSON
def show(name: str) -> int:
    """Show what of a branch is left to decide: claims with their quotes, page by page.

    ID is that of the branch, or how it begins; it can be left out where only one waits. Each item
    has an id: accept takes it, and pages and sources too.

    \b
    Example:
      wiki review show 3f9c2a71b0d4
    """
    review = open_wiki().review(name)
    return told("review", review, _lines(review))


@command.command("accept")
@click.argument("name", metavar="ID")
@click.argument("items", nargs=-1, metavar="[ITEM]...")
@click.option("--dry-run", is_flag=True, help="Say what would land; write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask; not where all has to be reviewed.")
@ALLOW_DETACHED
@AS_JSON
def accept(
    name: str, items: tuple[str, ...], dry_run: bool, yes: bool, allow_detached: bool
) -> int:
    """Land items of a review on the branch that is checked out, in one commit.

    ITEM is the id of a claim or of another item, a page by title or path (all that changes on it),
    or a source by its file; without one, all that can land does. What an item needs lands with
    it: its page, its source, what it strikes. The rest stays to be reviewed. Quotes are compared
    with the source once more. What the wiki words otherwise meanwhile is refused, naming the one
    claim; without ITEM the others land, and it waits (exit code 3 both times). What renames or
    merges pages, takes an operation back or takes a source out is accepted as a whole.

    A person is asked first; without a terminal that needs --yes, and where the team has set
    `review = "always"` a terminal (exit code 7).

    \b
    Examples:
      wiki review accept 3f9c2a71b0d4
      wiki review accept 3f9c2a71b0d4 c-9f3a1c22k7 "Green tea"
    """
    wiki = open_wiki()
    if not dry_run:
        _demand_yes(wiki, name, items, yes=yes)
    done = wiki.accept_review(name, items, dry_run=dry_run, allow_detached=allow_detached)
    if done.notice:
        say_err(f"wiki: {done.notice}")
    code = StateError.exit_code if done.waiting else 0
    for each in done.waiting:
        say_err(f"wiki: {each.id} was not accepted: {each.hindrance}")
    for path in done.outcome.kept:
        say_err(f"wiki: {path} was changed here, and stays in the work tree as it is")
    lines = _accepted(done, dry_run=dry_run)
    told("review-decision", done, lines, decision="accepted", dry_run=dry_run)
    if done.outcome.commit is not None and not (dry_run or wants_json()):
        _print_rest(done)
    return code


def _accepted(done: ReviewOutcome, *, dry_run: bool) -> Iterator[str]:
    amount = counted(len(done.items), "item")
    if dry_run:
        yield f"would accept {amount}; {done.left} would be left"
        for difference in done.outcome.differences:
            yield f"  {'created' if difference.created else 'changed'}  {difference.path}"
    elif done.outcome.commit is None and done.dropped:
        yield f"deleted {done.review.branch}: all of it had landed"
    else:
        yield f"{(done.outcome.commit or '')[:10]}  accepted {amount} of {done.review.title}"


@command.command("reject")
@click.argument("name", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@AS_JSON
def reject(name: str, yes: bool) -> int:
    """Delete a branch of which nothing more shall land.

    A file that the branch had taken over from raw/ lies there again, unless it has landed. A
    person is asked first, and without a terminal that needs --yes (exit code 7).

    \b
    Example:
      wiki review reject 3f9c2a71b0d4
    """
    wiki = open_wiki()
    if not yes:
        _demand_yes_to_drop(wiki, name)
    done = wiki.reject_review(name)
    lines = [f"deleted {done.review.branch}; it was {done.review.tip[:10]}"]
    lines += [f"  back in the work tree: {path}" for path in done.returned]
    return told("review-decision", done, lines, decision="rejected")


def _demand_yes(wiki: Wiki, name: str, items: tuple[str, ...], *, yes: bool) -> None:
    """Asks the person at the terminal. Raises PolicyError where there is none to ask."""
    is_always = wiki.is_reviewed_always
    if not can_ask() and (is_always or not yes):
        way = "accept on a terminal, or by a merge on the forge" if is_always else "add --yes"
        rule = 'this wiki sets `review = "always"`' if is_always else "nobody can be asked here"
        raise PolicyError(
            f"accepting needs a person, and {rule}", where=name, fix=f"Look first, then {way}."
        )
    if yes and not is_always:
        return
    review = wiki.review(name)
    what = ", ".join(items) or f"all that is left: {_amount(review)}"
    demand_yes(f"accept {what}, of {review.title}")


def _demand_yes_to_drop(wiki: Wiki, name: str) -> None:
    """Asks before a whole branch is deleted. Raises PolicyError where nobody can be asked."""
    review = wiki.review(name)
    if not can_ask():
        raise PolicyError(
            "rejecting deletes the branch, and nobody can be asked here",
            where=review.branch,
            fix="Look first, then add --yes.",
        )
    demand_yes(
        f"delete {review.branch}, with all that is left: {_amount(review)}, of {review.title}"
    )


def _print_rest(done: ReviewOutcome) -> None:
    review = done.review
    if done.notice:
        return
    if done.dropped:
        say_err(f"wiki: nothing is left; {review.branch} is deleted")
    elif not done.left:
        say_err(f"wiki: nothing is left of {review.branch}")
    else:
        say_err(f"wiki: {counted(done.left, 'item')} left: `wiki review show {review.id}`")
        if not done.updated:
            say_err(
                "wiki: the branch was left as it is, for one of them conflicts with the wiki;"
                " accept the others by their ids"
            )


def _amount(review: Review) -> str:
    claims = sum(1 for each in review.items if each.claim is not None)
    others = len(review.items) - claims
    parts = [counted(claims, "claim")] if claims else []
    parts += [counted(others, "other change")] if others else []
    return " and ".join(parts) or "nothing left"


def _lines(review: Review) -> Iterator[str]:
    """The whole review as text, page by page."""
    yield f"{review.branch}: {_amount(review)} to decide"
    for commit in review.commits:
        date = commit.date.strftime("%Y-%m-%d")
        model = commit.value("Wiki-Model")
        yield f"  {date}  {commit.subject}, by {commit.author}" + (f", {model}" if model else "")
    for path in sorted(review.files):
        yield f"  {'takes out' if review.files[path] is None else 'brings'}  {path}"
    for path in review.others:
        yield f"  changes {path}, which git alone can merge"
    if review.whole:
        yield f"  decided as a whole: {review.whole}"
    from llmwiki.changes.open_reviews import review_pages

    for path, title, items in review_pages(review):
        state = "" if path in review.before else "new page, "
        state = "taken out, " if path in review.before and path not in review.after else state
        yield ""
        yield f"{title} ({state}{path})" if path else "Between pages"
        for each in items:
            yield from _item_lines(review, each)


def _item_lines(review: Review, item: ChangeItem) -> Iterator[str]:
    from llmwiki.changes.open_reviews import quoted_file

    said = " ".join(item.said.split())
    shown = said if item.claim else cut(said, _SHOWN)
    yield f"  {item.id}  {item.kind}: {shown}"
    if item.before is not None and item.kind in ("reworded", "attributes"):
        yield f"      now: {item.said_before}"
    if item.kind == "moved":
        yield f"      from {item.page_before}"
    had = {e.identity for e in item.before.evidence} if item.before else set()
    for evidence in item.claim.evidence if item.claim else ():
        if evidence.identity not in had or item.kind == "taken out":
            where = f"{quoted_file(review, evidence.source)} {evidence.span}".rstrip()
            yield f"      “{evidence.quote}” — {where}"
    for effect in item.effects:
        yield f"      {effect.what} ^{effect.claim}" + (f": {effect.text}" if effect.text else "")
    if item.hindrance:
        yield f"      cannot be accepted: {item.hindrance}"
