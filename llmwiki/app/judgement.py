"""The judgement of claims by a model, and the job of an agent that judges instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.app.models import agree, limited, model_settings
from llmwiki.app.part_answers import ask
from llmwiki.core.errors import InputError, PolicyError

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.core.errors import WikiError
    from llmwiki.lint.finding import Finding
    from llmwiki.lint.judge.queue import JudgementQueue
    from llmwiki.lint.judge.verdict import RejectedFinding
    from llmwiki.models.run import TaskRun
    from llmwiki.models.settings import ModelSettings
    from llmwiki.models.task import Estimate

Chosen = Callable[[str], bool]
"""Whether a page may be judged now."""


@dataclass(frozen=True, slots=True)
class JudgementOptions:
    """Whether a model judges claims, and which."""

    llm: bool = False
    """Whether a model is asked."""
    model: str | None = None
    """None: as the settings say."""
    max_cost: float | None = None
    """US dollars; no call is made that could pass them. 0: no model is called."""


@dataclass(frozen=True, slots=True)
class JudgementResult:
    """What a model or an agent found, now and before."""

    findings: tuple[Finding, ...]
    not_judged: str = ""
    """How many pages are not judged, and why; empty: all are."""
    failure: WikiError | None = None
    """What broke off a call: to be told after the findings."""
    model: str = ""
    """The model that was called; empty: none was."""
    run: TaskRun | None = None
    """How far it came; None: none was called."""
    left_out: tuple[RejectedFinding, ...] = ()
    """What of its answers does not count."""


@dataclass(frozen=True, slots=True)
class JudgementJobs:
    """What an agent is to judge."""

    pages: int
    """Pages with claims."""
    jobs: tuple[str, ...]
    """A Markdown text for each part; empty: every page is judged."""


@dataclass(frozen=True, slots=True)
class JudgementForecast:
    """What a judgement by a model would take."""

    pages: int
    """Pages with claims."""
    waiting: int
    """Pages that are not judged."""
    model: str = ""
    takes: Estimate | None = None
    """None: nothing waits."""
    is_rough: bool = False
    """Whether only the first parts were counted, and the rest is taken to be alike."""


def prepare_judgement(
    wiki: OpenWiki, part: str | None, *, at: str | None, fresh: bool, chosen: Chosen
) -> JudgementJobs:
    """The jobs for an agent, of all parts or of part `K` or `K/N`. Raises InputError for none."""
    from llmwiki.lint.judge.queue import JudgementQueue

    with wiki.index(at, fresh) as index:
        queue = JudgementQueue(wiki.repo, index, chosen)
        jobs = _jobs(queue, part) if queue.waiting else ()
        return JudgementJobs(queue.pages, jobs)


def estimate_judgement(
    wiki: OpenWiki, options: JudgementOptions, *, at: str | None, fresh: bool, chosen: Chosen
) -> JudgementForecast:
    """What a model would take."""
    from llmwiki.lint.judge.prompt import judgement_task
    from llmwiki.lint.judge.queue import JudgementQueue
    from llmwiki.models.task import estimate

    with wiki.index(at, fresh) as index:
        queue = JudgementQueue(wiki.repo, index, chosen)
        if not queue.waiting:
            return JudgementForecast(queue.pages, 0)
        settings = _settings(wiki, options)
        if settings is None:
            wiki.tell.notice("there is no key for a model; name one with --model for its price")
            from llmwiki.models.settings import ModelSettings

            settings = _limited(ModelSettings(model=options.model or ModelSettings().model))
        some, more = queue.sample()
        takes = estimate(map(judgement_task, some), settings, times=1 + more)
        return JudgementForecast(
            queue.pages, queue.pages_waiting, settings.model, takes, is_rough=bool(more)
        )


def judged(
    wiki: OpenWiki, options: JudgementOptions, *, at: str | None, fresh: bool, chosen: Chosen
) -> JudgementResult:
    """Lets a model judge what is not judged yet, and gives what all judgements come to.

    `chosen` says which pages may be judged now; findings of all pages are given. Raises
    PolicyError where a limit is set and the model's price is not known, InputError for a model
    that cannot be called.
    """
    from llmwiki.lint.judge.queue import JudgementQueue

    settings = _settings(wiki, options)
    with wiki.index(at, fresh) as index:
        queue = JudgementQueue(wiki.repo, index, chosen)
        reason, ran = "", None
        left_out: list[RejectedFinding] = []
        if queue.waiting and options.max_cost == 0:
            reason = "nothing may be spent (--max-cost 0)"
        elif queue.waiting and settings is None:
            reason = "there is no model to ask"
        elif queue.waiting and settings is not None:
            agree(wiki, settings, options.model)
            ran = _run(wiki, queue, settings, options.max_cost, left_out)
            reason = "the limit of the cost was reached" if ran.over_budget else ""
            reason = reason or (f"a call failed ({ran.failure.what})" if ran.failure else "")
        findings = queue.findings()
        said = _not_judged(queue, reason)
        if said:
            findings = (_as_finding(said), *findings)
        return JudgementResult(
            findings,
            said,
            ran.failure if ran else None,
            settings.model if ran and settings else "",
            ran,
            tuple(left_out),
        )


def _jobs(queue: JudgementQueue, which: str | None) -> tuple[str, ...]:
    from llmwiki.lint.judge.prompt import render_job

    wanted, of = _part_number(which)
    made = []
    for number, part in enumerate(queue.parts(), start=1):
        made.append(part)
        if number == wanted and of is None:
            break
    if (of is not None and of != len(made)) or (wanted or 1) > len(made):
        raise InputError(
            f"there is no part {which}",
            fix=f"{len(made)} parts wait now: --part 1 … {len(made)}."
            " What has been judged is no longer counted.",
        )
    before: set[str] = set()
    chosen, jobs = [], []
    for number, part in enumerate(made, start=1):
        before.update(part.paths)
        if wanted in (None, number):
            chosen.append(part)
            jobs.append(render_job(part, number, queue.pages_waiting - len(before)))
    queue.prepare(chosen)
    return tuple(jobs)


def _part_number(which: str | None) -> tuple[int | None, int | None]:
    if which is None:
        return None, None
    number, slash, of = which.partition("/")
    figures = [number, of] if slash else [number]
    if not all(each.isascii() and each.isdigit() and int(each[:9]) for each in figures):
        raise InputError(f"there is no part {which}", fix="Such as --part 1, or --part 1/3.")
    return int(number[:9]), int(of[:9]) if slash else None


def _run(
    wiki: OpenWiki,
    queue: JudgementQueue,
    settings: ModelSettings,
    max_cost: float | None,
    left_out: list[RejectedFinding],
) -> TaskRun:
    from llmwiki.lint.judge.answer import Judgement
    from llmwiki.lint.judge.parts import Part
    from llmwiki.lint.judge.prompt import judgement_task

    limit = max_cost if max_cost is not None else wiki.config.number("ingest.max_cost")
    if limit and settings.price is None:
        raise PolicyError(
            "a cost limit is set, and the price of the model is not known",
            where=settings.model,
            fix="set prices for the model in the user configuration, or drop the limit",
        )

    def take(part: Part, answer: Judgement) -> None:
        left_out.extend(queue.take(part, settings.model, answer.findings))
        wiki.tell.progress(f"{queue.pages_waiting} of {queue.pages} pages are still to be judged")

    tasks = ((part, judgement_task(part)) for part in queue.parts())
    return ask(wiki, settings, max_cost, tasks, take)


def _settings(wiki: OpenWiki, options: JudgementOptions) -> ModelSettings | None:
    settings = model_settings(wiki.config, options.model)
    return None if settings is None else _limited(settings)


def _limited(settings: ModelSettings) -> ModelSettings:
    from llmwiki.lint.judge.prompt import MAX_OUTPUT_TOKENS

    return limited(settings, MAX_OUTPUT_TOKENS)


def _not_judged(queue: JudgementQueue, reason: str) -> str:
    if not queue.waiting:
        return ""
    return f"{queue.pages_waiting} of {queue.pages} pages with claims are not judged: {reason}"


def _as_finding(said: str) -> Finding:
    from llmwiki.lint.finding import Finding
    from llmwiki.lint.rules.judgement import NOT_JUDGED

    return Finding("", 0, 0, NOT_JUDGED.code, said, about="judgement")
