"""Transcripts of coding agents: a table of where each keeps what was said, and its one reader.

Claude Code writes `~/.claude/projects/FOLDER/ID.jsonl`, Codex
`~/.codex/sessions/Y/M/D/rollout-*.jsonl`, Gemini CLI `~/.gemini/tmp/HASH/chats/session-*.json`.
A further program is a row of HOSTS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from llmwiki.core.errors import InputError
from llmwiki.core.text import normalise
from llmwiki.memory.conversation import Talk
from llmwiki.memory.transcript_lines import (
    StatementList,
    TranscriptLines,
    moment,
    own_words,
    texts,
    words,
)

PROBED = 50
"""Lines that are looked at to tell whose transcript it is."""
Condition = tuple[str, ...]
"""The path of a field, then patterns of which its value has one; `!` before one: it has it not."""
Says = Literal["about", "typed", "answered", "shown", "nothing"]


class LineRule(NamedTuple):
    """What lines say that meet all conditions."""

    when: tuple[Condition, ...]
    says: Says
    """`about`: of the conversation; `typed`: by the person; `answered`: by the agent; `shown`: to
    the agent, by others."""
    text: tuple[str, ...] = ()
    """Paths of fields of which the first that is there holds the text."""
    goes_on: bool = False
    """Whether further rules are looked at."""
    origin: str = "tool"
    is_fallback: bool = False
    """Whether it counts only in files in which nobody typed by another rule."""


class TranscriptHost(NamedTuple):
    """One program."""

    known: tuple[Condition, ...]
    """One of these is met by a line of its transcripts."""
    rules: tuple[LineRule, ...]
    """In their order: the first that fits counts."""
    session: str
    folder: str
    """Where the conversation was held."""
    project: str = ""
    """In place of a folder: the SHA-256 of its path."""
    id: str = ""
    parent: str = ""
    """Of a line: of two messages with one parent the last counts. Empty: there are none."""
    inner: str = ""
    """The field that holds a line's own fields, where it is there; `/` before a path is outside."""
    blocks: tuple[str, ...] = ("text",)
    """Types of blocks that are text; empty: of one without a type."""


_OF_THE_PROGRAM: tuple[Condition, ...] = (
    ("isMeta", "true"),
    ("isCompactSummary", "true"),
    ("origin.kind", "!human"),
    ("origin", "!human"),
)
"""Lines of Claude Code that the program wrote itself, or took from another agent or task."""

HOSTS: Mapping[str, TranscriptHost] = {
    "gemini": TranscriptHost(
        known=(("projectHash", "?*"),),
        rules=(
            LineRule((("projectHash", "?*"),), "about"),
            LineRule((("type", "gemini"), ("toolCalls", "list")), "shown",
                     ("toolCalls.resultDisplay",), goes_on=True),
            LineRule((("type", "gemini"),), "answered", ("content",)),
            LineRule((("type", "user"),), "typed", ("content",)),
        ),
        session="sessionId",
        folder="",
        project="projectHash",
        blocks=("text", ""),
    ),
    "claude": TranscriptHost(
        known=(("sessionId", "?*"), ("leafUuid", "?*"), ("type", "file-history-snapshot")),
        rules=(
            LineRule((("isSidechain", "true"),), "nothing"),
            *(
                LineRule((of_program, ("type", "user")), "shown", ("message.content",))
                for of_program in _OF_THE_PROGRAM
            ),
            *(LineRule((of_program,), "nothing") for of_program in _OF_THE_PROGRAM),
            LineRule((("type", "attachment"),), "shown", ("message.content",)),
            LineRule((("type", "user", "assistant"),), "about", goes_on=True),
            LineRule((("type", "assistant"),), "answered", ("message.content",)),
            LineRule((("type", "user"),), "typed", ("message.content",)),
        ),
        session="sessionId",
        folder="cwd",
        id="uuid",
        parent="parentUuid",
    ),
    "codex": TranscriptHost(
        known=(
            ("/type", "session_meta", "response_item", "event_msg", "turn_context", "compacted"),
            ("/record_type", "?*"),
            ("/instructions", "*"),
        ),
        rules=(
            LineRule((("/type", "session_meta", "turn_context"),), "about"),
            LineRule((("type", ""), ("id", "?*")), "about"),
            # What is left of the conversation holds what tools gave.
            LineRule((("/type", "compacted"),), "shown"),
            LineRule((("type", "user_message"),), "typed", ("message",)),
            LineRule((("type", "message"), ("role", "assistant")), "answered", ("content",)),
            # It holds what the program adds as well.
            LineRule((("type", "message"), ("role", "user")), "typed", ("content",),
                     is_fallback=True),
            LineRule((("type", "web_search_call"),), "shown", origin="web"),
            LineRule((("type", "*_output", "*_call_end", "*_command_end"),), "shown",
                     ("output.content", "output")),
        ),
        session="id",
        folder="cwd",
        inner="payload",
        blocks=("text", "input_text", "output_text"),
    ),
}  # fmt: skip
"""By the name that `--host` takes; the first of which a line is known has written the file."""

