"""Titles and names: which pages a question names, and which mention what it names."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from llmwiki.core.language.search_terms import STOP_WORDS, is_cjk, words
from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.index.lookups import RUN, TITLE, Corpus, Postings
from llmwiki.index.names_and_words import RUN_WORDS
from llmwiki.query.retrieval.weights import BOUNDS, RECIPE, SCALE

MAX_CJK = 10
"""Characters of the longest title looked for in a stretch of text without blanks."""

_RAW = lazy_pattern(r"\w+")
_PARENTHESIS = lazy_pattern(r"[（(]([^()（）]*+)[)）]\s*+$")


class Word(NamedTuple):
    """One word of a question."""

    text: str
    """Folded."""
    capital: bool
    """Written with a capital or a digit in front."""


class NamedTitle(NamedTuple):
    """A title that stands in a question."""

    key: str
    docs: tuple[int, ...]
    """The pages that have it as title or alias."""
    weight: int
    """How much it distinguishes pages, in millionths: rarity, less if written without capital."""


@lru_cache(maxsize=4096)
def rarity(pages: int, df: int) -> int:
    """How telling a name is that `df` of `pages` hold: ln(1 + N/df) / ln(1 + N), in millionths."""
    return round(SCALE * math.log(1 + pages / max(df, 1)) / math.log(1 + max(pages, 1)))


def question_words(question: str) -> tuple[Word, ...]:
    """The first words of a question, in order."""
    found: list[Word] = []
    for raw in _RAW.findall(question[: BOUNDS.question_words * 16]):
        capital = raw[0].isupper() or raw[0].isdigit()
        found.extend(Word(word, capital) for word in words(raw))
    return tuple(found[: BOUNDS.question_words])


def name_keys(asked: tuple[Word, ...]) -> set[str]:
    """Every key under which a title or name of the question may be held, with its prefix."""
    keys: set[str] = set()
    for start, word in enumerate(asked):
        for name, size in _from(asked, start):
            keys.add(TITLE + name)
            if size > 1 or _stands_out(asked, start):
                keys.add(RUN + name)
        keys.update(TITLE + piece for piece in _pieces(word.text))
    return keys


def named_titles(
    corpus: Corpus, asked: tuple[Word, ...], held: Mapping[str, Postings]
) -> tuple[NamedTitle, ...]:
    """The titles the question names: the longest at each place, in the order of the question.

    A title of one word must be written with a capital, and not only because it opens the question.
    """
    found: dict[str, NamedTitle] = {}

    def add(name: str, *, capital: bool) -> None:
        mentions = len(held[RUN + name]) if RUN + name in held else 1
        weight = rarity(corpus.pages, mentions)
        if not capital:
            weight = int(weight * RECIPE.lower_case)
        found[name] = NamedTitle(name, tuple(held[TITLE + name].docs), weight)

    start = 0
    while start < len(asked):
        step = 1
        for name, size in _from(asked, start):
            if TITLE + name in held and (size > 1 or _stands_out(asked, start)):
                add(name, capital=any(word.capital for word in asked[start : start + size]))
                step = size
                break
        else:
            for piece in _pieces(asked[start].text):
                if TITLE + piece in held:
                    add(piece, capital=True)
        start += step
    return tuple(found.values())


def title_bonus(
    corpus: Corpus,
    titles: tuple[NamedTitle, ...],
    asked: tuple[Word, ...],
    exclude: Collection[int],
) -> dict[int, int]:
    """What each named page gains, in millionths of the best page by words.

    A trailing parenthesis tells pages of one name apart: half the bonus where the question says
    nothing of it. Without one, pages of one name share it by the root of their number.
    """
    gains: dict[int, int] = {}
    shared = {doc for name in titles if len(name.docs) > 1 for doc in name.docs[: BOUNDS.pool]}
    cards = corpus.cards(sorted(shared))
    said = {word.text for word in asked}
    for name in titles:
        bonus = name.weight * RECIPE.title_bonus
        for doc in name.docs[: BOUNDS.pool]:
            part = 1.0
            if len(name.docs) > 1:
                told = _PARENTHESIS.search(cards[doc].title)
                part = 1 / math.sqrt(len(name.docs))
                if told:
                    part = 1.0 if said.intersection(words(told[1])) else 0.5
            if doc not in exclude:
                gains[doc] = gains.get(doc, 0) + int(bonus * part)
    return gains


def name_bonus(
    corpus: Corpus,
    asked: tuple[Word, ...],
    held: Mapping[str, Postings],
    exclude: Collection[int],
    weight: float,
) -> dict[int, int]:
    """What each page gains whose text holds a rare name of the question, by the rarest of them."""
    least = RECIPE.name_rarity * SCALE
    gains: dict[int, int] = {}
    for start in range(len(asked)):
        for name, size in _from(asked, start):
            postings = held.get(RUN + name)
            capital = any(word.capital for word in asked[start : start + size])
            if postings is None or len(postings) > BOUNDS.shared or not capital:
                continue
            rare = rarity(corpus.pages, len(postings))
            if rare < least:
                continue
            for doc in postings.docs:
                if doc not in exclude:
                    gains[doc] = max(gains.get(doc, 0), int(rare * weight))
    return gains


def _from(asked: tuple[Word, ...], start: int) -> Iterator[tuple[str, int]]:
    """Names that may begin at a word, the longest first, with how many words they have."""
    for size in range(min(RUN_WORDS, len(asked) - start), 1, -1):
        span = asked[start : start + size]
        if not all(word.text in STOP_WORDS for word in span):
            yield " ".join(word.text for word in span), size
    first = asked[start].text
    if first not in STOP_WORDS and not first.isdigit():
        yield first, 1


def _stands_out(asked: tuple[Word, ...], at: int) -> bool:
    word = asked[at]
    return (word.capital and at > 0) or is_cjk(word.text)


def _pieces(stretch: str) -> list[str]:
    """Parts of a stretch of text without blanks, the longest first."""
    if not is_cjk(stretch):
        return []
    return [
        stretch[start : start + size]
        for size in range(min(MAX_CJK, len(stretch)), 1, -1)
        for start in range(len(stretch) - size + 1)
    ]
