"""The shape of what `wiki watch --schedule` prints."""

from __future__ import annotations

from typing import Literal

from llmwiki.app.shapes.shape import Shape


class ScheduleEntryJson(Shape):
    """One file, or the lines of a crontab."""

    path: str
    """Below the home directory, or `crontab`."""
    text: str


class ScheduleJson(Shape):
    """The entries that run the daily jobs."""

    schema: Literal["llmwiki.schedule/1"]
    files: list[ScheduleEntryJson]
