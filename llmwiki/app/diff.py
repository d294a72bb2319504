"""A difference between two states of memory, for those who show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.history.diff_lines import PageLines as PageLines
from llmwiki.history.diff_lines import lines_by_page
from llmwiki.history.diff_markdown import diff_markdown as diff_markdown
from llmwiki.pages.wording import count_words
from llmwiki.pages.wording import word_diff as word_diff

if TYPE_CHECKING:
    from llmwiki.history.diff import MemoryDiff


def counts(told: MemoryDiff) -> str:
    """What happened, counted; empty: nothing."""
    return ", ".join(count_words(told.changes))


def pages(told: MemoryDiff) -> list[PageLines]:
    """What happened, page by page."""
    return list(lines_by_page(told))
