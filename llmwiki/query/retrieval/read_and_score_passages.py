"""The pages that are read for a question, and what each of their passages scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from llmwiki.core.page_and_note_kinds import DAILY
from llmwiki.core.text import fold_quote
from llmwiki.index.lookups import CLAIM, FILE, SOURCE, TITLE, Card
from llmwiki.index.names_and_words import title_key
from llmwiki.pages.page_file_names import name_key, namesakes, stem_of, told_apart
from llmwiki.query.retrieval.passage import (
    ClaimPointer,
    Passage,
    StruckQuote,
    marked,
    safe_name,
)
from llmwiki.query.retrieval.passage_score import ScoredPassage, Scorer
from llmwiki.query.retrieval.split_page_in_passages import (
    KEPT_LENGTH,
    PagePart,
    kept_parts,
    page_parts,
)

if TYPE_CHECKING:
    from llmwiki.index.lookups import Corpus
    from llmwiki.index.source_index import SourceIndex

COMPANIONS = 12
"""Pages read for the other side of a contradiction or what came after a claim at most."""
SAME_NAME = 3
"""Pages of one file name in which such a claim is looked for."""
NAMESAKES = 20
"""Pages of one title that are looked at to tell them apart."""
SIBLINGS = 4
"""Claims of one slot or table that come with one of them at most."""
CITING = 200
"""Pages that cite a source and are asked for struck claims at most."""
STRUCK = 24
"""Of these with struck claims the pages that are read at most."""
ROWS = 2
"""Lines between two rows of a table, at most, that are taken for neighbours."""


def in_time(claims: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """Some claims, the oldest first: by their dates where all have one; else what came after
    another behind it, and as they stand."""
    dates = {each.passage.id: each.passage.as_of for each in claims}
    held = {each.passage.id: each.passage for each in claims}
    later: dict[str, int] = {}

    def steps(ident: str, seen: frozenset[str]) -> int:
        """How many of them came before one, in the longest row."""
        if ident not in later:
            before = [
                other
                for other, passage in held.items()
                if other not in seen and any(ident == p.block for p in passage.followed_by)
            ]
            later[ident] = max((1 + steps(o, seen | {ident}) for o in before), default=0)
        return later[ident]

    order = {ident: steps(ident, frozenset({ident})) for ident in held}
    return sorted(
        claims,
        key=lambda each: (
            dates[each.passage.id] if all(dates.values()) else "",
            order[each.passage.id],
            each.passage.path,
            each.passage.line,
        ),
    )


class _OpenPage:
    """A page that is read; its parts are scored when they are asked for."""

    def __init__(
        self,
        card: Card,
        text: str,
        parts: Sequence[PagePart],
        scorer: Scorer,
        rank: int,
        title: str,
    ) -> None:
        """`title` is what its passages give as theirs; empty: the page's."""
        self.text = text
        self._parts, self._scorer, self._rank, self._title = parts, scorer, rank, title
        names = (card.title, *card.aliases)
        self._above = scorer.held(" · ".join(names))
        self.is_named = bool(scorer.named(names))
        """Whether the question names it whole."""
        self._scored: dict[int, tuple[ScoredPassage, ...]] = {}
        self._is_day = card.path.startswith(DAILY)

    @cached_property
    def whole(self) -> tuple[ScoredPassage, ...]:
        """All its passages."""
        return tuple(each for at in range(len(self._parts)) for each in self._of(at))

    @cached_property
    def found(self) -> tuple[ScoredPassage, ...]:
        """Those that hold a word of the question, and those whose page has one in its title; of a
        day all, for what stands beside one that does."""
        if self._is_day:
            return self.whole
        return tuple(
            each
            for at, part in enumerate(self._parts)
            if self._scorer.may_bear(part, self._above)
            for each in self._of(at)
        )

    @property
    def statements(self) -> int:
        """How many claims and notes stand on it, or of a day how many that say something."""
        if self._is_day:
            return sum(1 for each in self.whole if each.passage.id)
        return sum(part.has_id for part in self._parts)

    def _of(self, at: int) -> tuple[ScoredPassage, ...]:
        if at not in self._scored:
            self._scored[at] = tuple(
                self._scorer.score(
                    each._replace(title=self._title) if self._title else each,
                    self._above,
                    self._rank,
                )
                for each in self._parts[at].passages
            )
        return self._scored[at]


