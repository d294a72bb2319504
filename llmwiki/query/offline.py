"""Answers without a model: the few passages that may answer a question, and those nearest to it.

Nothing is worded anew. A part of a passage may answer where a good share of the question's words,
weighted by how rare they are in the wiki, stands in it or in its page's title (`HELD`), half of
what the question names (`NAMED`), some of what it asks beyond that (`BEYOND`), and what kind of
thing it asks for (`answer_kinds`), and where nothing holds much more of it (`NEAR_BEST`). That the
wiki does not know is said only of names that stand nowhere in it.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from llmwiki.core.language.inflections import base
from llmwiki.core.language.scripts import CJK
from llmwiki.core.language.tokens import words
from llmwiki.pages.change_words import qualified, spoken
from llmwiki.pages.lines import ITEM
from llmwiki.pages.links import scan
from llmwiki.pages.page import Claim
from llmwiki.query.answer_kinds import AnswerKind, terms_in
from llmwiki.query.ask import CheckedAnswer
from llmwiki.query.citations import CheckedStatement, CitedPassage, of_passage
from llmwiki.query.passage_parts import PassagePart, parts_of
from llmwiki.query.retrieval.context import Context
from llmwiki.query.retrieval.passage import Passage
from llmwiki.query.retrieval.passage_score import PAGE, ScoredPassage, Scorer
from llmwiki.query.retrieval.question_words import is_german, share, weights
from llmwiki.query.retrieval.weights import SCALE
from llmwiki.query.statements import GAP, AnswerStatement
from llmwiki.version import OFFLINE

HELD = 0.42
"""Share of a question's words, by rarity, that a passage with its page's title must hold."""
BEYOND = 0.38
"""Of the words that name nothing, the share that the passage itself must hold."""
NAMED = 0.3
"""From this share of the question on, what it names must stand in the passage, half at least."""
SMALL = 0.25
"""Below this share of the question what is asked beyond the names need not stand anywhere."""
NEAR_BEST = 0.6
"""Of the score of the best passage of all, what one that answers must have."""
QUOTES = 4
"""Passages quoted at most."""
NEAREST = 3
"""Passages named beside them at most."""

UNSURE = "No line answers this for sure."
"""What is said above the nearest passages where none may answer."""
MAY = "One of these may answer it:"
"""What is said above several passages."""
_MEANING = frozenset({"stance", "speaker", "scope", "until"})
"""Attributes of a claim that an answer tells with it."""

_NAME = re.compile(r"[^\W_][\w.+#-]*")
_CODE = re.compile(r"`([^`]{1,200})`|(?<!\S)(\S*\w[_.=@#+\\<>$&|(]\S*)|(?<!\S)(--?\w\S*)")
_NO_SPACES = re.compile(rf"[{CJK}ー]+")
"""Words between which no blank stands: a name among them ends where they begin."""
_DIGITS = re.compile(r"\d+")
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
    parts = asked.parts()
    least = parts[0].score * NEAR_BEST if parts else 0
    good = [each for each in parts if each.score >= least and asked.answers(each)]
    good = [] if unknown else [each for each in good if not each.passage.struck] or good
    good.sort(key=lambda each: (-each.share, -each.score))
    quotes = _apart((each.part for each in good), (), QUOTES)
    near = [each for each in parts if not each.passage.struck]
    nearest = _apart((each.part for each in near), quotes, NEAREST)
    return ExtractiveAnswer(context.question, tuple(quotes), tuple(nearest), unknown)


def _apart(
    parts: Iterable[PassagePart], others: Iterable[PassagePart], most: int
) -> list[PassagePart]:
    """The first of some parts, each with what those before it and the others do not say."""
    shown = list(others)
    start = len(shown)
    for part in parts:
        said = _letters(part.text)
        if not any(
            _is_said(part.passage, each.passage) or said in _letters(each.text) for each in shown
        ):
            shown.append(part)
        if len(shown) - start == most:
            break
    return shown[start:]


def _is_said(one: Passage, other: Passage) -> bool:
    """Whether two passages are one, share lines of a source, or one quotes most of the other."""
    if one == other or "source" not in {one.kind, other.kind}:
        return one == other
    lines, others = _lines(one), _lines(other)
    few = 1 if one.kind == other.kind else min(len(lines), len(others))
    return 2 * len(lines & others) > few


def _lines(passage: Passage) -> frozenset[tuple[str, int]]:
    return frozenset(
        (path, line) for path, first, last in passage.places for line in range(first, last + 1)
    )


class _Held(NamedTuple):
    """A part of a passage and what it holds of the question."""

    part: PassagePart
    score: int
    share: int
    """Of the question, that its terms are."""
    terms: frozenset[str]
    """With its page's title and its heading."""
    own: frozenset[str]

    @property
    def passage(self) -> Passage:
        return self.part.passage

    @property
    def is_source(self) -> bool:
        return self.passage.kind == "source"

    def citing(self, other: Passage) -> _Held:
        """The same, with another passage that says a part of it."""
        if not other.id or other in self.part.cites:
            return self
        return self._replace(part=self.part._replace(cites=(*self.part.cites, other)))


