"""Everything that lint knows of one skill, of texts that may lie anywhere: no index, no commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from llmwiki.lint.engine import evaluation
from llmwiki.lint.finding import Finding, Severity
from llmwiki.lint.rule import OverPage, OverWiki
from llmwiki.lint.rules import safety, skills
from llmwiki.lint.thresholds import LintLimits
from llmwiki.lint.view import PageView

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView

_SEVERITY = {rule.code: rule.severity for rule in (*skills.RULES, *safety.RULES)}


class _SkillFiles:
    """Of a wiki what the rules for skills ask: the files of one skill."""

    paths: Sequence[str] = ()

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.limits = LintLimits()
        self.files = files

    def page(self, _path: str) -> None:
        """None: its files are no pages."""

    def file(self, path: str) -> bytes | None:
        """The bytes of a file."""
        return self.files.get(path)


def check_skill(folder: str, files: Mapping[str, bytes]) -> tuple[Finding, ...]:
    """What is wrong with a skill whose `files`, by their names below it, lie in `folder`, sorted.

    The rules for skills are asked of it as of one of raw/skills/ or, where it lies there,
    wiki/skills/; the rules for safety of each of its texts.
    """
    home = (
        folder
        if folder.startswith("wiki/skills/")
        else f"raw/skills/{folder.rsplit('/', maxsplit=1)[-1]}"
    )
    held = {f"{home}/{name}": data for name, data in files.items()}
    wiki = cast("WikiView", _SkillFiles(held))
    found: list[Finding] = []
    for rule in skills.RULES:
        if isinstance(rule.over, OverWiki):
            found += evaluation.findings(rule, rule.over.check(wiki), "")
    for path in sorted(held):
        if path.lower().endswith((".md", ".txt")):
            view = PageView(path, held[path].decode("utf-8", "ignore"))
            for rule in safety.RULES:
                if isinstance(rule.over, OverPage):
                    found += evaluation.findings(rule, rule.over.check(view), path)
    return tuple(
        sorted(
            each._replace(
                path=folder + each.path[len(home) :],
                message=each.message.replace(f"`{home}/`", f"`{folder}/`"),
            )
            for each in found
        )
    )


def is_refused(finding: Finding) -> bool:
    """Whether a skill with this finding is not taken from an agent: an error of any kind, and every
    finding of safety, mere warnings too."""
    return _SEVERITY[finding.code] is Severity.ERROR or finding.code.startswith("WK6")


def severity_of(finding: Finding) -> Severity:
    """How bad a finding of a skill is."""
    return _SEVERITY[finding.code]
