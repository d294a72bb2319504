"""Subtitles (.srt, .vtt) to text. Runs in the converting process only."""

from __future__ import annotations

import html
import re

from llmwiki.core.errors import InputError
from llmwiki.core.language.scripts import FULL_WIDTH, HAN, KANA, MARKS, STOPS
from llmwiki.sources.converters.numbered_text_writer import Gathered
from llmwiki.sources.encodings import decoded

LONG = 400
"""Characters after which a line of joined cues ends, sentence or not."""
PAUSE = 4
"""Seconds of silence that end a line."""

_TIME = r"(?:(\d{1,4}):)?(\d\d?):(\d\d)[.,]\d{1,3}"
_TIMES = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}")
"""What begins a cue (WebVTT, §4.1); notes and styles have none."""
_SENTENCE_END = re.compile("[.!?…][\"'”’)]*$|[。！？][」』）]*$")
_VOICE = re.compile(r"<v(?:\.[^\s>]{0,100})?\s{1,9}([^>]{1,100})>")
_TAG = re.compile(r"</?(?:[a-zA-Z][^<>]{0,200}|\d[\d:.]*)>|\{\\[^{}]{0,100}\}")
_CJK = re.compile(f"[{STOPS}{MARKS}{KANA}{HAN}{FULL_WIDTH}]")


def convert(data: bytes, out: Gathered) -> None:
    """Cues joined to sentences, each line after the time it begins at: `[00:01:23] Ada: text`.

    A line ends with a sentence, at a pause, at another speaker, or when it is long. Tags are
    taken out, lines that a cue repeats from the one before are left out. Raises InputError when
    there are no cues.
    """
    said = _Joined(out)
    times: re.Match[str] | None = None
    lines: list[str] = []
    count = 0
    for line in [*re.split(r"\r\n?|\n", decoded(data)), ""]:
        found = _TIMES.match(line)
        if line.strip() and not found:
            lines.append(line)
            continue
        if times:
            said.add(_seconds(*times.group(1, 2, 3)), _seconds(*times.group(4, 5, 6)), lines)
        times, lines = found, []
        count += found is not None
    if not count:
        raise InputError(
            "it has no cues that can be read",
            fix="Each needs a line `00:01:02,000 --> 00:01:05,000` and text below it.",
        )
    said.end()


class _Joined:
    """The line under construction."""

    def __init__(self, out: Gathered) -> None:
        self._out = out
        self._text = ""
        self._voice = ""
        self._from = self._until = 0
        self._before: frozenset[str] = frozenset()
        """The lines of the last cue."""

    def add(self, start: int, end: int, raw: list[str]) -> None:
        """The next cue, with its times in seconds."""
        found = _VOICE.search(" ".join(raw))
        voice = found[1] if found else ""
        lines = [line for each in raw if (line := _plain(each))]
        if voice != self._voice or start - self._until >= PAUSE:
            self.end()
        self._voice = voice
        for line in lines:
            if line not in self._before:
                self._from = self._from if self._text else start
                glue = "" if _CJK.match(self._text[-1:]) and _CJK.match(line) else " "
                self._text = f"{self._text}{glue}{line}".strip()
            if len(self._text) >= LONG:
                self.end()
        self._until, self._before = end, frozenset(lines) or self._before
        if _SENTENCE_END.search(self._text):
            self.end()

    def end(self) -> None:
        """Write the line."""
        if self._text:
            minutes, seconds = divmod(self._from, 60)
            time = f"[{minutes // 60:02}:{minutes % 60:02}:{seconds:02}]"
            voice = f" {self._voice}:" if self._voice else ""
            self._out.add(f"{time}{voice} {self._text}")
        self._text = ""


def _plain(line: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", line)).split())


def _seconds(hours: str | None, minutes: str, seconds: str) -> int:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
