"""wiki lint --fix: what can be mended beyond doubt, in one commit."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from llmwiki.cli.cleaning import clean
from llmwiki.cli.context import landing_options, tell

if TYPE_CHECKING:
    from llmwiki.core.config import Config
    from llmwiki.core.plan import Plan
    from llmwiki.lint.engine.state import LintedWiki
    from llmwiki.lint.finding import Finding
    from llmwiki.repo.repository import Repository

_SHOWN = 20
"""Pages that are left alone and named."""


def fix(
    repo: Repository,
    config: Config,
    wiki: LintedWiki,
    findings: Sequence[Finding],
    *,
    dry_run: bool,
    allow_detached: bool,
) -> None:
    """Mends what it can of the findings and says so; a dry run prints the difference instead.

    Raises what landing raises.
    """
    from llmwiki.lint import autofix
    from llmwiki.lint.fixes import FixContext
    from llmwiki.lint.report.lint_report import plain
    from llmwiki.lint.texts import Texts
    from llmwiki.memory.state import WikiState

    ground = FixContext(wiki, Texts(repo))
    mending = autofix.plan(findings, ground, _dirty_among(repo, findings))
    for path in mending.left[:_SHOWN]:
        tell(f"wiki: {plain(path)} has uncommitted edits and is left as it is")
    if len(mending.left) > _SHOWN:
        tell(f"wiki: and {len(mending.left) - _SHOWN} more")
    if not mending:
        tell(f"wiki: there is nothing{' else' if mending.left else ''} to be mended by --fix")
        return
    state = WikiState(repo)
    terms = landing_options(config, allow_detached)
    done = autofix.mend(repo, state, mending, terms, dry_run=dry_run)
    outcome = done.outcome
    if dry_run:
        if done.plan is not None:
            click.echo(clean(_difference(repo, done.plan)), nl=False)
        return
    if outcome.commit is None:
        tell("wiki: the pages have changed since they were linted; run it again")
        return
    count = len(outcome.pages_changed)
    pages = f"{count} page{'' if count == 1 else 's'}" if count else "catalogue and log"
    codes = f" ({', '.join(mending.codes)})" if mending.codes else ""
    tell(f"wiki: {outcome.commit[:10]}  mended {pages}{codes}")


def _dirty_among(repo: Repository, findings: Sequence[Finding]) -> Callable[[str], bool]:
    dirty = frozenset(repo.dirty(sorted({f.path for f in findings if f.path})))
    return dirty.__contains__


def _difference(repo: Repository, plan: Plan) -> str:
    lines: list[str] = []
    for path, after in sorted(plan.writes.items()):
        before = repo.read(plan.base, path)
        lines += difflib.unified_diff(
            _lines(before),
            _lines(after),
            "/dev/null" if before is None else f"a/{path}",
            "/dev/null" if after is None else f"b/{path}",
        )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
