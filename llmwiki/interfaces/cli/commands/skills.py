"""wiki skills: what agents know to do here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from llmwiki.core.text import counted
from llmwiki.interfaces.cli.command_context import open_wiki, say_err, told, wants_json
from llmwiki.interfaces.cli.command_options import AS_JSON
from llmwiki.interfaces.cli.command_table import CommandGroup
from llmwiki.interfaces.cli.safe_text import wrapped

if TYPE_CHECKING:
    from llmwiki import CheckedSkill, FoundSkill

_ORIGINS = {
    "person": "of people",
    "agent": "made by the agent",
    "project": "for coding agents",
    "built-in": "comes with wiki",
}


@click.group(cls=CommandGroup)
def command() -> None:
    """Skills: folders with a SKILL.md that tell an agent how something is done.

    Those of people lie in raw/skills/, those that the agent made in wiki/skills/; of two with one
    name that of people counts, then the agent's, then those beside the wiki and those that come
    with it. A skill is text that an agent reads: nothing in it allows anything.

    \b
    Examples:
      wiki skills list
      wiki skills check
      wiki skills check ~/Downloads/brew-tea
    """


@command.command("list")
@AS_JSON
def list_() -> int:
    """List the skills, with what each is for, and which of one name counts."""
    found = open_wiki().skills()
    return told("skills", None, (line for each in found for line in _row_lines(each)), skills=found)


@command.command()
@click.argument("names", nargs=-1, metavar="[NAME|FOLDER]…")
@AS_JSON
def check(names: tuple[str, ...]) -> int:
    """Check skills against the Agent Skills standard and the wiki's own rules.

    Of no name, all skills of the repository are checked. A FOLDER may lie anywhere: look at a skill
    of others before you put it into raw/skills/. Besides the standard, texts are searched for
    secrets, for characters that nobody sees and for words by which texts take over the models
    that read them.

    Exit code 1: a skill has an error, or is not safe.

    \b
    Examples:
      wiki skills check
      wiki skills check brew-tea
      wiki skills check ~/Downloads/brew-tea
    """
    checked = open_wiki().check_skills(names)
    code = int(any(each.fails for each in checked))
    lines = (line for each in checked for line in _finding_lines(each))
    told("skill-check", None, lines, skills=checked, exit_code=code)
    if not wants_json():
        wrong = sum(bool(each.findings) for each in checked)
        said = f"{wrong} with findings" if wrong else "nothing wrong"
        say_err(f"wiki: {counted(len(checked), 'skill')} checked, {said}")
    return code


def _row_lines(skill: FoundSkill) -> list[str]:
    hint = f" {skill.file.argument_hint}" if skill.file.argument_hint else ""
    head = f"{skill.name}{hint}  ({_ORIGINS[skill.origin]}{_place(skill)})"
    if skill.hidden_by:
        return [f"{head}: not used, for {skill.hidden_by} goes first"]
    if skill.wrong:
        return [f"{head}: not used, for {skill.wrong}"]
    limits = []
    if not skill.file.model_may:
        limits.append("only when a person calls it")
    if not skill.file.user_may:
        limits.append("only by the agent itself")
    if skill.file.paths:
        limits.append(f"for {', '.join(skill.file.paths)}")
    head += f": {'; '.join(limits)}" if limits else ""
    return [head, *wrapped(skill.file.description, "    ", "    ")]


def _place(skill: FoundSkill) -> str:
    return f", {skill.folder}" if skill.folder else ""


def _finding_lines(checked: CheckedSkill) -> Sequence[str]:
    lines = []
    for each in checked.findings:
        place = f"{each.path}:{each.line}" if each.line else each.path
        lines.append(f"{place}: {checked.severity(each)} {each.code} {each.message}")
        lines += [f"    {each.mend}"] if each.mend else []
    return lines
