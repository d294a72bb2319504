"""Answers without a model: the few passages that answer a question, and those nearest to it.

Nothing is worded anew. A part of a passage answers where a good share of the question's words,
weighted by how rare they are in the wiki, stands in it or in its page's title (`HELD`): two words
at least, half of what the question names, some of what it asks beyond that (`BEYOND`), its numbers,
and the kind of thing it asks for (`answer_kinds`); and where nothing holds much more of it
(`NEAR_BEST`). One such part is the answer, several are said to be several, and where there is none
that is said. That the wiki does not know is said only of names that stand nowhere in it.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import NamedTuple

from llmwiki.core.language.scripts import CJK
from llmwiki.core.language.search_terms import is_cjk, words
from llmwiki.core.language.word_forms import base
from llmwiki.pages.difference.change_words import qualified, spoken
from llmwiki.pages.find_links import scan
from llmwiki.pages.line_patterns import ITEM
from llmwiki.pages.page import Claim
from llmwiki.query.answer_by_model import CheckedAnswer
from llmwiki.query.answer_kinds import AnswerKind, terms_in
from llmwiki.query.check_citations import CheckedStatement, CitedPassage, of_passage
from llmwiki.query.retrieval.context import Context
from llmwiki.query.retrieval.passage import Passage
from llmwiki.query.retrieval.passage_score import PAGE, ScoredPassage, Scorer
from llmwiki.query.retrieval.question_words import ASKING_CJK, is_german, share, weights
from llmwiki.query.retrieval.weights import SCALE
from llmwiki.query.shown_passage_parts import PassagePart, Unit, shown_parts
from llmwiki.query.split_answer import GAP, AnswerStatement
from llmwiki.sources.dates_in_documents import find_date, only_date
from llmwiki.sources.document_facts import field_kind
from llmwiki.version import SIGNED_OFFLINE

HELD = 0.42
"""Share of a question's words, by rarity, that a passage with its page's title must hold."""
BEYOND = 0.38
"""Of the words that name nothing, the share that the passage itself must hold."""
SMALL = 0.25
"""Below this share of the question what is asked beyond the names need not stand anywhere."""
NEAR_BEST = 0.6
"""Of the score of the best passage of all, what one that answers must have."""
UNIT = 0.6
"""Of what a part holds, what the sentence of it must hold that has the kind of thing asked for."""
TITLED = 0.8
"""Share of a question that a title or headings must hold to say what it asks how to do."""
FEW = 3
"""Sentences that are shown at least where no kind of thing is asked for."""
QUOTES = 4
"""Passages quoted at most."""
NEAREST = 3
"""Passages named beside them at most."""

UNSURE = "No line answers this for sure."
"""What is said above the nearest passages where none answers."""
MAY = "One of these may answer it:"
"""What is said above several passages that answer."""
_MEANING = frozenset({"stance", "speaker", "scope", "until"})
"""Attributes of a claim that an answer tells with it."""

_NAME = re.compile(r"[^\W_][\w.+#-]*")
_CODE = re.compile(r"`([^`]{1,200})`|(?<!\S)(\S*\w[_.=@#+\\<>$&|(]\S*)|(?<!\S)(--?\w\S*)")
_NO_SPACES = re.compile(rf"[{CJK}ー]+")
"""Words between which no blank stands: a name among them ends where they begin."""
_DIGITS = re.compile(r"\d+")
_ONE = re.compile(r"(?<!\d)1(?=[年月週日時])")
"""One year is a year, whether or not that is counted."""
_VERSION = re.compile(r"(?<![\w.])\d++(?:\.\d++)++")
"""A number of several, which is none of the longer ones that it is a part of."""
_ENDS = "?!.,;:…"
_ASKS = ("?", "？")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
HEAD = 15
"""Lines of a document in which its day is looked for."""


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """The passages of the wiki that answer a question, verbatim."""

    question: str
    quotes: tuple[PassagePart, ...]
    """What answers, best first; empty where nothing does."""
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
    good = [
        each
        for each in parts
        if (each.score >= least or asked.is_titled(each)) and asked.answers(each)
    ]
    good = [] if unknown else [each for each in good if not each.passage.struck] or good
    good = asked.titled(good) or good
    # What tells the same comes together, the newest first.
    best: dict[frozenset[str], int] = {}
    for each in good:
        best[each.own] = max(best.get(each.own, 0), each.score)
    good.sort(key=lambda each: each.score, reverse=True)
    good.sort(key=lambda each: day_of(each.part, context), reverse=True)
    good.sort(key=lambda each: (-each.share, -best[each.own]))
    quotes = _apart((asked.whole(each.part) for each in good), (), QUOTES)
    standing = [each for each in parts if not each.passage.struck]
    nearest = _apart((each.part for each in standing), quotes, NEAREST)
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
    """With its page's title and its headings."""
    own: frozenset[str]
    above: frozenset[str]
    """Those of its page's title and its headings."""

    @property
    def passage(self) -> Passage:
        return self.part.passage


