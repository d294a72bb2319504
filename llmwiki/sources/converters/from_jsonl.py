"""JSON lines to text with Python's own reader. Runs in the converting process only."""

from __future__ import annotations

from collections.abc import Iterator

from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.chat import conversations, write_chat
from llmwiki.sources.converters.decode import decoded
from llmwiki.sources.converters.json_values import parse_json
from llmwiki.sources.converters.leaves import write_leaves
from llmwiki.sources.converters.writing import Gathered, check_rows
from llmwiki.version import __version__


def convert(data: bytes, cap: int) -> ConvertedText:
    """Exports of conversations as blocks of messages, other records after `line N`.

    N is the record's line in the file, from 1. `cap` bounds the characters gathered. Raises
    InputError with the line that is not JSON, PolicyError past a limit.
    """
    lines = decoded(data).split("\n")
    out = Gathered(cap)
    # Only conversations are held whole, since one record alone does not tell where one ends.
    chats = None
    if conversations([next(_records(lines))[1]]):
        chats = conversations(value for _, value in _records(lines))
    if chats:
        write_chat(out, chats)
    else:
        for count, (number, value) in enumerate(_records(lines), start=1):
            check_rows(count)
            write_leaves(out, value, f"line {number}")
    return ConvertedText(out.text(), f"llmwiki-jsonl/{__version__}")


def _records(lines: list[str]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, parse_json(line, f"line {number}")
