"""Everything that lint knows of one skill, of texts that may lie anywhere: no index, no commit."""

from __future__ import annotations

from collections.abc import Mapping

from llmwiki.lint.finding import Finding, Severity
from llmwiki.lint.rule import rules_in
from llmwiki.lint.rules import injection, markup, safety, skills
from llmwiki.lint.view import PageView
from llmwiki.lint.wiki import HeldWiki
from llmwiki.lint.work import of_page

_SAFETY = tuple(rule for each in (injection, markup, safety) for rule in rules_in(each))
_RULES = {rule.code: rule for rule in (*rules_in(skills), *_SAFETY)}


def check_skill(folder: str, files: Mapping[str, bytes]) -> tuple[Finding, ...]:
    """What is wrong with a skill whose `files`, by their names below it, lie in `folder`, sorted.

    The rules for skills are asked of it as of one of raw/skills/ or, where it lies there,
    wiki/skills/; the rules for safety of each of its texts.
    """
    is_agents = folder.startswith("wiki/skills/")
    home = folder if is_agents else f"raw/skills/{folder.rsplit('/', maxsplit=1)[-1]}"
    held = {f"{home}/{name}": data for name, data in files.items()}
    wiki = HeldWiki(held)
    found = [each for rule in rules_in(skills) for each in rule.findings(wiki)]
    for path in sorted(held):
        if path.lower().endswith((".md", ".txt")):
            found += of_page(PageView(path, held[path].decode("utf-8", "ignore")), _SAFETY)
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
    return severity_of(finding) is Severity.ERROR or finding.code.startswith("WK6")


def severity_of(finding: Finding) -> Severity:
    """How bad a finding of a skill is."""
    return finding.severity or _RULES[finding.code].severity
