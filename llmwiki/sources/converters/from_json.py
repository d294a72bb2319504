"""JSON and JSON lines to text with Python's own reader, nested data as lines with their paths.

`users[3].name: Ada`; indices count from 0. Exports of conversations are blocks of messages. Runs in
the converting process only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.writing import Gathered, check_rows
from llmwiki.sources.encodings import decoded
from llmwiki.version import __version__

if TYPE_CHECKING:
    from llmwiki.sources.converters.writing import Gathered

_CONSTANTS = {True: "true", False: "false", None: "null"}
_SPEAKERS = ("role", "user", "author", "speaker", "sender", "from", "username")
_TEXTS = ("content", "text", "message")
_TIMES = ("ts", "timestamp", "created_at", "create_time", "time", "date")
_EPOCH_MILLIS = 10**11
"""Epoch numbers above it are milliseconds; as seconds it is the year 5138."""


def convert(data: bytes, cap: int) -> ConvertedText:
    """Each value after its path; an export of conversations as blocks of messages.

    `cap` bounds the characters gathered. Raises InputError when it is not JSON, PolicyError
    past a limit.
    """
    value = parse_json(decoded(data))
    out = Gathered(cap)
    listed = value if isinstance(value, list) and not isinstance(value, ObjectPairs) else [value]
    chats = _conversations(listed)
    if chats:
        _write_chat(out, chats)
    else:
        write_leaves(out, value)
    return ConvertedText(out.text(), f"llmwiki-json/{__version__}")


def convert_lines(data: bytes, cap: int) -> ConvertedText:
    """Exports of conversations as blocks of messages, other records after `line N`.

    N is the record's line in the file, from 1. `cap` bounds the characters gathered. Raises
    InputError with the line that is not JSON, PolicyError past a limit.
    """
    lines = decoded(data).split("\n")
    out = Gathered(cap)
    # Only conversations are held whole, since one record alone does not tell where one ends.
    chats = None
    if _conversations([next(_records(lines))[1]]):
        chats = _conversations(value for _, value in _records(lines))
    if chats:
        _write_chat(out, chats)
    else:
        for count, (number, value) in enumerate(_records(lines), start=1):
            check_rows(count)
            write_leaves(out, value, f"line {number}")
    return ConvertedText(out.text(), f"llmwiki-jsonl/{__version__}")


def _records(lines: list[str]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, parse_json(line, f"line {number}")


def parse_json(text: str, where: str = "") -> object:
    """One JSON value. Raises InputError where it is not JSON; `where` names the line then."""
    try:
        value: object = json.loads(
            text, object_pairs_hook=_pairs, parse_int=str, parse_float=str, parse_constant=str
        )
        return _named(value)
    except json.JSONDecodeError as error:
        place = where or f"line {error.lineno}, column {error.colno}"
        raise InputError(
            f"the JSON is broken in {place}: {error.msg}", fix="Write the file again."
        ) from error
    except RecursionError as error:
        raise PolicyError("the JSON is nested too deeply", fix="Write it flatter.") from error


def _pairs(pairs: list[tuple[str, object]]) -> ObjectPairs:
    return ObjectPairs((key, _named(value)) for key, value in pairs)


def _named(value: object) -> object:
    """Constants by their names, in lists too; objects have been here already."""
    if isinstance(value, ObjectPairs):
        return value
    if isinstance(value, list):
        value[:] = [_named(each) for each in value]
        return value
    return _CONSTANTS[value] if value is None or isinstance(value, bool) else value


# --- conversations ----------------------------------------------------------------------------


class _ChatMessage(NamedTuple):
    """What one speaker said."""

    speaker: str
    time: str
    """Empty where the export names none."""
    text: str


def _conversations(values: Iterable[object]) -> list[tuple[str, list[_ChatMessage]]] | None:
    """The conversations among these values, each with its title; None unless all are chat.

    A value is a message (`{role, content}`, `{user, text, ts}` and the like) or an object with
    a list `messages` of them; messages that stand one after the other are one conversation.
    """
    found: list[tuple[str, list[_ChatMessage]]] = []
    loose: list[_ChatMessage] = []
    for value in values:
        if message := _message(value):
            loose.append(message)
            continue
        held = _held(value)
        if held is None:
            return None
        if loose:
            found.append(("", loose))
            loose = []
        found.append(held)
    if loose:
        found.append(("", loose))
    return found or None


def _write_chat(out: Gathered, chats: list[tuple[str, list[_ChatMessage]]]) -> None:
    """Blocks `[message 3] Ada, 2024-05-06 10:00:05 UTC` and the text, parted by empty lines.

    More than one conversation: each after a line `[conversation 2] title`, counting anew.
    """
    for number, (title, messages) in enumerate(chats, start=1):
        if len(chats) > 1 or title:
            out.part()
            out.add(f"[conversation {number}] {title}".rstrip())
        for place, message in enumerate(messages, start=1):
            out.part()
            said = ", ".join(part for part in (message.speaker, message.time) if part)
            out.add(f"[message {place}] {said}")
            if message.text:
                out.add(message.text)


def _held(value: object) -> tuple[str, list[_ChatMessage]] | None:
    if not isinstance(value, ObjectPairs):
        return None
    fields = dict(value)
    held = fields.get("messages")
    if not isinstance(held, list) or not held:
        return None
    messages = [message for each in held if (message := _message(each))]
    if len(messages) < len(held):
        return None
    title = fields.get("title") or fields.get("name") or fields.get("id")
    return (" ".join(title.split()) if isinstance(title, str) else "", messages)


def _message(value: object) -> _ChatMessage | None:
    if not isinstance(value, ObjectPairs):
        return None
    fields = dict(value)
    speaker = next((s for key in _SPEAKERS if (s := _name(fields.get(key)))), "")
    text = next((fields[key] for key in _TEXTS if key in fields), None)
    if not speaker or not isinstance(text, str | list) or isinstance(text, ObjectPairs):
        return None
    if isinstance(text, list):
        parts = [_part(each) for each in text]
        if None in parts:
            return None
        text = "\n".join(part for part in parts if part)
    time = next((t for key in _TIMES if isinstance(t := fields.get(key), str)), "")
    plain = "" if text == "null" else text.strip()
    return _ChatMessage(" ".join(speaker.split()), _time(time), plain)


def _name(value: object) -> str:
    """A speaker's name, or the `name` or `role` within an object that tells of one."""
    if isinstance(value, ObjectPairs):
        fields = dict(value)
        value = fields.get("name") or fields.get("role")
    return value if isinstance(value, str) and value != "null" and len(value) <= 200 else ""


