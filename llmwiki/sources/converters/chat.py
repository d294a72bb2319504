"""Exports of conversations: one block a message, with its number, speaker and time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from llmwiki.sources.converters.leaves import ObjectPairs

if TYPE_CHECKING:
    from llmwiki.sources.converters.writing import Gathered

_SPEAKERS = ("role", "user", "author", "speaker", "sender", "from", "username")
_TEXTS = ("content", "text", "message")
_TIMES = ("ts", "timestamp", "created_at", "create_time", "time", "date")
_EPOCH_MILLIS = 10**11
"""Epoch numbers above it are milliseconds; as seconds it is the year 5138."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """What one speaker said."""

    speaker: str
    time: str
    """Empty where the export names none."""
    text: str


def conversations(values: Iterable[object]) -> list[tuple[str, list[ChatMessage]]] | None:
    """The conversations among these values, each with its title; None unless all are chat.

    A value is a message (`{role, content}`, `{user, text, ts}` and the like) or an object with
    a list `messages` of them; messages that stand one after the other are one conversation.
    """
    found: list[tuple[str, list[ChatMessage]]] = []
    loose: list[ChatMessage] = []
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


def write_chat(out: Gathered, chats: list[tuple[str, list[ChatMessage]]]) -> None:
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


def _held(value: object) -> tuple[str, list[ChatMessage]] | None:
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


def _message(value: object) -> ChatMessage | None:
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
    return ChatMessage(" ".join(speaker.split()), _time(time), plain)


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
