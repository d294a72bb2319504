"""Tools of the wiki for every model, in a conversation and over a protocol the same: what they and
the resources answer; those that write do it in one commit each, told with what takes it back."""

from __future__ import annotations

import io
import os
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.secrets import redacted
from llmwiki.core.text import BYTES_PER_TOKEN, counted, cut, tokens_of
from llmwiki.core.tool_declaration import Tool, ToolAnswer, tool
from llmwiki.pages.id_and_evidence_patterns import ITEM_ID
from llmwiki.pages.page_file_names import stem_of

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki
    from llmwiki.git.store.outcome import Outcome
    from llmwiki.ingest.report import OperationReport

BUDGET = 2_000
"""Tokens of an answer, where the caller asks for no other number."""
Budget = Annotated[int, {"minimum": 200, "maximum": 8_000}, "Most tokens of the answer."]


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """What a call may use."""

    wiki: Wiki
    limit: str = "commit"
    """What becomes of a write at most, one of `WRITES`."""


REMARK = 60
"""Tokens that are kept for the line that says what was left out."""


def excerpt(lines: list[str], budget: int) -> tuple[str, int]:
    """The first of these lines that find room in `budget` tokens, and how many they are: one at
    least, cut where it alone is longer."""
    room = max(budget - REMARK, 1) * BYTES_PER_TOKEN
    shown = taken = 0
    for line in lines:
        taken += len(line.encode("utf-8", "replace")) + 1
        if taken > room:
            break
        shown += 1
    if shown or not lines:
        return "\n".join(lines[:shown]), shown
    head = lines[0].encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
    return f"{head}…\n[the line above is cut: it is longer than the budget]", 1


def left_out(lines: list[str], remedy: str) -> str:
    """The line that says how much of a text, these lines, is not shown, and what shows it; empty
    where nothing is missing."""
    if not lines:
        return ""
    tokens = tokens_of(len("\n".join(lines).encode("utf-8", "replace")))
    return f"\n[{counted(len(lines), 'more line')}, about {tokens:,} tokens: {remedy}]"


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


SETTING = "mcp.writes"
WRITES = ("commit", "review", "off")
"""What becomes of a write: it lands on the branch, it waits on a branch of its own, or it is
refused. Each is stricter than the one before."""
_SHOWN = 10


@tool("wiki_remember", "Remember one thing", "write", serves=("mcp",))
def remember(
    by: ToolCaller,
    text: Annotated[str, "One or two sentences, understood without this conversation."],
    kind: Literal["fact", "preference", "decision", "event", "procedure"] = "fact",
) -> ToolAnswer:
    """Note one fact, decision or preference that a person wants kept; one commit. Not for
    documents: those are ingested."""
    is_reviewed = _allowed(by) == "review"
    outcome = by.wiki.remember(text, kind=kind, told_by="agent", review=is_reviewed)
    if outcome.commit is None:
        return ToolAnswer("That is remembered already.")
    (page,) = (*outcome.pages_created, *outcome.pages_changed)
    done = "Noted for" if outcome.branch else "Remembered on"
    said = f"{done} {page} in commit {outcome.commit[:10]}."
    return ToolAnswer(f"{said} {_way_back(outcome)}", commit=outcome.commit)


@tool("wiki_ingest", "Read a source in", "send", serves=("mcp",))
def ingest(
    by: ToolCaller,
    path: Annotated[str, "A file below raw/, such as raw/paper.pdf."] = "",
    text: Annotated[str, "The document itself."] = "",
    name: Annotated[str, "File name for `text`, such as notes.md."] = "",
) -> ToolAnswer:
    """Read one document into the wiki as claims with checked quotes; one commit. Give `path`, or
    `text` with `name`. May take minutes and call the configured model."""
    from llmwiki.app.ingest.named_sources import SourceStream
    from llmwiki.app.ingest.options_and_report import IngestOptions

    options = IngestOptions(review=_allowed(by) == "review")
    if path and not text and not name:
        report = by.wiki.ingest([_below_raw(by.wiki, path)], options)
    elif text and name and not path:
        stream = SourceStream(name, io.BytesIO(text.encode("utf-8", "replace")))
        report = by.wiki.ingest([], options, stream=stream)
    else:
        raise InputError("give either `path`, or `text` with `name`")
    (operation,) = report.operations
    return _told(operation)


def _allowed(by: ToolCaller) -> str:
    """What becomes of a write: what the settings or the command say, whichever is stricter.

    Raises PolicyError where nothing may be written.
    """
    setting = by.wiki.config().text(SETTING)
    if setting not in WRITES:
        raise InputError(f"{setting} is none of {', '.join(WRITES)}", where=SETTING)
    strictest = max(setting, by.limit, key=WRITES.index)
    if strictest == "off":
        raise PolicyError("this wiki takes no writes of an agent", where=f"{SETTING} = off")
    return strictest


def _below_raw(wiki: Wiki, path: str) -> str:
    """The absolute path of one file below raw/. Raises PolicyError for any other place."""
    plain = PurePosixPath(path)
    if plain.is_absolute() or plain.parts[:1] != ("raw",) or ".." in plain.parts or "\0" in path:
        raise PolicyError(
            "only files below raw/ are read",
            where=path,
            fix="Put the file into raw/, or give its `text` and a `name`.",
        )
    place = wiki.root / plain
    if not os.path.lexists(place):
        raise InputError("there is no such file", where=path, fix="Paths begin with raw/.")
    if place.is_dir():
        raise InputError("is a folder", where=path, fix="Name one file.")
    return str(place)


def _told(done: OperationReport) -> ToolAnswer:
    """What became of the source."""
    if done.status == "failed":
        return ToolAnswer(done.error, is_error=True)
    if done.commit is None:
        return ToolAnswer(f"{done.source}: {done.note or 'nothing to do'}.")
    lines = [
        f"{done.source} was read: {counted(done.claims_added, 'claim')},"
        f" {len(done.reading.refused)} refused, commit {done.commit[:10]}.",
        *_paths("new", done.pages_created),
        *_paths("changed", done.pages_changed),
    ]
    return ToolAnswer("\n".join([*lines, _way_back(done.outcome)]), commit=done.commit)


def _way_back(outcome: Outcome) -> str:
    """What a person does with an operation that landed."""
    branch = outcome.branch
    if not branch:
        return f"Undo: wiki undo {outcome.id}"
    return (
        f"It waits on branch {branch}. A person reads it: wiki review show"
        f" {branch.rpartition('/')[2]}; all of it lands with: git merge {branch}"
    )


def _paths(word: str, paths: tuple[str, ...]) -> list[str]:
    more = len(paths) - _SHOWN
    shown = [f"  {word} {path}" for path in paths[:_SHOWN]]
    return [*shown, f"  {word}: {more} more"] if more > 0 else shown


TOOLS: tuple[Tool, ...] = (
    search,
    context,
    read,
    why,
    remember,
    ingest,
)
"""Those of MCP together stay below 1,500 tokens (a test). Where a conversation has no room for all,
the last ones are left out."""
