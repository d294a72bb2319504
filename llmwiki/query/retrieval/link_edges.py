"""Which pages the links of some pages lead to, and which pages link to them, from an index.

The index knows links by the file name they give. Where only one page has that name and the link
gives no folder, that is the page; every other link is decided by `pages.link_targets`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from llmwiki.index.corpus import CALLED, FILE, LINK, PLACED
from llmwiki.pages.link_targets import LinkResolver, called, name_in, path_ends
from llmwiki.pages.names import name_key, stem_of
from llmwiki.query.retrieval.weights import BOUNDS

if TYPE_CHECKING:
    from llmwiki.index.corpus import Card, Corpus, Postings


class LinkEdges:
    """Links from and to the pages that were loaded."""

    def __init__(
        self,
        corpus: Corpus,
        held: Mapping[str, Postings | None],
        fetch: Callable[[Iterable[str]], None],
    ) -> None:
        """`held` are the postings that `fetch` has read."""
        self._corpus, self._held, self._fetch = corpus, held, fetch
        self._paths: dict[int, str] = {}
        self._docs: dict[str, int] = {}
        self._linking: dict[int, tuple[int, ...]] = {}
        self._resolver = LinkResolver(
            lambda name: self._named(FILE + name),
            lambda key: self._named(CALLED + key),
            dashes=corpus.dashes,
        )

    def keys(self, card: Card) -> Iterable[str]:
        """The keys of postings to fetch before a page is loaded."""
        yield from (FILE + name_in(key) for key in self._spellings(card.links))
        own = name_key(stem_of(card.path))
        yield from (FILE + own, f"{PLACED}/{own}")
        yield from (LINK + name_in(name) for name in self._names(card))
        yield from (PLACED + end for end in path_ends(card.path))

    def load(self, cards: Sequence[Card]) -> None:
        """Read what decides where the links from and to some pages lead."""
        wanted = {key for card in cards for key in card.links}
        asked = {card.doc: self._unsure(card) for card in cards}
        sources = self._corpus.cards(sorted(set().union(*asked.values())))
        candidates = {}
        for card in cards:
            names = {name_in(name) for name in self._names(card)}
            for doc in asked[card.doc]:
                keys = [key for key in sources[doc].links if name_in(key) in names]
                candidates[card.doc, doc] = keys
                wanted.update(keys)
        self._look_up(wanted)
        for card in cards:
            unsure = asked[card.doc]
            led = (
                doc
                for doc in unsure
                if any(
                    self._lead(key, sources[doc].path) == card.doc
                    for key in candidates[card.doc, doc]
                )
            )
            self._linking[card.doc] = tuple(
                sorted({*self._sure(card)}.difference(unsure).union(led))
            )

    def targets(self, card: Card) -> Iterable[tuple[int, str]]:
        """(page, folded name given) of each link of a page that leads to one."""
        for key in card.links:
            doc = self._lead(key, card.path)
            if doc is not None:
                yield doc, name_in(key)

    def linking(self, card: Card) -> tuple[int, ...]:
        """The pages that link to a page; where very many give its name only some or none."""
        return self._linking[card.doc]

    def _spellings(self, keys: Iterable[str]) -> Iterable[str]:
        for key in keys:
            yield key
            if self._corpus.dashes and " " in key:
                yield key.replace(" ", "-")

    def _names(self, card: Card) -> set[str]:
        """The keys by which a page may be named: its file's, its title and aliases."""
        own = name_key(stem_of(card.path))
        names = {own, *called((card.title, *card.aliases), card.path)}
        return names | {own.replace("-", " ")} if self._corpus.dashes else names

    def _sure(self, card: Card) -> Sequence[int]:
        """The pages that give the name of its file."""
        return self._few(LINK + name_key(stem_of(card.path)))

    def _unsure(self, card: Card) -> set[int]:
        """Of the pages that may link to a page those whose links have to be looked at."""
        own = name_key(stem_of(card.path))
        found = {
            doc
            for name in self._names(card) - {own}
            if name_in(name) != own
            for doc in self._few(LINK + name_in(name))
        }
        if len(self._of(FILE + own)) > 1:
            return found.union(self._sure(card), self._few(f"{PLACED}/{own}"))
        placed = set(self._of(f"{PLACED}/{own}"))
        for end in path_ends(card.path):
            placed.difference_update(self._of(PLACED + end))
        return found.union(placed.intersection(self._sure(card)))

    def _few(self, key: str) -> Sequence[int]:
        docs = self._of(key)
        return docs if len(docs) <= BOUNDS.mentioned else ()

    def _of(self, key: str) -> Sequence[int]:
        held = self._held.get(key)
        return () if held is None else held.docs

    def _look_up(self, keys: Iterable[str]) -> None:
        """Read what pages some links may mean."""
        keys = set(self._spellings(keys))
        self._fetch(sorted(FILE + name_in(key) for key in keys))
        # Where a page has the name of the file, titles count only for a link with a wrong folder.
        rest = [k for k in keys if "//" not in k and ("/" in k or not self._of(FILE + name_in(k)))]
        self._fetch(sorted(CALLED + key for key in rest))
        found = {doc for key in rest for doc in self._of(CALLED + key)}
        found.update(
            doc for k in keys if not self._is_plain(k) for doc in self._of(FILE + name_in(k))
        )
        if new := sorted(found - self._paths.keys()):
            self._paths.update(self._corpus.paths_of(new))
            self._docs.update((self._paths[doc], doc) for doc in new)

    def _is_plain(self, key: str) -> bool:
        return "/" not in key and len(self._of(FILE + key)) == 1

    def _named(self, key: str) -> list[str]:
        return [self._paths[doc] for doc in self._of(key) if doc in self._paths]

    def _lead(self, key: str, source: str) -> int | None:
        if self._is_plain(key):
            return self._of(FILE + key)[0]
        path = self._resolver.lead(key, source)
        return None if path is None else self._docs[path]
