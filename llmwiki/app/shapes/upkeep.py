"""Lint, the index, mending after a stop, and settings: shapes of JSON objects."""

from typing import Literal

from typing_extensions import TypedDict


class FindingJson(TypedDict):
    """One finding of a lint."""

    code: str
    name: str
    severity: str
    path: str
    """Empty: it is about the wiki as a whole."""
    line: int
    column: int
    message: str
    mend: str
    about: str
    claims: list[str]
    fingerprint: str
    fixable: bool


class CoverageJson(TypedDict):
    """What was looked at."""

    pages: int
    claims: int
    quotes: int
    compared: int
    """Quotes that were compared with their texts."""
    rules: int


class CountsJson(TypedDict):
    """How many findings there are."""

    error: int
    warning: int
    note: int
    ignored: int
    """Silenced by pages; not listed."""
    baseline: int
    """Known to the baseline; not listed."""


class LintJson(TypedDict):
    """The findings of a lint."""

    schema: Literal["llmwiki.lint/1"]
    exit_code: int
    findings: list[FindingJson]
    coverage: CoverageJson
    counts: CountsJson


class IndexJson(TypedDict):
    """What the search index holds."""

    schema: Literal["llmwiki.index/1"]
    pages: int
    words: int
    commit: str | None
    uncommitted: int
    differences: list[str] | None
    """Where it differs from one made anew; null: it was not compared."""


class RecoverJson(TypedDict):
    """What became of an operation that was cut off."""

    schema: Literal["llmwiki.recover/1"]
    outcome: Literal["clean", "finished", "dropped", "unfinished"]
    operation: str | None
    commit: str | None
    kept: list[str]
    failed: list[str]


class UnresolvedJson(TypedDict):
    """A path that a person must look at."""

    path: str
    why: str
    about: str
    """The claim's id, or what else both sides worded differently; empty for anything else."""
    ours: str
    """The wording of the branch that git merges into."""
    theirs: str


class ResolveJson(TypedDict):
    """What was merged of a stopped merge."""

    schema: Literal["llmwiki.resolve/1"]
    merged: list[str]
    removed: list[str]
    left: list[UnresolvedJson]
    dry_run: bool


class SettingJson(TypedDict):
    """One setting."""

    key: str
    value: str | int | float | bool
    origin: str
    variable: str
    """The environment variable that sets it."""
    from_repository: bool
    """Whether .llmwiki.toml may set it."""
    meaning: str


class ConfigJson(TypedDict):
    """The settings in force."""

    schema: Literal["llmwiki.config/1"]
    settings: list[SettingJson]


class ConfinementJson(TypedDict):
    """What confines the processes that read documents."""

    schema: Literal["llmwiki.confinement/1"]
    in_force: list[str]
