"""A second reading of the wiki: what lint and graph raise, answered by a model or an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.app.part_answers import AnsweredParts, PartJobs, ask, reader

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.edit.tidy.land import TidyResult
    from llmwiki.edit.tidy.question import TidyPart
    from llmwiki.memory.land import LandingOptions


@dataclass(frozen=True, slots=True)
class TidyOptions:
    """Who answers, and how far."""

    model: str | None = None
    """None: as the settings say."""
    max_cost: float | None = None
    """US dollars; no call is made that could pass them."""
    parts: int | None = None
    """Parts that are asked at most; None: all."""
    dry_run: bool = False
    """Whether everything is checked and nothing is written."""
    allow_detached: bool = False


@dataclass(frozen=True, slots=True)
class TidyReport(AnsweredParts):
    """What a second reading came to."""

    results: tuple[TidyResult, ...] = ()


@dataclass(frozen=True, slots=True)
class TidyJobs:
    """What an agent is to answer."""

    questions: Mapping[str, int]
    """How many of each kind."""
    files: tuple[str, ...]
    """A Markdown file for each part, absolute."""


def prepare_tidying(wiki: OpenWiki) -> TidyJobs:
    """Writes the jobs for an agent into the git directory; see `Wiki.prepare_tidying`."""
    from llmwiki.edit.tidy.prompt import render_job

    made = _parts(wiki)
    return TidyJobs(_counted(made), _jobs(wiki).prepare(made, render_job))


def tidy(wiki: OpenWiki, options: TidyOptions) -> TidyReport:
    """Lets a model answer, part after part, a commit for each; see `Wiki.tidy`."""
    from llmwiki.edit.tidy.answer import Tidying
    from llmwiki.edit.tidy.land import apply_tidying
    from llmwiki.edit.tidy.prompt import MAX_OUTPUT_TOKENS, tidy_task

    settings = reader(wiki, "tidy", options.model, MAX_OUTPUT_TOKENS)
    made = _parts(wiki)
    # Under review the parts are one branch, with a commit each.
    terms = wiki.landing(options.allow_detached, batch=made[0].id[:12] if made else "")
    results: list[TidyResult] = []

    def take(part: TidyPart, answer: Tidying) -> None:
        results.append(
            apply_tidying(
                wiki.repo,
                wiki.state,
                part,
                answer,
                model=settings.model,
                terms=terms,
                dry_run=options.dry_run,
            )
        )

    tasks = ((part, tidy_task(part)) for part in made[: options.parts])
    run = ask(wiki, settings, options.max_cost, tasks, take)
    return TidyReport(len(made), settings.model, run, tuple(results))


def take_tidying(
    wiki: OpenWiki,
    name: str,
    data: Mapping[str, object],
    model: str,
    *,
    dry_run: bool,
    terms: LandingOptions,
) -> TidyResult:
    """Checks and lands an agent's answer (llmwiki.tidying/1).

    Raises ModelOutputError for what is no such answer, InputError for a part that nobody prepared.
    """
    from llmwiki.edit.tidy.answer import TidyFile
    from llmwiki.edit.tidy.land import apply_tidying
    from llmwiki.models.agent import ParsedAnswer

    answer = ParsedAnswer(name, data).valid(TidyFile)
    jobs = _jobs(wiki)
    part = jobs.part(answer.part, name)
    wiki.state.follow()
    result = apply_tidying(
        wiki.repo,
        wiki.state,
        part,
        answer,
        model=model or "agent",
        terms=terms,
        dry_run=dry_run,
    )
    if not dry_run:
        jobs.settle(part)
    return result


def _jobs(wiki: OpenWiki) -> PartJobs[TidyPart]:
    from pydantic import TypeAdapter

    from llmwiki.edit.tidy.question import TidyPart

    return PartJobs(wiki, "tidy", "tidy", TypeAdapter(TidyPart).validate_python)


def _counted(made: tuple[TidyPart, ...]) -> dict[str, int]:
    kinds = [question.kind for part in made for question in part.questions]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def _parts(wiki: OpenWiki) -> tuple[TidyPart, ...]:
    from llmwiki.app.tidy_questions import tidy_questions
    from llmwiki.edit.tidy.question import parts

    wiki.state.follow()
    return tuple(parts(tidy_questions(wiki), wiki.state.page))
