"""The pages that code renders whole: index.md with its shards, and overview.md."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from llmwiki.core.page_and_note_kinds import PAGE_KINDS
from llmwiki.core.text import counted, fold
from llmwiki.pages.escape import escape
from llmwiki.pages.frontmatter import scalar
from llmwiki.pages.page_file_names import namesakes, told_apart

SHARD_ABOVE = 1000
"""Entries beyond which index.md lists shards instead of pages (at 100,000 pages one index would
be 14.5 MB in every commit)."""

TOP_PAGES = 30
"""How many of the most-linked pages the overview names."""

_TYPES = (
    *(
        (kind.name, kind.plural, kind.folder or kind.name)
        for kind in sorted(PAGE_KINDS, key=lambda kind: kind.listed)
    ),
    ("", "Other pages", "other"),
)
_KNOWN = {kind for kind, _title, _folder in _TYPES}


_DAY = re.compile(r"(?P<year>\d{4})-\d\d-\d\d\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Entry:
    """One page as the index lists it."""

    path: str
    type: str
    title: str
    description: str

    @property
    def kind(self) -> str:
        """Its type, where that is one with a heading of its own; else empty."""
        return self.type if self.type in _KNOWN else ""

    @property
    def shard(self) -> tuple[str, str]:
        """(type, first character folded: a–z, 0–9, or `other`); of the page of a day its year, for
        all days of a century begin with one digit."""
        day = _DAY.match(self.title) if self.kind == "daily" else None
        return self.kind, day["year"] if day else _initial(self.title)

    @property
    def order(self) -> tuple[str, str]:
        """Where it stands in its list: folded title, then path."""
        return _order(self)


@lru_cache(maxsize=1 << 15)
def _order(entry: Entry) -> tuple[str, str]:
    return fold(entry.title), entry.path


@lru_cache(maxsize=1 << 15)
def _initial(title: str) -> str:
    plain = unicodedata.normalize("NFKD", fold(title))
    first = plain[:1]
    return first if re.fullmatch(r"[a-z0-9]", first) else "other"


def _target(path: str, folder: str) -> str:
    relative = path.removeprefix("wiki/")
    if folder:
        prefix = folder + "/"
        relative = (
            relative.removeprefix(prefix) if relative.startswith(prefix) else f"../{relative}"
        )
    return f"<{relative}>" if re.search(r"[\s()<>]", relative) else relative


@lru_cache(maxsize=1 << 15)
def line(entry: Entry, folder: str = "", mark: str = "") -> str:
    """`* [Title](path) - description`; the path relative to `wiki/` or to the shard's folder.

    `mark` tells it from a page of the same title. A description that is the title is left out.
    """
    text = f"* [{escape(told_apart(entry.title, mark))}]({_target(entry.path, folder)})"
    says = fold(entry.description).rstrip(".。") != fold(entry.title).rstrip(".。")
    return f"{text} - {escape(entry.description)}" if entry.description and says else text


def shard_path(shard: tuple[str, str]) -> str:
    """The file of a shard: `wiki/concepts/index-a.md`."""
    folder = next(f for kind, _title, f in _TYPES if kind == shard[0])
    return f"wiki/{folder}/index-{shard[1]}.md"


PART_FOLDERS = tuple(sorted({f"wiki/{folder}" for _kind, _title, folder in _TYPES}))
"""The folders of the parts of a large wiki's index."""


def render_index(entries: Sequence[Entry]) -> str:
    """index.md of a wiki that fits into one list."""
    out = [_INTRO]
    for kind, title, _folder in _TYPES:
        rows = sorted((e for e in entries if e.kind == kind), key=lambda e: e.order)
        if rows:
            out.append(f"\n## {title}\n\n{_lines(rows)}\n")
    return "".join(out)


def _lines(rows: Sequence[Entry], folder: str = "") -> str:
    marks = namesakes((entry.path, entry.title) for entry in rows)
    return "\n".join(line(entry, folder, marks.get(entry.path, "")) for entry in rows)


_INTRO = """# Index

* [Overview](overview.md) - What this wiki holds
* [Log](log.md) - What happened to it
"""


def render_shard(shard: tuple[str, str], entries: Iterable[Entry]) -> str:
    """One shard's file."""
    title, folder = next((t, f) for kind, t, f in _TYPES if kind == shard[0])
    rows = sorted(entries, key=lambda e: e.order)
    return f"# {title}: {shard[1]}\n\n* [Index](../index.md)\n\n{_lines(rows, folder)}\n"


def render_shard_index(counts: Mapping[tuple[str, str], int]) -> str:
    """index.md of a large wiki: its shards, with how many pages each lists."""
    out = [_INTRO]
    for kind, title, _folder in _TYPES:
        shards = sorted(shard for shard, count in counts.items() if shard[0] == kind and count)
        if shards:
            rows = [
                f"* [{title}: {shard[1]}]({shard_path(shard).removeprefix('wiki/')})"
                f" - {counted(counts[shard], 'page')}"
                for shard in shards
            ]
            out.append(f"\n## {title}\n\n" + "\n".join(rows) + "\n")
    return "".join(out)


@dataclass(frozen=True, slots=True)
class Totals:
    """What the overview counts."""

    pages: Mapping[str, int]
    """By type."""
    claims: int
    tags: Mapping[str, int]
    top: Sequence[tuple[Entry, int]]
    """The most-linked pages, with how many pages link to each, most first."""
    documents: Sequence[tuple[Entry, int]] = ()
    """Pages of documents and how many claims stand on each, most first, where few subjects are."""


def render_overview(totals: Totals, lead: str) -> str:
    """overview.md: its lead, and the counts under it."""
    head = [
        "---",
        "type: overview",
        "title: Overview",
        f"description: {scalar('What this wiki holds')}",
        "---",
        "",
        "# Overview",
        "",
    ]
    out = ["\n".join(head)]
    if lead:
        out.append(f"\n{lead}\n")
    named = {kind: title for kind, title, _folder in _TYPES}
    out.append("\n## What is here\n\n")
    for kind, title in named.items():
        if totals.pages.get(kind):
            out.append(f"- {title}: {totals.pages[kind]}\n")
    out.append(f"- Claims: {totals.claims}\n")
    if totals.top:
        out.append("\n## Most linked\n\n")
        for entry, count in totals.top:
            out.append(f"{line(entry)} ({counted(count, 'link')})\n")
    if totals.documents:
        out.append("\n## Documents\n\n")
        for entry, count in totals.documents:
            out.append(f"{line(entry)} ({counted(count, 'claim')})\n")
    if totals.tags:
        words = sorted(totals.tags.items(), key=lambda item: (-item[1], item[0]))[:50]
        out.append("\n## Tags\n\n")
        out.append("\n".join(f"- {escape(tag)}: {count}" for tag, count in words) + "\n")
    return "".join(out)


_COUNTS = ("## What is here", "## Most linked", "## Documents", "## Tags")
_RENDERED = re.compile(r"- .+: [0-9]+|\* \[.+\]\(.+\).*")


def stray_prose(overview: str) -> list[str]:
    """The paragraphs among the counts of an overview that no rendering put there, in order."""
    rows = overview.split("\n")
    start = next((number for number, row in enumerate(rows) if row in _COUNTS), len(rows))
    kept = [
        "" if row in _COUNTS or _RENDERED.fullmatch(row) else row.rstrip("\r")
        for row in rows[start:]
    ]
    return [part.strip("\n") for part in re.split(r"\n{2,}", "\n".join(kept)) if part.strip()]
