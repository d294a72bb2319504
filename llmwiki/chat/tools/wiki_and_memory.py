"""Tools that write to the wiki and to its memory, and the one that reads earlier turns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal

from llmwiki.chat.tools.tool_context import ToolContext
from llmwiki.chat.visible_history import REMEMBER, standing_talk
from llmwiki.core.errors import InputError, PolicyError, WikiError
from llmwiki.core.page_and_note_kinds import RULES
from llmwiki.core.secrets import refuse
from llmwiki.core.text import counted, fold_quote
from llmwiki.core.tool_declaration import Effect, ToolAnswer, tool
from llmwiki.landing.clock_and_typed_days import clock, local_offset
from llmwiki.memory.conversation import LearnedItem, LearnedQuote, Talk
from llmwiki.pages.id_and_evidence_patterns import CLAIM_ID

Kind = Literal["fact", "preference", "decision", "event", "procedure", "task"]
Page = Annotated[str, "Title or path of the page."]
_SHORT = re.compile(rf"\[\[#\^({CLAIM_ID})\]\]")
Turn = Annotated[int, {"minimum": 1, "maximum": 1_000_000}]


@tool("session_read")
def read_session(by: ToolContext, first: Turn, last: Turn = 0) -> ToolAnswer:
    """Read what was said in earlier turns of this conversation that are hidden now."""
    last = last or first
    chosen = [m for m in by.messages if first <= m.turn <= last and m.text and not m.kind]
    text = "\n\n".join(f"turn {m.turn}, {m.role}:\n{m.text}" for m in chosen)
    return ToolAnswer(text or "there is no such turn", counted(len(chosen), "message"))


# --- the memory ----------------------------------------------------------------------------


def _remember_effect(by: ToolContext, **given: Any) -> Effect:
    """What the person's own words say is kept; of all else they are asked. Raises InputError for
    words that do not say it."""
    from llmwiki.memory.check_learned import NAMES_NOTHING, names_nothing

    _refuse_forbidden(by)
    if given.get("words"):
        _told(by, given)
        return "told"
    if not given["text"].strip() or names_nothing(given["text"]):
        raise InputError(NAMES_NOTHING)
    is_rule = given.get("kind") in RULES or by.wiki.memory.is_reviewed()
    return "rule" if is_rule else "note"


def _told(by: ToolContext, given: dict[str, Any]) -> tuple[Talk, LearnedItem]:
    known = dict([_note(by, given["replaces"])]) if given.get("replaces") else {}
    talk = standing_talk(by.session, by.messages, by.undone, local_offset(clock()))
    return _told_note(talk, given, known)


def _told_note(
    talk: Talk, given: Mapping[str, Any], known: Mapping[str, str]
) -> tuple[Talk, LearnedItem]:
    """What a call of `remember` notes, and the talk as the words that a person typed. `known` is as
    `gate.checked` takes it.

    Raises InputError where its words were not typed, or do not say it.
    """
    from llmwiki.memory.check_learned import checked

    typed = [said for said in talk.evidence() if said.origin == "typed"]
    words = given["words"]
    held = (s.turn for s in reversed(typed) if fold_quote(words) in fold_quote(s.text))
    quote = LearnedQuote(next(held, talk.statements[-1].turn), words)
    slot = given.get("key", ""), given.get("value", "")
    replaces = next(iter(known), "")
    item = LearnedItem(given["text"], given.get("kind", "fact"), (quote,), *slot, replaces)
    _, refused = checked([item], typed, known, talk.offset)
    if refused:
        raise InputError(
            refused[0].reason,
            fix="Say in `text` no more than `words`, which are copied as typed; without `words` the"
            " person is asked.",
        )
    return replace(talk, statements=tuple(typed)), item


def _note(by: ToolContext, handle: str) -> tuple[str, str]:
    """Id and text of a note that stands, or that waits for a yes. Raises InputError."""
    return by.wiki.memory.note_of(handle)


def _refuse_forbidden(by: ToolContext) -> None:
    if by.wiki.memory.rule()[0] == "never":
        raise PolicyError("nothing is noted here: memory.commit is never")


def _remember_preview(by: ToolContext, text: str, **given: Any) -> str:
    refuse([text], allowed=(), what="the note")
    slot = f"  [{given['key']} = {given.get('value', '')}]" if given.get("key") else ""
    told = f"{given.get('kind', 'fact')}: {text}{slot}"
    if not given.get("words"):
        told += "\n(the agent's sentence: nothing that you typed is quoted for it)"
    old = given.get("replaces", "")
    return f"{told}\nin the place of: {_note(by, old)[1]}" if old else told


@tool(REMEMBER, effect="note", effect_of=_remember_effect, preview=_remember_preview)
def remember(
    by: ToolContext,
    text: str,
    words: str = "",
    key: str = "",
    value: str = "",
    kind: Kind = "fact",
    replaces: str = "",
) -> ToolAnswer:
    """Note one thing that the person wants to be kept, or that they correct, in one commit. `words`
    are the person's own words that say it, copied exactly; without them the person is asked. A
    `preference` or a `procedure` stands in every conversation; other kinds are found when they
    matter. `replaces` is the handle of the note that is no longer true: it is struck and leads to
    this one. `key` and `value` where it may change, as `office` and `in Ghent`: the note takes the
    place of the earlier one of its key."""
    old = _note(by, replaces)[0] if replaces else ""
    waits = ""
    if words:
        given = {"text": text, "words": words, "key": key, "value": value, "kind": kind}
        report = by.wiki.memory.note(*_told(by, {**given, "replaces": replaces}), agreed=by.agreed)
        if report.refused:
            raise PolicyError(report.refused[0].reason)
        waits = "".join(each.id for each in report.pending)
        commit = next((commit for _, commit in report.commits), "")
    else:
        _refuse_forbidden(by)
        noted = by.wiki.remember(
            text,
            kind=kind,
            told_by="person" if by.was_asked else "agent",
            session=by.session,
            turn=by.turn,
            key=key,
            value=value,
            replaces=old,
        )
        commit = noted.commit or ""
    if _is_waiting(old) and (waits or commit):
        by.wiki.memory.decide(drop=[old])
    if waits:
        told = f"it waits for the person's yes, which is `/memory accept {waits}`"
        return ToolAnswer(told, f"waits: /memory accept {waits}")
    if not commit:
        return ToolAnswer("this is noted already", "noted already")
    return ToolAnswer(f"noted in {commit[:10]}", "noted", commit)


def _is_waiting(ident: str) -> bool:
    """Whether an id is that of a note that waits for the person's yes."""
    return bool(ident) and not ident.startswith("n-")


