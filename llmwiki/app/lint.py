"""What is wrong in the wiki, by rules and as a model judges, and what of it is mended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from llmwiki.app.lint_scope import LintOptions, arguments, scope_of
from llmwiki.app.which_model import model_settings

if TYPE_CHECKING:
    from llmwiki.app.questions.desk import DeskRun
    from llmwiki.git.find_repository import Layout
    from llmwiki.git.store.outcome import Outcome
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.landing.operation import Made
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.lint.findings import Finding, LintReport
    from llmwiki.lint.judge_verdict import JudgedPart


@dataclass(frozen=True, slots=True)
class LintResult:
    """What a lint found."""

    report: LintReport
    """The findings that are reported: new ones, within the scope."""
    fails: bool
    """Whether one is at least as bad as `fail_on` says."""
    gone: int
    """Findings of the baseline that are there no more."""
    found: tuple[Finding, ...]
    """All findings, known ones and those beyond the scope included."""
    judged: JudgementResult | None = None
    """The judgements of a model, where one was called."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings that are reported, sorted."""
        return self.report.findings


def lint(wiki: OpenWiki, options: LintOptions | None = None) -> LintResult:
    """What is wrong in the wiki, and how to mend it. Raises InputError, StateError."""
    from llmwiki.app.lint_reports import read_baseline
    from llmwiki.lint import baseline
    from llmwiki.lint.run import lint as run

    options = options or LintOptions()
    scope = scope_of(wiki, options)
    wanted = arguments(wiki, scope)
    held = read_baseline(wiki, options.baseline)
    judged = judge(wiki, options) if options.judge.llm else None
    further = [f for f in judged.findings if scope.runs(f.code)] if judged else []
    if options.guard and scope.commit is not None:
        from llmwiki.lint.staged_pages import lint_staged

        report = lint_staged(wiki.repo, scope.commit, scope.codes, wanted["vaults"])
    else:
        report = run(wiki.repo, **wanted, further=further)
    compared = baseline.split(report.findings, held, report.rules)
    holds = scope.holds
    new = tuple(
        each._replace(by_hand=each.by_hand or not _may_fix(wiki.repo.layout, each))
        for each in filter(holds, compared.new)
    )
    told = replace(
        report,
        findings=new,
        is_foreign=wanted["vaults"].is_foreign,
        known=sum(map(holds, compared.known)),
        prefix=wiki.repo.prefix,
    )
    failed = told.fails(scope.fail_on)
    return LintResult(told, failed, compared.gone, report.findings, judged)


def _may_fix(layout: Layout, finding: Finding) -> bool:
    """Whether `--fix` writes where a finding stands: in a wiki, and on no note that was adopted."""
    return layout.is_wiki and (not finding.path or finding.path.startswith("wiki/"))


def explain_rule(code: str) -> str:
    """What a rule means, by its code or name, as text. Raises InputError for none."""
    from llmwiki.lint import select_rules
    from llmwiki.lint.rules import RULES
    from llmwiki.lint.select_rules import find

    return select_rules.as_text(find(RULES, code))


def list_rules() -> str:
    """All rules, a line each."""
    from llmwiki.lint import select_rules
    from llmwiki.lint.rules import RULES

    return select_rules.as_table(RULES)


@dataclass(frozen=True, slots=True)
class JudgementResult:
    """What a model or an agent found, now and before."""

    findings: tuple[Finding, ...]
    not_judged: str = ""
    """How many pages are not judged, and why; empty: all are."""
    asked: DeskRun[JudgedPart] | None = None
    """How far a model came now; None: none was called. What broke off a call is to be told after
    the findings."""


