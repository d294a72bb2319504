"""wiki import: pages of another tool, in one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.import_ import FORMS, ImportOptions
from llmwiki.app.shapes.exchange import ImportJson
from llmwiki.cli.context import here, open_wiki, say, say_json, tell
from llmwiki.cli.export import tell_left_out
from llmwiki.cli.options import AS_JSON, filled, options
from llmwiki.core.text import counted

if TYPE_CHECKING:
    from llmwiki import ImportResult

_SHOWN = 10


@click.command()
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMS))
@click.argument("directory", metavar="DIR")
@options(ImportOptions)
@AS_JSON
@click.pass_context
def command(ctx: click.Context, /, form: str, directory: str, as_json: bool, **given: Any) -> int:
    """Take the pages in DIR into the wiki, in one commit, which `wiki undo` takes back.

    FORMAT says whose they are: okf (a bundle of the Open Knowledge Format), or obsidian (a vault,
    or any folder of Markdown). Each page is copied to raw/imports/NAME/ and read as a source
    without a model: what it says is filed under the page that its title or an alias has here, or
    under a new one, with its line for evidence and marked as reported by NAME. Of a bundle the
    documents are the sources, where its pages quote them, and each quote is looked for in them.
    Nothing that is here is overwritten, and a second import of the same folder changes nothing.

    \b
    Examples:
      wiki import okf ../bundle
      wiki import --dry-run obsidian ~/notes
      wiki import --name research obsidian ../their-wiki/wiki
    """
    done = open_wiki(ctx).import_(form, here(ctx) / directory, filled(ImportOptions, given))
    if as_json:
        say_json(ImportJson.of(done))
    else:
        _tell(done)
    return 0


def _tell(done: ImportResult) -> None:
    outcome = done.outcome
    if not outcome.differences:
        say(f"Nothing new in {done.name}: {counted(len(done.pages), 'page')} looked at.")
    else:
        verb = "would import" if done.dry_run else "imported"
        start = f"{outcome.commit[:10]}  " if outcome.commit else ""
        read = sum(page.status == "read" for page in done.pages)
        created, changed = len(outcome.pages_created), len(outcome.pages_changed)
        say(f"{start}{verb}  {counted(read, 'page')} of {done.name} ({done.form})")
        say(f"  {counted(created, 'page')} new here, {changed} changed")
        if done.verified:
            documents = counted(len(done.documents), "document")
            say(f"  {counted(done.verified, 'claim')} with quotes in {documents}")
        if done.second_hand:
            say(f"  {counted(done.second_hand, 'claim')} second-hand, with the page's line alone")
    for note in done.notes[:_SHOWN]:
        say(f"  look at  {note}")
    if len(done.notes) > _SHOWN:
        say(f"  and {len(done.notes) - _SHOWN} more such notes; --json names all")
    tell_left_out(done.left_out)
    if outcome.commit and not outcome.branch:
        tell(f"wiki: to take it back: wiki undo {outcome.id}")
