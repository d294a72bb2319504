"""A lint of a whole wiki. Where nothing changed since the last one, what that found is told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.callbacks import ignore
from llmwiki.core.page_and_note_kinds import KIND_OF_FOLDER
from llmwiki.core.text import sha256_hex
from llmwiki.git.repository import Repository
from llmwiki.index.open_index import Index, open_corpus
from llmwiki.index.page_facts_record import is_catalogue
from llmwiki.index.tables_for_lint import LintFile
from llmwiki.lint.findings import (
    Coverage,
    Finding,
    LintReport,
    RuleSummary,
    Severity,
    Step,
    no_step,
    read_back,
    written,
)
from llmwiki.lint.vault_and_archive_folders import VaultKinds
from llmwiki.lint.wiki_files import raw_token
from llmwiki.version import __version__

if TYPE_CHECKING:
    from llmwiki.lint.whole_wiki_view import LintedWiki

_MOST_KEPT = 200_000
"""Findings of the largest report that is kept whole."""

Notice = Callable[[str], None]


def lint(
    repo: Repository,
    *,
    at: str | None = None,
    vaults: VaultKinds | None = None,
    codes: frozenset[str] | None = None,
    notice: Notice = ignore,
    step: Step = no_step,
    further: Iterable[Finding] = (),
) -> LintReport:
    """Everything the rules find in the work tree, or in the revision `at`.

    `codes` are the rules to run, None: all.
    `step` takes what is done, how many and of how many, as it goes on.
    `further` are findings from elsewhere, as of a judgement, that pages may silence like others.
    Raises InputError for a revision that does not exist.
    """
    others = tuple(further)
    with _opened(repo, at, vaults or VaultKinds(), notice, step) as (index, memory):
        commit = index.commit if at else None
        # Before anything is read: what changes meanwhile is seen the next time.
        stamp = whole(repo, index, commit)
        if not others and (report := _Kept(memory, codes, stamp).report()) is not None:
            return report
        with _wiki(repo, index, memory, commit, vaults) as wiki:
            report = _report(index, memory, wiki, codes, step, others)
        if not others:
            _Kept(memory, codes, stamp).keep(report)
        return report


@contextmanager
def linted(
    repo: Repository,
    *,
    at: str | None = None,
    vaults: VaultKinds | None = None,
    codes: frozenset[str] | None = None,
    notice: Notice = ignore,
    step: Step = no_step,
) -> Iterator[tuple[LintReport, LintedWiki]]:
    """As `lint`, and the wiki it was of while that is open."""
    with (
        _opened(repo, at, vaults or VaultKinds(), notice, step) as (index, memory),
        _wiki(repo, index, memory, index.commit if at else None, vaults) as wiki,
    ):
        yield _report(index, memory, wiki, codes, step, ()), wiki


@contextmanager
def _opened(
    repo: Repository, at: str | None, vaults: VaultKinds, notice: Notice, step: Step
) -> Iterator[tuple[Index, LintFile]]:
    step("looking at the wiki", 0, 0)
    with (
        open_corpus(repo, at=at, notice=notice) as index,
        LintFile(repo, index, f"lint {code_stamp()} {vaults!r}") as memory,
    ):
        yield index, memory


def _wiki(
    repo: Repository,
    index: Index,
    memory: LintFile,
    commit: str | None,
    vaults: VaultKinds | None,
) -> closing[LintedWiki]:
    # Loading the rules takes longer than to see that nothing changed.
    from llmwiki.lint.whole_wiki_view import LintedWiki

    known = vaults or VaultKinds()
    return closing(LintedWiki(repo, index, memory, commit=commit, vaults=known))


def _report(
    index: Index,
    memory: LintFile,
    wiki: LintedWiki,
    codes: frozenset[str] | None,
    step: Step,
    further: tuple[Finding, ...],
) -> LintReport:
    from llmwiki.lint.changed_pages import Lint

    return Lint(index, memory, wiki, codes, step).report(further)


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

    def report(self) -> LintReport | None:
        """The report, if everything is as it was."""
        kept = self._memory.recall(f"memo {self._key}")
        if kept is None or self._memory.unknown() or self._memory.gone():
            return None
        stamp, told, found = kept.split("\n", 2)
        if stamp != self._stamped():
            return None
        seen, ignored, rules = json.loads(told)
        coverage = replace(Coverage(*seen), left_out=tuple(seen[-1]))
        summaries = {
            row[0]: replace(RuleSummary(*row), severity=Severity(row[2]), was=tuple(row[-1]))
            for row in rules
        }
        return LintReport(tuple(read_back(found)), coverage, summaries, ignored)

    def keep(self, report: LintReport) -> None:
        """Keep it for the next time."""
        if len(report.findings) > _MOST_KEPT:
            return
        names = [each.name for each in fields(RuleSummary)]
        rules = [[getattr(rule, name) for name in names] for rule in report.rules.values()]
        told = [astuple(report.coverage), report.ignored, rules]
        text = "\n".join([self._stamped(), json.dumps(told), written(report.findings)])
        with self._memory.writing():
            self._memory.remember({f"memo {self._key}": text})


_FOLDERS = tuple(sorted(KIND_OF_FOLDER))
_LETTERS = (*"abcdefghijklmnopqrstuvwxyz0123456789", "other")


def whole(repo: Repository, index: Index, commit: str | None) -> str:
    """Everything but the pages, which `LintFile.clock` tells of."""
    told = (
        commit or index.commit or "",
        repo.branch() or "",
        index.commit or "",
        repo.incomplete,
        files(repo, commit),
        "" if commit else _folders(repo.root, index),
        raw_token(repo, commit, swept=index.swept),
    )
    return "\n".join(told)


def files(repo: Repository, commit: str | None) -> str:
    """Catalogue, log and overview."""
    return commit or "\n".join(_states(repo.root, _rendered(repo.root)))


def _rendered(root: Path) -> Iterator[str]:
    """The files that code renders, as far as they may exist."""
    for name in _listed(root / "wiki"):
        if is_catalogue(f"wiki/{name}"):
            yield f"wiki/{name}"
        elif name in _FOLDERS:
            for letter in _LETTERS:
                yield f"wiki/{name}/index-{letter}.md"


def _folders(root: Path, index: Index) -> str:
    """The folders below wiki/: each changes whenever a file comes, goes or is renamed in it."""
    known = [path for (path,) in index.db.execute("SELECT path FROM folder ORDER BY path")]
    hidden = [f"wiki/{name}" for name in _listed(root / "wiki") if name.startswith(".")]
    return "\n".join(_states(root, [*known, *hidden]))


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []


def _states(root: Path, paths: Iterator[str] | list[str]) -> Iterator[str]:
    for path in paths:
        try:
            found = os.lstat(root / path)
        except OSError:
            continue
        yield f"{path} {found.st_mtime_ns} {found.st_size} {found.st_ino}"


def code_stamp(package: Path = Path(__file__).parents[1]) -> str:
    """A text that changes with the code of the program: its version, and of modules that lie in
    folders how large they are in all and when one was written last."""
    size = newest = 0
    for folder, names, files in os.walk(package):
        names[:] = [name for name in names if name != "__pycache__"]
        for name in files:
            found = Path(folder, name).stat()
            size, newest = size + found.st_size, max(newest, found.st_mtime_ns)
    return f"{__version__} {size} {newest}"
