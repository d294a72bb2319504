"""Of what `wiki lint` looks at, what it reports: some folders, what is staged, what has changed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from llmwiki.core.errors import InputError
from llmwiki.git.repository import Repository
from llmwiki.lint.finding import Finding


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


def of_commit(repo: Repository, revision: str | None) -> Scope:
    """Everything, in the work tree or in a commit. Raises InputError where there is no such."""
    return Scope(repo.commit(revision) if revision is not None else None)


def of_staged(repo: Repository, now: float, environment: Mapping[str, str]) -> Scope:
    """What the next commit would hold: the files that are staged, and the wiki as a whole."""
    from llmwiki.git.staged import staged_commit

    commit = staged_commit(repo, now, environment)
    return Scope(commit, _differing(repo, repo.head(), commit))


def since(repo: Repository, scope: Scope, revision: str) -> Scope:
    """Only the files that differ from a commit. Raises InputError where there is no such."""
    from llmwiki.git.changed_files import differing_files

    old = repo.commit(revision)
    if scope.commit is None:
        among = differing_files(repo, old)
    else:
        among = _differing(repo, old, scope.commit)
    return replace(scope, among=among, whole=False)


def below(repo: Repository, here: Path, scope: Scope, names: Sequence[str]) -> Scope:
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


def _differing(repo: Repository, old: str | None, new: str) -> frozenset[str]:
    return frozenset(change.path for change in repo.diff_trees(old, new))
