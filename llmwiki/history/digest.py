"""What memory learned since a day, in a page that is read in a minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time

from llmwiki.core.text import counted, cut, normalise
from llmwiki.history.diff import MemoryDiff, between
from llmwiki.history.event_lines import (
    Said,
    Words,
    by_page,
    count_words,
    event_line,
    shown_events,
)
from llmwiki.pages.escape import escape
from llmwiki.pages.events import EventKind, MemoryEvent, MemoryEvents
from llmwiki.repo.log import Commit
from llmwiki.repo.mainline import mainline
from llmwiki.repo.repository import Repository
from llmwiki.repo.survey import review_branches

PAGES, CLAIMS, LINES = 12, 4, 12
"""Pages that are shown, claims of one, and lines of any other section."""
_LONGEST = 300
"""Characters of one text."""
_CHANGED: tuple[EventKind, ...] = (
    *("source-retracted", "claim-retracted", "claim-superseded", "claim-struck"),
    *("claim-taken-out", "claim-updated", "claim-reworded", "claim-revived", "evidence-lost"),
    *("page-renamed", "page-merged", "page-split", "page-retired"),
)


@dataclass(frozen=True, slots=True)
class MemoryDigest:
    """What memory learned since a day began (UTC)."""

    since: date
    told: MemoryDiff
    """What differs between HEAD and the last commit before that day."""
    operations: tuple[tuple[str, int], ...]
    """How many of each kind there were, the most first."""
    reviews: tuple[str, ...]
    """Branches that wait for review."""
    lacking: str = ""
    """Why this clone may lack something; empty: it has all."""


def memory_digest(repo: Repository, since: date, operations: Iterable[Commit]) -> MemoryDigest:
    """What was learned since `since`; `operations` are those of that time."""
    start = datetime.combine(since, time(), UTC).timestamp()
    head = next(iter(repo.log(limit=1)), None)
    base = next((oid for oid, seconds in mainline(repo) if seconds < start), None)
    if head is None:
        told = MemoryDiff("", "", None, None, MemoryEvents(), 0, {}, {})
    else:
        told = between(repo, base, head)
    kinds = Counter(commit.kind or "" for commit in operations)
    return MemoryDigest(
        since,
        told,
        tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
        tuple(review_branches(repo)),
        repo.beyond if base is None else "",
    )


def digest_markdown(digest: MemoryDigest) -> str:
    """The digest as Markdown; texts of documents and people are escaped."""
    told = replace(digest.told, found=MemoryEvents(_worth_telling(digest.told)))
    parts = [f"# Learned since {digest.since.isoformat()}\n\n{_opening(digest, told)}\n"]
    shown = shown_events(told)
    news = [event for event in shown if event.kind == "claim-added"]
    look = [_line(e, told) for e in shown if e.kind == "claim-contradicted"]
    look += [f"- waits for review: `wiki review show {each.partition('/')[2]}`\n"
             for each in digest.reviews]  # fmt: skip
    parts += _section("To look at", look)
    parts += _section("Changed", [_line(e, told) for e in shown if e.kind in _CHANGED])
    parts += _section("Remembered", [_line(e, told) for e in news if e.claim.startswith("n-")])
    parts += _learned([e for e in news if not e.claim.startswith("n-")], told, shown)
    read = [e for e in shown if e.kind in ("source-read", "source-version")]
    parts += _section("Sources", [f"- {_safe(e.name)}\n" for e in read])
    return "".join(parts)


def _worth_telling(told: MemoryDiff) -> tuple[MemoryEvent, ...]:
    """All events but those of sentences that notes rest on, and of notes that came and were
    replaced or forgotten within this time."""
    return tuple(
        event
        for event in told.found.events
        if event.facts is None
        or not event.claim.startswith("n-")
        or not (
            ("kind", ":", "said") in event.facts.attributes
            or (event.kind == "claim-added" and event.facts.successor is not None)
        )
    )


def _opening(digest: MemoryDigest, told: MemoryDiff) -> str:
    done = ", ".join(f"{count} {kind}" for kind, count in digest.operations)
    said = ", ".join(count_words(told))
    if not said:
        said = "Nothing new is in memory"
    number = sum(count for _kind, count in digest.operations)
    by = f" {counted(number, 'operation')} ({done})." if number else ""
    return f"{said[0].upper()}{said[1:]}.{by}"


def _section(heading: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    more = len(lines) - LINES
    rest = [f"- and {more} more\n"] if more > 0 else []
    return [f"\n## {heading}\n\n", *lines[:LINES], *rest]


def _learned(
    events: Sequence[MemoryEvent], told: MemoryDiff, shown: Sequence[MemoryEvent]
) -> list[str]:
    """What came, page by page, those with most first."""
    if not events:
        return []
    made = {event.path for event in shown if event.kind in ("page-created", "page-split")}
    pages = sorted(by_page(events), key=lambda page: (-len(page.events), page.title, page.path))
    parts = ["\n## Learned\n"]
    for page in pages[:PAGES]:
        new = " (new page)" if page.path in made else ""
        parts.append(f"\n**{_safe(page.title)}**{new}\n\n")
        parts += [_claim(event, told) for event in page.events[:CLAIMS]]
        more = len(page.events) - CLAIMS
        parts += [f"- and {more} more\n"] if more > 0 else []
    more = len(pages) - PAGES
    parts += [f"\nAnd on {counted(more, 'more page')}.\n"] if more > 0 else []
    return parts


def _claim(event: MemoryEvent, told: MemoryDiff) -> str:
    first = event.facts.evidence[0] if event.facts and event.facts.evidence else None
    where, text = "", _safe(event.text)
    if event.facts is not None and event.facts.successor is not None:
        # It came and was overtaken within this time.
        text = f"~~{text}~~"
    if first is not None:
        where = f" — {_safe(told.sources.get(first.source, first.source))} {first.span}"
    return f"- {text}{where}\n"


def _line(event: MemoryEvent, told: MemoryDiff) -> str:
    line = event_line(event, told)
    title = f" · {_safe(event.title)}" if event.title else ""
    if line.rewording is not None:
        before, after = (_safe(text) for text in line.rewording)
        return f"- “{before}” now reads “{after}”{title}\n"
    return f"- {_shown(line.words)}{title}\n"


def _shown(words: Words) -> str:
    return "".join(_safe(word.text) if isinstance(word, Said) else word for word in words)


def _safe(text: str) -> str:
    return escape(cut(normalise(text), _LONGEST))
