"""Transcripts of Codex: `~/.codex/sessions/Y/M/D/rollout-*.jsonl`, one JSON object a line.

The person is an event `user_message`; messages of role `user` hold what the program adds as well,
and count only in files that have no such event. Older files are bare items without a `payload`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from llmwiki.learn.talk import Talk
from llmwiki.learn.transcripts.collect import StatementList, moment, own_words, texts, words

HOST = "codex"
_OF_THE_PROGRAM = re.compile(
    r"\s*+(?:<(?:environment_context|user_instructions|permissions|turn_aborted|skill)\b"
    r"|# AGENTS\.md instructions)"
)
_OF_THE_EDITOR = re.compile(
    r"\s*+# (?:Context from my IDE setup|Files mentioned by the user|Selected text):"
)
_REQUEST = re.compile(r"^## My request(?: for Codex)?:", re.MULTILINE)
"""What stands before what was typed, where an editor puts a selection or names of files there."""
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})


def is_line(data: Mapping[str, Any]) -> bool:
    """Whether a line is one of such a transcript."""
    return words(data.get("type")) in _TYPES or "instructions" in data or "record_type" in data


def read(lines: Iterable[Mapping[str, Any]], offset: int) -> Talk:
    """The conversation of a transcript, whose lines are read twice. `offset` is that of `Talk`."""
    has_events = any(_payload(data).get("type") == "user_message" for data in lines)
    said = StatementList()
    session = folder = ""
    for data in lines:
        payload = _payload(data)
        if data.get("type") == "session_meta" or ("id" in data and "instructions" in data):
            session = session or words(payload.get("id"))
            folder = folder or words(payload.get("cwd"))
        elif data.get("type") == "turn_context":
            folder = folder or words(payload.get("cwd"))
        elif data.get("type") == "compacted":
            # What is left of the conversation holds what tools gave.
            said.foreign("")
        else:
            _take(said, payload, moment(data), has_events=has_events)
    return Talk(session, tuple(said.statements), HOST, offset, folder)


def _payload(data: Mapping[str, Any]) -> Mapping[str, Any]:
    held = data.get("payload")
    return held if isinstance(held, dict) else data


def _take(said: StatementList, item: Mapping[str, Any], ts: float, *, has_events: bool) -> None:
    match item.get("type"):
        case "user_message":
            _take_typed(said, words(item.get("message")), ts)
        case "message":
            text = "\n".join(texts(item.get("content"), "input_text", "output_text", "text"))
            if item.get("role") == "assistant":
                said.answered(text, ts)
            elif item.get("role") == "user" and not has_events:
                _take_typed(said, text, ts)
        case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
            output = item.get("output")
            held = output.get("content") if isinstance(output, dict) else output
            said.foreign("\n".join(texts(held, "text", "input_text")))
        case "web_search_call":
            said.foreign("", "web")
        case str() as kind if kind.endswith(("_output", "_call_end", "_command_end")):
            said.foreign("")
        case _:
            pass


def _take_typed(said: StatementList, message: str, ts: float) -> None:
    if not message.strip() or _OF_THE_PROGRAM.match(message):
        return
    # The last one counts: a selection may hold such a line too.
    begins = max((found.end() for found in _REQUEST.finditer(message)), default=0)
    if not begins and _OF_THE_EDITOR.match(message):
        begins = len(message)
    typed, elements = own_words(message[begins:])
    others = [message[:begins]] if begins else []
    others += [text for _name, text in elements]
    if others:
        said.foreign("\n".join(others))
    if typed.strip():
        said.typed(typed, ts)
