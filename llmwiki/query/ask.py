"""A question and its context to a model, and a checked answer back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llmwiki.core.errors import ModelOutputError
from llmwiki.models.messages import Delta, Restarted, Turn
from llmwiki.models.usage import Usage
from llmwiki.query.citations import CheckedStatement, CitedPassage, all_cited, check, in_context
from llmwiki.query.prompt import build_prompt
from llmwiki.query.statements import Splitter

if TYPE_CHECKING:
    from llmwiki.models.client import Client
    from llmwiki.retrieval.context import Context

QueryEvent = CheckedStatement | Restarted
"""A statement that is complete and checked, or: all statements so far are void."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer whose every citation was looked up."""

    question: str
    statements: tuple[CheckedStatement, ...]
    model: str
    """Who answered: the model's id, `agent`, or the embedded answerer and its version."""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """US dollars; None: the price is not known."""
    nearest: tuple[CitedPassage, ...] = ()
    """Where no statement answers: what comes nearest."""

    @property
    def cited(self) -> tuple[CitedPassage, ...]:
        """What it cites and may cite, each once, in the order of first use."""
        return all_cited(self.statements)

    @property
    def left_out(self) -> tuple[CheckedStatement, ...]:
        """Statements that cite only what was not shown: no part of the answer."""
        return tuple(each for each in self.statements if each.status == "unsupported")

    @property
    def is_gap(self) -> bool:
        """Whether its only content is that the wiki holds no answer."""
        return {each.status for each in self.statements} - {"frame"} == {"gap"}


def ask(
    context: Context, brand: str, client: Client, *, on: Callable[[QueryEvent], None] | None = None
) -> CheckedAnswer:
    """The model's answer to the context's question; `on` is called with each statement as it comes.

    A statement is given to `on` only when it is complete and its citations are checked.
    Raises ModelOutputError for an answer that is refused, cut or empty, ProviderError when the
    call fails, PolicyError when the budget does not allow it.
    """
    known = in_context(context)
    prompt = build_prompt(context.question, context.text, brand)
    before = client.usage
    splitter, found = Splitter(), list[CheckedStatement]()

    def take(statements: list[CheckedStatement]) -> None:
        found.extend(statements)
        for each in statements:
            if on is not None:
                on(each)

    for event in client.text(prompt.system, [Turn("user", prompt.user)]):
        if isinstance(event, Delta):
            take([check(each, known) for each in splitter.feed(event.text)])
        elif isinstance(event, Restarted):
            splitter = Splitter()
            found.clear()
            if on is not None:
                on(event)
    take([check(each, known) for each in splitter.finish()])
    if not found:
        raise ModelOutputError(
            "the model's answer is empty",
            where=client.settings.model,
            fix="run the command again, or choose another --model; nothing was written",
        )
    usage = client.usage - before
    return CheckedAnswer(
        context.question, tuple(found), client.settings.model, usage, client.cost(usage)
    )
