"""wiki why: where a claim comes from, and what became of it."""

from __future__ import annotations

import textwrap

import click

from llmwiki.app.why_text import why_lines
from llmwiki.cli.asking import NO_MATCH
from llmwiki.cli.context import WIDTH, open_wiki, say, say_json
from llmwiki.cli.options import AS_JSON, PAGE


@click.command()
@click.argument("asked", nargs=-1, required=True, metavar="CLAIM|PAGE|TEXT", type=PAGE)
@AS_JSON
@click.pass_context
def command(ctx: click.Context, asked: tuple[str, ...], as_json: bool) -> int:
    """Say why the wiki holds something: quotes, lines, bytes, and who did what to it since.

    CLAIM is an id (c-…), TEXT some words of a claim or of a quote (eight nearly always name one),
    PAGE a title, alias or path, whose claims are told one by one, the first twenty. The story
    follows a claim through renamed and merged pages. Exit code 1: the words stand in several
    claims, which are listed.

    \b
    Examples:
      wiki why c-9f3a1c22k7
      wiki why "replaces recurrence by self-attention in every layer of"
      wiki why "Green tea" --json
    """
    found = open_wiki(ctx).why(" ".join(asked))
    if as_json:
        from llmwiki.app.shapes.history import WhyJson

        say_json(WhyJson.of(found))
    else:
        say("\n".join(why_lines(found, _wrapped, WIDTH)))
    return NO_MATCH if found.candidates else 0


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=first + "  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
