"""What the writing tools do: one commit each, told with its hash and with what takes it back."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import counted
from llmwiki.mcp.answers import ToolAnswer

if TYPE_CHECKING:
    from llmwiki.app.operation_report import OperationReport
    from llmwiki.app.wiki import Wiki

SETTING = "mcp.writes"
WRITES = ("commit", "review", "off")
"""What becomes of a write: it lands on the branch, it waits on a branch of its own, or it is
refused. Each is stricter than the one before."""
_SHOWN = 10


def remember(wiki: Wiki, given: Mapping[str, Any], limit: str) -> ToolAnswer:
    """One note in the wiki's memory. `limit` is of `WRITES`, as for all that write."""
    is_reviewed = _allowed(wiki, limit) == "review"
    kind = given.get("kind", "fact")
    outcome = wiki.remember(given["text"], kind=kind, told_by="agent", review=is_reviewed)
    if outcome.commit is None:
        return ToolAnswer("That is remembered already.", {"status": "unchanged", "commit": None})
    (page,) = (*outcome.pages_created, *outcome.pages_changed)
    facts = {"status": "remembered", "commit": outcome.commit, "page": page}
    done = "Noted for" if outcome.branch else "Remembered on"
    text = f"{done} {page} in commit {outcome.commit[:10]}."
    told, way_back = _way_back(outcome.branch, outcome.id)
    return ToolAnswer(f"{text} {told}", {**facts, **way_back})


def ingest(wiki: Wiki, given: Mapping[str, Any], limit: str) -> ToolAnswer:
    """One source read into the wiki: a file below raw/, or a text that becomes one."""
    from llmwiki.app.ingest_types import IngestOptions
    from llmwiki.app.named_sources import SourceStream

    options = IngestOptions(review=_allowed(wiki, limit) == "review")
    path, text, name = given.get("path"), given.get("text"), given.get("name")
    if path is not None and text is None and name is None:
        report = wiki.ingest([_below_raw(wiki, path)], options)
    elif text is not None and name is not None and path is None:
        stream = SourceStream(name, io.BytesIO(text.encode("utf-8", "replace")))
        report = wiki.ingest([], options, stream=stream)
    else:
        raise InputError("give either `path`, or `text` with `name`")
    (operation,) = report.operations
    return _told(operation)


def _allowed(wiki: Wiki, limit: str) -> str:
    """What becomes of a write: what the settings or the command say, whichever is stricter.

    Raises PolicyError where nothing may be written.
    """
    setting = wiki.config().text(SETTING)
    if setting not in WRITES:
        raise InputError(f"{setting} is none of {', '.join(WRITES)}", where=SETTING)
    strictest = max(setting, limit, key=WRITES.index)
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
    facts: dict[str, Any] = {"status": done.status, "source": done.source, "commit": done.commit}
    if done.commit is None:
        facts["note"] = done.note or "nothing to do"
        return ToolAnswer(f"{done.source}: {facts['note']}.", facts)
    facts |= {
        "claims": done.claims_added,
        "refused": len(done.refused),
        "pages_created": list(done.pages_created),
        "pages_changed": list(done.pages_changed),
    }
    lines = [
        f"{done.source} was read: {counted(done.claims_added, 'claim')},"
        f" {len(done.refused)} refused, commit {done.commit[:10]}.",
        *_paths("new", done.pages_created),
        *_paths("changed", done.pages_changed),
    ]
    told, way_back = _way_back(done.branch, done.id)
    return ToolAnswer("\n".join([*lines, told]), _bounded({**facts, **way_back}))


def _way_back(branch: str, ident: str) -> tuple[str, dict[str, Any]]:
    """What a person does with an operation that landed: in words, and as fields."""
    if not branch:
        undo = f"wiki undo {ident}"
        return f"Undo: {undo}", {"undo": undo}
    facts = {
        "branch": branch,
        "accept": f"git merge {branch}",
        "review": f"wiki review show {branch.rpartition('/')[2]}",
    }
    told = (
        f"It waits on branch {branch}. A person reads it: {facts['review']};"
        f" all of it lands with: {facts['accept']}"
    )
    return told, facts


def _paths(word: str, paths: tuple[str, ...]) -> list[str]:
    more = len(paths) - _SHOWN
    shown = [f"  {word} {path}" for path in paths[:_SHOWN]]
    return [*shown, f"  {word}: {more} more"] if more > 0 else shown


def _bounded(facts: dict[str, Any]) -> dict[str, Any]:
    """The fields, of long lists the first paths and how many more there are."""
    for name in ("pages_created", "pages_changed"):
        more = len(facts[name]) - _SHOWN
        if more > 0:
            facts[name] = [*facts[name][:_SHOWN], f"and {more} more"]
    return facts
