"""An answer from the wiki, its citations checked, and filed where that is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from llmwiki.app.which_model import agree, client_for, model_settings, was_asked_for
from llmwiki.core import declared_options as declare
from llmwiki.core.callbacks import ignore
from llmwiki.core.declared_options import CheckedOptions, opt
from llmwiki.core.errors import ModelOutputError, WikiError
from llmwiki.core.question_text import BUDGET, as_question
from llmwiki.core.settings_table import Range
from llmwiki.core.text import cut
from llmwiki.models.messages import Restarted
from llmwiki.query.passages_for_prompt import look

if TYPE_CHECKING:
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.models.client import Client
    from llmwiki.query.answer_by_model import CheckedAnswer, QueryEvent
    from llmwiki.query.passages_for_prompt import ContextResult
    from llmwiki.query.retrieval.context import Context, ContextShape
    from llmwiki.query.save_answer import NoteResult


__all__ = ["QueryOptions", "QueryResult", "Restarted", "query"]


FIRST_SHARE = 60
"""Percent of the budget that the first context may take, where a model may look again."""
MORE_LOOKS = 2
"""How often it may, where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class QueryOptions(CheckedOptions):
    """How a question is answered, and whether the answer is filed."""

    model: str | None = opt(None, "Model to answer with; `offline` to quote what answers.")
    save: bool = opt(
        False, "File the answer as a synthesis, in one commit.", excludes=("--at", "--as-of")
    )
    title: str = opt("", "With --save: title of the page, else the question.", needs=("--save",))
    max_cost: float | None = declare.max_cost()
    allow_detached: bool = declare.allow_detached()
    budget: int = opt(
        BUDGET,
        "Size of all that is shown of the wiki at most, an estimate.",
        metavar="TOKENS",
        range=Range(0, math.inf),
        shows_default=True,
    )
    looks: int = opt(
        MORE_LOOKS,
        "How often the model may look again, in its own words, within the budget.",
        range=Range(0, 5),
        shows_default=True,
    )
    at: str | None = declare.at()
    as_of: str | None = declare.as_of()


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What came of a question."""

    found: ContextResult
    """What the answer is made from."""
    answer: CheckedAnswer | None
    """None: the wiki has nothing about it, and no model was called."""
    filed: NoteResult | None = None
    """What became of the synthesis; None: none was asked for, or there was nothing to file."""
    failure: WikiError | None = None
    """Why the answer could not be filed: no reason to withhold it."""
    missing: tuple[str, ...] = ()
    """Sources that it cites and whose files are gone from raw/."""

    @property
    def is_supported(self) -> bool:
        """Whether anything of the answer rests on a passage of the wiki."""
        return self.answer is not None and bool(self.answer.cited)

    @property
    def is_gap(self) -> bool:
        """Whether the wiki does not say."""
        return self.answer is None or (not self.answer.cited and self.answer.is_gap)


def query(
    wiki: OpenWiki,
    question: str,
    options: QueryOptions | None = None,
    *,
    on: Callable[[QueryEvent], None] = ignore,
    found: Callable[[ContextResult], None] = ignore,
) -> QueryResult:
    """An answer from the wiki and nothing else, every citation checked.

    `on` takes each statement as soon as it is complete and checked, or that the answer begins
    again; `found` the context before anybody is asked. Raises InputError for no question or a
    model that cannot be called, ProviderError, ModelOutputError, PolicyError for what a call
    may cost.
    """
    options = options or QueryOptions()
    asked = as_question(question)
    wiki, commit = wiki.as_of(options.as_of, options.at)
    options = replace(options, at=commit)
    if options.save:
        from llmwiki.git.store.transaction import preflight
        from llmwiki.query.save_answer import title_of

        preflight(wiki.repo, allow_detached=options.allow_detached)
        title_of(options.title or asked)
    from llmwiki.query.retrieval.context import ContextShape

    settings = model_settings(wiki.config, options.model)
    with ExitStack() as opened:
        client: Client | None = None
        if settings is not None:
            client = opened.enter_context(client_for(wiki.config, settings, options.max_cost))
        share = FIRST_SHARE if client and options.looks else 100
        shape = ContextShape(options.budget * share // 100)
        seen = look(wiki, asked, shape, at=options.at)
        if client and (seen.context.shown or (options.looks and seen.pages)):
            agree(wiki, client.settings, options.model)
            if options.looks:
                seen = _in_other_words(wiki, seen, options, shape, client)
        if not seen.context.shown:
            return QueryResult(seen, None)
        found(seen)
        if client:
            answer = _by_model(wiki, seen.context, options, client, on)
        else:
            from llmwiki.query.answer_without_model import quoted

            _say_without_model(wiki, options)
            answer = quoted(seen.context)
    cited = {path for each in answer.cited for path in each.resources}
    missing = tuple(path for path in sorted(cited) if not wiki.repo.has_file(path))
    result = QueryResult(seen, answer, missing=() if options.at else missing)
    if not options.save or (not answer.cited and answer.is_gap):
        return result
    try:
        return replace(result, filed=_filed(wiki, answer, options))
    except WikiError as failure:
        return replace(result, failure=failure)


def _in_other_words(
    wiki: OpenWiki, seen: ContextResult, options: QueryOptions, shape: ContextShape, client: Client
) -> ContextResult:
    """What the question finds with the words by which a model would look for the answer, where no
    passage answers it for sure."""
    from llmwiki.query.answer_by_model import other_words
    from llmwiki.query.answer_without_model import answer

    question = seen.context.question
    if answer(seen.context).quotes:
        return seen
    words = other_words(question, client)
    wiki.tell.step(f"{client.settings.model} looks for: {cut(words, 60)}", 0, 0)
    return look(wiki, question, shape, at=options.at, also=words)


def _say_without_model(wiki: OpenWiki, options: QueryOptions) -> None:
    """Says once that no model answers for want of a key."""
    from llmwiki.git.store.private_files import tells_once

    asked_for = was_asked_for(wiki.config, options.model)
    if not asked_for and (wiki.repo.layout.reads_only or tells_once(wiki.repo, "no-key-told")):
        wiki.tell.notice("no key for a model; what answers is quoted (--model offline)")


def _by_model(
    wiki: OpenWiki,
    context: Context,
    options: QueryOptions,
    client: Client,
    on: Callable[[QueryEvent], None],
) -> CheckedAnswer:
    """The answer of a model, which may look again."""
    from llmwiki.query.answer_by_model import FurtherLooks, ask
    from llmwiki.query.retrieval.context import ContextShape
    from llmwiki.sources.brand import read_brand

    def again(question: str, budget: int, without: frozenset[str]) -> Context:
        shape = ContextShape(budget, without=without)
        found = look(wiki, as_question(question), shape, at=options.at).context
        asks = f"{client.settings.model} asks “{cut(found.question, 60)}”"
        wiki.tell.step(f"{asks}: {found.tokens} tokens more", 0, 0)
        return found

    wiki.tell.step(f"{client.settings.model} reads about {context.tokens} tokens", 0, 0)
    further = FurtherLooks(again, options.budget, options.looks)
    answer = ask(context, read_brand(wiki.repo, wiki.at), client, on=on, further=further)
    return replace(answer, usage=client.usage, cost=client.cost(client.usage))


def _filed(wiki: OpenWiki, answered: CheckedAnswer, options: QueryOptions) -> NoteResult:
    from llmwiki.query.save_answer import NoteRequest, file_answer, supported
    from llmwiki.version import SIGNED, is_offline

    if not answered.cited:
        raise ModelOutputError(
            "nothing that the answer cites was in the context; it is not filed",
            fix="Run the command again, or choose another --model.",
        )
    by_itself = is_offline(answered.model)
    filing = NoteRequest(
        question=answered.question,
        statements=supported(answered.statements),
        title=options.title,
        by=answered.model if by_itself else SIGNED,
        model=answered.model,
        usage=answered.usage,
        cost=answered.cost,
    )
    return file_answer(wiki, filing, terms=wiki.landing(options.allow_detached))