def _forget_preview(by: ToolContext, note: str) -> str:
    return f"strike: {_note(by, note)[1]}"


@tool("forget", effect="rule", preview=_forget_preview)
def forget(
    by: ToolContext, note: Annotated[str, "Its handle or id, as it was shown."]
) -> ToolAnswer:
    """Strike a note of the memory that the person no longer wants, in one commit. What is only to
    be said otherwise is corrected with `remember` and `replaces`."""
    _refuse_forbidden(by)
    ident, text = _note(by, note)
    if _is_waiting(ident):
        by.wiki.memory.decide(drop=[ident])
        return ToolAnswer(f"it waits no more: {text}", "let go")
    outcome = by.wiki.memory.strike(ident)
    if outcome.commit is None:
        return ToolAnswer("it is struck already", "struck already")
    return ToolAnswer(f"struck in {outcome.commit[:10]}", "struck", outcome.commit)


# --- pages ---------------------------------------------------------------------------------

Change = Callable[[str], str]


def _whole(by: ToolContext, text: str) -> str:
    """A text whose handles name their pages: passages of one page leave that out."""

    def completed(short: re.Match[str]) -> str:
        with suppress(WikiError):
            shown = by.wiki.show(short[1])
            if shown.page is not None:
                name = shown.page.path.rpartition("/")[2].removesuffix(".md")
                return f"[[{name}#^{short[1]}]]"
        return short[0]

    return _SHORT.sub(completed, text)


def _edited(by: ToolContext, page: str, change: Change) -> ToolAnswer:
    done = by.wiki.edit_page(page, change, session=by.session, turn=by.turn)
    if done.outcome.commit is None:
        return ToolAnswer("nothing changes", "nothing changes")
    said = f"{done.path} is changed in {done.outcome.commit[:10]}"
    return ToolAnswer(said, done.path, done.outcome.commit)


def _replacing(old: str, new: str) -> Change:
    def change(text: str) -> str:
        count = text.count(old) if old else 0
        if count != 1:
            raise InputError(
                f"`old` stands {count} times in the page; it must stand there once",
                fix="Read the page, and give more of the text around it.",
            )
        return text.replace(old, new)

    return change


def _appending(text: str) -> Change:
    return lambda page: f"{page.rstrip(chr(10))}\n\n{text.strip(chr(10))}\n"


def _edit_preview(by: ToolContext, page: str, old: str, new: str) -> str:
    return by.wiki.edit_page(page, _replacing(old, _whole(by, new)), dry_run=True).diff


@tool("edit_page", effect="write", preview=_edit_preview)
def edit_page(by: ToolContext, page: Page, old: str, new: str) -> ToolAnswer:
    """Replace a piece of prose of a page, in one commit. Claims, notes, footnotes and the
    frontmatter stay as they are; index, log, overview, memory and pages of sources are not
    edited."""
    return _edited(by, page, _replacing(old, _whole(by, new)))


def _append_preview(by: ToolContext, page: str, text: str) -> str:
    return by.wiki.edit_page(page, _appending(_whole(by, text)), dry_run=True).diff


def _renamed(by: ToolContext, page: str, title: str, *, dry_run: bool) -> ToolAnswer:
    from llmwiki.changes.rename_and_merge_pages import MoveOptions

    done = by.wiki.rename(page, title, MoveOptions(dry_run=dry_run))
    left = [f"stays as it is: a link in {one.path}:{one.line}, {one.why}" for one in done.left]
    said = "\n".join([f"{done.source} is now {done.page}", *left, *done.notes])
    return ToolAnswer(said, done.page, done.outcome.commit or "")


def _rename_preview(by: ToolContext, page: str, title: str) -> str:
    return _renamed(by, page, title, dry_run=True).text


@tool("rename_page", effect="write", preview=_rename_preview)
def rename_page(by: ToolContext, page: Page, title: str) -> ToolAnswer:
    """Give a page another title, in one commit; every link is led there, and the old title stays
    as an alias."""
    return _renamed(by, page, title, dry_run=False)


@tool("append_page", effect="write", preview=_append_preview)
def append_page(by: ToolContext, page: Page, text: str) -> ToolAnswer:
    """Add prose to the end of a page, in one commit."""
    return _edited(by, page, _appending(_whole(by, text)))
