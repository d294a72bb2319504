"""The lines of a transcript, read one by one, for it may be of any size; and its statements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from llmwiki.core.errors import InputError
from llmwiki.core.secrets import redacted
from llmwiki.memory.conversation import Statement

MAX_TYPED = 4_000
"""Characters of a message; a longer one was pasted, not typed."""
MAX_SHOWN = 20_000
"""Characters of a foreign text that are kept for comparing."""
MAX_SHOWN_IN_ALL = 2_000_000
_LATEST = 32_503_593_600.0
"""The year 3000: later times and those before 1970 are none that a program wrote."""

_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
"""Code, from wherever it opens: what nobody closes goes on to the end."""
_TAG = re.compile(r"<(?P<ends>/?)(?P<name>[A-Za-z][\w-]{1,60}+)(?:\s[^<>\n]{0,1000}+)?>", re.ASCII)
_MARKUP = re.compile(
    r"<(?P<name>abbr|code|del|div|em|h[1-6]|ins|kbd|li|mark|ol|pre|samp|small|span|strong|su[bp]"
    r"|t[dhr]|ul)(?:\s[^<>\n]{0,1000}+)?>[^\n]{0,300}?</(?P=name)>",
    re.ASCII | re.IGNORECASE,
)
"""An element of HTML in one line, as it formats words; no program puts a text under such a name."""
_BEFORE = 80
"""Characters before a tag that tell whether it stands in the midst of a line."""
_OF_PROGRAMS = re.compile(r"(?:system|(?:local-)?command|bash)-|ide_")
"""How names begin that programs use wherever they like."""
_QUOTED = re.compile(r"^>[^\n]*$", re.M)


class StatementList:
    """What was said so far, in one conversation."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.turn = 0
        self._is_tainted = False
        self._shown = 0

    def typed(self, text: str, ts: float) -> None:
        """A message of the person: a new turn. Code and quoted lines in it are text of others."""
        self.turn += 1
        if len(text) > MAX_TYPED:
            self.foreign(text, "pasted")
            return
        others = [*_FENCE.findall(text), *_QUOTED.findall(_FENCE.sub("", text))]
        own = _QUOTED.sub("", _FENCE.sub("", text)).strip()
        if others:
            self.foreign("\n".join(others), "pasted")
        if own:
            self._add("typed", own, ts)

    def answered(self, text: str, ts: float) -> None:
        """An answer of the agent."""
        if text.strip() and self.turn:
            self._add("agent", text, ts, is_tainted=self._is_tainted)

    def foreign(self, text: str, origin: str = "tool") -> None:
        """Text of others: from here on what the agent says may come from it."""
        self._is_tainted = True
        room = min(MAX_SHOWN, MAX_SHOWN_IN_ALL - self._shown)
        if text and room > 0:
            self._shown += min(len(text), room)
            self._add(origin, text[:room], 0.0)

    def _add(self, origin: str, text: str, ts: float, *, is_tainted: bool = False) -> None:
        self.statements.append(Statement(max(self.turn, 1), origin, redacted(text), ts, is_tainted))


def own_words(text: str) -> tuple[str, list[tuple[str, str]]]:
    """A message without its elements `<name>…</name>`, and these, each with its name.

    What an editor has selected, what a hook, another agent or a task of the background said stands
    in such elements of a person's message; their names change from version to version. An element
    ends with the last tag of its name, for the text in it may hold one too; one that nobody closes
    goes on to the end if its name has two words, as the programs' have and those of HTML do not.
    In the midst of a line people write tags themselves: `<branch-name>`, `<em>now</em>`.
    """
    tags = list(_TAG.finditer(text))
    ends = {tag["name"]: tag.end() for tag in tags if tag["ends"]}
    own, elements, place = [], [], 0
    for tag in tags:
        name, end = tag["name"], ends.get(tag["name"], 0)
        if tag["ends"] or tag.start() < place or _MARKUP.match(text, tag.start()):
            continue
        if end < tag.end() and ("-" in name or "_" in name):
            line = text[max(place, tag.start() - _BEFORE) : tag.start()].rpartition("\n")[2]
            end = 0 if line.strip() and not _OF_PROGRAMS.match(name) else len(text)
        if end < tag.end():
            continue
        own.append(text[place : tag.start()])
        elements.append((name, text[tag.start() : end]))
        place = end
    return "".join((*own, text[place:])), elements


def moment(data: Mapping[str, Any]) -> float:
    """The time of a line in seconds since the epoch; 0 where it has none."""
    told = data.get("timestamp")
    try:
        found = datetime.fromisoformat(told).timestamp() if isinstance(told, str) else 0.0
    except (ValueError, OverflowError, OSError):
        return 0.0
    return found if 0 <= found < _LATEST else 0.0


def words(value: object) -> str:
    """A value where it is text; empty where it is anything else."""
    return value if isinstance(value, str) else ""


def texts(content: object, *kinds: str) -> list[str]:
    """The texts of the blocks of these kinds; of a plain text, itself."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    blocks = [{"text": each, "type": ""} if isinstance(each, str) else each for each in content]
    return [
        words(block.get("text"))
        for block in blocks
        if isinstance(block, dict) and (block.get("type") or "") in kinds
    ]


# --- lines -------------------------------------------------------------------------------

MAX_LINE = 8_000_000
"""Bytes; a longer line is passed over."""
MAX_WHOLE = 50_000_000
"""Bytes of a transcript that is one object."""
MAX_FILE = 500_000_000
"""Bytes of a transcript; a larger one is refused."""


class TranscriptLines:
    """The objects of a file of JSON lines; `skipped` is right at the end of each reading."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.skipped = 0
        """Lines that are too long, or no JSON object."""

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        """Raises InputError where the file cannot be read."""
        self.skipped = 0
        try:
            if not self._path.is_file():
                there = self._path.exists()
                what = "is no ordinary file" if there else "there is no such file"
                raise InputError(what, where=str(self._path))
            if self._path.stat().st_size > MAX_FILE:
                raise InputError(
                    f"a transcript of more than {MAX_FILE // 1_000_000} MB is not read",
                    where=str(self._path),
                    fix="Cut it: each line stands for itself.",
                )
            if (whole := self._whole()) is not None:
                yield whole
                yield from (each for each in whole["messages"] if isinstance(each, dict))
                return
            with self._path.open("rb") as file:
                left = MAX_FILE
                while left > 0 and (line := file.readline(MAX_LINE)):
                    left -= len(line)
                    if len(line) == MAX_LINE and not line.endswith(b"\n"):
                        while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                            left -= len(rest)
                        self.skipped += 1
                    elif line.strip():
                        yield from self._object(line)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", where=str(self._path)) from error

    def _whole(self) -> dict[str, Any] | None:
        """The one object that the file is, if it holds its messages in a list."""
        if self._path.suffix != ".json" or self._path.stat().st_size > MAX_WHOLE:
            return None
        try:
            found = json.loads(self._path.read_bytes().decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return None
        is_held = isinstance(found, dict) and isinstance(found.get("messages"), list)
        return found if is_held else None

    def _object(self, line: bytes) -> Iterator[Mapping[str, Any]]:
        try:
            found = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            yield found
        else:
            self.skipped += 1