class _Asked:
    """What passages are held against."""

    def __init__(self, context: Context) -> None:
        question, pages = context.question, context.wiki_pages
        self._context = context
        self._claims: list[tuple[str, Passage]] = []
        """Those that stand, of what was found, with their letters."""
        weighted = weights(question, context.terms, 0, pages)
        self._weighted = {term: weight for term, weight in weighted.items() if weight}
        self._words = frozenset(
            t for t in self._weighted if not is_cjk(t) or (len(t) > 1 and ASKING_CJK.isdisjoint(t))
        )
        """Its terms that are words, as far as Chinese and Japanese show it."""
        self._scorer = Scorer(question, context.terms, pages)
        self._kind = AnswerKind(question)
        nowhere = self._kind.done & {base(term) for term in context.nowhere}
        said = {w for shown in (*context.lines, *context.shown) for w in words(shown.passage.text)}
        self._unheard = {t for t in nowhere if not any(w.startswith(t) for w in said)}
        """What somebody is asked to do, where nothing that was found speaks of it."""
        numbers = frozenset(t for t in weighted if t.isascii() and t.isdigit())
        self._numbers = numbers - set(_ONE.findall(question))
        self._versions = _VERSION.findall(question)
        names = context.subject.union(*map(terms_in, _capitals(question))) - self._numbers
        self._named = {t: w for t, w in self._weighted.items() if t in names}
        """The terms of pages and things that the question names."""
        beyond = {t: w for t, w in self._weighted.items() if t not in names}
        self._beyond = beyond if share(self._weighted, beyond) >= SMALL * SCALE else {}
        """What is asked beyond those, where that is no trifle."""

    def parts(self) -> list[_Held]:
        """The parts of what was found, best first; lines of sources weigh what claims do, and
        claims in their own words are cited for them."""
        found: dict[tuple[str, str], _Held] = {}
        for shown in (*self._context.lines, *self._context.shown):
            for part in shown_parts(
                shown.passage, self._context.texts.get(shown.passage.title, ())
            ):
                held = self._held(shown, self._telling(part))
                found.setdefault((held.part.text, held.passage.handle), held)
        sources = [held for held in found.values() if held.part.source and not held.passage.struck]
        standing = [h.passage for h in found.values() if h.passage.id and not h.passage.struck]
        self._claims = [(_letters(each.text), each) for each in standing]
        cited = [held._replace(part=_cited(held.part, self._claims)) for held in sources]
        blocks = [_letters(held.part.text) for held in sources]
        apart = [
            held
            for held in found.values()
            if held.passage.struck or not held.part.source
            if held.passage.struck
            or held.passage.attributes
            or not any(_letters(held.part.text) in text for text in blocks)
        ]
        return sorted((*cited, *apart), key=lambda each: -each.score)

    def whole(self, part: PassagePart) -> PassagePart:
        """A list whole, with the claims that say it; any other part as it is."""
        whole = part.whole()
        return part if whole.units == part.units else _cited(whole, self._claims)

    def _telling(self, part: PassagePart) -> PassagePart:
        """A part without the sentences at its ends, and the rows, that add nothing to the others.

        A sentence adds a word of the question that none which holds more of it has; where a kind
        of thing is asked for, all add that have it and as much of the question.
        """
        units = _statements(part.units)
        part = part if units == part.units else part.only(units)
        is_list = units[0].kind == "line" or (part.intro and len(units) <= FEW)
        if len(units) == 1 or is_list or self._kind.asks_why:
            return part
        held = [self._scorer.held(unit.text) for unit in units]
        worth = [share(self._weighted, terms) for terms in held]
        fits = [0] * len(units)
        if self._kind.is_told:
            texts = (unit.text for unit in units)
            fits = [w if self._kind.stands_in(t) else 0 for w, t in zip(worth, texts, strict=True)]
        # A row that lacks a name of the question tells of something else.
        named = [share(self._named, t) if units[0].kind == "row" else 0 for t in held]
        kept = []
        for at, terms in enumerate(held):
            if named[at] < max(named):
                continue
            better = (other for other, w in zip(held, worth, strict=True) if w > worth[at])
            if (fits[at] and fits[at] == max(fits)) or terms.difference(*better):
                kept.append(at)
        if not kept:
            return part
        if units[0].kind == "row":
            return part.only([units[at] for at in kept])
        # Where no kind tells which sentence answers, what follows may.
        end = kept[-1] + 1 if any(fits) else max(kept[-1] + 2, kept[0] + FEW)
        return part.only(units[kept[0] : end])

    def _held(self, shown: ScoredPassage, part: PassagePart) -> _Held:
        passage, page = part.passage, dict(shown.parts)["page"] * SCALE // int(PAGE * SCALE)
        # The name of a file tells as much as its title.
        title = self._context.titles.get(passage.title, "")
        titles = (passage.title, title, *passage.headings)
        above = self._scorer.held(" · ".join(titles)) | (shown.terms - shown.own)
        kind = "claim" if part.source else passage.kind
        whole = self._scorer.score(passage._replace(text=part.text, kind=kind), above, page)
        held = share(self._weighted, whole.terms)
        return _Held(part, whole.score, held, whole.terms, whole.own, above)

    def answers(self, held: _Held) -> bool:
        """Whether a part answers: a claim, a note, lines of a source; of pages without any, every
        passage but questions."""
        passage = held.passage
        if self._unheard or passage.is_question or held.part.units[-1].text.endswith(_ASKS):
            return False
        if not passage.id and not held.part.source and passage.path in self._context.of_statements:
            return False
        said = f"{held.part.text} {passage.title}"
        versions = _VERSION.findall(said) if self._versions else ()
        return (
            held.share >= HELD * SCALE
            # One word of several stands in many a passage by chance.
            and len(held.terms & self._words) >= min(len(self._words), 2)
            and not (self._named and share(self._named, held.terms) <= SCALE // 2)
            and not (
                self._beyond
                and share(self._beyond, held.own) < BEYOND * SCALE
                and not self.is_titled(held)
            )
            and self._numbers <= held.terms | set(_DIGITS.findall(said))
            and all(
                any(f"{told}.".startswith(f"{v}.") for told in versions) for v in self._versions
            )
            and self._tells(held)
        )

    def _tells(self, held: _Held) -> bool:
        """Whether a part has the kind of thing asked for, in a sentence, an item or a row that
        with what stands above it holds enough of the question."""
        if not self._kind.is_told:
            return True
        if not self._kind.stands_in(held.part.text):
            return False
        above = held.above | self._scorer.held(held.part.intro)
        return any(
            share(self._weighted, above | self._scorer.held(unit.text)) >= UNIT * held.share
            for unit in held.part.units
            if self._kind.stands_in(f"{held.part.intro} {unit.text}")
        )

    def is_titled(self, held: _Held) -> bool:
        """Whether its title or headings hold what a question asks how to do."""
        return self._kind.asks_how and share(self._weighted, held.above) >= TITLED * SCALE

    def titled(self, good: Sequence[_Held]) -> list[_Held]:
        """Of what answers how something is done the steps, else all, below a title that says so."""
        found = [each for each in good if self.is_titled(each)]
        return [each for each in found if each.part.units[0].kind == "line"] or found


def _statements(units: Sequence[Unit]) -> Sequence[Unit]:
    """Sentences without questions; but one that is answered by what follows begins them. All,
    where nothing else is said."""
    asked = [unit for unit in units if unit.text.endswith(_ASKS) and unit.kind == "sentence"]
    if not asked or len(asked) == len(units) or asked == [units[0]]:
        return units
    return [unit for unit in units if unit not in asked]


def _cited(part: PassagePart, claims: Sequence[tuple[str, Passage]]) -> PassagePart:
    """Lines of a source with the claims, given with their letters, that say all of them but
    headings and numbers, or that tell the same rows; claims that say less are not cited."""
    if part.units[0].kind == "row":
        told = {each.places[0]: each for _, each in claims if each.places}
        rows = [told.get((part.passage.title, unit.first, unit.last)) for unit in part.units]
        return part if None in rows else part._replace(cites=tuple(filter(None, rows)))
    said = left = _letters(part.text)
    for heading in part.passage.headings:
        left = left.replace(_letters(heading), "", 1)
    cites = []
    for letters, claim in claims:
        if said in letters and not claim.attributes:
            return part._replace(cites=(claim,))
        if letters in said and not claim.attributes:
            cites.append(claim)
            left = left.replace(letters, "", 1)
    return part if any(map(str.isalpha, left)) else part._replace(cites=tuple(cites))


def day_of(part: PassagePart, context: Context) -> str:
    """The day of what a part says, as its beginning, its headings, the head of its document, or
    the title or name of that tell; empty where none does."""
    passage, said = part.passage, part.units[0].text.removeprefix("- ")
    found = passage.as_of or only_date(said.partition(":")[0]) or only_date(said[:10])
    for heading in reversed(passage.headings):
        found = found or find_date(heading) or ""
    for line in part.source[:HEAD]:
        name, _, value = line.partition(":")
        is_dated = field_kind(name.strip("-*_ ")) == "date"
        found = found or (find_date(value) or "" if is_dated else only_date(line))
    for name in (context.titles.get(passage.title, passage.title), passage.title, *passage.sources):
        # Two years are a span.
        found = found or (find_date(name) or "" if len(_YEAR.findall(name)) < 2 else "")
    return found


def _letters(text: str) -> str:
    return "".join(words(text))


def _unknown(context: Context) -> tuple[str, ...]:
    """The names in the question of which a part stands nowhere: what is written with a capital
    inside it, is code, or holds a digit and a letter."""
    question = _NO_SPACES.sub(" ", context.question)
    coded = [next(filter(None, found)) for found in _CODE.findall(question)]
    marked = [word for word in _NAME.findall(question) if any(map(str.isdigit, word))]
    names = [*_capitals(question), *(each.rstrip(_ENDS) for each in coded), *marked]
    names.sort(key=question.find)
    nowhere = {base(term) for term in context.nowhere}
    return tuple(
        dict.fromkeys(
            name
            for name in names
            if any(map(str.isalpha, name)) and nowhere.intersection(terms_in(name))
        )
    )


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
    """The answer that a context holds. Where it holds none, or several, that is said."""
    found = answer(context)
    kind, said = ("sentence", MAY) if found.quotes else ("gap", UNSURE)
    if found.unknown:
        said = f"{GAP} no page speaks of {', '.join(found.unknown[:8])}."
    above = CheckedStatement(AnswerStatement(kind, "", True, said, ()), (), ())
    days = [day_of(part, context) for part in found.quotes]
    days = days if len(set(days)) > 1 else [""] * len(days)
    quotes = tuple(map(_quote, found.quotes, days, repeat(context)))
    return CheckedAnswer(
        context.question,
        quotes if len(quotes) == 1 else (above, *quotes),
        SIGNED_OFFLINE,
        nearest=tuple(_near(part, context) for part in found.nearest),
    )


def _quote(part: PassagePart, day: str, context: Context) -> CheckedStatement:
    # The passage that is cited stays as it is.
    text = part.text if part.source else _meant(part)
    first, *others = text.split("\n")
    if day and day not in first:
        text = "\n".join((f"{first} ({day})", *others))
    cited = tuple(_titled(each, context) for each in part.cites or (part.passage,))
    links = tuple(link for each in cited for link in scan(each.handle))
    marker = "" if ITEM.match(text) else "- "
    return CheckedStatement(AnswerStatement("sentence", marker, True, text, links), cited, ())


def _near(part: PassagePart, context: Context) -> CitedPassage:
    """What comes near: the claim that says it, else what it says as a reader sees it."""
    if len(part.cites) == 1:
        return of_passage(part.cites[0])
    return replace(_titled(part.passage, context), text=part.text)


def _titled(passage: Passage, context: Context) -> CitedPassage:
    """A passage as it is cited; lines of a source do not know the title of their page."""
    cited = of_passage(passage)
    return replace(cited, title=context.titles.get(cited.path, cited.title))


def _meant(part: PassagePart) -> str:
    """Words of a claim with what changes their meaning: who says them, where, and that they are
    denied."""
    passage = part.passage
    told = tuple(pair for pair in passage.attributes if pair[0] in _MEANING)
    return spoken(qualified(Claim(passage.id, part.text, (), told))) if told else part.text
