"""What is wrong in the wiki: by rules, and as a model judges; what of it is reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from llmwiki.app.lint_scope import LintOptions, Scope, scope_of
from llmwiki.app.models import model_settings
from llmwiki.core.errors import InputError
from llmwiki.lint.select import FAIL_ON

if TYPE_CHECKING:
    from pathlib import Path

    from llmwiki.app.questions.desk import DeskRun
    from llmwiki.git.layout import Layout
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.lint.finding import Finding, LintReport
    from llmwiki.lint.judge.verdict import JudgedPart
    from llmwiki.lint.vault import VaultKinds


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
    looked = look_at(wiki, options)
    held = read_baseline(wiki, options.baseline)
    judged = judge(wiki, options) if options.judge.llm else None
    further = [f for f in judged.findings if looked.runs(f.code)] if judged else []
    if options.guard and looked.scope.commit is not None:
        from llmwiki.lint.staged import lint_staged

        report = lint_staged(wiki.repo, looked.scope.commit, looked.codes, looked.vaults)
    else:
        report = run(wiki.repo, **looked.wanted, further=further)
    compared = baseline.split(report.findings, held, report.rules)
    holds = looked.scope.holds
    new = tuple(
        each._replace(by_hand=each.by_hand or not _may_fix(wiki.repo.layout, each))
        for each in filter(holds, compared.new)
    )
    told = replace(
        report,
        findings=new,
        is_foreign=looked.vaults.is_foreign,
        known=sum(map(holds, compared.known)),
        prefix=wiki.repo.prefix,
    )
    failed = told.fails(looked.fail_on)
    return LintResult(told, failed, compared.gone, report.findings, judged)


def _may_fix(layout: Layout, finding: Finding) -> bool:
    """Whether `--fix` writes where a finding stands: in a wiki, and on no note that was adopted."""
    return layout.is_wiki and (not finding.path or finding.path.startswith("wiki/"))


@dataclass(frozen=True, slots=True)
class LintedScope:
    """What one lint looks at, and by which rules."""

    scope: Scope
    codes: frozenset[str] | None
    """The rules that run; None: all."""
    fail_on: str
    vaults: VaultKinds
    wanted: Mapping[str, Any]
    """The same as arguments of `lint.run.lint`."""

    def runs(self, code: str) -> bool:
        """Whether the rule of that code runs."""
        return self.codes is None or code in self.codes


def look_at(wiki: OpenWiki, options: LintOptions) -> LintedScope:
    """What is linted and what of it is reported. Raises InputError, StateError."""
    codes, fail_on = _codes(wiki, options), _fail_on(wiki, options)
    scope, vaults = scope_of(wiki, options), _vaults(wiki)
    wanted = {
        "at": scope.commit,
        "vaults": vaults,
        "codes": codes,
        "notice": wiki.tell.notice,
        "step": wiki.tell.step,
    }
    return LintedScope(scope, codes, fail_on, vaults, wanted)


def explain_rule(code: str) -> str:
    """What a rule means, by its code or name, as text. Raises InputError for none."""
    from llmwiki.lint import select
    from llmwiki.lint.rules import RULES
    from llmwiki.lint.select import find

    return select.as_text(find(RULES, code))


def list_rules() -> str:
    """All rules, a line each."""
    from llmwiki.lint import select
    from llmwiki.lint.rules import RULES

    return select.as_table(RULES)


def _codes(wiki: OpenWiki, options: LintOptions) -> frozenset[str] | None:
    """The rules to run, None: all. Raises InputError, naming the setting where it is one."""
    config = wiki.config
    told = {"select": options.select, "ignore": options.ignore}
    if not (any(told.values()) or config.text("lint.select") or config.text("lint.ignore")):
        return None
    from llmwiki.lint.rules import RULES
    from llmwiki.lint.select import chosen, matching

    for name, words in told.items():
        if not words:
            setting = config.settings[f"lint.{name}"]
            told[name] = (str(setting.value),)
            try:
                matching(RULES, told[name])
            except InputError as error:
                error.where = f"{setting.origin}: lint.{name}"
                raise
    codes = chosen(RULES, told["select"], told["ignore"])
    return None if codes == chosen(RULES) else codes


def _fail_on(wiki: OpenWiki, options: LintOptions) -> str:
    setting = wiki.config.settings["lint.fail_on"]
    asked = options.fail_on or ("note" if options.guard else str(setting.value))
    if asked not in FAIL_ON:
        where = "fail_on" if options.fail_on else setting.origin
        raise InputError(f"lint.fail_on must be one of {', '.join(FAIL_ON)}", where=where)
    return asked


def _vaults(wiki: OpenWiki) -> VaultKinds:
    from llmwiki.lint.vault import VaultKind, VaultKinds, vault_of

    branch = wiki.config.text("branch")
    root = wiki.repo.root
    tops = [
        entry for folder in {root, root / (wiki.repo.layout.notes or "")} for entry in _top(folder)
    ]
    notes = vault_of(
        [entry.name for entry in tops if entry.is_dir()],
        [entry.name for entry in tops if entry.is_file()],
    )
    is_own = wiki.repo.layout.is_wiki and branch
    return VaultKinds(VaultKind.OWN if is_own else notes, notes, branch)


def _top(folder: Path) -> Iterator[Path]:
    return folder.iterdir() if folder.is_dir() else iter(())


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
    from llmwiki.app.questions.claims import ClaimJudging
    from llmwiki.app.questions.desk import AskOptions, ask

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
            from llmwiki.lint.finding import Finding
            from llmwiki.lint.rules import NOT_JUDGED

            findings = (Finding("", 0, 0, NOT_JUDGED.code, said, about="judgement"), *findings)
    return JudgementResult(findings, said, done)
