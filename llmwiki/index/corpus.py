"""What may be asked of an indexed wiki: the one view retrieval has of it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

T = TypeVar("T")

WORD = "w:"
"""Prefix of the keys of search terms (`core.tokens.terms`); their postings carry counts."""
RUN = "p:"
"""Capitalised names that stand in a page's text (`page_terms.runs`)."""
TITLE = "t:"
"""Titles and aliases as they are mentioned (`page_terms.title_key`)."""
LINK = "l:"
"""Folded file names that the links of a page give (`link_targets.name_in`), its own excepted."""
PLACED = "L:"
"""The keys of those links of a page that name a folder, and `/` with the file name of each; `/`
with the page's own file name where a link gives that."""
CALLED = "b:"
"""Titles and aliases of a page as keys of links (`link_targets.called`)."""
FILE = "f:"
"""The folded file name of a page: what a link to it folds to."""


class Postings:
    """The pages that hold a key."""

    __slots__ = ("codes", "docs")

    def __init__(self, docs: array[int], codes: bytes) -> None:
        self.docs = docs
        """Numbers of the pages, rising."""
        self.codes = codes
        """For each the byte of `page_terms.code`; 1 for keys without counts."""

    def __len__(self) -> int:
        return len(self.docs)


class Card(NamedTuple):
    """What a ranking needs to know of one page."""

    doc: int
    path: str
    oid: str
    """Git's blob id of the text that was indexed."""
    type: str
    title: str
    description: str
    aliases: tuple[str, ...]
    links: tuple[str, ...]
    """The keys of its links (`pages.link_targets`), sorted."""
    runs: tuple[str, ...]
    """Keys below RUN, sorted."""


class Corpus(Protocol):
    """An indexed wiki at one moment. Page numbers mean nothing beyond it; ties go by path."""

    @property
    def pages(self) -> int:
        """How many pages there are."""

    @property
    def words(self) -> int:
        """Terms in all bodies together."""

    @property
    def title_words(self) -> int:
        """Terms in all titles together."""

    @property
    def lengths(self) -> Sequence[int]:
        """Terms in the body of each page, by its number; at least 1, 0 where there is none."""

    @property
    def title_lengths(self) -> Sequence[int]:
        """Distinct terms in the title of each page, by its number, at most 255."""

    def postings(self, keys: Iterable[str]) -> dict[str, Postings]:
        """The postings of those keys that stand anywhere; one look-up for all."""

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """How many pages hold each of those terms that stand anywhere."""

    def among(self, term: str, docs: Collection[int]) -> Postings:
        """The postings of a term among some pages, however many others hold it."""

    def cards(self, docs: Iterable[int]) -> Mapping[int, Card]:
        """The cards of pages; one look-up for all."""

    def paths_of(self, docs: Iterable[int]) -> Mapping[int, str]:
        """The paths of pages alone, which is quicker."""

    def doc(self, path: str) -> int | None:
        """The number of a page."""

    def kept(self, make: Callable[[], T]) -> T:
        """What `make` gives: always the same one as long as the wiki is asked at this moment, or a
        new one each time where nothing is kept between questions."""

    @property
    def dashes(self) -> bool:
        """Whether blanks and hyphens are one in links; see `link_targets.has_dashes`."""