class PassageReader:
    """The pages that are read, their passages scored; each page once."""

    def __init__(
        self,
        corpus: Corpus,
        scorer: Scorer,
        read: Callable[[Card], str],
        sources: SourceIndex | None = None,
    ) -> None:
        self._corpus, self._scorer, self._read, self._sources = corpus, scorer, read, sources
        self._located: dict[tuple[str, int], tuple[tuple[int, int], ...]] = {}
        self._struck: dict[str, tuple[StruckQuote, ...]] = {}
        """For each page of a source what struck claims quote of that."""
        self._names: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        """Of pages whose title others have too."""
        self._pages: dict[str, _OpenPage] = {}
        self._pointed: dict[str, tuple[Card, ...]] = {}
        self.cards: dict[str, Card] = {}
        """The pages that were read, by path."""
        self._room = COMPANIONS
        self.statements: dict[str, int] = {}
        """For each page read how many claims and notes stand on it."""

    def name(self, cards: Iterable[Card]) -> None:
        """Finds out what citations call pages: the file name, the path where two share it; and
        what the pages are titled where a title is not theirs alone."""
        new = [card for card in cards if card.path not in self._names]
        stems = {card.path: stem_of(card.path) for card in new}
        titles = {card.path: title_key(card.title) for card in new}
        keys = {FILE + name_key(stem) for stem in stems.values()}
        held = self._corpus.postings(keys | {TITLE + key for key in titles.values() if key})
        for card in new:
            same = held.get(TITLE + titles[card.path])
            if same is not None and len(same) > 1:
                self._titles[card.path] = self._apart(card, same.docs[:NAMESAKES])
        for path, stem in stems.items():
            same = held.get(FILE + name_key(stem))
            alone = same is None or len(same) < 2
            self._names[path] = stem if alone else path.removeprefix("wiki/").removesuffix(".md")

    def handle(self, card: Card) -> str:
        """What a citation of a page is written as, once it is named."""
        return f"[[{safe_name(self._names[card.path]) or 'page'}]]"

    def _apart(self, card: Card, docs: Iterable[int]) -> str:
        others = self._corpus.cards(sorted(docs)).values()
        marks = namesakes({(each.path, each.title) for each in (card, *others)})
        return told_apart(card.title, marks.get(card.path))

    def page(self, card: Card, rank: int) -> tuple[ScoredPassage, ...]:
        """The passages of a page that may bear on the question, with their scores."""
        return self._opened(card, rank).found

    def _opened(self, card: Card, rank: int = 0) -> _OpenPage:
        if card.path not in self._pages:
            name = self._names[card.path]
            text = self._read(card)
            read = kept_parts if len(text) <= KEPT_LENGTH else page_parts
            parts = read(card.path, card.title, text, description=card.description, name=name)
            title = self._titles.get(card.path, "")
            opened = _OpenPage(card, text, parts, self._scorer, rank, title)
            self._pages[card.path] = opened
            self.statements[card.path] = opened.statements
            self.cards[card.path] = card
        return self._pages[card.path]

    def text(self, card: Card) -> str:
        """The text of a page, as it is read."""
        return self._opened(card).text

    def note_lines(self, path: str) -> list[int]:
        """The lines of the notes of a page that was read, in order."""
        return [
            each.passage.line for each in self._pages[path].whole if each.passage.kind == "note"
        ]

    def adopt(self, found: Iterable[Passage]) -> list[ScoredPassage]:
        """Lines of sources with their scores; their pages count as read, with no claims on them."""
        given = list(found)
        docs = {doc for path in {each.path for each in given} if (doc := self._corpus.doc(path))}
        for card in sorted(self._corpus.cards(docs).values(), key=lambda card: card.path):
            self.cards.setdefault(card.path, card)
        scored: list[ScoredPassage] = []
        titled: dict[str, frozenset[str]] = {}
        for each in given:
            home = self.cards.get(each.path)
            if home is None:
                continue
            if each.path not in titled:
                titled[each.path] = self._scorer.held(" · ".join((home.title, *home.aliases)))
                self.statements.setdefault(each.path, 0)
            scored.append(self._scorer.score(each, titled[each.path], 0))
        return [each for each in scored if each.own]

    def bears(self, scored: ScoredPassage, card: Card) -> bool:
        """Whether a passage has something to do with the question.

        Of the page of a source, which says what stands elsewhere, only claims and notes do, unless
        the question names that source.
        """
        if card.type == "source" and not scored.passage.id and not self._pages[card.path].is_named:
            return False
        return bool(scored.own) or bool(scored.terms and scored.passage.id)

    def rivals(self, passage: Passage) -> tuple[ScoredPassage, ...]:
        """The claims that cannot hold beside a claim, or came after what lines of a source say."""
        after = passage.succeeded_by if passage.kind == "source" else None
        others = (after,) if after else passage.contradicts
        return tuple(each for each in map(self._at, others) if each is not None)

    def chain(self, each: ScoredPassage) -> list[ScoredPassage]:
        """A claim with what it took the place of and what came after it, oldest first: step by
        step, on whatever page what came after stands."""
        found = {each.passage.id: each}
        waiting = [each]
        while waiting and each.passage.kind == "claim" and len(found) <= SIBLINGS:
            one = waiting.pop(0)
            after = [self._at(pointer) for pointer in one.passage.followed_by]
            before = [
                other
                for other in self._pages[one.passage.path].whole
                if one.passage.id in {pointer.block for pointer in other.passage.followed_by}
            ]
            for other in filter(None, (*after, *before)):
                if other.passage.id not in found:
                    found[other.passage.id] = other
                    waiting.append(other)
        return in_time(list(found.values()))

    def located(self, passage: Passage) -> Passage:
        """A claim with the lines of its quotes; lines of a source with what struck claims quote of
        it, and marked by that; any other passage as it is."""
        if passage.kind == "source":
            found = passage.struck_quotes or self._struck_quotes(passage.path)
            return marked(passage._replace(struck_quotes=found), passage.text) if found else passage
        if passage.kind != "claim" or passage.spans or self._sources is None:
            return passage
        key = passage.path, passage.line
        if key not in self._located:
            self._located[key] = tuple(self._span(*quote) for quote in passage.quotes)
        return passage._replace(spans=self._located[key])

    def _struck_quotes(self, home: str) -> tuple[StruckQuote, ...]:
        """What claims that others took the place of quote of a source with that page; not what the
        newer claim quotes as well, for then it has worded the same lines anew."""
        if not self._corpus.sums.struck or self._sources is None:
            return ()
        if home not in self._struck:
            ident = stem_of(home)
            citing = self._corpus.paths([SOURCE + ident]).get(SOURCE + ident, ())
            facts = self._corpus.facts({home, *citing[:CITING]})
            paths = sorted(path for path in facts if facts[path].struck)[:STRUCK]
            self._struck[home] = tuple(
                quote
                for each in self._of(paths)
                if each.passage.kind == "claim" and each.passage.struck
                for quote in self._struck_of(each.passage, ident)
            )
        return self._struck[home]

    def _of(self, paths: Sequence[str]) -> list[ScoredPassage]:
        """The passages of the pages with those paths."""
        new = [path for path in paths if path not in self._pages]
        docs = [doc for path in new if (doc := self._corpus.doc(path))]
        cards = sorted(self._corpus.cards(docs).values(), key=lambda card: card.path)
        self.name(cards)
        for card in cards:
            self._opened(card)
        return [each for path in paths if path in self._pages for each in self._pages[path].whole]

    def _struck_of(self, claim: Passage, ident: str) -> list[StruckQuote]:
        after = claim.succeeded_by
        if after is None or all(source != ident for source, *_ in claim.quotes):
            return []
        key = CLAIM + after.block
        newer = self._of(self._corpus.paths([key]).get(key, ())[:1])
        again = [
            fold_quote(quote)
            for each in newer
            if each.passage.id == after.block
            for source, quote, _ in each.passage.quotes
            if source == ident
        ]
        spans = zip(claim.quotes, self.located(claim).spans, strict=True)
        return [
            StruckQuote(quote, first, last, after.handle)
            for (source, quote, _), (first, last) in spans
            if source == ident and first
            if not any(fold_quote(quote) in other or other in fold_quote(quote) for other in again)
        ]

    def line_sizes(self, passage: Passage) -> dict[int, int]:
        """For each line of a source's passage its characters without blanks around it."""
        assert self._sources is not None
        lines = self._sources.lines_of(passage.path)[passage.line - 1 : passage.last]
        return {number: len(line.strip()) for number, line in enumerate(lines, passage.line)}

    def _span(self, source: str, quote: str, nth: int) -> tuple[int, int]:
        assert self._sources is not None
        return self._sources.quoted(f"wiki/sources/{source}.md", quote, nth) or (0, 0)

    def siblings(self, passage: Passage) -> tuple[ScoredPassage, ...]:
        """The claims that fill the same slot of a page, or quote the same table, in order."""
        slot = passage.slot
        rows = self.located(passage).table_rows if passage.quotes_rows else None
        if passage.kind != "claim" or not (slot or rows):
            return ()
        found = [
            each
            for each in self._pages[passage.path].whole
            if each.passage.kind == "claim"
            and each.passage.id != passage.id
            and ((slot and each.passage.slot == slot) or self._adjoins(rows, each.passage))
        ]
        return tuple(found[:SIBLINGS])

    def _adjoins(self, rows: tuple[str, int, int] | None, other: Passage) -> bool:
        """Whether a claim quotes rows of a table that stand close to those, in one source."""
        if rows is None or not other.quotes_rows:
            return False
        others = self.located(other).table_rows
        if others is None or rows[0] != others[0]:
            return False
        return others[1] - rows[2] <= ROWS and rows[1] - others[2] <= ROWS

    def _at(self, pointer: ClaimPointer) -> ScoredPassage | None:
        for card in self._named(pointer.page):
            for each in self._opened(card).whole:
                if each.passage.id == pointer.block:
                    return each
        return None

    def _named(self, name: str) -> tuple[Card, ...]:
        """The pages a link may mean; none once too many had to be read."""
        key = FILE + name_key(name.rpartition("/")[2])
        if key not in self._pointed:
            held = self._corpus.postings([key]).get(key)
            cards = self._corpus.cards(held.docs[:SAME_NAME]).values() if held else ()
            new = [card for card in cards if card.path not in self._pages]
            self._room -= len(new)
            known = sorted(cards, key=lambda card: card.path) if self._room >= 0 else []
            self.name(known)
            self._pointed[key] = tuple(known)
        return self._pointed[key]
