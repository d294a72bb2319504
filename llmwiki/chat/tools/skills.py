"""Tools that read skills, and that make and change those of the agent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from llmwiki.chat.skills import CHANGE_TOOL, READ_TOOL, shown_body
from llmwiki.chat.tools.tool_context import ToolContext, shown_call
from llmwiki.core.errors import InputError
from llmwiki.core.secrets import redacted
from llmwiki.core.text import fold
from llmwiki.core.tool_declaration import ToolAnswer, tool

if TYPE_CHECKING:
    from llmwiki.changes.change_skills import SkillEdit
    from llmwiki.chat.messages import EntryBlock
    from llmwiki.chat.visible_history import Messages

MOST_QUOTES = 5
"""Of the person's words that one change rests on."""
MOST_TRACED = 30
"""Calls that are told of what taught a skill."""
Action = Literal["create", "patch", "delete"]
_VERBS = {"create": "made", "patch": "changed", "delete": "deleted"}


@tool(READ_TOOL, origin="file")
def read_skill(by: ToolContext, name: str, file: str = "", arguments: str = "") -> ToolAnswer:
    """Read a skill before you do what it is for, or one of its files. `arguments` are what the
    skill asks for behind its name."""
    found = by.wiki.skill(name, file)
    skill = found.skill
    if skill.wrong:
        raise InputError(f"the skill {skill.name} cannot be used: {skill.wrong}")
    if not skill.file.model_may:
        raise InputError(f"only the person may call the skill {skill.name}")
    if found.file:
        return ToolAnswer(found.text, f"{skill.name}/{found.file}")
    beside = f"\n\nFiles of this skill: {', '.join(found.files)}" if found.files else ""
    text = shown_body(skill, arguments, by.session)
    return ToolAnswer(f"{text.rstrip()}{beside}", skill.name)


def _edit(by: ToolContext, action: Action, name: str, **given: Any) -> SkillEdit:
    from llmwiki.changes.change_skills import SkillEdit, created, deleted, patched

    wanted = {"create": ("description", "body"), "patch": ("new",), "delete": ()}[action]
    missing = [key for key in wanted if key not in given]
    if missing:
        raise InputError(f"to {action} a skill, {missing[0]} is required")
    if action == "create":
        change = created(name, given["description"], given["body"], by="agent")
    elif action == "patch":
        change = patched(name, given.get("old", ""), given["new"], given.get("file", "SKILL.md"))
    else:
        change = deleted(name)
    quotes, since = list(given.get("quotes", ())), given.get("since_turn", 0)
    told = "" if action == "delete" else lesson(by.messages, by.session, since, by.turn, quotes)
    return SkillEdit(name, _VERBS[action], change, told, by.session, by.turn)


def _preview(by: ToolContext, **given: Any) -> str:
    return by.wiki.change_skill(_edit(by, **given), dry_run=True).diff


@tool(CHANGE_TOOL, effect="rule", preview=_preview, needs=("action", "name"))
def change_skill(
    by: ToolContext,
    action: Action,
    name: str,
    description: str | None = None,
    body: str | None = None,
    file: str | None = None,
    old: str | None = None,
    new: str | None = None,
    quotes: tuple[str, ...] = (),
    since_turn: Annotated[int, {"minimum": 1, "maximum": 1_000_000}] = 0,
) -> ToolAnswer:
    """Make, patch or delete a skill of your own, text only, in one commit: a way of doing something
    that will be needed again. `description` says what it does and when to use it; `body` is
    Markdown with the steps. To patch, `old` stands once in `file` (SKILL.md where you name none);
    an empty `old` makes the file references/NAME.md. `quotes` are the person's words that taught
    it, exactly; `since_turn` is the first turn it rests on."""
    texts = {"description": description, "body": body, "file": file, "old": old, "new": new}
    given = {key: text for key, text in texts.items() if text is not None}
    done = by.wiki.change_skill(
        _edit(by, action, name, **given, quotes=quotes, since_turn=since_turn)
    )
    if done.outcome.commit is None:
        return ToolAnswer("nothing changes", "nothing changes")
    said = f"the skill {done.name} is {_VERBS[action]} in {done.outcome.commit[:10]}"
    return ToolAnswer(said, f"{done.folder} {_VERBS[action]}", done.outcome.commit)


def lesson(messages: Messages, session: str, first: int, last: int, quotes: list[str]) -> str:
    """What taught a change of a skill, as Markdown: the person's words that it names, and the calls
    from turn `first` on, as the transcript has them; 0: of the last turn, or where that has none,
    of all.

    Raises InputError for words that the person has not typed, and where there is nothing.
    """
    first = first or (last if _calls(messages, last, last) else 1)
    turns = [message for message in messages if first <= message.turn <= last]
    typed = [
        (message.turn, block.text)
        for message in messages
        for block in message.blocks
        if block.origin == "typed" and not message.kind
    ]
    lines = []
    for quote in quotes[:MOST_QUOTES]:
        home = next((turn for turn, text in typed if fold(quote) and fold(quote) in fold(text)), 0)
        if not home:
            raise InputError(
                f"the person has not typed {quote[:80]!r}", fix="Copy their words exactly."
            )
        lines.append(f"- turn {home}, the person: “{' '.join(quote.split())}”")
    failed = {block.id for message in turns for block in message.results if block.is_error}
    for turn, use in _calls(messages, first, last)[-MOST_TRACED:]:
        call = redacted(shown_call(use.name, use.input)).replace("`", "'")
        lines.append(f"- turn {turn}, {'failed' if use.id in failed else 'done'}: `{call}`")
    if not lines:
        raise InputError(
            "nothing shows what taught this: those turns have no call of a tool, and no words of"
            " the person are quoted",
            fix="Give the person's words as `quotes`, exactly as typed.",
        )
    stamp = max((message.ts for message in turns), default=0)
    day = datetime.fromtimestamp(stamp / 1000, UTC).strftime("%Y-%m-%d")
    span = f"turn {last}" if first >= last else f"turns {first} to {last}"
    return "\n".join([f"## {day}, session {session}, {span}", "", *lines])


def _calls(messages: Messages, first: int, last: int) -> list[tuple[int, EntryBlock]]:
    """(turn, call) of each call of a tool in those turns, but those for skills."""
    return [
        (message.turn, use)
        for message in messages
        if first <= message.turn <= last
        for use in message.uses
        if use.name not in (READ_TOOL, CHANGE_TOOL)
    ]
