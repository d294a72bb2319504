"""wiki retract, supersede, undo: forget a source; strike a claim for another; take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from llmwiki.core.text import counted, cut
from llmwiki.interfaces.cli.command_context import open_wiki, say, say_as, say_err, told, wants_json
from llmwiki.interfaces.cli.command_options import ALLOW_DETACHED, AS_JSON, together
from llmwiki.interfaces.cli.safe_text import first_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from llmwiki import Claim, RetractResult, SupersedeResult, UndoResult


_SHOWN = 12
"""Lines of one kind that are shown; --json has all."""


_CHANGING = together(
    click.option("--dry-run", is_flag=True, help="Say what would change; write nothing."),
    ALLOW_DETACHED,
    AS_JSON,
)
"""The options of all three."""


@click.command()
@click.argument("source", metavar="SOURCE")
@_CHANGING
def command(source: str, **given: bool) -> int:
    """Forget a source: take out what rests on it alone, in one commit.

    SOURCE is its file in raw/, its page, or its title. Claims that no other source supports go;
    those that others support as well lose its quotes and stay. What was struck for a claim that
    goes stands again; relations, aliases, leads, descriptions and filed answers that came of it go
    with it; what people wrote stays, and is named.

    The file stays in raw/, and is not read again, nor is a copy or a new version of it, unless you
    say `wiki ingest --again`. `wiki undo` takes the retraction back. The words stay in git's
    history: docs/history.md says how to have them out of there, too.

    \b
    Examples:
      wiki retract raw/rumour.md --dry-run
      wiki retract raw/rumour.md
    """
    done = open_wiki().retract(source, **given)
    dry_run = given["dry_run"]
    return told("retract", done, _lines(done, dry_run=dry_run), dry_run=dry_run)


def _lines(done: RetractResult, *, dry_run: bool) -> list[str]:
    name = done.source or done.page
    if not done.outcome.differences:
        return [f"nothing to take out: {name} is retracted already"]
    pages = counted(len(done.outcome.differences), "page")
    if dry_run:
        lines = [f"would retract {name}: {counted(done.quotes, 'quote')}, {pages} changed"]
    else:
        commit = (done.outcome.commit or "")[:10]
        lines = [f"{commit}  retracted {name}: {counted(done.quotes, 'quote')}, {pages} changed"]
    gone = [_claim(each.path, each.claim) for each in done.gone if not each.is_note]
    notes = [_claim(each.path, each.claim) for each in done.gone if each.is_note]
    kept = [_claim(path, claim) for path, claim in done.kept]
    rows = {
        "claims that go, for they rest on it alone": gone,
        "claims that become notes of the people who worked on them": notes,
        "claims that other sources support, too: the words may be its own": kept,
        "claims that stand again": [f"^{each}" for each in done.revived],
        "aliases that go": _on_pages(done.aliases),
        "leads and descriptions that it brought: as before it, or new": _on_pages(done.renewed),
        "filed statements that go, for they rested on it": _on_pages(done.answers),
        "pages that are marked: what people wrote there rested on it": done.marked,
        "pages that are empty now, and stay (`status: deprecated`)": done.emptied,
    }
    if done.relations:
        lines.append(f"  lines under Related that go: {done.relations}")
    for what, each in rows.items():
        if each:
            lines += [f"  {what} ({len(each)}):", *first_of(each, _SHOWN, "    ")]
    return lines


def _claim(path: str, claim: Claim) -> str:
    return f"^{claim.id}  {path}: {cut(claim.text, 70)}"


def _on_pages(rows: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{path}: {what}" for path, what in rows]


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@_CHANGING
def supersede(old: str, new: str, **given: bool) -> int:
    """Strike the claim OLD for the claim NEW, in one commit. Both are named by their ids.

    OLD stays on its page, struck, with an arrow to NEW; answers say that it was superseded. Claims
    on that page that were struck for OLD lead to NEW from now on. Use it where OLD is not true any
    more: of two values of different times both hold, and neither is struck.

    \b
    Examples:
      wiki supersede c-5t0e8r1w9y c-2b7m0q4xza
    """
    done = open_wiki().supersede(old, new, **given)
    dry_run = given["dry_run"]
    return told("supersede", done, _struck(done, dry_run=dry_run), dry_run=dry_run)


def _struck(done: SupersedeResult, *, dry_run: bool) -> Iterator[str]:
    if not done.outcome.differences:
        yield f"nothing to do: ^{done.old.id} is struck for ^{done.new.id} already"
        return
    commit = (done.outcome.commit or "")[:10]
    yield f"would strike ^{done.old.id}" if dry_run else f"{commit}  struck ^{done.old.id}"
    yield f"  {done.old_page}: {done.old.text}"
    yield f"  now holds  {done.new_page}: {done.new.text} ^{done.new.id}"
    for ident in done.led_on:
        yield f"  leads there too  ^{ident}"


@click.command()
@click.argument("name", required=False, metavar="[OP|BATCH]")
@_CHANGING
def undo(name: str | None, dry_run: bool, allow_detached: bool) -> int:
    """Take an operation back, in a commit of its own; without a name, the last one.

    OP is an operation's id or commit, as `wiki log` prints them, or a revision such as HEAD~1;
    BATCH takes back every source of one `wiki ingest` (the Wiki-Batch line of its commits). What
    other operations and people wrote on the same pages since stays. An undo is an operation too,
    and there is no redo beside it: `wiki undo` of an undo brings back what it took. Sources stay
    in raw/.

    \b
    Examples:
      wiki undo --dry-run
      wiki undo 3f9c2a71b0d4
    """
    done = open_wiki().undo(name, dry_run=dry_run, allow_detached=allow_detached)
    outcome = done.outcome
    if wants_json():
        return say_as("undo", done, dry_run=dry_run)
    for each in done.operations:
        if len(each.ids) > 1:
            held = "; ".join(f"{c.operation} {c.subject}" for c in each.by_operation())
            say_err(
                f"wiki: the commit {each.oid[:10]} holds {len(each.ids)} operations, which go"
                f" together: {held}"
            )
    what = ", ".join(c.subject.removeprefix("wiki ") for c in done.operations[:3])
    more = f" and {len(done.operations) - 3} more" if len(done.operations) > 3 else ""
    if dry_run and outcome.differences:
        say(f"would undo: {what}{more}")
    elif outcome.commit:
        say(f"{outcome.commit[:10]}  {_words_of(what)}{more}")
    else:
        say(f"nothing to take back: {what}{more}")
    for d in outcome.differences:
        state = "gone" if d.removed else "back" if d.created else "changed"
        say(f"  {state:8} {d.path}")
    for dropped in done.notes:
        say_err(
            f"wiki: a person worked on ^{dropped.claim.id}, so it is their note"
            f" ^{dropped.note_id}: {dropped.path}"
        )
    _print_what_else(done)
    return 0


def _print_what_else(done: UndoResult) -> None:
    if done.outcome.commit and any(c.kind == "review" for c in done.operations):
        say_err(
            "wiki: what was accepted does not wait again, for git merges a branch once only:"
            f" `wiki undo {done.outcome.id}` brings it back, `wiki ingest SOURCE --review` lets it"
            " be decided anew"
        )
    for path, conflict in done.conflicts:
        say_err(f"wiki: kept, as somebody changed it since: {path}: {conflict.kept[:80]}")


def _words_of(what: str) -> str:
    """What was done, and to which operation: an undo that is taken back is a redo."""
    is_redone = what.startswith("undo: ") and not what.startswith("undo: redo of ")
    for start in ("undo: ", "undo of ", "redo of "):
        what = what.removeprefix(start)
    return f"{'redone' if is_redone else 'undone'}: {what}"
