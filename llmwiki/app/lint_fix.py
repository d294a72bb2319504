"""What lint can mend beyond doubt: until nothing of that is left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from llmwiki.app.lint import look_at
from llmwiki.app.lint_reports import read_baseline
from llmwiki.app.lint_scope import LintOptions
from llmwiki.ingest.report import diff_of
from llmwiki.landing.land import Made, land
from llmwiki.lint import autofix, baseline
from llmwiki.lint.rule import FixContext
from llmwiki.lint.run import linted
from llmwiki.lint.texts import Texts

if TYPE_CHECKING:
    from llmwiki.git.store.outcome import Outcome
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.landing.state import WikiState


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
    repo = wiki.repo
    looked = look_at(wiki, options)
    held = read_baseline(wiki, options.baseline)
    with linted(repo, **looked.wanted) as (report, pages):
        new = baseline.split(report.findings, held, report.rules).new
        findings = list(filter(looked.scope.holds, new))
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
