"""A difference of memory as Markdown: the comment of a pull request or merge request.

Everything that documents or people wrote stands in code, where no forge acts on it: mentions,
references, links, HTML. Whole items are left out, the least serious first, where it gets too long.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from llmwiki.core.text import counted, cut, normalise
from llmwiki.history.diff import MemoryDiff
from llmwiki.history.event_lines import (
    EventLine,
    Said,
    Words,
    count_words,
    event_line,
    quiet_words,
    shown_events,
)
from llmwiki.pages.events import EventKind, MemoryEvent

MARKER = "<!-- llmwiki:diff v1 -->"
"""The first line, by which a later run finds the comment that it renews."""
LIMIT = 65_000
"""UTF-16 units at most; GitHub takes 65,536 characters."""
_LONGEST = 400
"""Characters of one text."""
_RESERVED = 60
"""Units that closing a section and saying what is left out may take, for each section."""
_DIRECTION = re.compile("[\u061c\u200e\u200f]")
_TICKS = re.compile("`+")


class _Section(NamedTuple):
    heading: str
    kinds: tuple[EventKind, ...]
    is_folded: bool = False


_SECTIONS = (
    _Section("Retracted", ("source-retracted", "claim-retracted")),
    _Section("Contradictions", ("claim-contradicted", "claim-reconciled")),
    _Section(
        "Superseded, struck, taken out",
        ("claim-superseded", "claim-struck", "claim-taken-out", "page-retired", "claim-updated"),
    ),
    _Section("Evidence lost", ("evidence-lost",)),
    _Section("Reworded", ("claim-reworded", "claim-reattributed", "claim-revived")),
    _Section("Pages", ("page-created", "page-renamed", "page-merged", "page-split")),
    _Section("Sources", ("source-read", "source-version")),
    _Section("Claims added", ("claim-added",), True),
    _Section("Evidence", ("evidence-gained", "evidence-relocated"), True),
    _Section("Moved and joined", ("claim-moved", "claim-joined", "claim-reidentified"), True),
    _Section(
        "Names, relations, links",
        (
            *("title-changed", "alias-gained", "alias-lost", "tag-gained", "tag-lost"),
            *("relation-gained", "relation-lost", "link-gained", "link-lost"),
        ),
        True,
    ),
    _Section("Prose", ("description-changed", "lead-changed", "prose-changed"), True),
)


def diff_markdown(told: MemoryDiff, limit: int = LIMIT) -> str:
    """The Markdown of a difference, of at most `limit` UTF-16 units, its marker first."""
    names = f"{in_code(told.before)} → {in_code(told.after)}"
    counts = ", ".join(count_words(told)) or "nothing that claims say has changed"
    quiet = quiet_words(told)
    parts = [f"{MARKER}\n### Memory: {counts}\n\n{names}, {counted(told.pages, 'page')} changed\n"]
    tail = f"\nChanged beside that: {quiet}.\n" if quiet else ""
    shown = shown_events(told)
    rows = [(s, [e for e in shown if e.kind in s.kinds]) for s in _SECTIONS]
    filled = [(section, events) for section, events in rows if events]
    room = limit - _units(parts[0]) - _units(tail) - sum(
        _units(_opening(section, len(events))) + _RESERVED for section, events in filled
    )  # fmt: skip
    for section, events in filled:
        items, room = _items(events, told, room)
        more = len(events) - len(items)
        rest = [f"- … and {more} more\n"] if more else []
        closing = "\n</details>\n" if section.is_folded else ""
        parts.append("".join([_opening(section, len(events)), *items, *rest, closing]))
    return "".join(parts) + tail


def _opening(section: _Section, count: int) -> str:
    if section.is_folded:
        return f"\n<details><summary>{section.heading} ({count})</summary>\n\n"
    return f"\n#### {section.heading} ({count})\n\n"


def _items(events: Sequence[MemoryEvent], told: MemoryDiff, room: int) -> tuple[list[str], int]:
    """The items that find room, in their order, and what room is left."""
    found: list[str] = []
    for event in events:
        item = _item(event, event_line(event, told))
        if _units(item) > room:
            break
        room -= _units(item)
        found.append(item)
    return found, room


def _item(event: MemoryEvent, line: EventLine) -> str:
    where = f" · {in_code(event.title)}" if event.title else ""
    ident = f" {in_code('^' + line.claim)}" if line.claim else ""
    rows = [f"- {_shown(line.words)}{where}{ident}\n"]
    if line.rewording is not None:
        rows += [f"  {row}\n" for row in _fenced(line.rewording)]
    rows += [f"  - {_shown(words)}\n" for words in line.quotes]
    return "".join(rows)


def _shown(words: Words) -> str:
    return "".join(in_code(word.text) if isinstance(word, Said) else word for word in words)


def in_code(text: str) -> str:
    """Any text as a code span on one line, in which a forge acts on nothing."""
    line = cut(normalise(_DIRECTION.sub("", text)), _LONGEST) or "?"
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _fenced(rewording: tuple[str, str]) -> list[str]:
    before, after = (cut(normalise(text), 4 * _LONGEST) for text in rewording)
    fence = "`" * max(3, _longest_run(before) + 1, _longest_run(after) + 1)
    rows = [f"- {before}"] if before else []
    rows += [f"+ {after}"] if after else []
    return [f"{fence}diff", *rows, fence]


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)


def _units(text: str) -> int:
    """The length of a text in UTF-16 units, as forges count it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
