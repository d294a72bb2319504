"""A search: the pages and sources in which words stand, best first, each with its best passage."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.index.page_terms import title_key
from llmwiki.language.inflections import base
from llmwiki.language.tokens import fold_words, is_cjk, terms_of, words
from llmwiki.pages.names import stem_of
from llmwiki.retrieval.best_passages import READ, found_passages, source_lines
from llmwiki.retrieval.context_text import place
from llmwiki.retrieval.passage import Passage
from llmwiki.retrieval.passage_reader import PassageReader, ScoredPassage
from llmwiki.retrieval.passage_score import Scorer
from llmwiki.retrieval.rank import rank
from llmwiki.retrieval.score import question_terms
from llmwiki.retrieval.search_words import SearchWords, Vocabulary, filled, holds
from llmwiki.retrieval.weights import SCALE

if TYPE_CHECKING:
    from llmwiki.index.corpus import Card, Corpus
    from llmwiki.index.source_index import SourceIndex
    from llmwiki.retrieval.rank import Ranking, SearchHit

PAGE = 0.1
"""Worth of the best page's rank beside the best passage, where that holds all words."""
LINKED = 12.0
"""The same where it holds none of them (measured on two sets of questions that need two pages:
recall@5 0.57 and 0.78 with 0, 0.64 and 0.90 with 3, 0.69 and 0.93 with 12; words of one document
are found as before)."""
LEAST = 0.1
"""Below this part of the best score a page is left out: it holds some word by chance."""
CODE = 2 * SCALE
"""Worth of a passage with all codes of a search as they were typed: before all others."""
AS_TYPED = SCALE // 5
"""Worth of a passage that holds all words as they were typed, and not in other forms."""
SOURCES = 120
"""Passages of sources that are looked at."""
LOOKED_AT = 300_000
"""Characters of a page that are looked through: a longer one is found by its beginning and its rank
(a page of 9.5 MB took 100 s, measured)."""
_WORD = re.compile(r"\w+")
_MACHINE = ("[^", "> - c-", "sources:", '  - "[[sources/')
"""How lines of a page begin that no person reads."""


class MatchedPage(NamedTuple):
    """A page that was found."""

    card: Card
    score: int
    """In millionths; comparable within one search only."""
    parts: Mapping[str, int]
    """What it is made of."""
    reasons: tuple[str, ...] = ()
    """By which titles, links and names the page was reached."""
    passage: Passage | None = None
    """Its best passage; None where it was found by its names and links alone."""


class PageMatches(NamedTuple):
    """What a search found."""

    pages: tuple[MatchedPage, ...]
    """Best first; ties by path."""
    ranking: Ranking
    """Of the pages by themselves."""
    terms: frozenset[str]
    """The search terms that were looked for, in their base forms."""
    instead: Mapping[str, str]
    """Words that stand nowhere, each with the one that was looked for in its place."""
    nowhere: tuple[str, ...]
    """Words that stand nowhere, neither on pages nor in sources."""


