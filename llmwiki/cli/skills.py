"""wiki skills: what agents know to do here."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.shapes.skills import SkillCheckJson, SkillDoctorJson, SkillJson, SkillsJson
from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.groups import CommandGroup
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON, YES, filled, max_cost, option
from llmwiki.core.text import counted

if TYPE_CHECKING:
    from llmwiki import CheckedSkill, FoundSkill, ShownSkill, TrialReport

_ORIGINS = {
    "person": "of people",
    "agent": "made by the agent",
    "project": "for coding agents",
    "built-in": "comes with wiki",
}
WIDTH = 96


@click.group(cls=CommandGroup)
def command() -> None:
    """Skills: folders with a SKILL.md that tell an agent how something is done.

    Those of people lie in raw/skills/, those that the agent made in wiki/skills/; of two with one
    name that of people counts, then the agent's, then those beside the wiki and those that come
    with it. A skill is text that an agent reads: nothing in it allows anything.

    \b
    Examples:
      wiki skills list
      wiki skills show wiki-query
      wiki skills check
      wiki skills check ~/Downloads/brew-tea
      wiki skills doctor brew-tea --prepare
    """


@command.command("list")
@AS_JSON
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> int:
    """List the skills, with what each is for, and which of one name counts.

    \b
    Example:
      wiki skills list
    """
    found = open_wiki(ctx).skills()
    if as_json:
        say_json(SkillsJson.of(skills=found))
        return 0
    for skill in found:
        say("\n".join(_row_lines(skill)))
    return 0


@command.command()
@click.argument("name")
@click.argument("file", default="", metavar="[FILE]")
@AS_JSON
@click.pass_context
def show(ctx: click.Context, name: str, file: str, as_json: bool) -> int:
    """Print a skill, or one of the files beside its SKILL.md.

    \b
    Examples:
      wiki skills show wiki-query
      wiki skills show brew-tea references/leaves.md
    """
    shown = open_wiki(ctx).skill(name, file)
    if as_json:
        say_json(SkillJson.of(shown))
        return 0
    say(shown.text.rstrip("\n"))
    if not shown.file:
        for line in _facts(shown):
            tell(f"wiki: {line}")
    return 0


@command.command()
@click.argument("names", nargs=-1, metavar="[NAME|FOLDER]…")
@AS_JSON
@click.pass_context
def check(ctx: click.Context, names: tuple[str, ...], as_json: bool) -> int:
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
    checked = open_wiki(ctx).check_skills(names)
    code = int(any(each.fails for each in checked))
    if as_json:
        say_json(SkillCheckJson.of(skills=checked, exit_code=code))
        return code
    for each in checked:
        for line in _finding_lines(each):
            say(line)
    wrong = sum(bool(each.findings) for each in checked)
    said = f"{wrong} with findings" if wrong else "nothing wrong"
    tell(f"wiki: {counted(len(checked), 'skill')} checked, {said}")
    return code


@command.command()
@click.argument("name")
@option(
    "--prepare",
    is_flag=True,
    excludes=("--report", "--model"),
    help="Write the next round as a job for an agent.",
)
@click.option("--report", is_flag=True, help="Print the rounds so far, and stop.")
@click.option("--model", help="Model that reads.")
@max_cost()
@click.option(
    "--rounds", type=click.IntRange(1, 10), default=3, show_default=True, help="Rounds at most."
)
@click.option("--apply", is_flag=True, help="Commit the patches that readers have tried.")
@click.option("--fresh", is_flag=True, help="Forget earlier rounds and their tasks.")
@YES
@ALLOW_DETACHED
@AS_JSON
@click.pass_context
def doctor(
    ctx: click.Context,
    /,
    name: str,
    prepare: bool,
    report: bool,
    yes: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Try a skill with readers who have never seen it, and say what was unclear.

    Whoever wrote a text cannot see what is unclear in it. One typical task and one or two edge
    cases are fixed with what their results must meet; in each round fresh readers do them as the
    skill says, and report what they did not understand, what they assumed, and whether the result
    meets each requirement. One patch a round is proposed and tried in the next one; a patch with
    which readers do worse is taken back. It ends when two rounds in a row bring nothing new.

    Readers are a model, or agents that your coding agent starts: --prepare writes a round as a job,
    `wiki apply FILE` takes its reports. Nothing is changed without --apply, and then only a skill
    that the agent made, in one commit.

    \b
    Examples:
      wiki skills doctor brew-tea --prepare
      wiki skills doctor brew-tea --model claude-sonnet-5 --max-cost 0.50
      wiki skills doctor brew-tea --report
    """
    from llmwiki.app.skill_doctor import TrialOptions

    wiki = open_wiki(ctx, yes=yes)
    chosen = filled(TrialOptions, options)
    if prepare:
        job = wiki.prepare_skill_trial(name, chosen)
        if as_json:
            say_json(SkillDoctorJson.of(job, name=name, folder=""))
        else:
            say(f"Round {job.round}. Read this file, and do what it says:\n  {job.file}")
        return 0
    told = wiki.skill_trial(name) if report else wiki.try_skill(name, chosen)
    if as_json:
        say_json(SkillDoctorJson.of(told))
    else:
        say("\n".join(_trial_lines(told)))
    return 0


