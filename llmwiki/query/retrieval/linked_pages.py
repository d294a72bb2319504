"""Edges: which pages a page leads to, worked out for a few pages from what single pages hold."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.index.lookups import CALLED, FILE, LINK, RUN, TITLE, Card, Corpus, Postings
from llmwiki.index.names_and_words import title_key
from llmwiki.pages.link_targets import LinkResolver, called, name_in
from llmwiki.pages.page_file_names import name_key, stem_of
from llmwiki.query.retrieval.title_match import rarity
from llmwiki.query.retrieval.weights import BOUNDS, RECIPE, SCALE


class NeighbourWeights(NamedTuple):
    """What one page leads to; weights in millionths of a wikilink."""

    doc: int
    edges: Mapping[int, int]
    """All edges, added up."""
    links: Mapping[int, int]
    """What of them comes from wikilinks and mentions in this page's own text."""
    shared: Mapping[int, int]
    """By how telling names each other page shares this one's: at most SCALE."""
    reasons: Mapping[int, str]
    """The best reason why each page is near."""


class LinkNeighbourhood:
    """The edges of the pages asked for so far, and all cards and postings read for them."""

    def __init__(self, corpus: Corpus, exclude: Collection[int]) -> None:
        """`exclude` holds pages that nothing leads to."""
        self.corpus = corpus
        self.exclude = exclude
        self.near: dict[int, NeighbourWeights] = {}
        self.cards: dict[int, Card] = {}
        self._held: dict[str, Postings | None] = {}
        self._paths: dict[int, str] = {}
        """Of pages that links may lead to."""
        self._docs: dict[str, int] = {}
        self._resolver = LinkResolver(
            lambda name: self._paths_under(FILE + name),
            lambda key: self._paths_under(CALLED + key),
            dashes=corpus.dashes,
        )
        share = int(RECIPE.mentioned_share * corpus.pages)
        self._most = max(RECIPE.mentioned_least, share)

    def load(self, docs: Iterable[int]) -> None:
        """Work out the edges of pages; a few look-ups for all of them."""
        new = sorted({doc for doc in docs if doc not in self.near})
        if not new:
            return
        self.read_cards(new)
        cards = [self.cards[doc] for doc in new]
        self.fetch(key for card in cards for key in _keys_of(card))
        self._fetch_links(cards)
        mentions = {card.doc: self._mentions(card) for card in cards}
        self.fetch(RUN + name for names in mentions.values() for name in names)
        for card in cards:
            self.near[card.doc] = self._near(card, mentions[card.doc])

    def rarest(self, card: Card) -> tuple[str, ...]:
        """The names on a page that was loaded, those on the fewest pages first."""
        # What else was fetched depends on the pages asked for before: no name may count by that.
        counts = {run: self.count(RUN + run) for run in _runs(card)}
        return tuple(sorted(card.runs, key=lambda run: (counts.get(run, 0), run)))

    def read_cards(self, docs: Iterable[int]) -> None:
        """Read the cards of pages that were not read yet."""
        missing = sorted({doc for doc in docs if doc not in self.cards})
        if missing:
            self.cards.update(self.corpus.cards(missing))

    def fetch(self, keys: Iterable[str]) -> None:
        """Read postings that were not read yet."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._held]
        if missing:
            self._held.update(dict.fromkeys(missing))
            self._held.update(self.corpus.postings(missing))

    def docs(self, key: str) -> tuple[int, ...]:
        """The pages under a key that was fetched; excluded ones left out."""
        held = self._held.get(key)
        if held is None:
            return ()
        if not self.exclude:
            return tuple(held.docs)
        return tuple(doc for doc in held.docs if doc not in self.exclude)

    def count(self, key: str) -> int:
        """How many pages stand under a key that was fetched."""
        held = self._held.get(key)
        return 0 if held is None else len(held)

    def _fetch_links(self, cards: Sequence[Card]) -> None:
        """Read what decides where the links from and to some pages lead."""
        keys = {key for card in cards for key in card.links}
        if self.corpus.dashes:
            keys |= {key.replace(" ", "-") for key in keys}
        names = {name for card in cards for name in _link_names(card)}
        self.fetch(sorted(FILE + name_in(key) for key in keys | names))
        self.fetch(sorted(CALLED + key for key in keys if "//" not in key))
        self.fetch(sorted({CALLED + name for name in names} | {LINK + name for name in names}))
        led = {
            doc for key in keys for doc in (*self._of(FILE + name_in(key)), *self._of(CALLED + key))
        }
        if new := sorted(led - self._paths.keys()):
            self._paths.update(self.corpus.paths_of(new))
            self._docs.update((self._paths[doc], doc) for doc in new)

    def _of(self, key: str) -> Sequence[int]:
        held = self._held.get(key)
        return () if held is None else held.docs

    def _paths_under(self, key: str) -> list[str]:
        return [self._paths[doc] for doc in self._of(key) if doc in self._paths]

    def _linking(self, card: Card) -> Iterable[int]:
        """The pages with a link by a name that is this page's alone; where very many have, none."""
        for name in _link_names(card):
            if len(self._of(FILE + name) or self._of(CALLED + name)) == 1:
                docs = self.docs(LINK + name)
                yield from docs if len(docs) <= BOUNDS.mentioned else ()

    def _mentions(self, card: Card) -> tuple[str, ...]:
        """Titles of other pages in the names of this page's text, the longest at each place."""
        own = own_names(card)
        found: dict[str, None] = {}
        for run in _runs(card):
            words = run.split(" ")
            start = 0
            while start < len(words):
                step = 1
                for name, size in _spans(words, start):
                    if self._held.get(TITLE + name) is not None:
                        if name not in own:
                            found[name] = None
                        step = size
                        break
                start += step
        return tuple(found)

    def _near(self, card: Card, mentions: tuple[str, ...]) -> NeighbourWeights:
        own = sorted(own_names(card))
        links = self._links(card, mentions)
        names = self._names(card, own)
        pages = self.corpus.pages
        shared: dict[int, int] = {}
        divided: dict[int, int] = {}
        """The same, each name's worth divided among the pages that hold it."""
        reasons: dict[int, str] = {}
        for name, docs in names.items():
            whole, df = rarity(pages, len(docs)), self.count(RUN + name)
            portion, reason = rarity(pages, df) // df, f"shares {name}"
            for doc in docs:
                shared[doc] = shared.get(doc, 0) + whole
                divided[doc] = divided.get(doc, 0) + portion
                reasons.setdefault(doc, reason)
        for found in (shared, divided, reasons):
            found.pop(card.doc, None)
        weight = RECIPE.shared_name
        edges = {doc: int(min(SCALE, value) * weight) for doc, value in divided.items()}
        for part in (self._same(card, own), self._back(card, own), links):
            for doc, value in part.weights.items():
                edges[doc] = edges.get(doc, 0) + value
            reasons.update(part.reasons)
        shared = {doc: min(SCALE, value) for doc, value in shared.items()}
        return NeighbourWeights(card.doc, edges, links.weights, shared, reasons)

    def _links(self, card: Card, mentions: tuple[str, ...]) -> _Edges:
        """Edges along wikilinks, and to the pages that the text mentions."""
        links = _Edges(card.doc)
        for key in card.links:
            doc = self._docs.get(self._resolver.lead(key, card.path) or "")
            if doc is not None and doc not in self.exclude:
                links.raise_to((doc,), SCALE, f"links to {name_in(key)}")
        for name in mentions:
            df, targets = self.count(RUN + name), self.docs(TITLE + name)
            if df <= self._most and targets:
                weight = int(rarity(self.corpus.pages, df) / math.sqrt(len(targets)))
                links.raise_to(targets, weight, f"mentions {name}")
        return links

    def _back(self, card: Card, own: list[str]) -> _Edges:
        """Edges to pages that mention this one or link to it."""
        back = _Edges(card.doc)
        for name in own:
            df = self.count(RUN + name)
            if 0 < df <= min(self._most, BOUNDS.mentioned):
                weight = int(rarity(self.corpus.pages, df) * RECIPE.backlink)
                back.raise_to(self.docs(RUN + name), weight, f"is mentioned as {name}")
        back.raise_to(self._linking(card), int(SCALE * RECIPE.backlink), "is linked")
        return back

    def _same(self, card: Card, own: list[str]) -> _Edges:
        """Edges to pages of the same title or alias."""
        same = _Edges(card.doc)
        weight = int(SCALE * RECIPE.same_title)
        for name in own:
            if self.count(TITLE + name) <= BOUNDS.same_title:
                same.raise_to(self.docs(TITLE + name), weight, f"shares the title {name}")
        return same

    def _names(self, card: Card, own: list[str]) -> dict[str, tuple[int, ...]]:
        """Names this page shares with a few others, its own title among them."""
        return {
            name: self.docs(RUN + name)
            for name in sorted({*_runs(card), *own})
            if 2 <= self.count(RUN + name) <= BOUNDS.shared
        }


