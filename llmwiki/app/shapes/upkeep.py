"""Lint, the index, mending after a stop, and settings: shapes of JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import NullIfEmpty, Shape, at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llmwiki.lint.finding import LintReport


def _findings(report: LintReport) -> Iterator[dict[str, Any]]:
    from llmwiki.lint.report import mending_of, plain

    for finding, mark in report.marked():
        rule = report.rules[finding.code]
        yield FindingJson.of(
            finding,
            name=rule.name,
            severity=report.severity(finding).word,
            message=plain(finding.message),
            mend=mending_of(finding, rule),
            fingerprint=mark,
            fixable=rule.fixable,
        )


class FindingJson(Shape):
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


class CoverageJson(Shape):
    """What was looked at."""

    pages: int
    claims: int
    quotes: int
    compared: int
    """Quotes that were compared with their texts."""
    rules: int
    left_out: list[str]
    """What could not be looked at and why: nothing is said of it."""


class CountsJson(Shape):
    """How many findings there are."""

    error: int = at(lambda report: report.counts["error"])
    warning: int = at(lambda report: report.counts["warning"])
    note: int = at(lambda report: report.counts["note"])
    ignored: int
    """Silenced by pages; not listed."""
    baseline: int = at("known")
    """Known to the baseline; not listed."""


class LintJson(Shape):
    """The findings of a lint."""

    schema: Literal["llmwiki.lint/1"]
    exit_code: int
    findings: list[FindingJson] = at(_findings)
    coverage: CoverageJson = at(
        lambda report: CoverageJson.of(report.coverage, rules=len(report.rules))
    )
    counts: CountsJson = at(lambda report: report)


class IndexJson(Shape):
    """What the search index holds."""

    schema: Literal["llmwiki.index/1"]
    pages: int
    words: int
    commit: str | None
    uncommitted: int
    differences: list[str] | None
    """Where it differs from one made anew; null: it was not compared."""


class RecoverJson(Shape):
    """What became of an operation that was cut off."""

    schema: Literal["llmwiki.recover/1"]
    outcome: Literal["clean", "finished", "dropped", "unfinished"]
    operation: NullIfEmpty[str]
    commit: str | None
    kept: list[str]
    failed: list[str]


class UnresolvedJson(Shape):
    """A path that a person must look at."""

    path: str
    why: str


class WordedJson(Shape):
    """What both sides worded differently; the one wording stands, and the other beside it."""

    path: str = at(lambda pair: pair[0])
    about: str = at(lambda pair: pair[1].name)
    """The claim's id, `lead`, `title` or a key of the frontmatter."""
    kept: str = at(lambda pair: pair[1].kept)
    other: str = at(lambda pair: pair[1].dropped)


class ResolveJson(Shape):
    """What was merged of a stopped merge."""

    schema: Literal["llmwiki.resolve/1"]
    merged: list[str]
    removed: list[str]
    left: list[UnresolvedJson]
    worded: list[WordedJson]
    dry_run: bool


class SettingJson(Shape):
    """One setting."""

    key: str = at("option.key")
    value: str | int | float | bool
    origin: str
    variable: str = at("option.variable")
    """The environment variable that sets it."""
    from_repository: bool = at("option.from_repository")
    """Whether .llmwiki.toml may set it."""
    meaning: str = at("option.meaning")


class ConfigJson(Shape):
    """The settings in force."""

    schema: Literal["llmwiki.config/1"]
    settings: list[SettingJson] = at(
        lambda config: [each for _, each in sorted(config.settings.items())]
    )


class ConfinementJson(Shape):
    """What confines the processes that read documents."""

    schema: Literal["llmwiki.confinement/1"]
    in_force: list[str]
