"""Reports of a lint as text, in the formats that people and CI read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.lint.report.lint_report import plain as plain

if TYPE_CHECKING:
    from llmwiki.lint.report.lint_report import LintReport

FORMATS = ("text", "json", "sarif", "github", "gitlab")


def render(
    report: LintReport,
    form: str,
    *,
    exit_code: int,
    coloured: bool = False,
    brief: bool = False,
    whole: bool = False,
) -> str:
    """The report in one of `FORMATS`; `coloured`, `brief` and `whole` are of text alone."""
    if form == "json":
        from llmwiki.app.shapes.upkeep import LintJson
        from llmwiki.lint.report.lint_report import as_json

        return as_json(LintJson.of(report, exit_code=exit_code))
    from llmwiki.lint.report import github, gitlab, sarif, text

    if form == "text":
        return text.render(report, colour=coloured, brief=brief, whole=whole)
    return {"sarif": sarif.render, "github": github.render, "gitlab": gitlab.render}[form](report)