class _Edges:
    """Edges of one kind out of one page: the strongest to each, with its reason."""

    def __init__(self, source: int) -> None:
        self.source = source
        self.weights: dict[int, int] = {}
        self.reasons: dict[int, str] = {}

    def raise_to(self, docs: Iterable[int], weight: int, reason: str) -> None:
        """Let the edges to some pages weigh at least this."""
        for doc in docs:
            if doc != self.source and weight > self.weights.get(doc, 0):
                self.weights[doc] = weight
                self.reasons[doc] = reason


def own_names(card: Card) -> set[str]:
    """What a page is mentioned by: its title and aliases as keys below TITLE."""
    return {title_key(name) for name in (card.title, *card.aliases)} - {""}


def _link_names(card: Card) -> list[str]:
    """The names by which links without a folder lead to a page: its file's, its title and
    aliases."""
    names = called((card.title, *card.aliases), card.path)
    return sorted({name_key(stem_of(card.path)), *(name for name in names if "/" not in name)})


def _runs(card: Card) -> tuple[str, ...]:
    """The names of a page that are followed: of very many those of most words."""
    if len(card.runs) <= BOUNDS.runs:
        return card.runs
    return tuple(sorted(card.runs, key=lambda run: (-run.count(" "), run))[: BOUNDS.runs])


def _spans(words: list[str], start: int) -> list[tuple[str, int]]:
    """Titles that may begin at a word of a name, the longest first, with their number of words."""
    found = [
        (" ".join(words[start : start + size]), size) for size in range(len(words) - start, 1, -1)
    ]
    first = words[start]
    if first not in STOP_WORDS and not first.isdigit() and len(first) > 2:
        found.append((first, 1))
    return found


def _keys_of(card: Card) -> list[str]:
    keys = []
    for name in sorted(own_names(card)):
        keys += [RUN + name, TITLE + name]
    for run in _runs(card):
        keys.append(RUN + run)
        words = run.split(" ")
        for start in range(len(words)):
            keys += [TITLE + name for name, _ in _spans(words, start)]
    return keys
