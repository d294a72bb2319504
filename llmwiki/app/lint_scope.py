"""Of what `wiki lint` looks at, what it reports: some folders, what is staged, what has changed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.declared_options import CheckedOptions, at, max_cost, opt
from llmwiki.core.errors import InputError
from llmwiki.landing.settings import clock
from llmwiki.lint.select import FAIL_ON

if TYPE_CHECKING:
    from llmwiki.git.repository import Repository
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.lint.finding import Finding


@dataclass(frozen=True, slots=True)
class JudgementOptions(CheckedOptions):
    """Whether a model judges claims, and which."""

    llm: bool = opt(False, "Let a model judge the claims too.")
    model: str | None = opt(None, "With --llm: the model that judges.", needs=("--llm",))
    max_cost: float | None = max_cost(
        "With --llm: stop before a call could pass this sum; 0: call no model.",
        needs=("--llm",),
    )


@dataclass(frozen=True, slots=True)
class LintOptions(CheckedOptions):
    """What is linted, by which rules, and what of it is reported."""

    paths: tuple[str, ...] = ()
    """Files and folders whose findings are reported; none: all."""
    select: tuple[str, ...] = opt(
        (),
        "Run only these rules: codes, their beginnings (WK1) or names, with commas between them."
        " Instead of lint.select.",
        metavar="CODES",
    )
    ignore: tuple[str, ...] = opt(
        (), "Leave these rules out, instead of lint.ignore.", metavar="CODES"
    )
    staged: bool = opt(
        False,
        "Lint what the next commit would hold, and report only files that are staged.",
        excludes=("--at", "--changed", "--fix"),
    )
    guard: bool = opt(
        False,
        "With --staged: only what the staged pages bring against the rules of evidence and safety,"
        " as the hook of `wiki init` asks.",
        needs=("--staged",),
        excludes=("--llm", "--prepare"),
    )
    changed: str | None = opt(
        None, "Report only files that differ from this commit, edits included.", metavar="REV"
    )
    at: str | None = at(excludes=("--fix",))
    fail_on: str | None = opt(
        None,
        "The mildest finding that ends in exit code 1. Default: warning, or lint.fail_on.",
        choices=FAIL_ON,
    )
    baseline: str | None = opt(
        None, "Leave out the findings in FILE, instead of lint.baseline.", metavar="FILE"
    )
    judge: JudgementOptions = field(default_factory=JudgementOptions)
    """Whether a model judges claims too."""

    @property
    def narrowed(self) -> bool:
        """Whether only a part of what is found is asked for."""
        return bool(self.paths or self.staged or self.changed or self.select or self.ignore)


@dataclass(frozen=True, slots=True)
class Scope:
    """What is linted, and which findings are reported."""

    commit: str | None
    """The commit that is linted; None: the work tree."""
    among: frozenset[str] | None = None
    """The files whose findings are reported; None: all."""
    whole: bool = True
    """Whether findings about the wiki as a whole are reported."""
    folders: tuple[str, ...] = ()
    """Files and folders whose findings are reported; none: all."""

    def holds(self, finding: Finding) -> bool:
        """Whether a finding is reported."""
        return self.holds_path(finding.path) if finding.path else self.whole

    def holds_path(self, path: str) -> bool:
        """Whether findings in a file are reported."""
        if self.among is not None and path not in self.among:
            return False
        return not self.folders or any(
            path == folder or path.startswith(f"{folder}/") for folder in self.folders
        )


def scope_of(wiki: OpenWiki, options: LintOptions) -> Scope:
    """The state that is linted and the files that are reported. Raises InputError, StateError."""
    repo = wiki.repo
    if options.staged:
        from llmwiki.git.staged import staged_commit

        commit = staged_commit(repo, clock(), os.environ)
        # The guard looks at what is staged by itself.
        scope = Scope(commit, None if options.guard else _differing(repo, repo.head(), commit))
    else:
        scope = Scope(repo.commit(options.at) if options.at is not None else None)
    if options.changed is not None:
        from llmwiki.git.changed_files import differing_files

        old = repo.commit(options.changed)
        is_tree = scope.commit is None
        among = differing_files(repo, old) if is_tree else _differing(repo, old, scope.commit)
        scope = replace(scope, among=among, whole=False)
    return _below(repo, wiki.here, scope, options.paths)


def _differing(repo: Repository, old: str | None, new: str | None) -> frozenset[str]:
    return frozenset(change.path for change in repo.diff_trees(old, new))


def _below(repo: Repository, here: Path, scope: Scope, names: Sequence[str]) -> Scope:
    """Only these files and folders, as they are named from the folder `here`.

    Raises InputError for one outside of the wiki's root, or that does not exist.
    """
    folders = []
    for name in names:
        place = Path(os.path.normpath(os.path.realpath(here) / Path(name)))
        if not place.is_relative_to(repo.root):
            raise InputError(
                "is not in this wiki", where=name, fix=f"Name files or folders below {repo.root}."
            )
        if scope.commit is None and not os.path.lexists(place):
            spelling = f"Check the spelling; paths start at the folder you are in, {here}."
            is_rule = name.startswith("WK") and name[2:].isdecimal()
            rule = f"One rule alone: wiki lint --select {name}"
            raise InputError("does not exist", where=name, fix=rule if is_rule else spelling)
        folders.append(place.relative_to(repo.root).as_posix())
    if not folders or "." in folders:
        return scope
    return replace(scope, folders=tuple(folders), whole=False)
