"""Skills: SKILL.md as the Agent Skills standard has it (agentskills.io/specification).

The agent's skills lie in wiki/skills/, people's in raw/skills/; both are looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence

from llmwiki.lint.findings import Finding, Severity, found_at, milder, short
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import rule
from llmwiki.lint.rules.safety import rules_of_pages
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.skill_file import MOST_NAME, SKILL_NAME

_PLACE = re.compile(r"(?:wiki|raw)/skills/[^/]+/SKILL\.md")
_TEXTS = (".md", ".txt", ".json", ".yaml", ".yml", ".csv", ".gitkeep")


def _of_skill(folder: str, view: PageView) -> Iterator[Finding]:
    """What is wrong with the SKILL.md that lies in a folder of that name."""
    if not view.has_front:
        yield found_at(1, "This skill has no frontmatter, so no agent finds it")
        return
    if view.broken:
        yield found_at(1, f"The skill's frontmatter cannot be read: {view.broken}")
        return
    yield from _name(folder, view)
    for key, most in (("description", 1024), ("compatibility", 500)):
        told, line = view.values.get(key), view.front_line(key)
        is_said = isinstance(told, str) and told.strip()
        if key == "description" and not is_said:
            yield found_at(line, "This skill has no description, so no agent knows when to use it")
        elif isinstance(told, str) and len(told) > most:
            yield found_at(line, f"`{key}` has {len(told):,} characters, more than {most:,}")


def _name(folder: str, view: PageView) -> Iterator[Finding]:
    name, line, mend = view.values.get("name"), view.front_line("name"), ""
    if not isinstance(name, str) or not name.strip():
        what, mend = "This skill has no name", f"Write `name: {short(folder)}`."
    elif len(name) > MOST_NAME:
        what = f"The skill's name has {len(name)} characters, more than {MOST_NAME}"
    elif not SKILL_NAME.fullmatch(name):
        what = f"`{short(name)}` is no name of a skill"
        mend = "A name has a-z, 0-9 and single hyphens between them."
    elif name != folder:
        what = f"The skill is named `{name}` and lies in the folder `{short(folder)}`"
        mend = "Give both one name."
    else:
        what = ""
    if what:
        yield found_at(line, what, mend=mend)


def _not_text(files: Sequence[str]) -> Iterator[Finding]:
    for path in files:
        if path.startswith("wiki/") and not path.lower().endswith(_TEXTS):
            yield found_at(
                0,
                f"`{short(path.rsplit('/', 1)[-1])}` is no text, and a skill of the agent holds"
                " text only",
                path=path,
            )


_FRONT = "---\nname: brew-tea\ndescription: Says how tea is brewed. Use when asked for tea.\n"
_BODY = "---\n\n# Brew tea\n\nPour hot water over the leaves, and wait for two minutes.\n"
_GOOD = _FRONT + _BODY
_AT = "wiki/skills/brew-tea/SKILL.md"


@rule(
    "WK520 error broken-skill",
    was="WK521 WK522 WK526 WK527 skill-frontmatter skill-name skill-description skill-without-file"
    " skill-not-text WK525 WK524 skill-advice skill-too-long",
    bad={_AT: _GOOD.replace("name: brew-tea", "name: Brew Tea")},
    good={_AT: _GOOD, "wiki/skills/brew-tea/references/leaves.md": "# Leaves\n"},
)
def broken_skill(wiki: LintedWiki) -> Iterator[Finding]:
    """Agents refuse or do not find a skill: its SKILL.md has no frontmatter, or none that can be
    read; its name is missing, longer than 64 characters, made of other characters than a-z, 0-9 and
    single hyphens, or not that of its folder; it has no description, or one of more than 1,024
    characters, or a `compatibility` of more than 500. Or, a warning, a skill in wiki/skills/ holds
    what may be run: what a model wrote is text, programs belong to people, in raw/skills/.

    Give the skill and its folder one such name, and say what it does and when to use it. Move
    programs to raw/skills/ once a person has read them.
    """
    pages = wiki.paths
    start, end = bisect_left(pages, "wiki/skills/"), bisect_left(pages, "wiki/skills0")
    files = (path for path in wiki.files if path.startswith(("wiki/skills/", "raw/skills/")))

    def view(path: str) -> PageView:
        data = wiki.file(path) or b""
        return wiki.page(path) or PageView(path, data.decode("utf-8", "ignore"), wiki.vaults)

    yield from _faults(sorted([*pages[start:end], *files]), view)


def _faults(files: Sequence[str], view: Callable[[str], PageView]) -> Iterator[Finding]:
    """What is wrong with the skills that these files make, sorted as they are."""
    for path in filter(_PLACE.fullmatch, files):
        for hit in _of_skill(path.split("/")[-2], view(path)):
            yield hit._replace(path=path)
    yield from milder(_not_text(files), Severity.WARNING)


# --- one skill -----------------------------------------------------------------------------


def check_skill(folder: str, files: Mapping[str, bytes]) -> tuple[Finding, ...]:
    """What is wrong with a skill whose `files`, by their names below it, lie in `folder`, sorted;
    no index and no commit is asked.

    The rule for skills is asked of it as of one of raw/skills/ or, where it lies there,
    wiki/skills/; the rules for safety of each of its texts.
    """
    is_agents = folder.startswith("wiki/skills/")
    home = folder if is_agents else f"raw/skills/{folder.rsplit('/', maxsplit=1)[-1]}"
    views = {
        f"{home}/{name}": PageView(f"{home}/{name}", data.decode("utf-8", "ignore"))
        for name, data in sorted(files.items())
    }
    faults = _faults(list(views), views.__getitem__)
    found = [hit._replace(code=broken_skill.code) for hit in faults]
    if f"{home}/SKILL.md" not in views:
        message = f"`{home}/` has no SKILL.md, so it is no skill"
        found.append(Finding(min(views, default=home), 0, 0, broken_skill.code, message))
    for path, view in views.items():
        if path.lower().endswith((".md", ".txt")):
            for rule in rules_of_pages():
                found += rule.findings(view, path=path)
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
    return severity_of_skill(finding) is Severity.ERROR or finding.code.startswith("WK6")


def severity_of_skill(finding: Finding) -> Severity:
    """How bad a finding of a skill is."""
    if finding.severity is not None:
        return finding.severity
    rules = (broken_skill, *rules_of_pages())
    return next(rule.severity for rule in rules if rule.code == finding.code)