_ADDED = re.compile(
    r"\s*+(?:<(?:environment_context|user_instructions|permissions|turn_aborted|skill)\b"
    r"|# AGENTS\.md instructions)"
)
"""How a message begins that the program wrote in a person's name."""
_OF_THE_EDITOR = re.compile(
    r"\s*+# (?:Context from my IDE setup|Files mentioned by the user|Selected text):"
)
_REQUEST = re.compile(r"^## My request(?: for Codex)?:", re.MULTILINE)
"""What stands before what was typed, where an editor puts a selection or names of files there."""
_TYPED_COMMAND = "command-"
"""How the names of elements begin that hold a command which a person typed."""
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]{0,40}\]")


def observe(path: Path, host: str, offset: int) -> Talk:
    """Reads a transcript. `host` is one of `HOSTS`; empty: it is told by its lines. `offset` is
    that of `Talk`.

    Raises InputError for a file that cannot be read or is no transcript.
    """
    lines = TranscriptLines(path)
    first = list(islice(lines, PROBED))
    named = host or next((name for name, each in HOSTS.items() if _is_of(each, first)), "")
    if not named:
        raise InputError(
            "it is no transcript of Claude Code, Codex or Gemini CLI",
            where=path.name,
            fix="Such files lie below ~/.claude/projects, ~/.codex/sessions and ~/.gemini/tmp.",
        )
    talk = _read(HOSTS[named], lines, offset)
    if not talk.session:
        talk = replace(talk, session=path.name.partition(".json")[0][:80])
    # As a page can hold it, for the seal of a sentence is made with it.
    session = normalise(f"{named}-{talk.session}"[:100])
    return replace(talk, session=session, host=named, skipped=lines.skipped)


def _is_of(host: TranscriptHost, lines: Iterable[Mapping[str, Any]]) -> bool:
    return any(_meets(host, line, each) for line in lines for each in host.known)


def _read(host: TranscriptHost, lines: TranscriptLines, offset: int) -> Talk:
    """The conversation of a transcript, whose lines are read twice."""
    gone = _taken_back(host, lines) if host.parent else frozenset[str]()
    is_typed = any(
        rule.says == "typed" and not rule.is_fallback
        for line in lines
        for rule in _fitting(host, line, with_fallback=False)
    )
    said = StatementList()
    session = folder = ""
    for line in lines:
        for rule in _fitting(host, line, with_fallback=not is_typed):
            if rule.says == "about":
                session = session or words(_at(host, line, host.session))
                folder = folder or words(_at(host, line, host.folder))
                if host.project and (project := words(_at(host, line, host.project))):
                    folder = folder or f"sha256:{project}"
            elif not (host.id and words(_at(host, line, host.id)) in gone):
                _take(host, rule, line, said)
    return Talk(session, tuple(said.statements), "", offset, folder)


