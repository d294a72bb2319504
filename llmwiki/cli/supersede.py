"""wiki supersede: one claim takes the place of another."""

from __future__ import annotations

import click

from llmwiki.app.shapes.retraction import SupersedeJson
from llmwiki.cli.context import open_wiki, say, say_json
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--dry-run", is_flag=True, help="Say what would change; write nothing.")
@ALLOW_DETACHED
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context, old: str, new: str, dry_run: bool, allow_detached: bool, as_json: bool
) -> int:
    """Strike the claim OLD for the claim NEW, in one commit. Both are named by their ids.

    OLD stays on its page, struck, with an arrow to NEW; answers say that it was superseded. Claims
    on that page that were struck for OLD lead to NEW from now on. Use it where OLD is not true any
    more: of two values of different times both hold, and neither is struck.

    \b
    Examples:
      wiki supersede c-5t0e8r1w9y c-2b7m0q4xza
    """
    wiki = open_wiki(ctx)
    done = wiki.supersede(old, new, dry_run=dry_run, allow_detached=allow_detached)
    if as_json:
        say_json(SupersedeJson.of(done, dry_run=dry_run))
        return 0
    commit = (done.outcome.commit or "")[:10]
    if not done.outcome.differences:
        say(f"nothing to do: ^{done.old.id} is struck for ^{done.new.id} already")
        return 0
    say(f"would strike ^{done.old.id}" if dry_run else f"{commit}  struck ^{done.old.id}")
    say(f"  {done.old_page}: {done.old.text}")
    say(f"  now holds  {done.new_page}: {done.new.text} ^{done.new.id}")
    for ident in done.led_on:
        say(f"  leads there too  ^{ident}")
    return 0
