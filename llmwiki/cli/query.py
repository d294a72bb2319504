"""wiki query: an answer from the wiki, every citation checked."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from llmwiki.cli.asking import BUDGET, look, looking, nothing_found, question_of
from llmwiki.cli.cleaning import clean
from llmwiki.cli.context import (
    is_terminal,
    landing_options,
    load_config,
    opened,
    say,
    say_json,
    tell,
    user_table,
)
from llmwiki.cli.models import COST, accepting, client_for, model_to_call, was_asked_for
from llmwiki.core.errors import InputError, LockTimeout, ModelOutputError, StateError, WikiError

if TYPE_CHECKING:
    from llmwiki.cli.answer_text import Printer
    from llmwiki.core.config import Config
    from llmwiki.query.ask import CheckedAnswer
    from llmwiki.query.note import NoteResult
    from llmwiki.repo.repository import Repository
    from llmwiki.retrieval.context import Context

NOT_IN_WIKI = 1
UNSUPPORTED = 5


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The flags of `wiki query`."""

    model: str | None
    save: bool
    title: str
    max_cost: float | None
    yes: bool
    allow_detached: bool
    explain: bool
    as_json: bool


@click.command()
@click.argument("question", nargs=-1, metavar="QUESTION")
@click.option("--model", help="Model to answer with; `offline` to quote the claims that answer.")
@click.option("--save", is_flag=True, help="File the answer as a synthesis, in one commit.")
@click.option("--title", default="", help="With --save: title of the page, else the question.")
@click.option(
    "--max-cost",
    type=COST,
    metavar="USD",
    help="Stop before a call could pass this sum; needs prices.",
)
@accepting
@click.option("--allow-detached", is_flag=True, help="Commit although no branch is checked out.")
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    default=BUDGET,
    show_default=True,
    metavar="TOKENS",
    help="Size of the context at most, an estimate.",
)
@looking
@click.pass_context
def command(
    ctx: click.Context,
    question: tuple[str, ...],
    model: str | None,
    save: bool,
    title: str,
    max_cost: float | None,
    yes: bool,
    allow_detached: bool,
    budget: int,
    revision: str | None,
    fresh: bool,
    explain: bool,
    as_json: bool,
) -> int:
    """Answer a question from the wiki, and from nothing else.

    The passages that bear on it (`wiki context` prints them) go to a model, and each citation of
    its answer is checked against them. A sentence that cites anything else is left out and named
    on stderr; one that cites nothing is marked. Without a key, or with `--model offline`, the
    claims that answer are quoted. QUESTION `-` reads standard input.

    Exit code 1: the wiki does not say. 5: nothing that the answer cites was in the context.

    \b
    Examples:
      wiki query "How long is green tea steeped?"
      wiki query "What did we know of caching then?" --at HEAD~20
      wiki query "How do the two designs differ?" --save --title "Two designs"
    """
    asked = question_of(question)
    if save and revision is not None:
        raise InputError("--save files what holds now, and --at asks what held", fix="Take one.")
    if title and not save:
        raise InputError("--title goes with --save")
    options = QueryOptions(model, save, title, max_cost, yes, allow_detached, explain, as_json)
    with opened(ctx, reads_only=not save) as repo:
        config = load_config(repo)
        if save:
            from llmwiki.query.note import title_of
            from llmwiki.store.transaction import preflight

            preflight(repo, allow_detached=allow_detached)
            title_of(title or asked)
        from llmwiki.cli.answer_json import no_answer

        found = look(repo, asked, budget, revision, fresh)
        if not found.context.shown:
            nothing_found(found.pages, asked)
            if as_json:
                say_json({**no_answer(asked), "exit_code": NOT_IN_WIKI})
            return NOT_IN_WIKI
        try:
            return _run(repo, config, found.context, options)
        except WikiError as error:
            if not as_json:
                raise
            wrong = " ".join(str(error).split())
            say_json({**no_answer(asked), "error": wrong, "exit_code": error.exit_code})
            return error.exit_code


def _printer(options: QueryOptions) -> Printer:
    from llmwiki.cli.answer_text import Printer

    def write(text: str) -> None:
        click.echo(clean(text), nl=False)

    return Printer(write, streams=sys.stdout.isatty(), is_mute=options.as_json)


