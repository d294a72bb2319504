"""wiki search, wiki context: pages and passages in which words stand; what commands that look into
the wiki share."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from llmwiki.core.question_text import BUDGET, MAX_BYTES
from llmwiki.core.text import counted, cut, listed
from llmwiki.interfaces.cli.command_context import open_wiki, say, say_as, say_err, wants_json
from llmwiki.interfaces.cli.command_options import AS_JSON, AS_OF, AT, together
from llmwiki.interfaces.cli.print_hits import decimal, hit_text, limit_lines
from llmwiki.interfaces.cli.safe_text import is_coloured

if TYPE_CHECKING:
    from llmwiki import Context, Ranking, SearchResult

NO_MATCH = 1
"""The exit code where nothing was found."""
EMPTY = "this wiki is empty"
SAYS_NOTHING = "the wiki says nothing of: "
START = "Put documents into raw/ and run `wiki ingest raw/`."

explained = together(
    click.option("--explain", is_flag=True, help="Say what each part of a score gave."), AS_JSON
)
_looking = together(AT, AS_OF, explained)


@click.command()
@click.argument("words", nargs=-1, metavar="WORDS…")
@click.option(
    "--limit",
    type=click.IntRange(min=1, max=1000),
    default=10,
    show_default=True,
    metavar="N",
    help="Pages at most.",
)
@_looking
def command(words: tuple[str, ...], explain: bool, **options: Any) -> int:
    """Find the pages and sources in which words stand, best first, each with its best passage.

    Words, names, a whole question; `E.22`, `C++` or `foo_bar()` as they stand; "a phrase"; the
    beginning of a word, `postg*`; `type:concept`, `tag:tea`, `path:notes` keep such pages only. No
    model and no embeddings: the same wiki and words give the same list. `-` reads the words from
    standard input. Exit code 1: nothing found.

    \b
    Examples:
      wiki search green tea
      wiki search "who wrote the transformer paper" type:entity
      wiki search caching --at HEAD~20 --explain
    """
    found = open_wiki().search(question_of(words), **options)
    if wants_json():
        say_as("search", found, **(_explained(found) if explain else {}))
    else:
        if explain:
            say(_term_lines(found.ranking))
        for number, row in enumerate(found.rows, start=1):
            click.echo(hit_text(number, row, found, explain=explain), color=is_coloured())
        for note in found.notes if found.rows else ():
            say_err(f"wiki: {note}")
    if not found.rows:
        said = f"nothing found for: {found.question}"
        if found.nowhere:
            said = SAYS_NOTHING + listed(found.nowhere)
        nothing_found(found.pages, said)
    return 0 if found.rows else NO_MATCH


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
@_looking
def context(question: tuple[str, ...], explain: bool, **options: Any) -> int:
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
    found = open_wiki().context(question_of(question), **options)
    context = found.context
    if wants_json():
        from llmwiki.app.json_output.composed_values import explained as told_of

        say_as("context", found, **(told_of(found.ranking) if explain else {}))
    elif context.shown:
        say(context.text.rstrip("\n"))
        if explain:
            say_err(_term_lines(found.ranking) + explain_context(context))
        for line in limit_lines(context):
            say_err(f"wiki: {line}")
    if context.left_out and not context.shown:
        say_err(f"wiki: {counted(context.left_out, 'passage')} found no room: --budget")
    elif not context.shown:
        nothing_found(found.pages, SAYS_NOTHING + context.question)
    return 0 if context.shown else NO_MATCH


def _explained(found: SearchResult) -> dict[str, Any]:
    from llmwiki.app.json_output.composed_values import explained, explained_rows

    return {"results": explained_rows(found), **explained(found.ranking)}


def question_of(words: Sequence[str]) -> str:
    """The question of the command line; `-` alone reads it from standard input."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read(4 * MAX_BYTES).decode("utf-8", "replace")
    return " ".join(words)


def nothing_found(pages: int, said: str) -> None:
    """Tells what was said of nothing found; in an empty wiki, how to start."""
    if pages:
        say_err(f"wiki: {cut(said, 100)}\n  wiki/index.md lists its pages.")
    else:
        say_err(f"wiki: {EMPTY}\n  {START}")


def _term_lines(ranking: Ranking) -> str:
    """The question as it was understood: terms and titles."""
    terms = []
    for term in ranking.terms:
        many = "nowhere" if not term.df else counted(term.df, "page")
        terms.append(f"{term.text} ({many}{'' if term.whole or not term.df else ', looked up'})")
    lines = [f"terms     {', '.join(terms) or 'none'}"]
    if ranking.titles:
        lines.append(f"titles    {', '.join(ranking.titles)}")
    return "\n".join(lines) + "\n"


def explain_context(context: Context) -> str:
    """What each passage of a context scored, and how much room there was."""
    lines = [
        f"context   about {context.tokens} of {context.budget} tokens,"
        f" {len(context.shown)} passages of {len({e.passage.path for e in context.shown})} pages,"
        f" {context.left_out} found no room"
    ]
    for shown in context.shown:
        parts = " + ".join(f"{name} {decimal(value)}" for name, value in shown.parts if value)
        lines.append(f"{decimal(shown.score)}  {shown.passage.handle}\n       {parts}")
    return "\n".join(lines)
