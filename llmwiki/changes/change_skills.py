"""Skills that the agent makes: text in wiki/skills/, each change one commit."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from llmwiki.changes.find_skills import FoundSkill, find_skills
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.secrets import refuse
from llmwiki.core.text import normalise
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.land import land
from llmwiki.landing.operation import LandingOptions, Made, Operation, turn_trailers
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.frontmatter import scalar
from llmwiki.pages.page import Page
from llmwiki.pages.skill_file import MOST_NAME, SKILL_NAME

OWN = "wiki/skills"
LESSON_FILE = "references/learned-from.md"
"""Of a skill: the trace of the conversations that taught it. The program writes it."""
MOST_FILE = 40_000
"""Bytes of one file of a skill that the agent writes."""
_FILE = re.compile(r"SKILL\.md|(?:references|assets)/[A-Za-z0-9][A-Za-z0-9._-]{0,80}\.md")
_HEADING = re.compile(r"^# ", re.MULTILINE)

SkillTexts = Mapping[str, str]
"""Files of a skill by their names below its folder."""
SkillCheck = Callable[[str, SkillTexts], None]
"""Takes the folder of a skill and its files after; raises PolicyError for what may not be."""


@dataclass(frozen=True, slots=True)
class SkillEdit:
    """One change of a skill, as somebody wants it."""

    name: str
    verb: str
    """For the title of the commit: `made`, `changed`, `deleted`."""
    change: Callable[[SkillTexts], SkillTexts]
    """Takes the files as they are, gives those after; it may be called again. Raises InputError."""
    lesson: str = ""
    """What taught it, as Markdown, for `LESSON_FILE`; empty: nothing is added there."""
    session: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class ChangedSkill:
    """What a change of a skill did, or would do."""

    name: str
    folder: str
    outcome: Outcome
    diff: str
    """The change as a unified diff; empty where nothing changes."""


def change_skill(
    state: WikiState,
    edit: SkillEdit,
    check: SkillCheck,
    *,
    dry_run: bool,
    terms: LandingOptions,
) -> ChangedSkill:
    """Changes a skill of the agent; see `Wiki.change_skill`."""
    if not SKILL_NAME.fullmatch(edit.name) or len(edit.name) > MOST_NAME:
        raise InputError(
            f"{edit.name[:64]!r} is no name of a skill",
            fix="A name has a-z, 0-9 and single hyphens between them, 64 characters at most.",
        )
    _refuse_of_people(find_skills(state.repo), edit.name)
    folder = f"{OWN}/{edit.name}"

    def make(current: WikiState) -> Made[str]:
        before = _texts(current, folder)
        after = dict(edit.change(before))
        if after == before:
            return Made(None, "")
        if after:
            if edit.lesson:
                after[LESSON_FILE] = _with_lesson(before, edit)
            _demand_texts(folder, after)
            check(folder, after)
        diff = _diff(folder, before, after)
        refuse([line[1:] for line in diff.splitlines() if line[:1] == "+"], allowed=(),
               what="the skill")  # fmt: skip
        pages = {
            f"{folder}/{name}": Page.parse(f"{folder}/{name}", after[name]) if name in after
            else None
            for name in sorted({*before, *after})
            if before.get(name) != after.get(name)
        }  # fmt: skip
        operation = Operation(
            title=f"{edit.name} {edit.verb}",
            pages=pages,
            takes_out=not after,
            trailers=turn_trailers(edit.session, edit.turn),
        )
        return Made(operation, diff)

    landed = land(state, "skill", make, terms=terms, dry_run=dry_run)
    return ChangedSkill(edit.name, folder, landed.outcome, landed.extra)


def created(
    name: str, description: str, body: str, *, by: str
) -> Callable[[SkillTexts], SkillTexts]:
    """Makes a skill. What it gives raises InputError where there is one of that name."""

    def change(before: SkillTexts) -> SkillTexts:
        if before:
            raise InputError(
                f"there is a skill {name} already", fix="Patch it, or delete it first."
            )
        text = body.strip("\n")
        if not _HEADING.search(text):
            text = f"# {name.replace('-', ' ').capitalize()}\n\n{text}"
        front = f"name: {name}\ndescription: {scalar(normalise(description))}\n"
        return {"SKILL.md": f"---\n{front}metadata:\n  made-by: {scalar(by)}\n---\n\n{text}\n"}

    return change


def patched(name: str, old: str, new: str, file: str) -> Callable[[SkillTexts], SkillTexts]:
    """Replaces a piece of one file; an empty `old` makes the file, and an empty `new` for the whole
    of one takes it away. What it gives raises InputError."""

    def change(before: SkillTexts) -> SkillTexts:
        if not before:
            raise InputError(f"the agent has made no skill {name}", fix="Create it first.")
        if file == LESSON_FILE:
            raise InputError("the program alone writes this file", where=f"{name}/{file}")
        text = before.get(file)
        if text is None and not old:
            return {**before, file: new.strip("\n") + "\n"}
        count = text.count(old) if text and old else 0
        if text is None or count != 1:
            raise InputError(
                f"`old` stands {count} times in {file}; it must stand there once",
                where=name,
                fix="Read the skill, and give more of the text around it.",
            )
        left = text.replace(old, new)
        if not left.strip() and file != "SKILL.md":
            return {each: held for each, held in before.items() if each != file}
        return {**before, file: left}

    return change


def deleted(name: str) -> Callable[[SkillTexts], SkillTexts]:
    """Takes a skill away. What it gives raises InputError where there is none."""

    def change(before: SkillTexts) -> SkillTexts:
        if not before:
            raise InputError(f"the agent has made no skill {name}")
        return {}

    return change


def _refuse_of_people(skills: tuple[FoundSkill, ...], name: str) -> None:
    """Raises PolicyError where people have a skill of that name: it would go first anyway."""
    for skill in skills:
        if skill.name == name and skill.origin == "person":
            raise PolicyError(
                "people wrote this skill, and the agent does not change it", where=skill.folder
            )


def _texts(state: WikiState, folder: str) -> dict[str, str]:
    held = state.repo.tree(state.commit, folder) if state.commit else {}
    names = sorted(path.removeprefix(f"{folder}/") for path in held)
    pages = {name: state.page(f"{folder}/{name}") for name in names if name.endswith(".md")}
    return {name: page.text for name, page in pages.items() if page is not None}


def _demand_texts(folder: str, after: SkillTexts) -> None:
    """Raises InputError for a file that a skill of the agent may not have."""
    for name, text in after.items():
        if not _FILE.fullmatch(name):
            raise InputError(
                "a skill of the agent has SKILL.md, references/NAME.md and assets/NAME.md",
                where=f"{folder}/{name}"[:200],
            )
        if len(text.encode("utf-8", "replace")) > MOST_FILE:
            raise PolicyError(f"has more than {MOST_FILE:,} bytes", where=f"{folder}/{name}")
        if Page.parse(f"{folder}/{name}", text).claims:
            raise InputError(
                "a skill holds no claims",
                where=f"{folder}/{name}",
                fix="Leave out the ids `^c-…` at ends of lines; cite a claim as [[Page#^c-…]].",
            )


def _with_lesson(before: SkillTexts, edit: SkillEdit) -> str:
    head = (
        f"# What taught {edit.name}\n\nWritten by the program from the conversations in which the"
        " skill was made and changed; it is evidence, and no part of the instructions.\n"
    )
    return f"{before.get(LESSON_FILE, head).rstrip()}\n\n{edit.lesson.strip()}\n"


def _diff(folder: str, before: SkillTexts, after: SkillTexts) -> str:
    lines: list[str] = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, ""), after.get(name, "")
        path = f"{folder}/{name}"
        lines += difflib.unified_diff(
            old.splitlines(), new.splitlines(), path, path, lineterm="", n=2
        )
    return "\n".join(lines)
