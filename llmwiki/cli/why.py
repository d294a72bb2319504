"""wiki why: where a claim comes from, and what became of it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from llmwiki.app.why_text import why_lines
from llmwiki.cli.asking import NO_MATCH
from llmwiki.cli.context import WIDTH, open_wiki, say, say_json
from llmwiki.cli.options import AS_JSON, PAGE

if TYPE_CHECKING:
    from llmwiki import TaintReport


@click.command()
@click.argument("asked", nargs=-1, required=True, metavar="CLAIM|PAGE|TEXT", type=PAGE)
@click.option(
    "--rests", is_flag=True, help="Say what rests on it instead: a source, operation or model."
)
@AS_JSON
@click.pass_context
def command(ctx: click.Context, asked: tuple[str, ...], rests: bool, as_json: bool) -> int:
    """Say why the wiki holds something: quotes, lines, bytes, and who did what to it since.

    CLAIM is an id (c-…), TEXT some words of a claim or of a quote (eight nearly always name one),
    PAGE a title, alias or path, whose claims are told one by one, the first twenty. The story
    follows a claim through renamed and merged pages. Exit code 1: the words stand in several
    claims, which are listed.

    With --rests the name is a source, an operation or a model, and all that rests on it is told:
    claims that quote it (1), then notes that cite those and claims that were struck for them (2),
    and so on, each with the ids by which it rests on it; `+`: it has other evidence too. Of a
    model, claims that others have confirmed since are left out. `wiki retract` and `wiki undo` take
    out what is told.

    \b
    Examples:
      wiki why c-9f3a1c22k7
      wiki why "replaces recurrence by self-attention in every layer of"
      wiki why --rests raw/rumour.md
    """
    wiki, name = open_wiki(ctx), " ".join(asked)
    if rests:
        return _rests(wiki.taint(name), as_json=as_json)
    found = wiki.why(name)
    if as_json:
        from llmwiki.app.shapes.history import WhyJson

        say_json(WhyJson.of(found))
    else:
        say("\n".join(why_lines(found, _wrapped, WIDTH)))
    return NO_MATCH if found.candidates else 0


def _rests(report: TaintReport, *, as_json: bool) -> int:
    if as_json:
        from llmwiki.app.shapes.retraction import TaintJson

        say_json(TaintJson.of(report))
    else:
        from llmwiki.cli.rests_text import rests_lines

        say("\n".join(rests_lines(report)))
    return 0


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=first + "  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
