"""What the reading tools and the resources answer: pages, claims, lines of sources, passages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from llmwiki.app.tools.caller import BUDGET, Budget, ToolCaller, excerpt, left_out
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.secrets import redacted
from llmwiki.core.text import counted, cut, tokens_of
from llmwiki.core.tool_declaration import ToolAnswer, tool
from llmwiki.pages.id_and_evidence_patterns import ITEM_ID
from llmwiki.pages.page_file_names import stem_of

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

NAME_LENGTH = 500
"""Characters of the name of a page, claim or source at most."""
ROWS = 8
"""Pages that a search lists, where the caller asks for no other number."""
_ROW_TEXT = 240
"""Characters of what a search shows of a page."""
_NOTES = 120
"""Tokens that are kept for what a context says of itself."""
MOST_CONTEXT = 24_000
"""Characters of a context in a conversation."""
_TO_THE_END = 999_999_999
_LINES = re.compile(r"(.+)#L(\d{1,9})(?:[–-]L?(\d{1,9}))?")
_NUMBERED = re.compile(r"[> ] {1,9}(\d{1,9})\b")
_FOR_PROGRAM = ("generated:", "sha256:")
"""Beginnings of lines of frontmatter that tell a reader nothing."""
_GONE = re.compile(r"→ gone in [0-9a-f]{6,40}\b")
_ENDING_ID = re.compile(rf" \^({ITEM_ID})$", re.MULTILINE)
_WHOLE = frozenset({"index", "log", "overview"})
"""Files of the wiki that are no page with claims, by their short names."""


@tool("wiki_search", "Search the wiki", origin="wiki")
def search(
    by: ToolCaller,
    words: Annotated[str, "Words, names or a question."],
    limit: Annotated[int, {"minimum": 1, "maximum": 50}] = ROWS,
    budget: Budget = BUDGET,
) -> ToolAnswer:
    """Find pages by words, names or a question; best first, one line each. To answer a question use
    wiki_context."""
    found = by.wiki.search(words, limit=limit)
    notes = cut(redacted("; ".join(found.notes)), _ROW_TEXT)
    notes = notes and f"\n[{notes}]"
    brief = counted(len(found.rows), "page")
    if not found.rows:
        return ToolAnswer(f"No page was found among {counted(found.pages, 'page')}.{notes}", brief)
    rows = []
    for number, row in enumerate(found.rows, start=1):
        said = found.excerpt(row, _ROW_TEXT)
        later = f" (updated by {' and '.join(row.updated_by)})" if row.updated_by else ""
        head = " · ".join((row.shown_title, row.type or "page", row.place, row.handle))
        rows.append(f"{number}. {redacted(head)}\n   {said}{later}".rstrip())
    # A row has two lines, and is shown whole or not.
    left = budget - tokens_of(len(notes.encode()))
    text, shown = excerpt([row.replace("\n", "\v") for row in rows], left)
    text = text.replace("\v", "\n")
    if shown < len(rows):
        text += f"\n[{counted(len(rows) - shown, 'more page')}: a larger `budget` shows them]"
    elif len(rows) == limit:
        text += "\n[there may be more pages: a larger `limit` shows them]"
    return ToolAnswer(text + notes, brief)


@tool("wiki_context", "Passages for a question", origin="wiki", most=MOST_CONTEXT)
def context(
    by: ToolCaller,
    question: Annotated[str, "One question, in the wiki's own terms where known."],
    also: Annotated[
        str,
        "4 to 10 other words that a text which answers may use: synonyms, the technical term, the"
        " noun for a verb. Words are matched, not meanings: this finds far more.",
    ] = "",
    budget: Budget = BUDGET,
    quotes: Annotated[bool, "Show each claim's verbatim quotes."] = False,
    without: Annotated[tuple[str, ...], "Handles seen before, to leave out."] = (),
) -> ToolAnswer:
    """The passages that answer a question, each with the handle to cite: claims with checked
    sources, notes, lines of sources. Ask first here; for a comparison ask for each side."""
    found = by.wiki.context(
        question, budget=budget - _NOTES, quotes=quotes, without=without, also=also, whole=True
    ).context
    brief = counted(len(found.shown), "passage")
    if not found.shown:
        told = "The wiki says nothing of this. Try the terms that its pages use."
        return ToolAnswer(told, brief)
    notes = []
    if found.is_faint:
        nowhere = [term.text for term in found.terms if not term.df][:8]
        said = f"; nowhere in the wiki: {cut(', '.join(nowhere), 80)}" if nowhere else ""
        notes.append(f"[little of what is asked stands here: it may not be in the wiki{said}]")
    if found.left_out:
        notes.append(f"[{counted(found.left_out, 'more passage')} found no room: raise `budget`]")
    if found.more:
        notes.append(f"[{found.more} more score far lower: ask in other words]")
    return ToolAnswer("\n".join([found.text.rstrip("\n"), *notes]), brief, is_fenced=True)


@tool("wiki_read", "Read a page, claim or source", origin="wiki")
def read(
    by: ToolCaller,
    name: Annotated[str, "Page title, alias or path; claim id; SOURCE#L12-L20; raw/FILE."],
    start: Annotated[
        int, {"minimum": 1, "maximum": 1_000_000}, "First line to show of a long page."
    ] = 1,
    budget: Budget = BUDGET,
) -> ToolAnswer:
    """One page whole; one claim (c-…) with its quotes and the source lines around them; or numbered
    lines of a source."""
    return ToolAnswer(read_text(by.wiki, name, start, budget), cut(name, 80))


@tool("wiki_why", "Why the wiki says it", origin="wiki")
def why(
    by: ToolCaller,
    what: Annotated[str, "Claim id (c-…), page, or eight words of a claim or quote."],
    budget: Budget = BUDGET,
) -> ToolAnswer:
    """The quotes, lines and bytes under a claim, and every commit that brought or changed it."""
    from llmwiki.app.why import why_lines

    found = by.wiki.why(_plain(what))
    told = redacted("\n".join(why_lines(found)))
    lines = told.split("\n")
    text, shown = excerpt(lines, budget)
    brief = counted(len(found.claims or found.candidates), "claim")
    return ToolAnswer(text + left_out(lines[shown:], "a larger `budget`"), brief)


def read_text(wiki: Wiki, name: str, start: int, budget: int) -> str:
    """What `name` stands for, within `budget` tokens.

    Raises InputError where nothing has that name, PolicyError for a file that is none of the wiki.
    """
    asked = _plain(name)
    if asked.startswith("raw/") and not _LINES.fullmatch(asked):
        asked = f"{asked}#L{start}-L{_TO_THE_END}"
    if _LINES.fullmatch(asked):
        return _source_lines(wiki, asked, budget)
    shown = wiki.show(asked)
    if shown.page is None and not _is_whole(asked):
        raise PolicyError(
            "is neither a page of the wiki nor a source",
            where=name,
            fix="Name a page, a claim (c-…) or lines of a source (SOURCE#L12-L20).",
        )
    text = shown.text if shown.page is None else _readable(shown.text, shown.page.path)
    every = redacted(text).rstrip("\n").split("\n")
    if start > len(every):
        raise InputError(f"has {counted(len(every), 'line')}", where=name, fix="Lower `start`.")
    text, count = excerpt(every[start - 1 :], budget)
    following = start + count
    return text + left_out(every[following - 1 :], f"`start`: {following}")


def _readable(text: str, path: str) -> str:
    """A page, or a claim of one, without the hashes that are for this program; each claim and note
    ends in the handle that cites it anywhere."""
    head, mark, body = text.partition("\n---\n")
    if mark and head.startswith("---\n"):
        kept = [line for line in head.split("\n") if not line.startswith(_FOR_PROGRAM)]
        text = "\n".join(kept) + mark + body
    text = _GONE.sub("→ gone", text)
    return _ENDING_ID.sub(lambda found: f" [[{stem_of(path)}#^{found[1]}]]", text)


def _plain(name: str) -> str:
    """The name, if it can be one: of a page, a claim, or a file below the wiki's root."""
    asked = name.strip()
    if not 0 < len(asked) <= NAME_LENGTH or not asked.isprintable():
        raise InputError(f"a name has 1 to {NAME_LENGTH} characters in one line")
    if asked.startswith("/") or ".." in asked.split("/"):
        fix = "Paths begin with wiki/ or raw/."
        raise PolicyError("leads out of the wiki", where=asked, fix=fix)
    return asked


def _is_whole(name: str) -> bool:
    plain = name.removeprefix("wiki/").removesuffix(".md")
    return plain in _WHOLE or name.startswith("wiki/")


def _source_lines(wiki: Wiki, asked: str, budget: int) -> str:
    """Numbered lines of a source; those that find no room are named as they are asked for."""
    named = _LINES.fullmatch(asked)
    assert named is not None
    lines = redacted(wiki.show(asked).text).split("\n")
    text, shown = excerpt(lines, budget)
    rest = lines[shown:]
    numbers = _NUMBERED.findall(lines[shown - 1])
    following = int(numbers[0]) + 1 if numbers else int(named[2])
    # Behind the lines that are asked for a few more are shown, which nobody needs to ask for.
    last = min(int(named[3] or named[2]), following + len(rest) - 1)
    if not rest or following > last:
        return text
    return text + left_out(rest, f"`name`: {named[1]}#L{following}-L{last}")
