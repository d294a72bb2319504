"""Transcripts of Claude Code: `~/.claude/projects/FOLDER/ID.jsonl`, one JSON object a line.

The person is a line of type `user` that is no side chain, no meta line, no summary of what was
condensed and no message of another origin than a human, without the elements that the program puts
into it. Order is that of the file; parents
serve only to leave out what a person took back: of two messages with one parent the last counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from llmwiki.learn.talk import Talk
from llmwiki.learn.transcripts.collect import StatementList, moment, own_words, texts, words

HOST = "claude"
_TYPED_COMMAND = "command-"
"""How the names of elements begin that hold a command which a person typed."""
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]{0,40}\]")


def is_line(data: Mapping[str, Any]) -> bool:
    """Whether a line is one of such a transcript."""
    return "sessionId" in data or "leafUuid" in data or data.get("type") == "file-history-snapshot"


def read(lines: Iterable[Mapping[str, Any]], offset: int) -> Talk:
    """The conversation of a transcript, whose lines are read twice. `offset` is that of `Talk`."""
    gone = _taken_back(lines)
    said = StatementList()
    session = folder = ""
    for data in lines:
        if not _counts(data):
            _take_aside(said, data)
            continue
        session = session or words(data.get("sessionId"))
        folder = folder or words(data.get("cwd"))
        if words(data.get("uuid")) in gone:
            continue
        message = data.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if data["type"] == "assistant":
            said.answered("\n".join(texts(content, "text")), moment(data))
        else:
            _take_user(said, content, moment(data))
    return Talk(session, tuple(said.statements), HOST, offset, folder)


def _counts(data: Mapping[str, Any]) -> bool:
    is_aside = data.get("isSidechain") or _is_of_the_program(data)
    return data.get("type") in ("user", "assistant") and not is_aside


def _is_of_the_program(data: Mapping[str, Any]) -> bool:
    """Whether a line is one that the program wrote itself, or took from another agent or task."""
    origin = data.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else origin
    is_sent = kind not in (None, "human")
    return bool(data.get("isMeta") or data.get("isCompactSummary")) or is_sent


def _take_user(said: StatementList, content: object, ts: float) -> None:
    if isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                said.foreign("\n".join(texts(block.get("content"), "text")))
            elif isinstance(block, dict) and block.get("type") != "text":
                said.foreign("", "file")
    typed, added = _parts(content)
    if added:
        said.foreign("\n".join(added))
    if typed:
        said.typed(typed, ts)


def _take_aside(said: StatementList, data: Mapping[str, Any]) -> None:
    """A line of the program: a file or a summary that the agent is shown is text of others."""
    is_shown = _is_of_the_program(data) and data.get("type") == "user"
    if (is_shown or data.get("type") == "attachment") and not data.get("isSidechain"):
        message = data.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        said.foreign("\n".join(texts(content, "text")))


def _parts(content: object) -> tuple[str, list[str]]:
    """What a person typed of a message, and the texts of others in it."""
    typed, added = [], []
    for text in texts(content, "text"):
        own, elements = own_words(text)
        typed.append(own)
        added += [each for name, each in elements if not name.startswith(_TYPED_COMMAND)]
    return _INTERRUPTED.sub("", "\n".join(typed)).strip(), added


def _taken_back(lines: Iterable[Mapping[str, Any]]) -> set[str]:
    """The lines of branches that were left: those behind a message that was written anew."""
    parents: dict[str, str] = {}
    asked: dict[str, str] = {}
    left: set[str] = set()
    for data in lines:
        ident, parent = words(data.get("uuid")), words(data.get("parentUuid"))
        parents[ident] = parent
        message = data.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        is_asked = _counts(data) and data["type"] == "user"
        if is_asked and parent and _parts(content)[0]:
            if parent in asked:
                left.add(asked[parent])
            asked[parent] = ident
    gone: set[str] = set()
    # A child stands behind its parent in the file.
    for ident, parent in parents.items():
        if ident and (ident in left or parent in gone):
            gone.add(ident)
    return gone