def search_pages(
    corpus: Corpus,
    read: Callable[[Card], str],
    asked: SearchWords,
    *,
    limit: int,
    sources: SourceIndex | None = None,
    vocabulary: Vocabulary,
    keep: Callable[[Card], bool] | None = None,
) -> PageMatches:
    """The pages that hold what was asked, best first.

    `keep` says which pages may be found. Pure but for `read`: the same arguments, the same pages.
    """

    def known(terms: Iterable[str]) -> set[str]:
        wanted = set(terms)
        found = set(corpus.frequencies(wanted))
        return found | (set(sources.postings(wanted)) if sources is not None else set())

    question, instead = filled(asked, known, vocabulary)
    ranking = rank(corpus, question, limit=max(limit, READ), keep=keep)
    scorer = Scorer(question, ranking.terms, corpus.pages)

    def beginning(card: Card) -> str:
        return read(card)[:LOOKED_AT]

    reader = PassageReader(corpus, scorer, beginning)
    hits = {hit.card.path: hit for hit in ranking.hits}
    lines = [] if sources is None else source_lines(sources, ranking, (), SOURCES)
    cards = {path: (hit.card, hit.score) for path, hit in hits.items()}
    found = [
        each
        for each in found_passages(reader, scorer, cards, lines)
        if keep is None or keep(reader.cards[each.passage.path])
    ]
    found = _as_they_stand(asked, found)
    best = _best(found)
    if not asked.phrases and not (asked.codes and best and not asked.plain):
        for path, hit in hits.items():
            if path not in best and (line := _line(hit.card, reader, scorer, beginning)):
                best[path] = line
    most = max((each.score.total for each in best.values()), default=0) or 1
    worth = most * _page_worth(scorer, found) // SCALE
    top = max((hit.score for hit in ranking.hits), default=0) or 1
    ranks = {path: hit.score * SCALE // top for path, hit in hits.items()}
    pages = [_page(each, hits, reader.cards, ranks, worth, most) for each in best.values()]
    name = title_key(question)
    named = {
        each.card.path
        for each in pages
        if name and name in {title_key(n) for n in (each.card.title, *each.card.aliases)}
    }
    pages.sort(key=lambda each: (each.card.path not in named, -each.score, each.card.path))
    least = max((each.score for each in pages), default=0) * LEAST
    kept = [each for each in pages if each.score >= least or each.card.path in named]
    kept = [_narrowed(each, scorer, asked, sources) for each in kept[:limit]]
    stand = {*known(term.text for term in ranking.terms if not term.df)}
    nowhere = [t.text for t in ranking.terms if not t.df and t.text not in stand]
    return PageMatches(
        tuple(kept),
        ranking,
        frozenset(base(term.text) for term in ranking.terms),
        {word: _spelled(near, kept) for word, near in instead.items()},
        tuple(nowhere),
    )


def _as_they_stand(asked: SearchWords, found: list[ScoredPassage]) -> list[ScoredPassage]:
    """The passages that hold the phrases; what stands in them as it was typed counts more.

    Those with the codes come first, and alone where nothing else was asked for.
    """
    plain = [fold_words(word) for word in asked.plain if question_terms(word)]
    kept, exact = [], []
    for each in found:
        own = _spaced(each.passage.text)
        text = f"{own} {_spaced(each.passage.further)}" if each.passage.further else own
        if not all(holds(text, phrase) for phrase in asked.phrases):
            continue
        typed = sum(holds(own, word) for word in plain)
        scored = each.gaining("as typed", AS_TYPED * typed // max(len(plain), 1))
        kept.append(scored)
        if asked.codes and all(holds(text, code) for code in asked.codes):
            is_own = all(holds(own, code) for code in asked.codes)
            exact.append(scored.gaining("code", CODE if is_own else CODE // 2))
    if exact:
        first = {place(each.passage) for each in exact}
        kept = [e for e in kept if place(e.passage) not in first] if asked.plain else []
    return sorted((*exact, *kept), key=lambda each: each.order)


def _spaced(text: str) -> str:
    return " ".join(fold_words(text).split())


def _best(found: Iterable[ScoredPassage]) -> dict[str, ScoredPassage]:
    """The best passage of each page; lines of a source that a better claim quotes count once."""
    best: dict[str, ScoredPassage] = {}
    quoted: dict[str, set[int]] = {}
    for each in found:
        passage = each.passage
        if passage.path in best:
            continue
        lines = range(passage.line, passage.last + 1)
        if passage.kind == "source":
            held = quoted.get(passage.title, set())
            if 2 * sum(line in held for line in lines) > len(lines):
                continue
        best[passage.path] = each
        for source, first, last, _ in passage.places:
            quoted.setdefault(source, set()).update(range(first, last + 1))
    return best


def _line(
    card: Card, reader: PassageReader, scorer: Scorer, read: Callable[[Card], str]
) -> ScoredPassage | None:
    """The line of a page that holds most of the words, where no passage does: of code, or of
    frontmatter; the page itself where it was reached by its names and links alone."""
    title = scorer.held(" · ".join((card.title, *card.aliases)))
    shown = [each for each in reader.page(card, 0) if each.score.own]
    if shown:
        return max(shown, key=lambda each: (each.score.total, -each.passage.line))
    lines = [
        (number, line)
        for number, line in enumerate(read(card).split("\n"), start=1)
        if not line.startswith(_MACHINE) or number == 1
    ]
    held, number, line = min((-len(scorer.held(line)), number, line) for number, line in lines)
    if not held and not title:
        return None
    text = line.strip() if held else card.description
    passage = Passage(card.path, card.title, "line", text, number, f"[[{stem_of(card.path)}]]")
    return ScoredPassage(passage, scorer.score(passage, title, 0))


def _page_worth(scorer: Scorer, found: Iterable[ScoredPassage]) -> int:
    """What the rank of the best page is worth beside the best passage, in millionths of that.

    Where one passage holds all that was asked, next to nothing; where none does, the answer stands
    on pages that lead to each other, which only the ranking of pages finds.
    """
    lacking = SCALE - max((scorer.share(each.score.own) for each in found), default=0)
    return int(PAGE * SCALE + LINKED * lacking)


def _page(
    best: ScoredPassage,
    hits: Mapping[str, SearchHit],
    cards: Mapping[str, Card],
    ranks: Mapping[str, int],
    worth: int,
    most: int,
) -> MatchedPage:
    path = best.passage.path
    hit = hits.get(path)
    card = hit.card if hit else cards[path]
    rank_share = ranks.get(path, 0)
    if card.type == "source":
        # Its own page tells only a part of it: the ranking of pages knows it too little.
        rank_share = max(rank_share, best.score.total * SCALE // most)
    parts = {"passage": best.score.total, "page": worth * rank_share // SCALE}
    return MatchedPage(
        card,
        sum(parts.values()),
        parts,
        hit.reasons if hit else (),
        best.passage if best.passage.text else None,
    )


def _narrowed(
    page: MatchedPage, scorer: Scorer, asked: SearchWords, sources: SourceIndex | None
) -> MatchedPage:
    """The page with, of the lines of its source, the paragraph of the one that holds most."""
    passage = page.passage
    if passage is None or passage.kind != "source" or sources is None:
        return page
    lines = sources.lines_of(passage.path)
    exact = (*asked.phrases, *asked.codes, *map(fold_words, asked.plain))

    def held(number: int) -> tuple[int, int, bool, int]:
        line = lines[number - 1]
        folded = _spaced(line)
        as_typed = sum(holds(folded, each) for each in exact)
        return as_typed, len(scorer.held(line)), not line.startswith("#"), -number

    first = last = best = max(range(passage.line, passage.last + 1), key=held)
    if exact and not held(best)[0]:
        # It was found by other forms of the words, or by its heading.
        first = last = best = max(range(1, len(lines) + 1), key=held)
    while passage.line < first <= passage.last and lines[first - 2].strip():
        first -= 1
    while passage.line <= last < passage.last and lines[last].strip():
        last += 1
    text = " ".join(" ".join(lines[first - 1 : last]).split())
    return page._replace(passage=passage._replace(text=text, line=best, last=best))


def _spelled(term: str, pages: Iterable[MatchedPage]) -> str:
    """A search term as the pages found write it."""
    texts = (each.passage.text for each in pages if each.passage)
    spelled = (word for text in texts for word in _WORD.findall(text))
    return next((word for word in spelled if term in map(base, terms_of(word.lower()))), term)


def marks(text: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where the words of a search stand in a text: (first, behind the last) character.

    `terms` are those of `PageMatches`.
    """
    for found in _WORD.finditer(text):
        for word in words(found[0]):
            if is_cjk(word):
                at = found.start() + max(found[0].find(word[0]), 0)
                spans = ((i, i + 2) for i in range(max(len(word) - 1, 1)))
                yield from ((at + i, at + j) for i, j in spans if word[i:j] in terms)
            elif any(base(term) in terms for term in terms_of(word)):
                yield found.span()
                break


def excerpt(text: str, terms: Collection[str], width: int) -> str:
    """The part of a text of at most `width` characters that holds most of the words."""
    if len(text) <= width:
        return text
    room = width - 4
    spans = list(marks(text, terms))
    start, most = 0, 0
    for first, _ in spans:
        begin = max(text.rfind(" ", 0, max(first - room // 4, 0)) + 1, 0)
        held = {text[a:b].casefold() for a, b in spans if begin <= a and b <= begin + room}
        if len(held) > most:
            start, most = begin, len(held)
    end = text.rfind(" ", start, start + room + 1) if start + room < len(text) else len(text)
    shown = text[start : end if end > start else start + room]
    return f"{'… ' if start else ''}{shown}{' …' if start + len(shown) < len(text) else ''}"
