"""wiki query: an answer from the wiki, every citation checked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.query import QueryOptions, cut
from llmwiki.app.shapes.asking import no_answer_json, query_json
from llmwiki.cli.asking import NO_MATCH, SAYS_NOTHING, explained, nothing_found, question_of
from llmwiki.cli.cleaning import clean
from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.options import YES, filled, options
from llmwiki.core.errors import WikiError

if TYPE_CHECKING:
    from llmwiki import CheckedAnswer, ContextResult, NoteResult, QueryResult, Wiki

UNSUPPORTED = 5


@click.command()
@click.argument("question", nargs=-1, metavar="QUESTION")
@options(QueryOptions, max_cost=YES)
@explained
@click.pass_context
def command(
    ctx: click.Context,
    /,
    question: tuple[str, ...],
    yes: bool,
    explain: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Answer a question from the wiki, and from nothing else.

    The passages that bear on it (`wiki context` prints them) go to a model, which may look once or
    twice more in its own words, and each citation of its answer is checked against them. A sentence
    that cites anything else is left out and named on stderr; one that cites nothing is marked.
    Without a key, or with `--model offline`, the passages that answer are quoted, and those that
    come nearest. QUESTION `-` reads standard input.

    Exit code 1: the wiki does not say. 5: nothing that the answer cites was in the context.

    \b
    Examples:
      wiki query "How long is green tea steeped?"
      wiki query "What did we know of caching then?" --at HEAD~20
      wiki query "How do the two designs differ?" --save --title "Two designs"
    """
    wiki, chosen = open_wiki(ctx, yes=yes), filled(QueryOptions, given)
    return _asked(wiki, question_of(question), chosen, explain=explain, as_json=as_json)


def _asked(
    wiki: Wiki, question: str, options: QueryOptions, *, explain: bool, as_json: bool
) -> int:
    """Asks, and prints what comes."""
    from llmwiki.cli.answer_text import Printer

    printer = Printer(_write, streams=sys.stdout.isatty(), is_mute=as_json)
    found: list[ContextResult] = []
    try:
        result = wiki.query(question, options, on=printer.hear, found=found.append)
    except WikiError as error:
        # Before anybody was asked, there is no answer to tell of.
        if not (as_json and found):
            raise
        wrong = " ".join(str(error).split())
        say_json(no_answer_json(found[0].context.question, error.exit_code, wrong))
        return error.exit_code
    code = _code(result)
    if as_json:
        say_json(query_json(result, code))
    if result.answer is None:
        nothing_found(result.found.pages, SAYS_NOTHING + result.found.context.question)
        return code
    if not as_json:
        printer.finish(result.answer)
        _say_citations(result.answer)
    if explain:
        from llmwiki.cli.explain import explain_context

        tell(explain_context(result.found.context))
    _tell_cost(result.answer)
    if options.save and not as_json:
        _say_saved(result)
    return code


def _say_saved(result: QueryResult) -> None:
    """What became of --save. Raises the failure of filing."""
    if result.failure:
        raise result.failure
    if result.filed:
        _say_filed(result.filed)
    else:
        tell("wiki: the wiki does not say, so nothing is filed")


def _write(text: str) -> None:
    click.echo(clean(text), nl=False)


def _code(result: QueryResult) -> int:
    """0 for an answer, 1 where it says that the wiki does not say, 5 where nothing supports it;
    that of a failure where it could not be filed."""
    if result.failure:
        return result.failure.exit_code
    if result.is_supported:
        return 0
    return NO_MATCH if result.is_gap else UNSUPPORTED


def _say_citations(answered: CheckedAnswer) -> None:
    from llmwiki.cli.answer_text import citation_list

    if answered.cited:
        say("\nCitations\n" + citation_list(answered.cited))
    if answered.nearest:
        say("\nNearest\n" + citation_list(answered.nearest, first=len(answered.cited) + 1))
    if not answered.left_out:
        return
    tell("wiki: left out, for what it cites was not in the context:")
    for each in answered.left_out:
        tell(f"  - {each.statement.text} ({', '.join(each.unknown)})")


def _tell_cost(answered: CheckedAnswer) -> None:
    if answered.usage.total:
        cost = "" if answered.cost is None else f", USD {answered.cost:.4f} (estimate)"
        asked = "".join(f"; it also asked: {cut(each, 80)}" for each in answered.looks)
        tell(f"wiki: {answered.model}: {answered.usage.total} tokens{cost}{asked}")


def _say_filed(filed: NoteResult) -> None:
    for each in filed.left_out:
        tell(f"wiki: not filed: {each.text[:80]} ({each.citation or 'no citation'}: {each.reason})")
    if filed.outcome.commit:
        say(f"\n{filed.outcome.commit[:10]}  {filed.path}")
    else:
        say(f"\nThat is filed already: {filed.path}")
