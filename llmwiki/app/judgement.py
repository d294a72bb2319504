"""The judgement of claims by a model, as lint reports it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.app.models import model_settings
from llmwiki.core.declared_options import CheckedOptions, max_cost, opt

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.core.errors import WikiError
    from llmwiki.lint.finding import Finding
    from llmwiki.lint.judge.asking import ClaimJudging
    from llmwiki.lint.judge.verdict import RejectedFinding
    from llmwiki.models.run import TaskRun


@dataclass(frozen=True, slots=True)
class JudgementOptions(CheckedOptions):
    """Whether a model judges claims, and which."""

    llm: bool = opt(False, "Let a model judge the claims too.")
    model: str | None = opt(
        None, "With --llm: the model that judges.", needs=("--llm", "--estimate")
    )
    max_cost: float | None = max_cost(
        "With --llm: stop before a call could pass this sum; 0: call no model.",
        needs=("--llm", "--estimate"),
    )


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
class AcceptedAnswer:
    """An agent's judgement that was checked and kept."""

    part: str
    findings: tuple[Finding, ...]
    left_out: tuple[RejectedFinding, ...]
    outdated: int
    """Findings about what has changed since it was printed."""


def judged(wiki: OpenWiki, options: JudgementOptions, question: ClaimJudging) -> JudgementResult:
    """Lets a model judge what is not judged yet, and gives what all judgements come to: findings of
    all pages, whichever may be judged now. Raises InputError for a model that cannot be called.
    """
    from llmwiki.app.desk import AskOptions, ask

    reason, done = "", None
    if question.waiting and options.max_cost == 0:
        reason = "nothing may be spent (--max-cost 0)"
    elif question.waiting and model_settings(wiki.config, options.model) is None:
        reason = "there is no model to ask"
    elif question.waiting:
        done = ask(wiki, question, AskOptions(options.model, options.max_cost))
        if done.run and done.run.over_budget:
            reason = "the limit of the cost was reached"
        elif done.failure:
            reason = f"a call failed ({done.failure.what})"
    findings = question.findings()
    said = ""
    if question.waiting:
        waiting = f"{question.pages_waiting} of {question.pages} pages with claims"
        said = f"{waiting} are not judged: {reason}"
        from llmwiki.lint.finding import Finding
        from llmwiki.lint.rules.judgement import NOT_JUDGED

        findings = (Finding("", 0, 0, NOT_JUDGED.code, said, about="judgement"), *findings)
    left_out = [each for part in done.results for each in part.left_out] if done else []
    return JudgementResult(
        findings,
        said,
        done.run.failure if done and done.run else None,
        done.model if done else "",
        done.run if done else None,
        tuple(left_out),
    )
