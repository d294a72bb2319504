"""What the writing tools do: one commit each, told with its hash and with what takes it back."""

from __future__ import annotations

import io
import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal

from llmwiki.app.tools.caller import ToolCaller
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import counted
from llmwiki.core.tool_declaration import ToolAnswer, tool

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki
    from llmwiki.git.store.outcome import Outcome
    from llmwiki.ingest.report import OperationReport

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