def judge(wiki: OpenWiki, options: LintOptions) -> JudgementResult:
    """Lets a model judge what is not judged yet, and gives what all judgements come to: findings of
    all pages, whichever may be judged now. Raises InputError for a model that cannot be called.
    """
    from llmwiki.app.questions.desk import AskOptions, ask
    from llmwiki.app.questions.judge_claims import ClaimJudging

    asked, reason, done = options.judge, "", None
    with ClaimJudging.opened(wiki, options) as question:
        if question.waiting and asked.max_cost == 0:
            reason = "nothing may be spent (--max-cost 0)"
        elif question.waiting and model_settings(wiki.config, asked.model) is None:
            reason = "there is no model to ask"
        elif question.waiting:
            done = ask(wiki, question, AskOptions(asked.model, asked.max_cost))
            if done.run and done.run.over_budget:
                reason = "the limit of the cost was reached"
            elif done.failure:
                reason = f"a call failed ({done.failure.what})"
        findings = question.findings()
        said = ""
        if question.waiting:
            waiting = f"{question.pages_waiting} of {question.pages} pages with claims"
            said = f"{waiting} are not judged: {reason}"
            from llmwiki.lint.findings import Finding
            from llmwiki.lint.rules import NOT_JUDGED

            findings = (Finding("", 0, 0, NOT_JUDGED.code, said, about="judgement"), *findings)
    return JudgementResult(findings, said, done)


# --- what can be mended -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FixResult:
    """What one operation mended."""

    is_any: bool
    """Whether there was anything to mend."""
    left: tuple[str, ...]
    """Pages that have uncommitted edits and were left as they are."""
    codes: tuple[str, ...] = ()
    """The rules whose findings were, or would be, mended."""
    outcome: Outcome | None = None
    """Its commit, or none there where the pages have changed since; None: nothing was to land."""
    diff: str = ""
    """Of a dry run: what would change."""

    @property
    def has_landed(self) -> bool:
        """Whether there is a commit."""
        return self.outcome is not None and self.outcome.commit is not None


_ROUNDS = 5
"""What is mended may show more to mend, as a claim that stands on one page now, beside an equal."""


def fix(
    wiki: OpenWiki,
    options: LintOptions | None = None,
    *,
    dry_run: bool = False,
    allow_detached: bool = False,
) -> tuple[FixResult, ...]:
    """Mends what it can, beyond doubt, of what `lint` would report, in one commit; where that
    shows more that can be, in further ones, until nothing is left. A dry run plans the first.
    """
    chosen = options or LintOptions()
    done = [_round(wiki, chosen, dry_run, allow_detached, is_first=True)]
    while done[-1].has_landed and len(done) < _ROUNDS:
        done.append(_round(wiki, chosen, dry_run, allow_detached, is_first=False))
    return tuple(done[:1] + [each for each in done[1:] if each.has_landed])


def _round(
    wiki: OpenWiki, options: LintOptions, dry_run: bool, allow_detached: bool, *, is_first: bool
) -> FixResult:
    """One operation; catalogue and log are in step after the first."""
    from llmwiki.app.lint_reports import read_baseline
    from llmwiki.ingest.report import diff_of
    from llmwiki.landing.land import land
    from llmwiki.landing.operation import Made
    from llmwiki.lint import autofix, baseline
    from llmwiki.lint.quoted_texts import Texts
    from llmwiki.lint.rule import FixContext
    from llmwiki.lint.run import linted

    repo = wiki.repo
    scope = scope_of(wiki, options)
    held = read_baseline(wiki, options.baseline)
    with linted(repo, **arguments(wiki, scope)) as (report, pages):
        new = baseline.split(report.findings, held, report.rules).new
        findings = list(filter(scope.holds, new))
        dirty = frozenset(repo.dirty(sorted({f.path for f in findings if f.path})))
        wiki.state.follow()
        texts = Texts(pages.contents, pages.recorded)
        ground = FixContext(pages, texts)
        mending = autofix.plan(findings, ground, dirty.__contains__)
        mending = replace(mending, catches_up=mending.catches_up and is_first)
        if not mending:
            return FixResult(False, mending.left)
        terms = wiki.landing(allow_detached)

        def make(now: WikiState) -> Made[None]:
            return Made(autofix.operation(mending, now), None)

        done = land(wiki.state, "lint", make, terms=terms, dry_run=dry_run)
        if dry_run:
            return FixResult(True, mending.left, mending.codes, diff=diff_of(repo, done.plan))
        return FixResult(True, mending.left, mending.codes, done.outcome)
