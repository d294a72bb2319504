"""wiki show: print one page."""

from __future__ import annotations

import click

from llmwiki.cli.context import open_wiki, say, say_as
from llmwiki.cli.options import PAGE

_LINKING = 20
"""Pages that link to one that are named."""


@click.command()
@click.argument("name", metavar="PAGE", type=PAGE)
@click.option("--at", "revision", metavar="REV", help="The page as it was in this commit.")
@click.option("--json", "as_json", is_flag=True, help="Print claims and evidence as JSON.")
@click.pass_context
def command(ctx: click.Context, name: str, revision: str | None, as_json: bool) -> int:
    """Print one page as it was committed, and what other pages say of it; or the words that
    something rests on.

    PAGE is its title, an alias or its path; case does not count. Of a claim (c-…) the lines of its
    sources are printed around what it quotes, of a note (n-…) what it rests on; of SOURCE#L12
    or SOURCE#L12-L20 those lines of a source, by its id, title or file.

    \b
    Examples:
      wiki show "Green tea"
      wiki show c-9f3a1c22k7
      wiki show raw/tea.md#L12
      wiki show "green tea" --at HEAD~20
    """
    shown = open_wiki(ctx).show(name, at=revision)
    if as_json and shown.page is not None:
        say_as("show", shown.page, claims=shown.claims)
    else:
        say(shown.text.rstrip("\n"))
        if shown.elsewhere:
            say(f"\n{shown.elsewhere.rstrip()}")
        if shown.asked:
            say(f"\nasked as: {shown.asked}")
        if shown.linking:
            names = [f"[[{name}]]" for name in shown.linking[:_LINKING]]
            more = len(shown.linking) - len(names)
            say(f"\nlinked from: {', '.join(names)}" + (f" and {more} more" if more else ""))
    return 0
