"""Facts that are a function of one page's bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from llmwiki.core.agent_file_names import ROOT_FILES
from llmwiki.core.page_and_note_kinds import DAILY
from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.core.text import is_text
from llmwiki.git.find_repository import ASIDE
from llmwiki.pages.link_targets import called, name_in
from llmwiki.pages.page_file_names import INDEX_PART, YEAR_PART, name_key, stem_of

if TYPE_CHECKING:
    from llmwiki.pages.memory_notes import MemoryNote
    from llmwiki.pages.page import SourceRef


_CATALOGUE = lazy_pattern(
    rf"^wiki/(?:index|overview|log|log-\d{{4}})\.md$|^wiki/[^/]+/{INDEX_PART}\.md$"
    rf"|^{DAILY}{YEAR_PART}\.md$"
)


class PageFacts(NamedTuple):
    """What the wiki as a whole needs to know of one page."""

    path: str
    type: str
    title: str
    description: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    claims: tuple[str, ...]
    """Ids of the claims that stand on it, struck ones included, in order."""
    struck: int
    """How many of them are struck."""
    links: frozenset[str]
    """The keys of its links; see `pages.link_targets`."""
    sources: tuple[SourceRef, ...]
    broken: str = ""
    """Why its frontmatter cannot be read; empty where it can."""
    cites: tuple[str, ...] = ()
    """Ids of the claims that its links and the record of a source name, sorted."""
    about: tuple[str, ...] = ()
    """The names, as `name_in` folds them, of other pages that its claims are about, sorted."""
    notes: tuple[MemoryNote, ...] = ()
    """The notes and sentences of a page of the memory, in order; other pages have none."""
    speaker: str = ""
    """Who says its text, folded, where that begins with a name and a colon, as turns of a talk
    do; else empty."""

    @property
    def stem(self) -> str:
        """The file's name without folder and ending."""
        return stem_of(self.path)

    @property
    def own_source(self) -> SourceRef | None:
        """The source that a ledger tells of; None where it names none."""
        return next((s for s in self.sources if s.id == self.stem), None)

    @property
    def resource(self) -> str:
        """The file below raw/ that a ledger tells of; empty where it names none."""
        own = self.own_source
        return own.resource.removeprefix("/") if own else ""

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes that a ledger tells of; empty where it names none."""
        own = self.own_source
        return own.sha256 if own else ""

    @property
    def origin(self) -> str:
        """Where the file is a copy from, as a ledger says; empty where it does not."""
        own = self.own_source
        return own.origin if own else ""

    @property
    def copied(self) -> str:
        """First digits of the SHA-256 that was copied, where the file was edited and read since."""
        own = self.own_source
        return own.copied if own else ""

    @property
    def is_retracted(self) -> bool:
        """Whether it is the ledger of a source that was retracted."""
        return "retracted" in self.tags

    @property
    def linked_names(self) -> frozenset[str]:
        """Folded file names it links to, its own excepted."""
        return frozenset(map(name_in, self.links)) - {name_key(self.stem)}

    @property
    def called(self) -> frozenset[str]:
        """The keys of wikilinks that name it by title or alias; see `link_targets.called`."""
        names = () if self.broken else (self.title, *self.aliases)
        return called(names, self.path)


def pack(facts: PageFacts) -> str:
    """The facts that have no column of their own, as a JSON list in their order. Another order
    needs another `schema.FACTS`."""
    held = facts._replace(links=sorted(facts.links))[4:]  # type: ignore[arg-type]
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))


def unpack(path: str, kind: str, title: str, description: str, rest: str) -> PageFacts:
    """The facts of a row."""
    aliases, tags, claims, struck, links, sources, broken, cites, about, notes, speaker = (
        json.loads(rest)
    )
    from llmwiki.pages.page import SourceRef

    return PageFacts(
        *(path, kind, title, description, tuple(aliases), tuple(tags), tuple(claims), struck),
        links=frozenset(links),
        sources=tuple(map(SourceRef._make, sources)),
        broken=broken,
        cites=tuple(cites),
        about=tuple(about),
        notes=tuple(map(_note, notes)),
        speaker=speaker,
    )


def _note(fields: list[Any]) -> MemoryNote:
    from llmwiki.pages.memory_notes import MemoryNote

    note = MemoryNote(*fields)
    # JSON has no tuples.
    return note._replace(sources=tuple((day, ident) for day, ident in note.sources))


def is_catalogue(path: str) -> bool:
    """Whether code renders this file whole: index, overview, log."""
    return bool(_CATALOGUE.match(path))


def is_page(path: str) -> bool:
    """Whether a file below wiki/ is a page of the wiki; one whose name is no UTF-8 is none."""
    is_markdown = path.startswith("wiki/") and path.endswith(".md")
    return is_markdown and is_text(path) and not is_catalogue(path)


def is_indexed(path: str) -> bool:
    """Whether a Markdown file of the folders with pages is a page: of the wiki, or another's.

    Instructions to agents at the root are none, nor what lies in hidden folders.
    """
    if path.startswith("wiki/"):
        return is_page(path)
    if not path.endswith(".md") or path in ROOT_FILES or path.startswith(_ASIDE):
        return False
    return not path.startswith(".") and "/." not in path and is_text(path)


_ASIDE = tuple(f"{name}/" for name in sorted(ASIDE))
