"""wiki context: exactly what a question would show a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from llmwiki.cli.asking import BUDGET, look, looking, nothing_found, question_of
from llmwiki.cli.context import opened, say, say_json, tell
from llmwiki.cli.explain import explain_context, term_lines, terms_json
from llmwiki.core.secrets import redacted

if TYPE_CHECKING:
    from llmwiki.cli.asking import QueryContext

NOTHING = 1


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
@looking
@click.pass_context
def command(
    ctx: click.Context,
    question: tuple[str, ...],
    budget: int,
    revision: str | None,
    fresh: bool,
    explain: bool,
    as_json: bool,
) -> int:
    """Print the passages that bear on a question, best first, as a model is shown them.

    Each passage stands with its handle, which is how an answer cites it. The same wiki, question
    and budget give the same bytes. `-` reads the question from standard input. Exit code 1:
    nothing found.
    """
    asked = question_of(question)
    with opened(ctx, reads_only=True) as repo:
        found = look(repo, asked, budget, revision, fresh)
    context = found.context
    code = 0 if context.shown else NOTHING
    if as_json:
        say_json(_json(found, code, explain=explain))
    elif context.shown:
        say(context.text.rstrip("\n"))
        if explain:
            tell(term_lines(found.ranking) + explain_context(context))
    if not context.shown:
        nothing_found(found.pages, asked)
    return code


def _json(found: QueryContext, code: int, *, explain: bool) -> dict[str, object]:
    context = found.context
    return {
        "schema": "llmwiki.context/1",
        "question": context.question,
        "text": context.text if context.shown else "",
        "tokens": context.tokens,
        "budget": context.budget,
        "exit_code": code,
        "passages": [
            {
                "handle": shown.passage.handle,
                "path": shown.passage.path,
                "title": shown.passage.title,
                "kind": shown.passage.kind,
                "line": shown.passage.line,
                "text": redacted(shown.passage.text),
                "successor": shown.passage.successor,
                "score": shown.score,
            }
            for shown in context.shown
        ],
        **(terms_json(found.ranking) if explain else {}),
    }
