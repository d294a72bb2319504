"""wiki lint: what is wrong in the wiki, and how to mend it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from llmwiki.cli.colour import wanted
from llmwiki.cli.context import clock, here, load_config, opened, say, tell
from llmwiki.cli.lint_flags import Flags, how, mending, refuse_contradictions, which
from llmwiki.cli.lint_judge import judge_options
from llmwiki.core.errors import InputError
from llmwiki.lint.select import FAIL_ON

if TYPE_CHECKING:
    from llmwiki.cli.lint_judge import JudgementResult
    from llmwiki.cli.lint_scope import Scope
    from llmwiki.core.config import Config
    from llmwiki.lint.finding import Finding
    from llmwiki.lint.limits import LintLimits
    from llmwiki.lint.outcome import Report
    from llmwiki.lint.report.lint_report import LintReport
    from llmwiki.lint.rule import Rule, RuleSummary
    from llmwiki.repo.repository import Repository

FOUND = 1


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]…")
@which
@how
@mending
@judge_options
@click.option("--explain", metavar="CODE", help="Say what a rule means, by code or name.")
@click.option("--list", "as_list", is_flag=True, help="List all rules.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    explain: str | None,
    as_list: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Find what is wrong in the wiki.

    No model, no key and no network, unless --llm asks for it. The whole wiki is looked at, as far
    as it changed since the last time; PATHS are files or folders, and only what stands in them is
    reported. Exit code 1: there is a finding at least as bad as --fail-on says.

    \b
    Examples:
      wiki lint
      wiki lint wiki/concepts --select WK1,orphan
      wiki lint --staged
      wiki lint --explain broken-wikilink
      wiki lint --format sarif -o lint.sarif

    A line `<!-- wiki: ignore=WK101 -->` on a page silences a rule on the next line, at the end of
    a line on that line; ignore-file on the whole page.
    """
    if explain is not None or as_list:
        _say_rules(explain)
        return 0
    if as_json and options["form"] not in ("text", "json"):
        raise click.UsageError(f"--json and --format {options['form']} exclude each other.", ctx)
    options["form"] = "json" if as_json else options["form"]
    options["output"] = None if options["output"] == "-" else options["output"]
    flags = Flags(**options)
    refuse_contradictions(ctx, flags)
    if flags.staged and os.environ.get("LLMWIKI_ROOT"):
        # In a hook of our own landing the working folder is a scratch tree without a repository.
        ctx.find_root().obj = os.environ["LLMWIKI_ROOT"]
    with opened(ctx, reads_only=not flags.fix or flags.dry_run) as repo:
        config = load_config(repo, quiet=flags.quiet)
        return _linted(ctx, repo, config, flags)


def _say_rules(asked: str | None) -> None:
    from llmwiki.lint import explain
    from llmwiki.lint.rules import RULES
    from llmwiki.lint.select import find

    say(explain.as_table(RULES) if asked is None else explain.as_text(find(RULES, asked)))


def _linted(ctx: click.Context, repo: Repository, config: Config, flags: Flags) -> int:
    from llmwiki.cli import lint_files
    from llmwiki.lint import baseline
    from llmwiki.lint.report.lint_report import LintReport
    from llmwiki.lint.select import fails

    codes, fail_on = _codes(config, flags), _fail_on(config, flags)
    scope = _scope(ctx, repo, flags)
    looked = _Looked(repo, config, flags, scope, codes)
    if flags.judge.is_job:
        return looked.job()
    held = lint_files.read_baseline(ctx, repo, flags.baseline, config.text("lint.baseline"))
    if flags.fix:
        looked.fix(held)
        if flags.dry_run:
            return 0
    judged = looked.judged() if flags.judge.llm else None
    report = looked.report(judged.findings if judged else ())
    compared = baseline.split(report.findings, held)
    if flags.write_baseline is not None:
        text = baseline.write(report.findings)
        lint_files.write_inside(ctx, repo, flags.write_baseline, text)
        tell(f"wiki: {flags.write_baseline} holds {len(report.findings)} findings")
        return 0
    if compared.gone and not flags.narrowed and not flags.quiet:
        gone = "1 finding" if compared.gone == 1 else f"{compared.gone} findings"
        verb = "is" if compared.gone == 1 else "are"
        tell(f"wiki: {gone} of the baseline {verb} gone; write it again")
    told = LintReport(
        tuple(filter(scope.holds, compared.new)),
        report.coverage,
        _told_of(report, flags),
        prefix=repo.prefix,
        ignored=report.ignored,
        known=sum(map(scope.holds, compared.known)),
        ran=len(report.rules),
    )
    code = FOUND if fails(told.findings, told.rules, fail_on) else 0
    _put_out(ctx, repo, flags, told, code)
    if judged is not None and judged.failure is not None:
        raise judged.failure
    return code


