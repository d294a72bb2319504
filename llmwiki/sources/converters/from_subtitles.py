"""Subtitles (.srt, .vtt) to text with webvtt-py. Runs in the converting process only."""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.core.language.scripts import FULL_WIDTH, HAN, KANA, MARKS, STOPS
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.writing import Gathered
from llmwiki.sources.encodings import decoded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webvtt.models import Timestamp

LONG = 400
"""Characters after which a line of joined cues ends, sentence or not."""
PAUSE = 4
"""Seconds of silence that end a line."""

_SENTENCE_END = re.compile("[.!?…][\"'”’)]*$|[。！？][」』）]*$")
_VOICE = re.compile(r"<v(?:\.[^\s>]{0,100})?\s{1,9}([^>]{1,100})>")
_TAG = re.compile(r"</?(?:[a-zA-Z][^<>]{0,200}|\d[\d:.]*)>|\{\\[^{}]{0,100}\}")
_CJK = re.compile(f"[{STOPS}{MARKS}{KANA}{HAN}{FULL_WIDTH}]")


def convert(data: bytes, cap: int) -> ConvertedText:
    """Cues joined to sentences, each line after the time it begins at: `[00:01:23] Ada: text`.

    A line ends with a sentence, at a pause, at another speaker, or when it is long. Tags are
    taken out, lines that a cue repeats from the one before are left out. `cap` bounds the
    characters gathered. Raises InputError when there are no cues.
    """
    import webvtt

    text = decoded(data).replace("\r\n", "\n").replace("\r", "\n")
    kind = "vtt" if text.lstrip("\ufeff\n ").startswith("WEBVTT") else "srt"
    try:
        cues = webvtt.from_buffer(io.StringIO(text), format=kind).captions
    except webvtt.errors.MalformedFileError as error:
        raise _without_cues() from error
    if not cues:
        raise _without_cues()
    out = Gathered(cap)
    said = _Joined(out)
    before: frozenset[str] = frozenset()
    for cue in cues:
        lines = [line for raw in cue.raw_text.split("\n") if (line := _plain(raw))]
        voice = _VOICE.search(cue.raw_text)
        fresh = [line for line in lines if line not in before]
        said.add(_seconds(cue.start_time), _seconds(cue.end_time), voice[1] if voice else "", fresh)
        before = frozenset(lines) or before
    said.end()
    return ConvertedText(out.text(), f"webvtt-py/{webvtt.__version__}")


class _Joined:
    """The line under construction."""

    def __init__(self, out: Gathered) -> None:
        self._out = out
        self._text = ""
        self._voice = ""
        self._from = self._until = 0

    def add(self, start: int, end: int, voice: str, lines: Iterable[str]) -> None:
        if voice != self._voice or start - self._until >= PAUSE:
            self.end()
        for line in lines:
            if not self._text:
                self._from = start
            glue = "" if _CJK.match(self._text[-1:]) and _CJK.match(line) else " "
            self._text = f"{self._text}{glue}{line}".strip()
        self._voice, self._until = voice, end
        if _SENTENCE_END.search(self._text) or len(self._text) >= LONG:
            self.end()

    def end(self) -> None:
        if self._text:
            minutes, seconds = divmod(self._from, 60)
            time = f"[{minutes // 60:02}:{minutes % 60:02}:{seconds:02}]"
            voice = f" {self._voice}:" if self._voice else ""
            self._out.add(f"{time}{voice} {self._text}")
        self._text = ""


def _plain(line: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", line)).split())


def _seconds(time: Timestamp) -> int:
    return time.hours * 3600 + time.minutes * 60 + time.seconds


def _without_cues() -> InputError:
    return InputError(
        "it has no cues that can be read",
        fix="Each needs a line `00:01:02,000 --> 00:01:05,000` and text below it.",
    )
