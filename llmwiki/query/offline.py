"""Answers without a model: the one or two passages that answer a question, and those nearest to it.

Nothing is worded anew. A part of a passage answers for sure where a good share of the question's
words, weighted by how rare they are in the wiki, stands in it or in its page's title (`TOGETHER`),
half of what the question names (`HEAVY`), some of what it asks beyond that (`BEYOND_TITLE`), and
the number that it gives, and what kind of thing it asks for. That the wiki does not know is said
only of names that stand nowhere in it.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.language.inflections import base
from llmwiki.language.tokens import terms_of, words
from llmwiki.pages.change_words import qualified, spoken
from llmwiki.pages.links import scan
from llmwiki.pages.page import Claim
from llmwiki.query.answer_kinds import AnswerKind
from llmwiki.query.ask import CheckedAnswer
from llmwiki.query.citations import CheckedStatement, of_passage
from llmwiki.query.passage_parts import PassagePart, parts_of
from llmwiki.query.statements import GAP, AnswerStatement
from llmwiki.retrieval.context import Context, ShownPassage
from llmwiki.retrieval.passage import Passage
from llmwiki.retrieval.passage_score import PAGE, Scorer
from llmwiki.retrieval.question_words import asks_who, is_german, share, weights
from llmwiki.retrieval.weights import SCALE
from llmwiki.version import OFFLINE

TOGETHER = 0.5
"""Share of a question's words, by rarity, that one passage with its page's title must hold."""
BEYOND_TITLE = 0.35
"""Of the words that name nothing, the share that the passage itself must hold."""
HEAVY = 0.25
"""From this share of the question on, what it names must stand in the passage, half at least."""
SMALL = 0.25
"""Below this share of the question what is asked beyond the names need not stand anywhere."""
ABSENT = 0.5
QUOTES = 2
"""Passages quoted at most."""
NEAREST = 3
"""Passages named beside them at most."""

UNSURE = "No line answers this for sure."
"""What is said above the nearest passages where none is sure to answer."""
_MEANING = frozenset({"stance", "speaker", "scope", "until"})
"""Attributes of a claim that an answer tells with it."""

_NAME = re.compile(r"[^\W_][\w.+#-]*")
_CODE = re.compile(r"`([^`]{1,200})`|(?<!\S)(\S*\w[_.=@#+\\<>$&|(]\S*)|(?<!\S)(--?\w\S*)")
_MONTH = re.compile(r"(?<!\d)\d{4}-(0[1-9]|1[0-2])(?!\d)")
_ENDS = "?!.,;:…"
_ASKED_FOR = re.compile(
    r"\b(?:how many|wie viele) (\S+(?: \S+)?)"
    r"|\A(?:what|which|who|was|wer|welche[rs]?) (?:is|are|was|were|ist|sind|war) "
    r"(?:(?:the|der|die|das) )?(?:\S+ ){0,2}?(\S+) (?:of|for|von|für|des|der)\b"
    r"|\Awie (?:hoch|groß|lang|alt) (?:ist|sind|war|waren) (?:der|die|das) (\S+)",
    re.IGNORECASE,
)
"""What is counted, and the part or trait that is asked for: the salary of a designer."""


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """The passages of the wiki that answer a question, verbatim."""

    question: str
    quotes: tuple[PassagePart, ...]
    """What answers, best first; empty where nothing does for sure."""
    nearest: tuple[PassagePart, ...]
    """The passages that come nearest beside those, one with the question's rarest word among all
    that are shown; empty where none comes near."""
    unknown: tuple[str, ...]
    """Names in the question that stand nowhere in the wiki, in its order: then nothing answers."""


def answer(context: Context) -> ExtractiveAnswer:
    """The answer that a context holds. Pure: the same context, the same answer."""
    asked = _Asked(context)
    unknown = _unknown(context)
    parts = asked.parts()
    good = [] if unknown else [part for part in parts if asked.answers(part)]
    good = [each for each in good if not each.passage.struck] or good
    good.sort(key=lambda each: (-each.beside, -each.score))
    quotes = _apart((each.part for each in good), (), QUOTES)
    near = [each for each in parts if not each.passage.struck]
    nearest = _apart((each.part for each in near), quotes, NEAREST)
    rarest = asked.rarest(near)
    telling = [each.part for each in near if rarest in each.own]
    if not any(part in telling for part in (*quotes, *nearest)):
        nearest = [*nearest[: NEAREST - 1], *_apart(telling, (*quotes, *nearest), 1)]
    return ExtractiveAnswer(context.question, tuple(quotes), tuple(nearest), unknown)


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


class _Held(NamedTuple):
    """A part of a passage and what it holds of the question."""

    part: PassagePart
    score: int
    """That of its two sentences side by side that have most."""
    beside: int
    """The share of the question that two of them hold at most."""
    terms: frozenset[str]
    """With its page's title and its heading."""
    own: frozenset[str]

    @property
    def passage(self) -> Passage:
        return self.part.passage

    @property
    def is_source(self) -> bool:
        return self.passage.kind == "source"

    def citing(self, other: _Held) -> _Held:
        """The same, with another passage that says a part of it."""
        cites = (*self.part.cites, other.passage) if other.passage.id else self.part.cites
        part = self.part._replace(cites=cites)
        return self._replace(part=part, score=max(self.score, other.score))