def _run(repo: Repository, config: Config, context: Context, options: QueryOptions) -> int:
    """Asks, prints, files."""
    from llmwiki.cli.answer_json import answer_json, filed_json

    printer = _printer(options)
    answered = _answered(repo, config, context, options, printer)
    code = _code(answered)
    filed, failure = None, None
    if options.save and code != NOT_IN_WIKI:
        filed, failure = _tried_to_file(repo, config, answered, code, options)
        code = failure.exit_code if failure else code
    if options.as_json:
        saved = filed_json(filed) if filed else None
        wrong = " ".join(str(failure).split()) if failure else None
        say_json({**answer_json(answered), "saved": saved, "error": wrong, "exit_code": code})
    else:
        printer.finish(answered)
        _say_citations(answered)
    if options.explain:
        from llmwiki.cli.explain import explain_context

        tell(explain_context(context))
    _tell_cost(answered)
    if options.as_json:
        return code
    if failure:
        raise failure
    if filed:
        _say_filed(filed)
    elif options.save:
        tell("wiki: the wiki does not say, so nothing is filed")
    return code


def _answered(
    repo: Repository, config: Config, context: Context, options: QueryOptions, printer: Printer
) -> CheckedAnswer:
    settings = model_to_call(config, options.model, user_table(), yes=options.yes)
    if settings is None:
        from llmwiki.query.quoted import quoted

        if not was_asked_for(config, options.model):
            tell("wiki: no key for a model; the claims that answer are quoted (--model offline)")
        return quoted(context)
    from llmwiki.query.ask import ask
    from llmwiki.sources.brand import read_brand

    if is_terminal():
        tell(f"wiki: {settings.model} reads about {context.tokens} tokens …")
    with client_for(config, settings, options.max_cost) as client:
        return ask(context, read_brand(repo), client, on=printer.hear)


def _code(answered: CheckedAnswer) -> int:
    """0 for an answer, 1 where it says that the wiki does not say, 5 where nothing supports it."""
    if answered.cited:
        return 0
    return NOT_IN_WIKI if answered.is_gap else UNSUPPORTED


def _filed(
    repo: Repository, config: Config, answered: CheckedAnswer, code: int, options: QueryOptions
) -> NoteResult:
    from llmwiki import __version__
    from llmwiki.memory.state import WikiState
    from llmwiki.query.note import NoteRequest, file_answer, supported

    if code == UNSUPPORTED:
        raise ModelOutputError(
            "nothing that the answer cites was in the context; it is not filed",
            fix="Run the command again, or choose another --model.",
        )
    by_itself = answered.model.startswith("llmwiki-offline/")
    filing = NoteRequest(
        question=answered.question,
        statements=supported(answered.statements),
        title=options.title,
        by=answered.model if by_itself else f"llmwiki/{__version__}",
        model=answered.model,
        usage=answered.usage,
        cost=answered.cost,
    )
    try:
        return file_answer(
            repo, WikiState(repo), filing, terms=landing_options(config, options.allow_detached)
        )
    except (StateError, LockTimeout) as error:
        if answered.usage.total:
            from llmwiki.query.markdown import keep

            error.fix = f"{error.fix} Then: {keep(repo, answered, options.title)}".strip()
        raise


def _tried_to_file(
    repo: Repository, config: Config, answered: CheckedAnswer, code: int, options: QueryOptions
) -> tuple[NoteResult | None, WikiError | None]:
    """Files it; a failure is told after the answer, which it is no reason to withhold."""
    try:
        return _filed(repo, config, answered, code, options), None
    except WikiError as error:
        return None, error


def _say_citations(answered: CheckedAnswer) -> None:
    from llmwiki.cli.answer_text import citation_list

    if answered.cited:
        say("\nCitations\n" + citation_list(answered.cited))
    elif answered.nearest:
        say("\nNearest\n" + citation_list(answered.nearest))
    if not answered.left_out:
        return
    tell("wiki: left out, for what it cites was not in the context:")
    for each in answered.left_out:
        tell(f"  - {each.statement.text} ({', '.join(each.unknown)})")


def _tell_cost(answered: CheckedAnswer) -> None:
    if answered.usage.total:
        cost = "" if answered.cost is None else f", USD {answered.cost:.4f} (estimate)"
        tell(f"wiki: {answered.model}: {answered.usage.total} tokens{cost}")


def _say_filed(filed: NoteResult) -> None:
    for each in filed.left_out:
        tell(f"wiki: not filed: {each.text[:80]} ({each.citation or 'no citation'}: {each.reason})")
    if filed.outcome.commit:
        say(f"\n{filed.outcome.commit[:10]}  {filed.path}")
    else:
        say(f"\nThat is filed already: {filed.path}")
