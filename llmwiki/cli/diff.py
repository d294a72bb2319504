"""wiki diff: what changed in memory."""

from __future__ import annotations

import click

from llmwiki.cli.context import open_wiki, say, say_json
from llmwiki.cli.options import AS_JSON


@click.command()
@click.argument("revisions", nargs=-1, metavar="[REV|A..B|A...B]")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "json")),
    default="text",
    help="`markdown` is the comment of a pull request.",
)
@AS_JSON
@click.pass_context
def command(ctx: click.Context, revisions: tuple[str, ...], form: str, as_json: bool) -> int:
    """Say what changed in memory: facts, not lines.

    Without a revision, what the work tree has and the last commit has not. REV compares a commit
    with the work tree, A..B two commits, A...B what B did since it parted from A. Only commits,
    and files below wiki/ and raw/, are read. Marks: + came, - went, ~ changed, → a relation that
    came, ! wants a look. What follows from other lines is not told: links, footnotes, order.

    \b
    Examples:
      wiki diff
      wiki diff HEAD~1..HEAD
      wiki diff main...topic --format markdown
    """
    if len(revisions) > 1:
        raise click.UsageError(f"Two commits are one word: {'..'.join(revisions[:2])}", ctx)
    told = open_wiki(ctx).diff("".join(revisions))
    if as_json or form == "json":
        from llmwiki.app.shapes.history import DiffJson

        say_json(DiffJson.of(told))
    elif form == "markdown":
        from llmwiki.app.diff import diff_markdown

        say(diff_markdown(told).rstrip("\n"))
    else:
        from llmwiki.cli.diff_text import diff_text

        say(diff_text(told))
    return 0