def _trial_lines(told: TrialReport) -> list[str]:
    trial = told.trial
    if not trial.rounds:
        return [f"{told.skill.name} has not been tried; `wiki skills doctor` begins."]
    edges = counted(len(trial.tasks) - 1, "edge case")
    lines = [f"{told.skill.name}: {counted(len(trial.rounds), 'round')}, 1 typical task, {edges}"]
    lines += [f"gap      {gap}" for gap in trial.gaps]
    for number in range(1, len(trial.rounds) + 1):
        lines += _round_lines(told, number)
    if trial.is_over:
        lines.append("enough   two rounds in a row brought nothing new")
    if told.diff:
        lines += ["", told.diff, ""]
    if told.commit:
        lines.append(f"landed   {told.commit[:10]}; `wiki undo` takes it back")
    elif told.diff and told.skill.origin == "agent":
        lines.append("nothing is changed; --apply commits what readers have tried")
    if told.usage is not None:
        cost = "" if told.cost is None else f", USD {told.cost:.4f} (estimate)"
        lines.append(f"{told.model}: {told.usage.total} tokens{cost}")
    return lines


def _round_lines(told: TrialReport, number: int) -> list[str]:
    done = told.trial.rounds[number - 1]
    score = done.score
    passed = "" if done.has_passed else "; a critical requirement is not met"
    lines = [
        f"round {number:<2} {score.accuracy:g} % of the requirements met{passed};"
        f" {counted(score.unclear, 'new point')} unclear; {counted(score.steps, 'step')}"
    ]
    for task, report in zip(told.trial.tasks, done.reports, strict=True):
        told_of = [f"  {task.kind}: {' '.join(task.task.split())[:80]}"]
        told_of += [
            f"    {'not met' if met == 'no' else 'half met'}  {'[critical] ' * wanted.is_critical}"
            f"{wanted.text}"
            for wanted, met in zip(task.requirements, report.requirements, strict=True)
            if met != "yes"
        ]
        told_of += [
            f"    {'unclear' if p.words else 'missing'}  "
            f"{f'“{p.words}” ' if p.words else ''}{p.problem}"
            for p in report.unclear
        ]
        told_of += [f"    assumed  {each}" for each in report.assumed]
        lines += told_of if len(told_of) > 1 else []
    if done.patch is not None:
        lines.append(f"  patch, {done.outcome or 'which nobody has tried'}: {done.patch.why}")
        lines += [f"    - {line}" for line in done.patch.old.splitlines()]
        lines += [f"    + {line}" for line in done.patch.new.splitlines()]
    return lines


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
    return [head, *textwrap.wrap(skill.file.description, WIDTH - 4, initial_indent="    ",
                                 subsequent_indent="    ", break_on_hyphens=False)]  # fmt: skip


def _place(skill: FoundSkill) -> str:
    return f", {skill.folder}" if skill.folder else ""


def _facts(shown: ShownSkill) -> list[str]:
    skill = shown.skill
    lines = [f"{_ORIGINS[skill.origin]}{_place(skill)}"]
    lines += [f"beside it: {', '.join(shown.files)}"] if shown.files else []
    if skill.file.tools:
        lines.append(f"names tools, which allows none: {' '.join(skill.file.tools)}")
    return lines


def _finding_lines(checked: CheckedSkill) -> Sequence[str]:
    lines = []
    for each in checked.findings:
        place = f"{each.path}:{each.line}" if each.line else each.path
        lines.append(f"{place}: {checked.severity(each)} {each.code} {each.message}")
        lines += [f"    {each.mend}"] if each.mend else []
    return lines
