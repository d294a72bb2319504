"""The shape of what `wiki schedule` prints."""

from typing import Literal

from typing_extensions import TypedDict


class ScheduleEntryJson(TypedDict):
    """One file, or the lines of a crontab."""

    path: str
    """Below the home directory, or `crontab`."""
    text: str


class ScheduleJson(TypedDict):
    """The entries that run the daily jobs."""

    schema: Literal["llmwiki.schedule/1"]
    files: list[ScheduleEntryJson]