def _take(
    host: TranscriptHost, rule: LineRule, line: Mapping[str, Any], said: StatementList
) -> None:
    content = _content(host, rule, line)
    text = "\n".join(texts(content, *host.blocks))
    if rule.says == "answered":
        said.answered(text, moment(line))
    elif rule.says == "shown":
        said.foreign(text, rule.origin)
    elif rule.says == "typed":
        for block in content if isinstance(content, list) else ():
            kind = block.get("type") if isinstance(block, dict) else None
            if kind == "tool_result":
                said.foreign("\n".join(texts(block.get("content"), *host.blocks)))
            elif kind not in (*host.blocks, None):
                said.foreign("", "file")
        typed, added = _parts(host, content)
        if added:
            said.foreign("\n".join(added))
        if typed:
            said.typed(typed, moment(line))


def _parts(host: TranscriptHost, content: object) -> tuple[str, list[str]]:
    """What a person typed of a message, and the texts of others in it."""
    typed: list[str] = []
    added: list[str] = []
    for text in texts(content, *host.blocks):
        if _ADDED.match(text):
            continue
        # The last one counts: a selection may hold such a line too.
        begins = max((found.end() for found in _REQUEST.finditer(text)), default=0)
        if not begins and _OF_THE_EDITOR.match(text):
            begins = len(text)
        added += [text[:begins]] if begins else []
        own, elements = own_words(text[begins:])
        typed.append(own)
        added += [each for name, each in elements if not name.startswith(_TYPED_COMMAND)]
    return _INTERRUPTED.sub("", "\n".join(typed)).strip(), added


def _taken_back(host: TranscriptHost, lines: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The lines of branches that were left: those behind a message that was written anew."""
    parents: dict[str, str] = {}
    asked: dict[str, str] = {}
    left: set[str] = set()
    for line in lines:
        ident, parent = (words(_at(host, line, path)) for path in (host.id, host.parent))
        parents[ident] = parent
        typed = (r for r in _fitting(host, line, with_fallback=True) if r.says == "typed")
        if parent and any(_parts(host, _content(host, rule, line))[0] for rule in typed):
            if parent in asked:
                left.add(asked[parent])
            asked[parent] = ident
    gone: set[str] = set()
    # A child stands behind its parent in the file.
    for ident, parent in parents.items():
        if ident and (ident in left or parent in gone):
            gone.add(ident)
    return frozenset(gone)


# --- fields ------------------------------------------------------------------------------


def _fitting(
    host: TranscriptHost, line: Mapping[str, Any], *, with_fallback: bool
) -> Iterator[LineRule]:
    for rule in host.rules:
        if (with_fallback or not rule.is_fallback) and all(
            _meets(host, line, each) for each in rule.when
        ):
            yield rule
            if not rule.goes_on:
                return


def _content(host: TranscriptHost, rule: LineRule, line: Mapping[str, Any]) -> object:
    found = (_at(host, line, path) for path in rule.text)
    return next((each for each in found if each is not None), None)


def _meets(host: TranscriptHost, line: Mapping[str, Any], condition: Condition) -> bool:
    path, *patterns = condition
    outer, _, last = path.removeprefix("/").rpartition(".")
    if patterns == ["*"]:
        return last in line if not outer else _at(host, line, path) is not None
    value = _plain(_at(host, line, path))
    return any(
        bool(value) and value != each[1:] if each.startswith("!") else fnmatchcase(value, each)
        for each in patterns
    )


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return ""
    return "list" if isinstance(value, list) and value else words(value)


def _at(host: TranscriptHost, line: Mapping[str, Any], path: str) -> Any:
    """What stands at a path; of a list of objects, the values of all of them."""
    held = line.get(host.inner) if host.inner else None
    found: Any = held if isinstance(held, dict) and not path.startswith("/") else line
    for name in path.removeprefix("/").split("."):
        if isinstance(found, list):
            found = [each[name] for each in found if isinstance(each, dict) and name in each]
        elif isinstance(found, dict):
            found = found.get(name)
        else:
            return None
    return found
