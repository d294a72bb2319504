"""What `wiki lint` looks at, by which rules, and what it reports: some folders, what is staged,
what has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki.core.declared_options import CheckedOptions, at, max_cost, opt
from llmwiki.core.errors import InputError
from llmwiki.landing.clock_and_typed_days import clock
from llmwiki.lint.select_rules import FAIL_ON

if TYPE_CHECKING:
    from llmwiki.git.repository import Repository
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.lint.findings import Finding
    from llmwiki.lint.vault_and_archive_folders import VaultKinds


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
class LintScope:
    """What is linted, by which rules, and which findings are reported."""

    commit: str | None
    """The commit that is linted; None: the work tree."""
    among: frozenset[str] | None = None
    """The files whose findings are reported; None: all."""
    whole: bool = True
    """Whether findings about the wiki as a whole are reported."""
    folders: tuple[str, ...] = ()
    """Files and folders whose findings are reported; none: all."""
    codes: frozenset[str] | None = None
    """The rules that run; None: all."""
    fail_on: str = ""
    """The mildest finding that fails."""

    def runs(self, code: str) -> bool:
        """Whether the rule of that code runs."""
        return self.codes is None or code in self.codes

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


def scope_of(wiki: OpenWiki, options: LintOptions) -> LintScope:
    """What is linted and what of it is reported. Raises InputError, StateError."""
    repo, codes, fail_on = wiki.repo, _codes(wiki, options), _fail_on(wiki, options)
    if options.staged:
        from llmwiki.git.staged import staged_commit

        commit = staged_commit(repo, clock(), os.environ)
        # The guard looks at what is staged by itself.
        scope = LintScope(commit, None if options.guard else _differing(repo, repo.head(), commit))
    else:
        scope = LintScope(repo.commit(options.at) if options.at is not None else None)
    if options.changed is not None:
        from llmwiki.git.changed_files_and_branches import differing_files

        old = repo.commit(options.changed)
        is_tree = scope.commit is None
        among = differing_files(repo, old) if is_tree else _differing(repo, old, scope.commit)
        scope = replace(scope, among=among, whole=False)
    scope = replace(scope, codes=codes, fail_on=fail_on)
    return _below(repo, wiki.here, scope, options.paths)


def arguments(wiki: OpenWiki, scope: LintScope) -> dict[str, Any]:
    """The same as arguments of `lint.run.lint`."""
    return {
        "at": scope.commit,
        "vaults": _vaults(wiki),
        "codes": scope.codes,
        "notice": wiki.tell.notice,
        "step": wiki.tell.step,
    }


def _differing(repo: Repository, old: str | None, new: str | None) -> frozenset[str]:
    return frozenset(change.path for change in repo.diff_trees(old, new))


def _below(repo: Repository, here: Path, scope: LintScope, names: Sequence[str]) -> LintScope:
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


def _codes(wiki: OpenWiki, options: LintOptions) -> frozenset[str] | None:
    """The rules to run, None: all. Raises InputError, naming the setting where it is one."""
    config = wiki.config
    told = {"select": options.select, "ignore": options.ignore}
    if not (any(told.values()) or config.text("lint.select") or config.text("lint.ignore")):
        return None
    from llmwiki.lint.rules import RULES
    from llmwiki.lint.select_rules import chosen, matching

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
    from llmwiki.lint.vault_and_archive_folders import VaultKind, VaultKinds, vault_of

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