class _Asked:
    """What passages are held against."""

    def __init__(self, context: Context) -> None:
        question, pages = context.question, context.wiki_pages
        self._context = context
        self._weighted = weights(question, context.terms, 0, pages)
        self._scorer = Scorer(question, context.terms, pages)
        self._kind = AnswerKind(question)
        self._head = self._kind.head & {t for t, weight in self._weighted.items() if weight}
        self._unheard = self._kind.done & {base(term) for term in context.nowhere}
        """What somebody is asked to do, where the wiki never speaks of it."""
        self._numbers = frozenset(t for t in self._weighted if t.isascii() and t.isdigit())
        names = {term for name in _capitals(question) for term in terms_in(name)}
        named = {t: w for t, w in self._weighted.items() if t in names | context.subject}
        beyond = {t: w for t, w in self._weighted.items() if w and t not in named}
        self._named = named if share(self._weighted, named) >= NAMED * SCALE else {}
        """The terms of pages and things that the question names, where they are no trifle."""
        self._beyond = beyond if share(self._weighted, beyond) >= SMALL * SCALE else {}
        """What is asked beyond those, where that is none."""

    def parts(self) -> list[_Held]:
        """The parts of what was found, best first; lines of sources weigh what claims do, and a
        claim in their own words is cited for them."""
        found: dict[tuple[str, str], _Held] = {}
        for shown in (*self._context.lines, *self._context.shown):
            for part in parts_of(shown.passage, self._context.texts.get(shown.passage.title, ())):
                found.setdefault((part.text, part.passage.handle), self._held(shown, part))
        blocks = {
            _letters(held.part.text): held
            for held in found.values()
            if held.is_source and not held.passage.struck
        }
        apart: list[_Held] = []
        for held in [each for each in found.values() if not each.is_source or each.passage.struck]:
            is_plain = not (held.passage.attributes or held.passage.struck)
            said = _letters(held.part.text)
            around = [text for text in blocks if is_plain and said in text]
            for text in around:
                blocks[text] = blocks[text].citing(held.passage)
            if not around:
                apart.append(held)
        return sorted((*blocks.values(), *apart), key=lambda each: -each.score)

    def _telling(self, part: PassagePart) -> PassagePart:
        """A part without the sentences or rows that add nothing of what is asked."""
        units = part.units
        if len(units) == 1 or part.intro or units[0].kind == "line":
            return part
        held = [self._scorer.held(unit.text) for unit in units]
        worth = [share(self._weighted, terms) for terms in held]
        kinds = [
            bool(w) and self._kind.stands_in(u.text) for w, u in zip(worth, units, strict=True)
        ]
        least = max((w for w, fits in zip(worth, kinds, strict=True) if fits), default=0)
        kept = [
            at
            for at, terms in enumerate(held)
            if (kinds[at] and worth[at] >= least)
            or terms
            - frozenset[str]().union(*(held[i] for i, w in enumerate(worth) if w > worth[at]))
        ]
        if not kept:
            return part
        if units[0].kind == "row":
            return part.only([units[at] for at in kept])
        return part.only(units[kept[0] : kept[-1] + 1])

    def _held(self, shown: ScoredPassage, part: PassagePart) -> _Held:
        passage, page = part.passage, dict(shown.parts)["page"] * SCALE // int(PAGE * SCALE)
        above = self._scorer.held(passage.title) | (shown.terms - shown.own)
        part = self._telling(part)
        passage, kind = part.passage, "claim" if part.source else passage.kind
        whole = self._scorer.score(passage._replace(text=part.text, kind=kind), above, page)
        held = share(self._weighted, whole.terms)
        return _Held(part, whole.score, held, whole.terms, whole.own)

    def answers(self, held: _Held) -> bool:
        """Whether a part may answer: a claim, a note, lines of a source; of pages without any,
        every passage but questions."""
        passage = held.passage
        if self._unheard or passage.is_question:
            return False
        if not passage.id and not held.is_source and passage.path in self._context.of_statements:
            return False
        return (
            held.share >= HELD * SCALE
            and not (self._named and share(self._named, held.terms) < SCALE // 2)
            and not (self._beyond and share(self._beyond, held.own) < BEYOND * SCALE)
            and self._has_kind(held)
        )

    def _has_kind(self, held: _Held) -> bool:
        """Whether a part has what kind of thing is asked for."""
        kind = self._kind
        lacking = {term for term, weight in self._weighted.items() if weight} - held.terms
        numbers = set(_DIGITS.findall(f"{held.part.text} {held.passage.title}"))
        return (
            kind.stands_in(held.part.text)
            and self._numbers <= held.terms | numbers
            and not (self._head and self._head <= lacking and lacking - self._head)
        )


def _letters(text: str) -> str:
    return "".join(words(text))


def _unknown(context: Context) -> tuple[str, ...]:
    """The names in the question of which a part stands nowhere: what is written with a capital
    inside it, is code, or holds a digit."""
    question = _NO_SPACES.sub(" ", context.question)
    coded = [next(filter(None, found)) for found in _CODE.findall(question)]
    digits = [word for word in _NAME.findall(question) if any(map(str.isdigit, word))]
    names = [*_capitals(question), *(each.rstrip(_ENDS) for each in coded), *digits]
    names.sort(key=question.find)
    nowhere = {base(term) for term in context.nowhere}
    return tuple(dict.fromkeys(name for name in names if nowhere.intersection(terms_in(name))))


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
    return [] if len(names) * 2 > len(spoken) or is_german(terms_in(question)) else names


def quoted(context: Context) -> CheckedAnswer:
    """The answer that a context holds. Where it holds none for sure, that is said."""
    found = answer(context)
    kind, said = ("sentence", MAY) if found.quotes else ("gap", UNSURE)
    if found.unknown:
        said = f"{GAP} no page speaks of {', '.join(found.unknown[:8])}."
    above = CheckedStatement(AnswerStatement(kind, "", True, said, ()), (), ())
    quotes = tuple(_quote(part, context) for part in found.quotes)
    return CheckedAnswer(
        context.question,
        quotes if len(quotes) == 1 else (above, *quotes),
        OFFLINE,
        nearest=tuple(_near(part, context) for part in found.nearest),
    )


def _quote(part: PassagePart, context: Context) -> CheckedStatement:
    # The passage that is cited stays as it is.
    text = part.text if part.passage.kind == "source" else _meant(part)
    cited = tuple(of_passage(each) for each in part.cites)
    if not _is_covered(part):
        cited += (_titled(of_passage(part.passage), context),)
    links = tuple(link for each in cited for link in scan(each.handle))
    marker = "" if ITEM.match(text) else "- "
    return CheckedStatement(AnswerStatement("sentence", marker, True, text, links), cited, ())


def _near(part: PassagePart, context: Context) -> CitedPassage:
    """What comes near: the claim that says it, else what it says as a reader sees it."""
    if len(part.cites) == 1 and _is_covered(part):
        return of_passage(part.cites[0])
    return _titled(replace(of_passage(part.passage), text=part.text), context)


def _titled(cited: CitedPassage, context: Context) -> CitedPassage:
    """The same under the title of its page, which lines of a source do not know."""
    return replace(cited, title=context.titles.get(cited.path, cited.title))


def _is_covered(part: PassagePart) -> bool:
    """Whether the claims that are cited for a part say all of it but its heading and numbers."""
    left = _letters(part.text)
    for said in (*(each.text for each in part.cites), *part.passage.headings):
        left = left.replace(_letters(said), "", 1)
    return bool(part.cites) and not any(map(str.isalpha, left))


def _meant(part: PassagePart) -> str:
    """Words of a claim with what changes their meaning: who says them, where, and that they are
    denied."""
    passage = part.passage
    told = tuple(pair for pair in passage.attributes if pair[0] in _MEANING)
    return spoken(qualified(Claim(passage.id, part.text, (), told))) if told else part.text
