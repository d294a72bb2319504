"""A corpus in memory: the plainest reading of the `Corpus` protocol, for tests and as an oracle."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.core.language.search_terms import count_terms, terms_of, words
from llmwiki.core.text import sha256_hex
from llmwiki.index.keys_of_names import keys_of
from llmwiki.index.lookups import CALLED, FILE, LINK, RUN, TITLE, WORD, Card, Postings
from llmwiki.index.names_and_words import (
    code,
    plain_text,
    runs,
    text_counted,
    text_of_runs,
    title_key,
)
from llmwiki.index.page_facts_record import PageFacts
from llmwiki.index.page_facts_scan import facts_of
from llmwiki.pages.link_targets import has_dashes
from llmwiki.pages.page_file_names import name_key


@dataclass(frozen=True, slots=True)
class PageText:
    """One page of a corpus, by the three things a test cares for."""

    path: str
    title: str
    body: str
    aliases: tuple[str, ...] = ()
    type: str = "concept"

    @property
    def text(self) -> str:
        """The page as it lies on disk."""
        aliases = f"aliases: [{', '.join(map(quoted, self.aliases))}]\n" if self.aliases else ""
        front = f"---\ntype: {self.type}\ntitle: {quoted(self.title)}\n{aliases}---\n"
        return f"{front}\n# {self.title}\n\n{self.body}\n"


class PageTerms(NamedTuple):
    """What is counted of one page."""

    title: Mapping[str, int]
    """Terms of title and aliases."""
    body: Mapping[str, int]
    """Terms of the text below the frontmatter, description included."""
    title_length: int
    body_length: int
    runs: tuple[str, ...]
    """Capitalised names in the text, folded words joined by a blank; distinct, sorted."""


def terms_of_page(title: str, aliases: tuple[str, ...], description: str, text: str) -> PageTerms:
    """The terms of a page given by its frontmatter's values and its whole text."""
    body = plain_text(text)
    titles: Counter[str] = Counter()
    for name in dict.fromkeys((title, *aliases)):
        for word in words(name):
            titles.update(terms_of(word))
    counts, length = count_terms(text_counted(description, body))
    return PageTerms(
        title=titles,
        body=counts,
        title_length=max(len(count_terms(title)[0]), 1),
        body_length=max(length, 1),
        runs=runs(text_of_runs(title, body)),
    )


def quoted(value: str) -> str:
    """A YAML string on one line."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class MemoryCorpus:
    """Pages held in dictionaries; numbered in the order they are given."""

    def __init__(self, pages: Iterable[tuple[str, str]]) -> None:
        """Index (path, text) pairs."""
        self.pages = 0
        self.words = 0
        self.title_words = 0
        self._lengths = array("I")
        self._title_lengths = array("B")
        self._cards: list[Card] = []
        self._docs: dict[str, int] = {}
        self._postings: dict[str, tuple[array[int], bytearray]] = {}
        for path, text in pages:
            self._add(path, text)

    @classmethod
    def of(cls, pages: Iterable[PageText]) -> MemoryCorpus:
        """A corpus of pages made for a test."""
        return cls((page.path, page.text) for page in pages)

    @property
    def lengths(self) -> Sequence[int]:
        """See Corpus."""
        return self._lengths

    @property
    def title_lengths(self) -> Sequence[int]:
        """See Corpus."""
        return self._title_lengths

    def postings(self, keys: Iterable[str]) -> dict[str, Postings]:
        """See Corpus."""
        held = ((key, self._postings.get(key)) for key in keys)
        return {key: Postings(docs[0], bytes(docs[1])) for key, docs in held if docs is not None}

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """See Corpus."""
        held = ((term, self._postings.get(WORD + term)) for term in terms)
        return {term: len(found[0]) for term, found in held if found is not None}

    def among(self, terms: Iterable[str], docs: Collection[int]) -> dict[str, Postings]:
        """See Corpus."""
        found = {}
        for term in terms:
            numbers, codes = self._postings.get(WORD + term, (array("I"), bytearray()))
            kept = [(n, c) for n, c in zip(numbers, codes, strict=True) if n in docs]
            found[term] = Postings(array("I", [n for n, _ in kept]), bytes(c for _, c in kept))
        return found

    def keys(self) -> set[str]:
        """Every key that stands anywhere."""
        return set(self._postings)

    def cards(self, docs: Iterable[int]) -> Mapping[int, Card]:
        """See Corpus."""
        return {doc: self._cards[doc] for doc in docs}

    def paths_of(self, docs: Iterable[int]) -> Mapping[int, str]:
        """See Corpus."""
        return {doc: self._cards[doc].path for doc in docs}

    @property
    def dashes(self) -> bool:
        """See Corpus."""
        return has_dashes(self._docs)

    def doc(self, path: str) -> int | None:
        """See Corpus."""
        return self._docs.get(path)

    def _add(self, path: str, text: str) -> None:
        facts = facts_of(path, text)
        terms = terms_of_page(facts.title, facts.aliases, facts.description, text)
        doc = self.pages
        for term in terms.title.keys() | terms.body.keys():
            self._post(WORD + term, doc, code(terms.title.get(term, 0), terms.body.get(term, 0)))
        for key in _keys(facts, terms.runs):
            self._post(key, doc, 1)
        self.pages += 1
        self.words += terms.body_length
        self.title_words += min(terms.title_length, 255)
        self._lengths.append(terms.body_length)
        self._title_lengths.append(min(terms.title_length, 255))
        self._docs[path] = doc
        links = tuple(sorted(facts.links))
        self._cards.append(
            Card(
                *(doc, path, sha256_hex(text.encode())[:40], facts.type, facts.title),
                *(facts.description, facts.aliases, links, terms.runs),
                speaker=facts.speaker,
            )
        )

    def _post(self, key: str, doc: int, value: int) -> None:
        docs, codes = self._postings.setdefault(key, (array("I"), bytearray()))
        docs.append(doc)
        codes.append(value)


def _keys(facts: PageFacts, runs: tuple[str, ...]) -> set[str]:
    names = {title_key(name) for name in (facts.title, *facts.aliases)} - {""}
    return {
        FILE + name_key(facts.stem),
        *(key for key in keys_of(facts) if key.startswith((LINK, CALLED))),
        *(RUN + run for run in runs),
        *(TITLE + name for name in names),
    }
