"""A transcript of another agent as a conversation of the same kind as our own."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

from llmwiki.core.errors import InputError
from llmwiki.core.text import normalise
from llmwiki.learn.talk import Talk
from llmwiki.learn.transcripts import claude, codex
from llmwiki.learn.transcripts.lines import TranscriptLines

HOSTS = (claude.HOST, codex.HOST)
_OF_LINE = {claude.HOST: claude.is_line, codex.HOST: codex.is_line}
_READERS = {claude.HOST: claude.read, codex.HOST: codex.read}
PROBED = 50
"""Lines that are looked at to tell whose transcript it is."""


def observe(path: Path, host: str, offset: int) -> Talk:
    """Reads a transcript. `host` is one of `HOSTS`; empty: it is told by its lines.

    Raises InputError for a file that cannot be read or is no transcript.
    """
    lines = TranscriptLines(path)
    first = list(islice(lines, PROBED))
    named = host or next((n for n in HOSTS if any(map(_OF_LINE[n], first))), "")
    if not named:
        raise InputError(
            "it is no transcript of Claude Code or Codex",
            where=path.name,
            fix="Such files lie below ~/.claude/projects and ~/.codex/sessions.",
        )
    talk = _READERS[named](lines, offset)
    if not talk.session:
        talk = replace(talk, session=path.name.removesuffix(".jsonl")[:80])
    # As a page can hold it, for the seal of a sentence is made with it.
    session = normalise(f"{named}-{talk.session}"[:100])
    return replace(talk, session=session, skipped=lines.skipped)
