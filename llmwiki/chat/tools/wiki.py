"""Tools that look into the wiki and write to it; all of them are methods of `Wiki`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from llmwiki.app.settings import clock
from llmwiki.chat.statements import REMEMBER, standing_talk, told_note
from llmwiki.chat.tools.registry import ChatTool, ToolContext, ToolOutput
from llmwiki.chat.trust import Effect
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.note_kinds import NOTE_KINDS, RULES
from llmwiki.core.secrets import refuse
from llmwiki.core.text import counted
from llmwiki.learn.gate import NAMES_NOTHING, names_nothing

if TYPE_CHECKING:
    from llmwiki.learn.item import LearnedItem
    from llmwiki.learn.talk import Talk

_STRING = {"type": "string"}
MAX_TOKENS = 8_000
"""Tokens of a context that a model may ask for."""


def _search(at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    found = at.wiki.search(given["words"], limit=given.get("limit", 10))
    rows = [f"- {row.title} ({row.place}) {row.handle}: {row.text}" for row in found.rows]
    text = "\n".join((*(rows or ["no page was found"]), *found.notes))
    return ToolOutput(text, counted(len(rows), "page"))


def _read(at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    shown = at.wiki.show(given["page"])
    return ToolOutput(shown.text, shown.page.title if shown.page else given["page"])


def _why(at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    from llmwiki.app.why_text import unwrapped, why_lines

    found = at.wiki.why(given["what"])
    text = "\n".join(why_lines(found, unwrapped))
    return ToolOutput(text, counted(len(found.claims or found.candidates), "claim"))


def _context(at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    found = at.wiki.context(
        given["question"], budget=given.get("budget", 2_000), also=given.get("also", "")
    )
    text = found.context.text or "the wiki says nothing of this"
    return ToolOutput(text, counted(len(found.context.shown), "passage"), is_fenced=True)


def _remember(at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    if given.get("words"):
        report = at.wiki.memory.note(*_told(at, given), agreed=at.agreed)
        if report.pending:
            return ToolOutput("it waits for the person's yes", "waits: wiki memory review")
        if report.refused:
            raise PolicyError(report.refused[0].reason)
        commit = next((commit for _, commit in report.commits), "")
    else:
        _refuse_forbidden(at)
        teller = "person" if at.was_asked else "agent"
        noted = at.wiki.remember(
            given["text"],
            kind=given.get("kind", "fact"),
            told_by=teller,
            session=at.session,
            turn=at.turn,
            key=given.get("key", ""),
            value=given.get("value", ""),
        )
        commit = noted.commit or ""
    if not commit:
        return ToolOutput("this is noted already", "noted already")
    return ToolOutput(f"noted in {commit[:10]}", "noted", commit)


def _remember_effect(at: ToolContext, given: Mapping[str, Any]) -> Effect:
    """What the person's own words say is kept; of all else they are asked. Raises InputError for
    words that do not say it."""
    _refuse_forbidden(at)
    if given.get("words"):
        _told(at, given)
        return "told"
    if not given["text"].strip() or names_nothing(given["text"]):
        raise InputError(NAMES_NOTHING)
    is_rule = given.get("kind") in RULES or at.wiki.memory.is_reviewed()
    return "rule" if is_rule else "note"


def _told(at: ToolContext, given: Mapping[str, Any]) -> tuple[Talk, LearnedItem]:
    return told_note(standing_talk(at.session, at.messages, at.undone, clock()), given)


def _refuse_forbidden(at: ToolContext) -> None:
    if at.wiki.memory.rule()[0] == "never":
        raise PolicyError("nothing is noted here: memory.commit is never")


def _remember_preview(_at: ToolContext, given: Mapping[str, Any]) -> str:
    refuse([given["text"]], allowed=(), what="the note")
    slot = f"  [{given['key']} = {given.get('value', '')}]" if given.get("key") else ""
    return f"{given.get('kind', 'fact')}: {given['text']}{slot}"


def _replaced(given: Mapping[str, Any], text: str) -> str:
    old = given["old"]
    count = text.count(old) if old else 0
    if count != 1:
        raise InputError(
            f"`old` stands {count} times in the page; it must stand there once",
            fix="Read the page, and give more of the text around it.",
        )
    return text.replace(old, given["new"])


def _appended(given: Mapping[str, Any], text: str) -> str:
    return f"{text.rstrip(chr(10))}\n\n{given['text'].strip(chr(10))}\n"


def _writer(
    change: Any,
) -> tuple[Any, Any]:
    """A tool's run and preview from how it changes a page's text."""

    def run(at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
        done = at.wiki.edit_page(
            given["page"], lambda text: change(given, text), session=at.session, turn=at.turn
        )
        if done.outcome.commit is None:
            return ToolOutput("nothing changes", "nothing changes")
        said = f"{done.path} is changed in {done.outcome.commit[:10]}"
        return ToolOutput(said, done.path, done.outcome.commit)

    def preview(at: ToolContext, given: Mapping[str, Any]) -> str:
        done = at.wiki.edit_page(given["page"], lambda text: change(given, text), dry_run=True)
        return done.diff

    return run, preview


def _session(at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    first = given["first"]
    last = given.get("last", first)
    chosen = [m for m in at.messages if first <= m.turn <= last and m.text and not m.kind]
    text = "\n\n".join(f"turn {m.turn}, {m.role}:\n{m.text}" for m in chosen)
    return ToolOutput(text or "there is no such turn", counted(len(chosen), "message"))


_edit, _edit_preview = _writer(_replaced)
_append, _append_preview = _writer(_appended)
_PAGE = {"type": "string", "description": "Title or path of the page."}

WIKI_TOOLS: tuple[ChatTool, ...] = (
    ChatTool(
        "wiki_search",
        "Find pages of the wiki by words, names or a question.",
        {
            "words": _STRING,
            "limit": {"type": "integer", "minimum": 1, "maximum": 30},
        },
        _search,
        ("words",),
        origin="wiki",
    ),
    ChatTool(
        "wiki_read",
        "Read a whole page of the wiki, with the handles of its claims.",
        {"page": _PAGE},
        _read,
        ("page",),
        origin="wiki",
    ),
    ChatTool(
        "wiki_why",
        "Where a claim of the wiki comes from: quotes, lines, and every commit that changed it.",
        {"what": {"type": "string", "description": "A claim's id (c-…), a page, or its words."}},
        _why,
        ("what",),
        origin="wiki",
    ),
    ChatTool(
        "wiki_context",
        "The passages of the wiki that bear on a question, each with the handle to cite.",
        {
            "question": _STRING,
            "also": {
                "type": "string",
                "description": "4 to 10 other words that a text which answers may use.",
            },
            "budget": {"type": "integer", "minimum": 100, "maximum": MAX_TOKENS},
        },
        _context,
        ("question",),
        origin="wiki",
        most=3 * MAX_TOKENS,
    ),
    ChatTool(
        "session_read",
        "Read what was said in earlier turns of this conversation that are hidden now.",
        {
            "first": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
            "last": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
        },
        _session,
        ("first",),
    ),
    ChatTool(
        REMEMBER,
        "Note one thing that the person wants to be kept, or that they correct, in one commit: a "
        "sentence that a stranger understands, with names and dates, without “it”. `words` are the "
        "person's own words that say it, copied exactly; without them the person is asked. A "
        "`preference` or a `procedure` stands in every conversation; other kinds are found when "
        "they matter. `key` and `value` where it may change, as `office` and `in Ghent`: the note "
        "takes the place of the earlier one of its key.",
        {
            "text": _STRING,
            "words": _STRING,
            "key": _STRING,
            "value": _STRING,
            "kind": {
                "type": "string",
                "enum": list(NOTE_KINDS),
            },
        },
        _remember,
        ("text",),
        effect="note",
        effect_of=_remember_effect,
        preview=_remember_preview,
    ),
    ChatTool(
        "edit_page",
        "Replace a piece of prose of a page, in one commit. Claims, notes, footnotes and the "
        "frontmatter stay as they are.",
        {"page": _PAGE, "old": _STRING, "new": _STRING},
        _edit,
        ("page", "old", "new"),
        effect="write",
        preview=_edit_preview,
    ),
    ChatTool(
        "append_page",
        "Add prose to the end of a page, in one commit.",
        {"page": _PAGE, "text": _STRING},
        _append,
        ("page", "text"),
        effect="write",
        preview=_append_preview,
    ),
)
"""All of them."""
