"""The kinds of pages there are, and of notes. A new kind is one row here; nothing else names them
all."""

from __future__ import annotations

from llmwiki.core.quick_to_load import NamedTuple


class PageKind(NamedTuple):
    """One kind of pages, as the `type` of a page's frontmatter names it."""

    name: str
    folder: str
    """Below wiki/; empty where there is one page of it, `wiki/NAME.md`."""
    plural: str
    """Its heading in the index."""
    listed: int
    """Its place among the headings of the index, from 1."""
    is_subject: bool = False
    """Whether it is of one subject: an ingest may make it for one that has no page."""
    is_named: bool = False
    """Whether its title and aliases are looked up where a text or its reader names a thing."""
    is_topic: bool = False
    """Whether readers are led to it: it wants links, a description, and grows old."""
    is_titled: bool = True
    """Whether its file is named by its title."""


PAGE_KINDS = (
    PageKind("entity", "entities", "Entities", 3, is_subject=True, is_named=True, is_topic=True),
    PageKind("concept", "concepts", "Concepts", 2, is_subject=True, is_named=True, is_topic=True),
    PageKind("source", "sources", "Sources", 4, is_named=True),
    PageKind("synthesis", "syntheses", "Syntheses", 1, is_topic=True),
    PageKind("daily", "daily", "Daily notes", 6),
    PageKind("memory", "", "Memory", 5, is_titled=False),
    PageKind("skill", "skills", "Skills", 7, is_titled=False),
)

PARTIAL = "partial"
"""The tag of a source of which a review has let in a part: its other lines answer nothing."""
INDEX, OVERVIEW, LOG = "wiki/index.md", "wiki/overview.md", "wiki/log.md"
MEMORY = "wiki/memory.md"
DAILY = "wiki/daily/"
"""The folder of the pages of days, on which notes of the memory stand."""

KINDS = tuple(kind.name for kind in PAGE_KINDS)
SUBJECTS = tuple(kind.name for kind in PAGE_KINDS if kind.is_subject)
NAMED = tuple(kind.name for kind in PAGE_KINDS if kind.is_named)
TOPICS = tuple(kind.name for kind in PAGE_KINDS if kind.is_topic)


def folder_of(path: str) -> str:
    """The folder below wiki/ that a page lies in: `concepts`; empty at its top and elsewhere."""
    parts = path.split("/", 2)
    return parts[1] if len(parts) == 3 and parts[0] == "wiki" else ""


KIND_OF_FOLDER = {kind.folder: kind.name for kind in PAGE_KINDS if kind.folder}
"""Folder below wiki/ to the kind of the pages in it."""


def is_of_subject(path: str) -> bool:
    """Whether a page lies where those of subjects do."""
    return KIND_OF_FOLDER.get(folder_of(path)) in SUBJECTS


NOTE_KINDS = ("fact", "preference", "decision", "event", "procedure", "task")
"""The kinds of notes."""
SAID = "said"
"""The kind of a note of the day that holds what was said, word for word."""
RULES = ("preference", "procedure")
"""Kinds that say how to act: only what a person typed makes one."""
SPEAKERS = ("person", "agent")
"""Who takes part in a conversation, the person first."""
TELLERS = (*SPEAKERS, "page", "web", "file", "tool")
"""Who may have told a note: a speaker, or a text of others."""
