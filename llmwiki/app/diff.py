"""A difference between two states of memory, for those who show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.history.diff_markdown import diff_markdown as diff_markdown
from llmwiki.history.event_lines import by_page, count_words, event_line, quiet_words, shown_events
from llmwiki.pages.word_diff import word_diff as word_diff

if TYPE_CHECKING:
    from llmwiki.history.diff import MemoryDiff
    from llmwiki.history.event_lines import EventLine
    from llmwiki.pages.events import MemoryEvent


def counts(told: MemoryDiff) -> tuple[str, str]:
    """What happened, counted, and what else changed; either may be empty."""
    return ", ".join(count_words(told)), quiet_words(told)


def pages(told: MemoryDiff) -> list[tuple[MemoryEvent, list[EventLine]]]:
    """The lines of each page's events, and one of them for its title and path."""
    return [
        (page.events[0], [event_line(event, told) for event in page.events])
        for page in by_page(shown_events(told))
    ]
