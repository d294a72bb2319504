"""The lines of a transcript as JSON objects, read one by one: it may be of any size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from llmwiki.core.errors import InputError

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