@dataclass(frozen=True, slots=True)
class _Looked:
    """What one call looks at, and by which rules."""

    repo: Repository
    config: Config
    flags: Flags
    scope: Scope
    codes: frozenset[str] | None

    def _wanted(self) -> dict[str, Any]:
        from llmwiki.cli.asking import notice

        return {
            "at": self.scope.commit,
            "today": self.flags.now,
            "limits": _limits(self.config, self.repo),
            "codes": self.codes,
            "fresh": self.flags.fresh,
            "notice": None if self.flags.quiet else notice,
        }

    def report(self, further: Iterable[Finding] = ()) -> Report:
        """The lint."""
        from llmwiki.lint.engine.run import lint

        asked = [f for f in further if self.codes is None or f.code in self.codes]
        return lint(self.repo, **self._wanted(), further=asked)

    def fix(self, held: frozenset[str]) -> None:
        """Mends what it can of what would be reported."""
        from llmwiki.cli.lint_fix import fix
        from llmwiki.lint import baseline
        from llmwiki.lint.engine.run import linted

        with linted(self.repo, **self._wanted()) as (report, wiki):
            fix(
                self.repo,
                self.config,
                wiki,
                list(filter(self.scope.holds, baseline.split(report.findings, held).new)),
                dry_run=self.flags.dry_run,
                allow_detached=self.flags.allow_detached,
            )

    def judged(self) -> JudgementResult:
        """What a model or an agent says of the claims."""
        from llmwiki.cli.lint_judge import judged

        return judged(
            self.repo,
            self.config,
            self.flags.judge,
            at=self.scope.commit,
            fresh=self.flags.fresh,
            chosen=self.scope.holds_path,
            quiet=self.flags.quiet,
        )

    def job(self) -> int:
        """Prints what is to be judged."""
        from llmwiki.cli.lint_judge import job

        return job(
            self.repo,
            self.config,
            self.flags.judge,
            at=self.scope.commit,
            fresh=self.flags.fresh,
            chosen=self.scope.holds_path,
        )


def _told_of(report: Report, flags: Flags) -> Mapping[str, Rule | RuleSummary]:
    """The rules as the report tells of them: SARIF gives their meaning and examples too."""
    if flags.form != "sarif":
        return report.rules
    from llmwiki.lint.rules import RULES

    return {rule.code: rule for rule in RULES if rule.code in report.rules}


def _codes(config: Config, flags: Flags) -> frozenset[str] | None:
    """The rules to run, None: all. Raises InputError, naming the setting where it is one."""
    if not (
        flags.select or flags.ignore or config.text("lint.select") or config.text("lint.ignore")
    ):
        return None
    from llmwiki.lint.rules import RULES
    from llmwiki.lint.select import chosen, matching

    told = {"select": flags.select, "ignore": flags.ignore}
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
    return None if len(codes) == len(RULES) else codes


def _fail_on(config: Config, flags: Flags) -> str:
    setting = config.settings["lint.fail_on"]
    if flags.fail_on is None and setting.value not in FAIL_ON:
        raise InputError(f"lint.fail_on must be one of {', '.join(FAIL_ON)}", where=setting.origin)
    return flags.fail_on or str(setting.value)


def _limits(config: Config, repo: Repository) -> LintLimits:
    from llmwiki.lint.limits import LintLimits
    from llmwiki.repo.layout import MARKER

    names = [field.name for field in fields(LintLimits) if field.name != "is_foreign"]
    numbers = {name: config.whole(f"lint.{name}") for name in names}
    return LintLimits(**numbers, is_foreign=not (repo.root / MARKER).is_file())


def _scope(ctx: click.Context, repo: Repository, flags: Flags) -> Scope:
    """What is linted and what of it is reported. Raises InputError, StateError."""
    from llmwiki.cli import lint_scope

    if flags.staged:
        scope = lint_scope.of_staged(repo, clock(), os.environ)
    else:
        scope = lint_scope.of_commit(repo, flags.revision)
    if flags.changed is not None:
        scope = lint_scope.since(repo, scope, flags.changed)
    return lint_scope.below(repo, here(ctx), scope, flags.paths)


def _put_out(
    ctx: click.Context, repo: Repository, flags: Flags, told: LintReport, exit_code: int
) -> None:
    from llmwiki.cli import lint_files
    from llmwiki.lint.report import github, gitlab, json_report, sarif, text

    coloured = flags.form == "text" and flags.output is None and wanted(flags.colour)
    made: dict[str, Callable[[], str]] = {
        "text": lambda: text.render(told, colour=coloured, brief=flags.quiet),
        "json": lambda: json_report.render(told, exit_code=exit_code),
        "sarif": lambda: sarif.render(told),
        "github": lambda: github.render(told),
        "gitlab": lambda: gitlab.render(told),
    }
    report = made[flags.form]()
    if flags.output is None:
        click.echo(report, nl=False, color=coloured)
    else:
        lint_files.write_report(ctx, repo, flags.output, report)
        if not flags.quiet:
            tell(f"wiki: {told.summary()}")
    if flags.form == "github" and (place := os.environ.get("GITHUB_STEP_SUMMARY")):
        lint_files.append_summary(place, lambda room: github.summary(told, room))
