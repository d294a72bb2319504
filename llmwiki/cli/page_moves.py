"""What `wiki rename`, `wiki merge` and `wiki split` say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.shapes.page_moves import SHAPES
from llmwiki.cli.context import say, say_json, tell
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON, REVIEW, together
from llmwiki.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from llmwiki import PageMoveResult

MOVE_OPTIONS = together(
    click.option("--dry-run", is_flag=True, help="Say what would change; write nothing."),
    REVIEW,
    ALLOW_DETACHED,
    AS_JSON,
    click.pass_context,
)
"""Of the three commands."""

_DONE = {"rename": "renamed", "merge": "merged", "split": "moved"}
_SHOWN = 10
"""Pages and links that are named; of more the number is said."""


def move(act: Callable[..., PageMoveResult], *named: Any, as_json: bool, **options: bool) -> int:
    """Does what a command asks for, a method of `Wiki`, and prints what became of the pages."""
    done = act(*named, **options)
    if as_json:
        say_json(SHAPES[done.kind].of(done, dry_run=options["dry_run"]))
    else:
        _tell(done, dry_run=options["dry_run"])
    return 0


def _tell(done: PageMoveResult, *, dry_run: bool) -> None:
    outcome = done.outcome
    if not outcome.differences:
        say("Nothing to change: that is how it is already.")
        return
    what = f"{done.source} → {done.page}"
    if done.kind == "split":
        what = f"{counted(len(done.claims), 'claim')}: {what}"
    verb = "would be " if dry_run else ""
    start = f"{outcome.commit[:10]}  " if outcome.commit else ""
    say(f"{start}{verb}{_DONE[done.kind]}  {what}")
    others = sorted(
        difference.path
        for difference in outcome.differences
        if difference.path not in (done.source, done.page)
    )
    for path in others[:_SHOWN]:
        say(f"  {'would change' if dry_run else 'changed'}  {path}")
    if len(others) > _SHOWN:
        say(f"  and {len(others) - _SHOWN} more pages")
    for gone, stays in sorted(done.joins.items()):
        say(f"  joined  ^{gone} to ^{stays}: they say the same")
    for note in done.notes:
        say(f"  look at  {note}")
    for link in done.left[:_SHOWN]:
        tell(f"wiki: left as it is: the link in {link.path}:{link.line}: {link.why}")
    if len(done.left) > _SHOWN:
        tell(f"wiki: and {len(done.left) - _SHOWN} more links; `wiki lint` lists those that break")