def _part(value: object) -> str | None:
    """The text of one part of a message; other kinds of parts are named."""
    if isinstance(value, str):
        return value
    if not isinstance(value, ObjectPairs):
        return None
    fields = dict(value)
    text, kind = fields.get("text"), fields.get("type")
    if isinstance(text, str):
        return text
    return f"[{' '.join(kind.split())[:40]}]" if isinstance(kind, str) else None


def _time(text: str) -> str:
    """Seconds or milliseconds since 1970 as a time in UTC, anything else as it is."""
    try:
        moment = float(text)
        if moment > _EPOCH_MILLIS:
            moment /= 1000
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return " ".join(text.split())[:60] if text != "null" else ""


# --- nested data as lines ----------------------------------------------------------------------

MAX_DEPTH = 200
"""Levels of nesting."""
MAX_NODES = 3_000_000
"""Values met on the way; those that are met again (aliases of YAML) count again."""
SMALL = 240
"""Characters of an object or list of plain values that is written on one line."""

_NAME = re.compile(r"[^\W\d][\w-]*")


class ObjectPairs(list[tuple[str, object]]):
    """An object's keys and values, in order, repeated keys and all."""


def write_leaves(out: Gathered, value: object, path: str = "") -> None:
    """Each plain value after its path; an object or list of few short ones on one line.

    `users[3] | name: Ada | year: 1843`, `tags: red | blue`. A text of several lines stands as
    it is below its path. Raises PolicyError past the limits here and of `out`.
    """
    _Writer(out).write(value, path, 0)


class _Writer:
    def __init__(self, out: Gathered) -> None:
        self._out = out
        self._nodes = 0

    def write(self, value: object, path: str, depth: int) -> None:
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise PolicyError(
                "it is nested more deeply, or has more values, than is read",
                fix=f"At most {MAX_DEPTH} levels and {MAX_NODES:,} values; split it.",
            )
        if isinstance(value, str):
            self._plain(value, path)
        elif line := _one_line(value, path):
            self._nodes += len(value) if isinstance(value, list) else 0
            self._out.add(line)
        elif isinstance(value, ObjectPairs):
            for key, each in value:
                self.write(each, joined(path, key), depth + 1)
        elif isinstance(value, list):
            for index, each in enumerate(value):
                self.write(each, f"{path}[{index}]", depth + 1)

    def _plain(self, value: str, path: str) -> None:
        label = f"{path}:" if path else ""
        if "\n" in value.strip():
            self._out.part()
            if label:
                self._out.add(label)
            self._out.add(value.strip("\n"))
            self._out.part()
        else:
            self._out.add(f"{label} {value.strip()}".strip())


def joined(path: str, key: str) -> str:
    """A key below a path: `a.b`, or `a["odd key"]` where a point would not tell its ends."""
    if _NAME.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def _one_line(value: object, path: str) -> str:
    """The value's only line; empty where it needs several."""
    if isinstance(value, ObjectPairs):
        if not value:
            return f"{path}: {{}}".removeprefix(": ")
        if len(value) > 8 or not all(_is_short(each) for _, each in value):
            return ""
        cells = [f"{key}: {each}".rstrip() for key, each in value]
        line = " | ".join([path, *cells] if path else cells)
    elif isinstance(value, list):
        if not value:
            return f"{path}: []".removeprefix(": ")
        if len(value) > SMALL or not all(_is_short(each) for each in value):
            return ""
        line = f"{path}: {' | '.join(map(str, value))}".removeprefix(": ")
    else:
        return ""
    return line if len(line) <= SMALL else ""


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= SMALL and "\n" not in value
