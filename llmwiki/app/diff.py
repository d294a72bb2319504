"""What differs between two states of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.history.diff import MemoryDiff
    from llmwiki.history.event_lines import EventLine
    from llmwiki.pages.events import MemoryEvent
    from llmwiki.pages.word_diff import DiffPiece
    from llmwiki.repo.log import Commit


def diff(wiki: OpenWiki, revision: str = "") -> MemoryDiff:
    """The difference that `revision` asks for; see `Wiki.diff`."""
    from llmwiki.history.diff import memory_diff

    return memory_diff(wiki.repo, revision)


def change(wiki: OpenWiki, revision: str, most: int | None) -> tuple[Commit, MemoryDiff]:
    """A commit and what it changed; see `Wiki.change`."""
    from llmwiki.history.diff import DiffLimit, between

    commit = next(iter(wiki.repo.log(wiki.repo.commit(revision), limit=1)))
    room = None if most is None else DiffLimit(most)
    return commit, between(wiki.repo, commit.parents.first(), commit, room)


def markdown(told: MemoryDiff) -> str:
    """A difference as the comment of a pull request."""
    from llmwiki.history.diff_markdown import diff_markdown

    return diff_markdown(told)


def counts(told: MemoryDiff) -> tuple[str, str]:
    """What happened, counted, and what else changed; either may be empty."""
    from llmwiki.history.event_lines import count_words, quiet_words

    return ", ".join(count_words(told)), quiet_words(told)


def pages(told: MemoryDiff) -> list[tuple[MemoryEvent, list[EventLine]]]:
    """The lines of each page's events, and one of them for its title and path."""
    from llmwiki.history.event_lines import by_page, event_line, shown_events

    return [
        (page.events[0], [event_line(event, told) for event in page.events])
        for page in by_page(shown_events(told))
    ]


def word_pieces(before: str, after: str) -> list[DiffPiece]:
    """Two texts compared word by word."""
    from llmwiki.pages.word_diff import word_diff

    return word_diff(before, after)
