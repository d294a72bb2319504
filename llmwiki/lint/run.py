"""A lint of a whole wiki. Where nothing changed since the last one, what that found is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, replace
from datetime import date
from typing import TYPE_CHECKING

from llmwiki.core.text import sha256_hex
from llmwiki.index.lint_tables import LintFile
from llmwiki.index.open_index import Index, open_corpus
from llmwiki.lint import cache_key
from llmwiki.lint.code_digest import code_digest
from llmwiki.lint.finding import Finding, Severity, read_back, written
from llmwiki.lint.outcome import Coverage, Report, Step, no_step
from llmwiki.lint.rule import RuleSummary
from llmwiki.lint.thresholds import LintLimits
from llmwiki.repo.repository import Repository

if TYPE_CHECKING:
    from llmwiki.lint.wiki import StoredWiki

_MOST_KEPT = 200_000
"""Findings of the largest report that is kept whole."""

Notice = Callable[[str], None]


def lint(
    repo: Repository,
    *,
    at: str | None = None,
    today: date | None = None,
    limits: LintLimits | None = None,
    codes: frozenset[str] | None = None,
    fresh: bool = False,
    notice: Notice | None = None,
    step: Step = no_step,
    further: Iterable[Finding] = (),
) -> Report:
    """Everything the rules find in the work tree, or in the revision `at`.

    `codes` are the rules to run, None: all. `fresh` looks at every file, however large the wiki.
    `step` takes what is done, how many and of how many, as it goes on.
    `further` are findings from elsewhere, as of a judgement, that pages may silence like others.
    Raises InputError for a revision that does not exist.
    """
    others = tuple(further)
    step("looking at the wiki", 0, 0)
    with _opened(repo, at, limits, fresh, notice) as (index, memory):
        stamp = cache_key.whole(repo, index, memory, _commit(index, at), today)
        kept = _Kept(memory, codes, stamp)
        report = None if others else kept.report()
        if report is None:
            # Loading the rules takes longer than all of the above.
            from llmwiki.lint.wiki import StoredWiki
            from llmwiki.lint.work import Lint

            numbers = limits or LintLimits()
            wiki = StoredWiki(
                repo, index, memory, commit=_commit(index, at), today=today, limits=numbers
            )
            with closing(wiki):
                if not stamp:
                    # Only now the day is known. Before anything is read: what changes meanwhile
                    # is seen the next time.
                    stamp = cache_key.whole(repo, index, memory, wiki.commit, wiki.today)
                    kept = _Kept(memory, codes, stamp)
                report = Lint(index, memory, wiki, codes, step).report(others)
            if not others:
                kept.keep(report)
        return report


@contextmanager
def linted(
    repo: Repository,
    *,
    at: str | None = None,
    today: date | None = None,
    limits: LintLimits | None = None,
    codes: frozenset[str] | None = None,
    fresh: bool = False,
    notice: Notice | None = None,
    step: Step = no_step,
) -> Iterator[tuple[Report, StoredWiki]]:
    """As `lint`, and the wiki it was of while that is open."""
    from llmwiki.lint.wiki import StoredWiki
    from llmwiki.lint.work import Lint

    numbers = limits or LintLimits()
    step("looking at the wiki", 0, 0)
    with (
        _opened(repo, at, limits, fresh, notice) as (index, memory),
        closing(
            StoredWiki(repo, index, memory, commit=_commit(index, at), today=today, limits=numbers)
        ) as wiki,
    ):
        yield Lint(index, memory, wiki, codes, step).report(), wiki


@contextmanager
def _opened(
    repo: Repository, at: str | None, limits: LintLimits | None, fresh: bool, notice: Notice | None
) -> Iterator[tuple[Index, LintFile]]:
    tag = f"lint {code_digest()} {limits or LintLimits()!r}"
    from llmwiki.lint.tables import TABLES

    with (
        open_corpus(repo, at=at, look="whole" if fresh else "usual", notice=notice) as index,
        LintFile(repo, index, TABLES, tag) as memory,
    ):
        yield index, memory


def _commit(index: Index, at: str | None) -> str | None:
    """The commit that is linted; None: the work tree."""
    return index.commit if at else None


class _Kept:
    """The report of the last lint with the same rules."""

    def __init__(self, memory: LintFile, codes: frozenset[str] | None, stamp: str) -> None:
        self._memory = memory
        self._stamp = stamp
        asked = "all" if codes is None else " ".join(sorted(codes))
        self._key = f"report {sha256_hex(asked.encode())[:16]}"

    def _stamped(self) -> str:
        told = f"{self._memory.clock}\n{self._stamp}"
        return sha256_hex(told.encode("utf-8", "surrogateescape"))[:32]

    def report(self) -> Report | None:
        """The report, if everything is as it was."""
        kept = self._memory.recall(f"memo {self._key}") if self._stamp else None
        if kept is None or self._memory.unknown() or self._memory.gone():
            return None
        stamp, told, found = kept.split("\n", 2)
        if stamp != self._stamped():
            return None
        coverage, ignored, rules = json.loads(told)
        known = [RuleSummary(*row)._replace(severity=Severity(row[2])) for row in rules]
        seen = Coverage(*coverage)
        seen = replace(seen, left_out=tuple(seen.left_out))
        summaries = {rule.code: rule._replace(was=tuple(rule.was)) for rule in known}
        return Report(tuple(read_back(found)), seen, ignored, summaries)

    def keep(self, report: Report) -> None:
        """Keep it for the next time."""
        if not self._stamp or len(report.findings) > _MOST_KEPT:
            return
        told = [astuple(report.coverage), report.ignored, list(report.rules.values())]
        text = "\n".join([self._stamped(), json.dumps(told), written(report.findings)])
        with self._memory.writing():
            self._memory.remember({f"memo {self._key}": text})
