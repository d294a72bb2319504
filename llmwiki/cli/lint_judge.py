"""The judgement of claims on the command line: `wiki lint --llm`, and the job for an agent."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from llmwiki.cli.asking import searched
from llmwiki.cli.context import is_terminal, say, tell, user_table
from llmwiki.cli.models import COST, accepting, agree, client_for, model_settings
from llmwiki.core.errors import InputError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.core.config import Config
    from llmwiki.core.errors import WikiError
    from llmwiki.lint.finding import Finding
    from llmwiki.lint.judge.queue import JudgementQueue
    from llmwiki.lint.judge.verdict import RejectedFinding
    from llmwiki.models.run import TaskRun
    from llmwiki.models.settings import ModelSettings
    from llmwiki.repo.repository import Repository

_Function = TypeVar("_Function", bound=Callable[..., Any])
Chosen = Callable[[str], bool]

_TOLD = 5
"""Findings of a judge that do not count and are named."""


@dataclass(frozen=True, slots=True)
class JudgementOptions:
    """The options of judgement."""

    llm: bool = False
    model: str | None = None
    max_cost: float | None = None
    yes: bool = False
    estimate: bool = False
    prepare: bool = False
    part: str | None = None

    @property
    def is_job(self) -> bool:
        """Whether it takes the place of a lint: `job` does it."""
        return self.estimate or self.prepare


@dataclass(frozen=True, slots=True)
class JudgementResult:
    """What a model or an agent found."""

    findings: tuple[Finding, ...]
    failure: WikiError | None = None
    """What broke off a call: to be told after the findings, with its exit code."""


def judge_options(function: _Function) -> _Function:
    """The options of judgement; the command receives them as one `judge: Asked`.

    Raises UsageError where they do not go together.
    """

    @functools.wraps(function)
    def told(*args: Any, **options: Any) -> Any:
        names = ("llm", "model", "max_cost", "yes", "estimate", "prepare", "part")
        asked = JudgementOptions(**{name: options.pop(name) for name in names})
        if asked.prepare and (asked.llm or asked.estimate):
            raise click.UsageError("--prepare is for an agent; --llm and --estimate are not.")
        if asked.part and not asked.prepare:
            raise click.UsageError("--part goes with --prepare.")
        if (asked.model or asked.max_cost is not None) and not (asked.llm or asked.estimate):
            raise click.UsageError("--model and --max-cost go with --llm.")
        return function(*args, judge=asked, **options)

    decorated: Any = told
    for option in (
        click.option("--part", metavar="K", help="With --prepare: only part K, or K/N."),
        click.option(
            "--prepare", is_flag=True, help="Print the claims for an agent to judge; no lint."
        ),
        click.option(
            "--estimate", is_flag=True, help="Print what --llm would take; call no model, no lint."
        ),
        click.option(
            "--max-cost",
            type=COST,
            metavar="USD",
            help="With --llm: stop before a call could pass this sum; 0: call no model.",
        ),
        accepting,
        click.option("--model", help="With --llm: the model that judges."),
        click.option("--llm", is_flag=True, help="Let a model judge the claims too."),
    ):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def job(
    repo: Repository,
    config: Config,
    asked: JudgementOptions,
    *,
    at: str | None = None,
    fresh: bool = False,
    chosen: Chosen | None = None,
) -> int:
    """Prints the job for an agent, or what a model would take; the exit code."""
    from llmwiki.lint.judge.queue import JudgementQueue

    with searched(repo, at, fresh) as index:
        docket = JudgementQueue(repo, index, chosen)
        if not docket.waiting:
            tell(
                f"wiki: all {docket.pages} pages with claims are judged"
                if docket.pages
                else "wiki: no page here has claims to judge"
            )
            return 0
        return _prepared(docket, asked) if asked.prepare else _estimated(docket, config, asked)


def _prepared(docket: JudgementQueue, asked: JudgementOptions) -> int:
    from llmwiki.lint.judge.prompt import render_job

    wanted, of = _part_number(asked.part)
    made = []
    for number, part in enumerate(docket.parts(), start=1):
        made.append(part)
        if number == wanted and of is None:
            break
    if (of is not None and of != len(made)) or (wanted or 1) > len(made):
        raise InputError(
            f"there is no part {asked.part}",
            fix=f"{len(made)} parts wait now: --part 1 … {len(made)}."
            " What has been judged is no longer counted.",
        )
    before: set[str] = set()
    printed = []
    for number, part in enumerate(made, start=1):
        before.update(part.paths)
        if wanted in (None, number):
            printed.append(part)
            say(render_job(part, number, docket.pages_waiting - len(before)))
    docket.prepare(printed)
    return 0


def _part_number(which: str | None) -> tuple[int | None, int | None]:
    if which is None:
        return None, None
    number, slash, of = which.partition("/")
    figures = [number, of] if slash else [number]
    if not all(each.isascii() and each.isdigit() and int(each[:9]) for each in figures):
        raise InputError(f"there is no part {which}", fix="Such as --part 1, or --part 1/3.")
    return int(number[:9]), int(of[:9]) if slash else None


def _estimated(docket: JudgementQueue, config: Config, asked: JudgementOptions) -> int:
    from llmwiki.lint.judge.prompt import judgement_task
    from llmwiki.models.task import estimate

    settings = _settings(config, asked)
    if settings is None:
        tell("wiki: there is no key for a model; name one with --model for its price")
        from llmwiki.models.settings import ModelSettings

        settings = _limited(ModelSettings(model=asked.model or ModelSettings().model))
    some, more = docket.sample()
    one = estimate(map(judgement_task, some), settings, times=1 + more)
    about = "about " if more else ""
    say(
        f"{docket.pages} pages with claims, {docket.pages_waiting} to be judged\n"
        f"{settings.model}: {about}{one.calls} calls, {one.told()}"
    )
    return 0


def judged(
    repo: Repository,
    config: Config,
    asked: JudgementOptions,
    *,
    at: str | None = None,
    fresh: bool = False,
    chosen: Chosen | None = None,
    quiet: bool = False,
) -> JudgementResult:
    """Lets a model judge what is not judged yet, and says what all judgements come to.

    `chosen` says which pages may be judged now; findings of all pages are given. Raises
    PolicyError where a limit is set and the model's price is not known, InputError for a model
    that cannot be called.
    """
    from llmwiki.lint.judge.queue import JudgementQueue

    settings = _settings(config, asked)
    with searched(repo, at, fresh) as index:
        docket = JudgementQueue(repo, index, chosen)
        reason, failure = "", None
        if docket.waiting and asked.max_cost == 0:
            reason = "nothing may be spent (--max-cost 0)"
        elif docket.waiting and settings is None:
            reason = "there is no model to ask"
        elif docket.waiting and settings is not None:
            agree(config, settings, asked.model, yes=asked.yes)
            ran = _run(repo, config, docket, settings, asked.max_cost, quiet)
            failure = ran.failure
            reason = "the limit of the cost was reached" if ran.over_budget else ""
            reason = reason or (f"a call failed ({failure.what})" if failure else "")
        findings = docket.findings()
        if docket.waiting:
            findings = (_not_judged(docket, reason), *findings)
        return JudgementResult(findings, failure)


def _run(
    repo: Repository,
    config: Config,
    docket: JudgementQueue,
    settings: ModelSettings,
    max_cost: float | None,
    quiet: bool,
) -> TaskRun:
    from llmwiki.lint.judge.answer import Judgement
    from llmwiki.lint.judge.parts import Part
    from llmwiki.lint.judge.prompt import judgement_task
    from llmwiki.models.run import run_tasks

    limit = max_cost if max_cost is not None else config.number("ingest.max_cost")
    if limit and settings.price is None:
        raise PolicyError(
            "a cost limit is set, and the price of the model is not known",
            where=settings.model,
            fix="set prices for the model in the user configuration, or drop the limit",
        )
    left_out: list[RejectedFinding] = []

    def take(part: Part, answer: Judgement) -> None:
        left_out.extend(docket.take(part, settings.model, answer.findings))
        if is_terminal() and not quiet:
            tell(f"wiki: {docket.pages_waiting} of {docket.pages} pages are still to be judged")

    with client_for(config, settings, max_cost) as client:
        tasks = ((part, judgement_task(part)) for part in docket.parts())
        ran = run_tasks(tasks, client, take, parallel=config.whole("ingest.parallel"))
    if not quiet:
        _tell_left_out(left_out)
        cost = "" if ran.cost is None else f", USD {ran.cost:.4f} (estimate)"
        tell(f"wiki: {settings.model}: {ran.answered} answers, {ran.usage.total} tokens{cost}")
    return ran


def _settings(config: Config, asked: JudgementOptions) -> ModelSettings | None:
    settings = model_settings(config, asked.model, user_table())
    return None if settings is None else _limited(settings)


def _limited(settings: ModelSettings) -> ModelSettings:
    """A judgement is short; what a call may write at most is what it reserves of the budget."""
    from llmwiki.lint.judge.prompt import MAX_OUTPUT_TOKENS

    return replace(settings, max_output_tokens=min(settings.max_output_tokens, MAX_OUTPUT_TOKENS))


def _not_judged(docket: JudgementQueue, reason: str) -> Finding:
    from llmwiki.lint.finding import Finding
    from llmwiki.lint.rules.judgement import NOT_JUDGED

    said = f"{docket.pages_waiting} of {docket.pages} pages with claims are not judged: {reason}"
    tell(f"wiki: {said}")
    return Finding("", 0, 0, NOT_JUDGED.code, said, about="judgement")


def _tell_left_out(left_out: Sequence[RejectedFinding]) -> None:
    for each in left_out[:_TOLD]:
        tell(f"wiki: a finding ({each.kind}) does not count: {each.reason}")
    if len(left_out) > _TOLD:
        tell(f"wiki: and {len(left_out) - _TOLD} more do not count")
