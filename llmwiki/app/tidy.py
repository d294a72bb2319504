"""A second reading of the wiki: what lint and graph raise, answered by a model or an agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from llmwiki.app.models import client_for, model_to_call
from llmwiki.core.errors import InputError
from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.core.plain_line import plain_line

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.core.errors import WikiError
    from llmwiki.edit.tidy.land import TidyResult
    from llmwiki.edit.tidy.question import TidyPart, TidyQuestion
    from llmwiki.index.open_index import Index
    from llmwiki.lint.finding import Finding
    from llmwiki.memory.land import LandingOptions
    from llmwiki.models.run import TaskRun
    from llmwiki.pages.page import Page
    from llmwiki.store.records import RecordFolder

DUPLICATE = ("WK303", "WK313", "WK314")
"""Findings that two pages may be one: claims that say the same, names that are alike."""
CONFLICT = ("WK302",)
LEAD = ("WK316",)
NAMING = 4
"""Claims that a question about two pages lists."""
DEFAULT_LEAD = 3
"""Claims from which on a page deserves a lead that is more than one of them."""
LOOKED_AT = 300
"""Pages of the highest rank that are compared by what they say."""
ALIKE = 0.8
"""How well another page must answer to what a page says, by its own score, to be asked about."""
_JOBS = "tidy/jobs"


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
class TidyReport:
    """What a second reading came to."""

    parts: int
    """Parts that there were to answer."""
    results: tuple[TidyResult, ...]
    model: str = ""
    run: TaskRun | None = None
    """How far a model came; None: none was called."""

    @property
    def failure(self) -> WikiError | None:
        """What kept a part from being answered."""
        return (self.run.failure or self.run.over_budget) if self.run else None

    @property
    def exit_code(self) -> int:
        """That of `wiki`: of the failure; 0: there was none."""
        return self.failure.exit_code if self.failure else 0


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
    from llmwiki.store.private import common_files

    made = _parts(wiki)
    files = common_files(wiki.repo)
    jobs = _jobs(wiki)
    for name in jobs.names():
        jobs.delete(name)
    for name in files.names("tidy/texts"):
        files.delete(name)
    written = []
    for number, part in enumerate(made, start=1):
        jobs.put(part.id, part._asdict())
        name = f"tidy/texts/{number:03d}-{part.id[:8]}.md"
        files.write(name, render_job(part, number, len(made)).encode())
        written.append(files.path(name).absolute().as_posix())
    return TidyJobs(_counted(made), tuple(written))


def tidy(wiki: OpenWiki, options: TidyOptions) -> TidyReport:
    """Lets a model answer, part after part, a commit for each; see `Wiki.tidy`."""
    from llmwiki.edit.tidy.answer import TidyAnswer
    from llmwiki.edit.tidy.land import apply_tidying
    from llmwiki.edit.tidy.prompt import MAX_OUTPUT_TOKENS, tidy_task
    from llmwiki.models.run import run_tasks
    from llmwiki.version import __version__

    settings = model_to_call(wiki, options.model)
    if settings is None:
        raise InputError(
            "`wiki tidy` needs a model",
            fix="Set a key, or let an agent answer: wiki tidy --prepare.",
        )
    limit = min(settings.max_output_tokens, MAX_OUTPUT_TOKENS)
    settings = replace(settings, max_output_tokens=limit)
    made = _parts(wiki)
    # Under review the parts are one branch, with a commit each.
    terms = wiki.landing(options.allow_detached, batch=made[0].id[:12] if made else "")
    asked = made if options.parts is None else made[: options.parts]
    results: list[TidyResult] = []

    def take(part: TidyPart, answer: TidyAnswer) -> None:
        results.append(
            apply_tidying(
                wiki.repo,
                wiki.state,
                part,
                answer,
                by=f"llmwiki/{__version__}",
                model=settings.model,
                terms=terms,
                dry_run=options.dry_run,
            )
        )

    with client_for(wiki.config, settings, options.max_cost) as client:
        tasks = ((part, tidy_task(part)) for part in asked)
        ran = run_tasks(tasks, client, take, parallel=wiki.config.whole("ingest.parallel"))
    return TidyReport(len(made), tuple(results), settings.model, ran)


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
    from functools import partial

    from llmwiki.edit.tidy.answer import TidyFile
    from llmwiki.edit.tidy.land import apply_tidying
    from llmwiki.models.agent import ParsedAnswer
    from llmwiki.models.task import validated
    from llmwiki.version import __version__

    answer = ParsedAnswer(name, data).read(partial(validated, TidyFile))
    part = _job(wiki, answer.part)
    if part is None:
        raise InputError(
            f"no part {plain_line(answer.part, 40)} waits here: it was answered, or prepared anew",
            where=name,
            fix="Run: wiki tidy --prepare",
        )
    wiki.state.advance(wiki.repo.head())
    result = apply_tidying(
        wiki.repo,
        wiki.state,
        part,
        answer,
        by=f"llmwiki/{__version__}",
        model=model or "agent",
        terms=terms,
        dry_run=dry_run,
    )
    if not dry_run:
        _jobs(wiki).delete(part.id)
    return result


def _jobs(wiki: OpenWiki) -> RecordFolder:
    from llmwiki.store.private import common_files
    from llmwiki.store.records import RecordFolder

    return RecordFolder(common_files(wiki.repo), _JOBS, "llmwiki.tidy-part/1")


def _job(wiki: OpenWiki, ident: str) -> TidyPart | None:
    from pydantic import TypeAdapter

    from llmwiki.edit.tidy.question import TidyPart

    if len(ident) != 16 or not all(c in "0123456789abcdef" for c in ident):
        return None
    return _jobs(wiki).get(ident, TypeAdapter(TidyPart).validate_python)


def _counted(made: tuple[TidyPart, ...]) -> dict[str, int]:
    kinds = [question.kind for part in made for question in part.questions]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def _parts(wiki: OpenWiki) -> tuple[TidyPart, ...]:
    from llmwiki.edit.tidy.question import parts

    wiki.state.advance(wiki.repo.head())
    return tuple(parts(_questions(wiki), wiki.state.page))


def _questions(wiki: OpenWiki) -> list[TidyQuestion]:
    """All questions, those that matter most first: pages that may be one, claims in conflict,
    leads, pages that nothing links; each pair once."""
    from llmwiki.lint.engine.run import lint

    with wiki.index(wiki.state.commit) as index:
        found = lint(
            wiki.repo,
            at=wiki.state.commit,
            codes=frozenset((*DUPLICATE, *CONFLICT, *LEAD)),
            notice=wiki.tell.notice,
            step=wiki.tell.step,
        ).findings
        asked = [*_of_findings(wiki, found), *_alike(wiki, index)]
        asked += [*_default_leads(wiki), *_unlinked(wiki, index)]
    order = {"one": 0, "conflict": 1, "lead": 2, "near": 3}
    once: dict[tuple[str, ...], TidyQuestion] = {}
    for question in sorted(asked, key=lambda each: (order[each.kind], each)):
        about = question.claims if question.kind == "conflict" else question.pages
        kind = "pair" if question.kind in ("one", "near") else question.kind
        once.setdefault((kind, *sorted(about)), question)
    return list(once.values())


def _of_findings(wiki: OpenWiki, found: tuple[Finding, ...]) -> Iterator[TidyQuestion]:
    from llmwiki.edit.tidy.question import TidyQuestion
    from llmwiki.pages.links import targets
    from llmwiki.pages.names import name_key

    state = wiki.state
    for finding in found:
        homes = {state.claim_page.get(ident) for ident in finding.claims} - {None}
        named = {state.file_names.get(name_key(n)) for n in targets(finding.message)}
        pages = tuple(sorted({finding.path, *filter(None, homes), *filter(None, named)}))
        why = finding.message
        if finding.code in LEAD:
            yield TidyQuestion("lead", (finding.path,), finding.claims, why)
        elif finding.code in CONFLICT:
            yield TidyQuestion("conflict", pages, finding.claims, why)
        elif len(pages) > 1 and all(_is_subject(wiki, path) for path in pages):
            yield TidyQuestion("one", pages[:2], finding.claims, why)


def _is_subject(wiki: OpenWiki, path: str) -> bool:
    facts = wiki.state.fact(path)
    return facts is not None and facts.type in SUBJECTS


def _alike(wiki: OpenWiki, index: Index) -> Iterator[TidyQuestion]:
    """Pages of subjects that say nearly the same: what one says leads to the other too."""
    from llmwiki.edit.tidy.question import TidyQuestion
    from llmwiki.retrieval.rank import rank

    subjects = [facts.path for facts in wiki.state.subjects(LOOKED_AT)]
    for path in subjects:
        page = wiki.state.page(path)
        if page is None:
            continue
        said = " ".join([page.description, *(claim.text for claim in page.claims[:5])])
        hits = [hit for hit in rank(index, said, limit=6).hits if hit.card.type in SUBJECTS]
        own = next((hit.score for hit in hits if hit.card.path == path), 0)
        known = {path, *wiki.state.linking(path)}
        for hit in hits:
            other = hit.card.path
            # Pages that link to each other are two things to whoever wrote them.
            is_linked = other in known or path in wiki.state.linking(other)
            if not is_linked and own and hit.score >= ALIKE * own:
                why = f"what {page.title} says leads to {hit.card.title} as well"
                yield TidyQuestion("one", tuple(sorted((path, other))), (), why)


def _default_leads(wiki: OpenWiki) -> Iterator[TidyQuestion]:
    """Pages whose lead, of the tool, is but their description or one of their claims."""
    from llmwiki.edit.tidy.question import TidyQuestion

    for entry in wiki.state.entries():
        if entry.type not in SUBJECTS:
            continue
        page = wiki.state.page(entry.path)
        if page is not None and (why := _default(page)):
            yield TidyQuestion("lead", (entry.path,), (), why)


def _default(page: Page) -> str:
    """What is wanting in a lead that nobody wrote; empty where nothing is."""
    from llmwiki.core.text import fold
    from llmwiki.pages.dress import read

    standing = [claim.text for claim in page.claims if claim.successor is None]
    if len(standing) < DEFAULT_LEAD or not page.lead_is_tools:
        return ""
    lead = fold(read(page.lead))
    if not lead:
        return "the page has no lead"
    if lead == fold(page.description):
        return "the lead is the page's description, and tells nothing of its claims"
    return "the lead says no more than one claim does" if lead in map(fold, standing) else ""


def _unlinked(wiki: OpenWiki, index: Index) -> Iterator[TidyQuestion]:
    """Pages near each other that nothing links, where a claim of one names the other.

    Without such a claim no relation counts, so there is nothing to ask.
    """
    from llmwiki.edit.tidy.check import naming
    from llmwiki.edit.tidy.question import TidyQuestion
    from llmwiki.graph.build import build
    from llmwiki.graph.survey import survey

    built = build(index)
    nodes = built.graph.nodes
    for link in survey(built).missing:
        ends = (nodes[link.source], nodes[link.target])
        one, other = (wiki.state.page(node.path) for node in ends)
        if one is None or other is None or not all(node.type in SUBJECTS for node in ends):
            continue
        if claims := naming(one, other) + naming(other, one):
            paths = tuple(sorted(node.path for node in ends))
            yield TidyQuestion("near", paths, claims[:NAMING], "these claims name the other page")
