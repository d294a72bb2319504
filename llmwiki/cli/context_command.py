"""wiki context: exactly what a question would show a model."""

from __future__ import annotations

from typing import Any

import click

from llmwiki.app.context import BUDGET
from llmwiki.cli.asking import NO_MATCH, looking, nothing_found, question_of
from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.explain import explain_context, term_lines
from llmwiki.cli.options import budget


@click.command()
@click.argument("question", nargs=-1, metavar="QUESTION")
@budget(BUDGET, "Size at most, headers included; an estimate of three bytes a token.")
@looking
@click.pass_context
def command(
    ctx: click.Context, /, question: tuple[str, ...], explain: bool, as_json: bool, **options: Any
) -> int:
    """Print the passages that bear on a question, best first, as a model is shown them.

    Each passage stands with its handle, which is how an answer cites it. The same wiki, question
    and budget give the same bytes. `-` reads the question from standard input. Exit code 1:
    nothing found.

    \b
    Examples:
      wiki context "How long is green tea steeped?"
      wiki context steeping --budget 2000 --at HEAD~20
    """
    found = open_wiki(ctx).context(question_of(question), **options)
    context = found.context
    if as_json:
        from llmwiki.app.as_json import context_json

        say_json(context_json(found, explain=explain))
    elif context.shown:
        say(context.text.rstrip("\n"))
        if explain:
            tell(term_lines(found.ranking) + explain_context(context))
    if not context.shown:
        nothing_found(found.pages, context.question)
    return 0 if context.shown else NO_MATCH
