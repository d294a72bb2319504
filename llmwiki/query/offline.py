"""Answers without a model: the one or two passages that answer a question, and those nearest to it.

Nothing is worded anew. Whether a passage answers for sure is decided by what two of its sentences
side by side hold of what the question is about, each word weighted by how rare it is in the wiki.
Signs that it does not, whatever it shares with the question by chance:

- too small a share of the question's words stands there together (`TOGETHER`);
- the question names a page or a thing, and the passage does not mention that (`HEAVY`);
- it asks something about what it names, and the passage mentions that alone (`BEYOND_TITLE`):
  "the price of Gate" finds the page Gate and nothing there about a price;
- it gives a number, and the passage has another one: 128-bit integers are no 32-bit ones;
- it asks how many, when, who or for a price, and the passage has none.

That the wiki does not know is said only of names that stand nowhere in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from llmwiki.language.inflections import base
from llmwiki.language.tokens import terms_of, words
from llmwiki.query.answer_kinds import AnswerKind
from llmwiki.query.passage_parts import PassagePart, parts_of
from llmwiki.retrieval.context import Context, ShownPassage
from llmwiki.retrieval.passage import Passage
from llmwiki.retrieval.passage_score import Scorer
from llmwiki.retrieval.question_words import asks_who, share, weights
from llmwiki.retrieval.weights import SCALE

TOGETHER = 0.55
"""Share of a question's words, by rarity, that one passage with its page's title must hold."""
BEYOND_TITLE = 0.3
"""Of the words that name nothing, the share that the passage itself must hold."""
HEAVY = 0.25
"""From this share of the question on, what it names must stand in the passage, half at least."""
SMALL = 0.25
"""Below this share of the question what is asked beyond the names need not stand anywhere."""
QUOTES = 2
"""Passages quoted at most."""
NEAREST = 3
"""Passages named beside them at most."""

_NAME = re.compile(r"[^\W_][\w.+#-]*")
_CODE = re.compile(r"`([^`]{1,200})`|(?<!\S)(\S*\w[_.=@#+\\<>$&|(]\S*)|(?<!\S)(--?\w\S*)")
_ENDS = "?!.,;:…"


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """The passages of the wiki that answer a question, verbatim."""

    question: str
    quotes: tuple[PassagePart, ...]
    """What answers, best first; empty where nothing does for sure."""
    nearest: tuple[PassagePart, ...]
    """The passages that come nearest beside those; empty where none comes near."""
    unknown: tuple[str, ...]
    """Names in the question that stand nowhere in the wiki, in its order: then nothing answers."""


def answer(context: Context) -> ExtractiveAnswer:
    """The answer that a context holds. Pure: the same context, the same answer."""
    asked = _Asked(context)
    unknown = _unknown(context)
    best = sorted(context.shown, key=lambda each: -each.plain_score)
    good = [part for each in best if not unknown for part in asked.answering(each)]
    good = [each for each in good if not each.passage.struck] or good
    quotes = _apart(good, (), QUOTES)
    standing = [each for each in best if not each.passage.struck]
    near = (part for each in standing for part in asked.nearest(each))
    return ExtractiveAnswer(
        context.question, tuple(quotes), tuple(_apart(near, quotes, NEAREST)), unknown
    )


def _apart(
    parts: Iterable[PassagePart], others: Iterable[PassagePart], most: int
) -> list[PassagePart]:
    """The first of some parts, each with what those before it and the others do not say."""
    shown = list(others)
    start = len(shown)
    for part in parts:
        if not any(_is_said(part.passage, each.passage) for each in shown):
            shown.append(part)
        if len(shown) - start == most:
            break
    return shown[start:]


def _is_said(one: Passage, other: Passage) -> bool:
    """Whether two passages are one, or lines of a source and what quotes most of them."""
    if one == other or "source" not in {one.kind, other.kind}:
        return one == other
    lines, others = _lines(one), _lines(other)
    return 2 * len(lines & others) > min(len(lines), len(others))


def _lines(passage: Passage) -> frozenset[tuple[str, int]]:
    return frozenset(
        (path, line) for path, first, last in passage.places for line in range(first, last + 1)
    )


class _Asked:
    """What passages are held against."""

    def __init__(self, context: Context) -> None:
        question, pages = context.question, context.wiki_pages
        self._context = context
        self._weighted = weights(question, context.terms, 0, pages)
        self._scorer = Scorer(question, context.terms, pages)
        self._kind = AnswerKind(question)
        self._numbers = frozenset(t for t in self._weighted if t.isascii() and t.isdigit())
        names = {term for name in _capitals(question) for term in _terms(name)}
        self._named = {t: w for t, w in self._weighted.items() if t in names | context.subject}
        """The terms of pages and things that the question names."""
        beyond = {t: w for t, w in self._weighted.items() if w and t not in self._named}
        is_small = share(self._weighted, beyond) < SMALL * SCALE and not asks_who(question)
        self._beyond = {} if is_small else beyond
        """What is asked beyond those, where it is no trifle."""

    def answering(self, shown: ShownPassage) -> list[PassagePart]:
        """The part of a passage that answers best; none where none does for sure."""
        parts = self._parts(shown) if self._may_answer(shown) else []
        held = [self._answered(shown, part) for part in parts]
        best = max(held, default=0)
        return [parts[held.index(best)]] if best >= TOGETHER * SCALE else []

    def nearest(self, shown: ShownPassage) -> list[PassagePart]:
        """The part of a passage that holds most of the question; none of what is only markup."""
        parts = self._parts(shown)
        held = [share(self._weighted, self._scorer.held(part.judged)) for part in parts]
        return [parts[held.index(max(held))]] if parts else []

    def _parts(self, shown: ShownPassage) -> list[PassagePart]:
        return parts_of(shown.passage, self._context.texts.get(shown.passage.title, ()))

    def _may_answer(self, shown: ShownPassage) -> bool:
        """Whether a passage can answer: claims and notes; of pages without any, every passage but
        questions. Of the page of a source, which repeats what stands elsewhere, only what it says
        of itself, and only where the question is about that source."""
        passage = shown.passage
        if passage.is_question or share(self._weighted, shown.terms) < TOGETHER * SCALE:
            return False
        if passage.id or passage.kind == "source":
            return True
        page = next(each for each in self._context.pages if each.path == passage.path)
        is_named = share(self._weighted, page.named) >= TOGETHER * SCALE
        return not page.statements and (page.type != "source" or is_named)

    def _answered(self, shown: ShownPassage, part: PassagePart) -> int:
        """How much of the question a part holds, with what the quotes and the title of its passage
        add, in millionths; 0 if it misses the point."""
        own = self._scorer.held(part.judged)
        if part.judged == shown.passage.text:
            own |= shown.own
        terms = own | (shown.terms - shown.own)
        is_heavy = share(self._weighted, self._named) >= HEAVY * SCALE
        if (
            not self._kind.stands_in(part.judged)
            or not self._numbers <= terms
            or (is_heavy and share(self._named, terms) < SCALE // 2)
            or (self._beyond and share(self._beyond, own) < BEYOND_TITLE * SCALE)
        ):
            return 0
        return share(self._weighted, terms)


def _unknown(context: Context) -> tuple[str, ...]:
    """The names in the question of which a part stands nowhere: what is written with a capital
    inside it, is code, or holds a digit."""
    question = context.question
    coded = [next(filter(None, found)) for found in _CODE.findall(question)]
    digits = [word for word in _NAME.findall(question) if any(map(str.isdigit, word))]
    names = [*_capitals(question), *(each.rstrip(_ENDS) for each in coded), *digits]
    names.sort(key=question.find)
    nowhere = {base(term) for term in context.nowhere}
    return tuple(dict.fromkeys(name for name in names if nowhere.intersection(_terms(name))))


def _capitals(question: str) -> list[str]:
    """The words with a capital or a digit, but the first of a sentence.

    Where most words are written so, as in a headline, it tells nothing: then none.
    """
    spoken = list(_NAME.finditer(question))
    names = [
        found[0].rstrip(_ENDS)
        for found in spoken[1:]
        if found[0][0].isupper() or found[0][0].isdigit()
        if question[: found.start()].rstrip()[-1:] not in {".", "?", "!"}
    ]
    return [] if len(names) * 2 > len(spoken) else names


def _terms(text: str) -> set[str]:
    return {base(term) for word in words(text) for term in terms_of(word)}
