"""Transcripts of Codex: `~/.codex/sessions/Y/M/D/rollout-*.jsonl`, one JSON object a line.

The person is an event `user_message`; messages of role `user` hold what the program adds as well,
and count only in files that have no such event. Older files are bare items without a `payload`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from llmwiki.learn.talk import Talk
from llmwiki.learn.transcripts.collect import StatementList, moment, texts, words

HOST = "codex"
_OF_THE_PROGRAM = re.compile(
    r"\s*+(?:<(?:environment_context|user_instructions|permissions|turn_aborted|skill)\b"
    r"|# AGENTS\.md instructions)"
)
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
            text = words(item.get("message"))
            if _is_typed(text):
                said.typed(text, ts)
        case "message":
            text = "\n".join(texts(item.get("content"), "input_text", "output_text", "text"))
            if item.get("role") == "assistant":
                said.answered(text, ts)
            elif item.get("role") == "user" and not has_events and _is_typed(text):
                said.typed(text, ts)
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


def _is_typed(text: str) -> bool:
    return bool(text.strip()) and not _OF_THE_PROGRAM.match(text)
