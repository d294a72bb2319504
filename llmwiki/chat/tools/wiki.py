"""Tools that look into the wiki and write to it; all of them are methods of `Wiki`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llmwiki.chat.tools.registry import ChatTool, ToolContext, ToolOutput
from llmwiki.core.errors import InputError
from llmwiki.core.note_kinds import NOTE_KINDS
from llmwiki.core.text import counted

_STRING = {"type": "string"}
MAX_TOKENS = 8_000
"""Tokens of a context that a model may ask for."""


def _search(at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    found = at.wiki.search(given["words"], limit=given.get("limit", 10))
    rows = [f"- {row.title} ({row.place}) {row.handle}: {row.text}" for row in found.rows]
    text = "\n".join(rows) or "no page was found"
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
    return ToolOutput(text, counted(len(found.context.shown), "passage"))


def _remember(at: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    outcome = at.wiki.remember(
        given["text"],
        kind=given.get("kind", "fact"),
        told_by="agent",
        session=at.session,
        turn=at.turn,
    )
    if outcome.commit is None:
        return ToolOutput("this is noted already", "noted already")
    return ToolOutput(f"noted in {outcome.commit[:10]}", "noted", outcome.commit)


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
        "remember",
        "Note one thing, in one commit, that the person wants to be kept.",
        {
            "text": _STRING,
            "kind": {
                "type": "string",
                "enum": list(NOTE_KINDS),
            },
        },
        _remember,
        ("text",),
        effect="write",
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
