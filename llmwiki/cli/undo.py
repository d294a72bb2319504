"""wiki undo: take an operation back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from llmwiki.app.shapes.operations import UndoJson
from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON

if TYPE_CHECKING:
    from llmwiki import UndoResult


@click.command()
@click.argument("name", required=False, metavar="[OP|BATCH]")
@click.option("--dry-run", is_flag=True, help="Say what would change; write nothing.")
@ALLOW_DETACHED
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context, name: str | None, dry_run: bool, allow_detached: bool, as_json: bool
) -> int:
    """Take an operation back, in a commit of its own; without a name, the last one.

    OP is an operation's id or commit, as `wiki log` prints them, or a revision such as HEAD~1;
    BATCH takes back every source of one `wiki ingest` (the Wiki-Batch line of its commits). What
    other operations and people wrote on the same pages since stays. An undo is an operation too:
    `wiki undo` twice is redo. Sources stay in raw/.

    \b
    Examples:
      wiki undo --dry-run
      wiki undo 3f9c2a71b0d4
    """
    done = open_wiki(ctx).undo(name, dry_run=dry_run, allow_detached=allow_detached)
    outcome = done.outcome
    if as_json:
        say_json(UndoJson.of(done, dry_run=dry_run))
        return 0
    for each in done.operations:
        if len(each.ids) > 1:
            told = "; ".join(f"{c.operation} {c.subject}" for c in each.by_operation())
            tell(
                f"wiki: the commit {each.oid[:10]} holds {len(each.ids)} operations, which go"
                f" together: {told}"
            )
    what = ", ".join(c.subject.removeprefix("wiki ") for c in done.operations[:3])
    more = f" and {len(done.operations) - 3} more" if len(done.operations) > 3 else ""
    if dry_run and (outcome.differences or done.lead):
        say(f"would undo: {what}{more}")
    elif outcome.commit:
        say(f"{outcome.commit[:10]}  {_told(what)}{more}")
    else:
        say(f"nothing to take back: {what}{more}")
    if done.lead:
        say("  changed  wiki/overview.md")
    for d in outcome.differences:
        state = "gone" if d.removed else "back" if d.created else "changed"
        say(f"  {state:8} {d.path}")
    for fallen in done.notes:
        ident = fallen.claim.id
        note = f"^n-{ident.removeprefix('c-')}"
        tell(f"wiki: a person worked on ^{ident}, so it is their note {note}: {fallen.path}")
    _tell_what_else(done)
    return 0


def _tell_what_else(done: UndoResult) -> None:
    if done.outcome.commit and any(c.kind == "review" for c in done.operations):
        tell(
            "wiki: what was accepted does not wait again, for git merges a branch once only:"
            f" `wiki undo {done.outcome.id}` brings it back, `wiki ingest SOURCE --review` lets it"
            " be decided anew"
        )
    for path, conflict in done.conflicts:
        tell(f"wiki: kept, as somebody changed it since: {path}: {conflict.kept[:80]}")


def _told(what: str) -> str:
    """What was done, and to which operation: an undo that is taken back is a redo."""
    is_redone = what.startswith("undo: ") and not what.startswith("undo: redo of ")
    for start in ("undo: ", "undo of ", "redo of "):
        what = what.removeprefix(start)
    return f"{'redone' if is_redone else 'undone'}: {what}"
