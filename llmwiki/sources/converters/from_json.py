"""JSON to text with Python's own reader. Runs in the converting process only."""

from __future__ import annotations

from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.chat import conversations, write_chat
from llmwiki.sources.converters.decode import decoded
from llmwiki.sources.converters.json_values import parse_json
from llmwiki.sources.converters.leaves import ObjectPairs, write_leaves
from llmwiki.sources.converters.writing import Gathered
from llmwiki.version import __version__


def convert(data: bytes, cap: int) -> ConvertedText:
    """Each value after its path; an export of conversations as blocks of messages.

    `cap` bounds the characters gathered. Raises InputError when it is not JSON, PolicyError
    past a limit.
    """
    value = parse_json(decoded(data))
    out = Gathered(cap)
    listed = value if isinstance(value, list) and not isinstance(value, ObjectPairs) else [value]
    chats = conversations(listed)
    if chats:
        write_chat(out, chats)
    else:
        write_leaves(out, value)
    return ConvertedText(out.text(), f"llmwiki-json/{__version__}")
