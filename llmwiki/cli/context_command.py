"""wiki context: exactly what a question would show a model."""

from __future__ import annotations

from typing import Any

import click

from llmwiki.app.context import BUDGET
from llmwiki.cli.asking import (
    NO_MATCH,
    SAYS_NOTHING,
    explain_context,
    looking,
    nothing_found,
    question_of,
    term_lines,
)
from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.hits import limit_lines
from llmwiki.core.text import counted


@click.command()
@click.argument("question", nargs=-1, metavar="QUESTION")
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    default=BUDGET,
    show_default=True,
    metavar="TOKENS",
    help="Size at most, headers included; an estimate of three bytes a token.",
)
@click.option("--quotes", is_flag=True, help="Show the quotes of each claim, with their lines.")
@click.option("--more", is_flag=True, help="Show passages too that score far below the best.")
@click.option(
    "--also",
    default="",
    metavar="WORDS",
    help="Words that an answer may use where the question has others.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="HANDLE",
    help="Leave out a passage that was shown before, by handle or id; may be repeated.",
)
@looking
@click.pass_context
def command(
    ctx: click.Context, /, question: tuple[str, ...], explain: bool, as_json: bool, **options: Any
) -> int:
    """Print the passages that bear on a question, best first, as a model is shown them.

    Each passage stands with its handle, which is how an answer cites it, below the title of its
    page. What scores far below the best is counted on stderr and shown by --more. The same wiki,
    question and options give the same bytes. Words are matched by their stem, not by what they
    mean: --also names others for the same thing. `-` reads the question from standard input.
    Exit code 1: nothing found.

    \b
    Examples:
      wiki context "How long is green tea steeped?" --budget 2000
      wiki context "How do green and black tea differ?" --quotes
      wiki context "How long is it steeped?" --also "brewing time, infusion, minutes"
      wiki context "steeping times" --without c-9f3a1c22k7 --more
    """
    found = open_wiki(ctx).context(question_of(question), **options)
    context = found.context
    if as_json:
        from llmwiki.app.shapes.asking import context_json

        say_json(context_json(found, explain=explain))
    elif context.shown:
        say(context.text.rstrip("\n"))
        if explain:
            tell(term_lines(found.ranking) + explain_context(context))
        for line in limit_lines(context):
            tell(f"wiki: {line}")
    if context.left_out and not context.shown:
        tell(f"wiki: {counted(context.left_out, 'passage')} found no room: --budget")
    elif not context.shown:
        nothing_found(found.pages, SAYS_NOTHING + context.question)
    return 0 if context.shown else NO_MATCH