class _Asked:
    """What passages are held against."""

    def __init__(self, context: Context) -> None:
        question, pages = context.question, context.wiki_pages
        self._context = context
        self._weighted = weights(question, context.terms, 0, pages)
        self._scorer = Scorer(question, context.terms, pages)
        self._kind = AnswerKind(question)
        found = _ASKED_FOR.search(question)
        asked_for = _terms(" ".join(filter(None, found.groups()))) if found else set()
        self._asked_for = {term for term in asked_for if self._weighted.get(term)}
        self._numbers = frozenset(t for t in self._weighted if t.isascii() and t.isdigit())
        names = {term for name in _capitals(question) for term in _terms(name)}
        if is_german(term.text for term in context.terms):
            for term in self._weighted.keys() & {base(each) for each in context.nowhere}:
                self._weighted[term] = int(ABSENT * self._weighted[term])
        self._named = {t: w for t, w in self._weighted.items() if t in names | context.subject}
        """The terms of pages and things that the question names."""
        beyond = {t: w for t, w in self._weighted.items() if w and t not in self._named}
        is_small = share(self._weighted, beyond) < SMALL * SCALE and not asks_who(question)
        self._beyond = {} if is_small else beyond
        """What is asked beyond those, where it is no trifle."""

    def parts(self) -> list[_Held]:
        """The parts of what was found, best first; lines of sources weigh what claims do, and a
        claim in their own words is cited for them."""
        found: dict[tuple[str, str], _Held] = {}
        for shown in (*self._context.lines, *self._context.shown):
            for part in parts_of(shown.passage, self._context.texts.get(shown.passage.title, ())):
                found.setdefault((part.text, part.passage.handle), self._held(shown, part))
        blocks = {_letters(held.part.text): held for held in found.values() if held.is_source}
        apart: list[_Held] = []
        for held in [held for held in found.values() if not held.is_source]:
            is_plain = not (held.passage.attributes or held.passage.struck)
            said = _letters(held.part.text)
            whole = next((text for text in blocks if is_plain and said in text), "")
            if whole:
                blocks[whole] = blocks[whole].citing(held)
            else:
                apart.append(held)
        return sorted((*blocks.values(), *apart), key=lambda each: -each.score)

    def rarest(self, found: Iterable[_Held]) -> str:
        """The term of the question that tells most among those that stand somewhere."""
        held = Counter(term for each in found for term in each.own)
        rarity = {term: (self._weighted.get(term, 0), -held[term], term) for term in held}
        return max(held, key=rarity.__getitem__, default="")

    def _held(self, shown: ShownPassage, part: PassagePart) -> _Held:
        passage, page = part.passage, dict(shown.parts)["page"] * SCALE // int(PAGE * SCALE)
        above = self._scorer.held(_dated(passage.title)) | (shown.terms - shown.own)
        kind = "claim" if passage.kind == "source" else passage.kind
        whole, *pairs = (
            self._scorer.score(passage._replace(text=text, kind=kind), above, page)
            for text in (part.text, *part.pairs)
        )
        beside = max(share(self._weighted, each.own) for each in pairs or [whole])
        score = max(each.total for each in pairs or [whole])
        return _Held(part, score, beside, whole.terms, whole.own)

    def answers(self, held: _Held) -> bool:
        """Whether a part answers for sure: a claim, a note, lines of a source; of pages without
        any, every passage but questions."""
        passage, terms = held.passage, held.terms
        field = held.part.field
        if passage.is_question or (field and not self._scorer.held(field.replace("-", " "))):
            return False
        if not passage.id and not held.is_source:
            page = next(each for each in self._context.pages if each.path == passage.path)
            if page.statements or page.type == "source":
                return False
        is_heavy = share(self._weighted, self._named) >= HEAVY * SCALE
        return (
            share(self._weighted, terms) >= TOGETHER * SCALE
            and self._kind.stands_in(held.part.text)
            and self._numbers <= terms
            and not (self._asked_for and self._asked_for.isdisjoint(held.own))
            and not (is_heavy and share(self._named, terms) < SCALE // 2)
            and not (self._beyond and share(self._beyond, held.own) < BEYOND_TITLE * SCALE)
        )


def _letters(text: str) -> str:
    return "".join(words(text))


def _dated(title: str) -> str:
    """A title with the names of the months of its dates: April of 2025-04-16."""
    months = (month_name[int(month)] for month in _MONTH.findall(title))
    return " ".join((title.replace("_", " "), *months))


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

    Where most words are written so, as in a headline, or all nouns, as in German, it tells
    nothing: then none.
    """
    spoken = list(_NAME.finditer(question))
    names = [
        found[0].rstrip(_ENDS)
        for found in spoken[1:]
        if (found[0][0].isupper() or found[0][0].isdigit()) and found[0] not in month_name
        if question[: found.start()].rstrip()[-1:] not in {".", "?", "!"}
    ]
    return [] if len(names) * 2 > len(spoken) or is_german(_terms(question)) else names


def _terms(text: str) -> set[str]:
    return {base(term) for word in words(text) for term in terms_of(word)}


def quoted(context: Context) -> CheckedAnswer:
    """The answer that a context holds. Where it holds none for sure, that is said."""
    found = answer(context)
    gap = f"{GAP} no page speaks of {', '.join(found.unknown[:8])}." if found.unknown else UNSURE
    none = CheckedStatement(AnswerStatement("gap", "", True, gap, ()), (), ())
    return CheckedAnswer(
        context.question,
        tuple(map(_quote, found.quotes)) or (none,),
        OFFLINE,
        nearest=tuple(of_passage((*part.cites, part.passage)[0]) for part in found.nearest),
    )


def _quote(part: PassagePart) -> CheckedStatement:
    # The passage that is cited stays as it is.
    text = part.text if part.passage.kind == "source" else _meant(part)
    cited = tuple(of_passage(each) for each in part.cites or (part.passage,))
    links = tuple(link for each in cited for link in scan(each.handle))
    return CheckedStatement(AnswerStatement("sentence", "- ", True, text, links), cited, ())


def _meant(part: PassagePart) -> str:
    """Words of a claim with what changes their meaning: who says them, where, and that they are
    denied."""
    passage = part.passage
    told = tuple(pair for pair in passage.attributes if pair[0] in _MEANING)
    return spoken(qualified(Claim(passage.id, part.text, (), told))) if told else part.text
