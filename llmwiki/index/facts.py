"""Facts that are a function of one page's bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.agent_files import ROOT_FILES
from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.page_kinds import DAILY
from llmwiki.pages.link_targets import called, name_in
from llmwiki.pages.names import INDEX_PART, YEAR_PART, name_key, stem_of
from llmwiki.repo.layout import ASIDE

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
    """Ids of the claims that its links and its roster name, sorted."""
    about: tuple[str, ...] = ()
    """The names, as `name_in` folds them, of other pages that its claims are about, sorted."""
    notes: tuple[MemoryNote, ...] = ()
    """The notes and sentences of a page of the memory, in order; other pages have none."""

    @property
    def stem(self) -> str:
        """The file's name without folder and ending."""
        return stem_of(self.path)

    @property
    def linked_names(self) -> frozenset[str]:
        """Folded file names it links to, its own excepted."""
        return frozenset(map(name_in, self.links)) - {name_key(self.stem)}

    @property
    def called(self) -> frozenset[str]:
        """The keys of wikilinks that name it by title or alias; see `link_targets.called`."""
        names = () if self.broken else (self.title, *self.aliases)
        return called(names, self.path)


class LedgerRow(NamedTuple):
    """What is asked of all ledgers at once."""

    path: str
    title: str
    resource: str
    """As `keys.resource_of` has it."""
    sha256: str
    """As `keys.recorded_sha` has it."""
    is_retracted: bool
    gave_claims: bool
    """Whether it names any claim."""

    @property
    def stem(self) -> str:
        """The file's name without folder and ending."""
        return stem_of(self.path)


def is_catalogue(path: str) -> bool:
    """Whether code renders this file whole: index, overview, log."""
    return bool(_CATALOGUE.match(path))


def is_page(path: str) -> bool:
    """Whether a file below wiki/ is a page of the wiki."""
    return path.startswith("wiki/") and path.endswith(".md") and not is_catalogue(path)


def is_indexed(path: str) -> bool:
    """Whether a Markdown file of the folders with pages is a page: of the wiki, or another's.

    Instructions to agents at the root are none, nor what lies in hidden folders.
    """
    if path.startswith("wiki/"):
        return is_page(path)
    if not path.endswith(".md") or path in ROOT_FILES or path.startswith(_ASIDE):
        return False
    return not path.startswith(".") and "/." not in path


_ASIDE = tuple(f"{name}/" for name in sorted(ASIDE))
