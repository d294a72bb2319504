"""Answers without a model: the statements of the wiki that answer a question, quoted.

Nothing is worded anew. Whether the wiki answers at all is decided by what the best statement holds
of what the question is about, each word weighted by how rare it is in the wiki. Signs of a
question that the wiki cannot answer, whatever its statements share with it by chance:

- too small a share of its words stands together in any statement (`TOGETHER`);
- it names a page or a thing, and the statement does not mention that (`HEAVY`);
- it asks something about what it names, and the statement mentions that alone (`BEYOND_TITLE`):
  "the price of Gate" finds the page Gate and nothing there about a price;
- it names something that stands nowhere in the wiki;
- it gives a number, and the statement has another one: 128-bit integers are no 32-bit ones;
- it asks how many, when, who or for a price, and no such statement has one;
- all its words are common ones (`SPECIFIC`).

Lines of a source answer like claims; of a long passage two sentences side by side must do it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.language.inflections import base
from llmwiki.language.tokens import is_cjk, terms_of, words
from llmwiki.query.answer_kinds import AnswerKind, windows
from llmwiki.retrieval.question_words import FEW, asks_who, share, weights
from llmwiki.retrieval.score import idf
from llmwiki.retrieval.weights import SCALE

if TYPE_CHECKING:
    from llmwiki.retrieval.context import Context, ShownPassage

TOGETHER = 0.5
"""Share of a question's words, by rarity, that one passage with its page's title must hold."""
WITH_UNKNOWN = 0.62
"""The same where a word of the question stands nowhere in the wiki."""
BEYOND_TITLE = 0.3
"""Of the words that name nothing, the share that the statement itself must hold."""
SPECIFIC = 2_000_000
"""What is asked must be as rare, all words together, as one that a page in seven has (ln 7)."""
HEAVY = 0.25
"""From this share of the question on, what it names must stand in the statement, half at least."""
SMALL = 0.25
"""Below this share of the question what is asked beyond the names need not stand anywhere."""
LINES = 3
"""Passages of sources quoted at most."""
QUOTES = 5
"""Statements quoted at most."""
FEW_QUOTES = 3
"""Statements quoted at least, if so many hold half as much of the question as the best."""
SAID = 0.8
"""Lines of a source give way to a statement that quotes them and scores this part of theirs."""
NEAREST = 3
"""Passages named at most where none answers."""
AS_GOOD = 0.5
"""A further statement is quoted where its score is at least this part of the best one's."""

_FRONT = re.compile(r"\A--- .{0,5000}?(?: ---(?: |\Z)|\Z)")
"""The frontmatter of a source, as its first lines have it when they are one line."""
_NAME = re.compile(r"[^\W_][\w.+#-]*")


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """The statements of the wiki that answer a question, verbatim."""

    question: str
    quotes: tuple[ShownPassage, ...]
    """The statements that answer, best first; empty where none does."""
    nearest: tuple[ShownPassage, ...]
    """Where none answers: the passages that come nearest; empty where none comes near."""
    missing: tuple[str, ...]
    """Words of the question that stand nowhere in the wiki, in its order."""
    coverage: int
    """Share of the question's words that the best passage holds, in millionths."""


def answer(context: Context) -> ExtractiveAnswer:
    """The answer that a context holds. Pure: the same context, the same answer."""
    question = context.question
    weighted = weights(question, context.terms, 0, context.wiki_pages)
    asked = _Asked(
        weighted,
        context.subject,
        _names(question),
        frozenset(term for term in weighted if term.isascii() and term.isdigit()),
        AnswerKind(question),
        needs_all=asks_who(question),
    )
    told = [(each, asked.share(each)) for each in _statements(context, weighted)]
    best = max((held for _, held in told), default=0)
    missing = _missing(context, weighted)
    enough = (WITH_UNKNOWN if missing else TOGETHER) * SCALE
    is_vague = not context.subject and _rarity(context, weighted) < SPECIFIC
    is_vain = (asked.needs_all and missing) or _names_unknown(context, missing)
    if best < enough or is_vague or is_vain:
        return ExtractiveAnswer(question, (), _best(context)[:NEAREST], missing, best)
    quotes = tuple(map(asked.telling, _quotes(told, enough, weighted)))
    return ExtractiveAnswer(question, quotes, (), missing, best)


def _best(context: Context) -> tuple[ShownPassage, ...]:
    """What a context shows, best first; of sources what they say, without their frontmatter."""
    found = map(_without_front, sorted(context.shown, key=lambda each: -each.plain_score))
    return tuple(each for each in found if each.passage.text)


def _without_front(shown: ShownPassage) -> ShownPassage:
    passage = shown.passage
    if passage.kind != "source" or passage.line != 1 or not _FRONT.match(passage.text):
        return shown
    text = _FRONT.sub("", passage.text)
    own = shown.own & {base(term) for word in words(text) for term in terms_of(word)}
    terms = (shown.terms - shown.own) | own
    return shown._replace(passage=passage._replace(text=text), own=own, terms=terms)


def _quotes(
    told: list[tuple[ShownPassage, int]], enough: float, weighted: dict[str, int]
) -> tuple[ShownPassage, ...]:
    """The statements that answer, best first; where they are few, those that come nearest to them
    and do not miss the point."""
    good = [each for each, held in told if held >= enough]
    good = [each for each in good if not each.passage.struck] or good
    good = [each for each in good if not _is_said(each, good)]
    least = AS_GOOD * good[0].plain_score
    lines = _lines_of(good)
    further = [
        each
        for each, held in told
        if held
        and each not in good
        and not _is_said(each, good)
        and not _is_part(each, lines)
        and not each.passage.struck
        and share(weighted, each.terms) >= TOGETHER * share(weighted, good[0].terms)
    ]
    quotes = _few_lines([each for each in good if each.plain_score >= least])
    lines = _lines_of(quotes)
    quotes = [each for each in quotes if not _is_part(each, lines)][:QUOTES]
    return (
        *quotes,
        *[each for each in further if each.plain_score >= least][
            : max(0, FEW_QUOTES - len(quotes))
        ],
    )


def _few_lines(quotes: list[ShownPassage]) -> list[ShownPassage]:
    """The quotes without what exceeds `LINES` passages of sources."""
    lines = [each for each in quotes if each.passage.kind == "source"][LINES:]
    return [each for each in quotes if each not in lines]


def _is_said(lines: ShownPassage, others: list[ShownPassage]) -> bool:
    """Whether these are lines of a source that a statement quotes, which says it better."""
    at = lines.passage
    return at.kind == "source" and any(
        path == at.title and first <= at.last and at.line <= last
        for other in others
        if other.passage.kind != "source" and other.plain_score >= SAID * lines.plain_score
        for path, first, last, _ in other.passage.places
    )


def _lines_of(quotes: list[ShownPassage]) -> set[tuple[str, int]]:
    """The lines of sources, by path and number, that stand among some quotes as they are."""
    return {place for each in quotes if each.passage.kind == "source" for place in _places(each)}


def _is_part(shown: ShownPassage, lines: set[tuple[str, int]]) -> bool:
    """Whether this is a statement that rests on nothing but lines which are quoted too."""
    places = _places(shown) if shown.passage.kind != "source" else set()
    return bool(places) and places <= lines


def _places(shown: ShownPassage) -> set[tuple[str, int]]:
    return {
        (path, line)
        for path, first, last, _ in shown.passage.places
        for line in range(first, last + 1)
    }


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a statement is held against."""

    weighted: dict[str, int]
    """The terms of the question."""
    subject: frozenset[str]
    """Those that name pages."""
    names: frozenset[str]
    """Those of words written with a capital."""
    numbers: frozenset[str]
    """Those that are numbers."""
    kind: AnswerKind
    needs_all: bool
    """Whether what is asked beyond the names must stand there, however light it is."""

    def share(self, shown: ShownPassage) -> int:
        """How much of the question a statement holds, in millionths; 0 if it misses the point."""
        held = max(map(partial(self._held, shown), windows(shown.passage.text)))
        if not held or not all(
            self._speaks_of(shown, about) for about in (self.subject, self.names)
        ):
            return 0
        if not self.numbers <= shown.terms:
            return 0
        known = self.subject | self.names
        beyond = {t: weight for t, weight in self.weighted.items() if t not in known and weight}
        is_small = share(self.weighted, beyond) < SMALL * SCALE and not self.needs_all
        if not beyond or is_small:
            return held
        return held if share(beyond, shown.own) >= BEYOND_TITLE * SCALE else 0

    def telling(self, shown: ShownPassage) -> ShownPassage:
        """Of lines of a source the sentences that tell most; a statement as it is."""
        passage = shown.passage
        if passage.kind != "source":
            return shown
        text = max(windows(passage.text), key=partial(self._held, shown))
        return shown._replace(passage=passage._replace(text=text))

    def _held(self, shown: ShownPassage, window: str) -> int:
        """What a part of a statement holds, with what its quotes and its title add; 0 without
        what is asked for."""
        if not self.kind.stands_in(window):
            return 0
        if window == shown.passage.text:
            return share(self.weighted, shown.terms)
        above = shown.terms - shown.own
        said = {base(term) for word in words(window) for term in terms_of(word)}
        return share(self.weighted, above | (said & shown.own))

    def _speaks_of(self, shown: ShownPassage, about: frozenset[str]) -> bool:
        """Whether a statement holds half of what the question names, where that is much of it."""
        names = {term: weight for term, weight in self.weighted.items() if term in about}
        is_heavy = share(self.weighted, names) >= HEAVY * SCALE
        return not is_heavy or share(names, shown.terms) >= SCALE // 2


def _statements(context: Context, weighted: dict[str, int]) -> list[ShownPassage]:
    """What can answer: claims and notes; of pages without any, every passage but questions.

    Of the page of a source, which repeats what stands elsewhere, only what it says of itself, and
    only where the question is about that source.
    """
    told = {page.path for page in context.pages if page.statements}
    for page in context.pages:
        if page.type == "source" and share(weighted, page.named) < TOGETHER * SCALE:
            told.add(page.path)
    return [
        each
        for each in _best(context)
        if (each.passage.id or each.passage.kind == "source" or each.passage.path not in told)
        and not each.passage.is_question
    ]


def _rarity(context: Context, weighted: dict[str, int]) -> int:
    """How rare what is asked is, all words together, whatever kind of words they are."""
    pages = max(context.wiki_pages, FEW)
    terms = {base(term.text): idf(pages, term.df) for term in context.terms}
    return sum(weight for term, weight in terms.items() if weighted.get(term))


def _missing(context: Context, weighted: dict[str, int]) -> tuple[str, ...]:
    """The words of the question that stand in no form in the wiki; those of manner aside."""
    held = {base(term.text) for term in context.terms if term.df}
    held.update(term for page in context.pages for term in page.terms)
    whole = max(weighted.values(), default=0)
    unknown = {base(t.text) for t in context.terms if not t.df} - held
    unknown = {term for term in unknown if weighted.get(term, 0) == whole}
    found: dict[str, None] = {}
    for word in words(context.question):
        terms = [base(term) for term in terms_of(word)]
        if is_cjk(word):
            found.update(dict.fromkeys(t for t in terms if len(t) == 1 and t in unknown))
        elif unknown.intersection(terms):
            found[word] = None
    return tuple(found)


def _names_unknown(context: Context, missing: tuple[str, ...]) -> bool:
    """Whether a name in the question is unknown: written with a capital, though not at its start.

    An acronym is unknown too where the word stands in small letters only: REST is not the rest.
    """
    names = _capitals(context.question)
    if any(set(words(name)) & set(missing) for name in names):
        return True
    acronyms = {name for name in names if name.isalpha() and name.isupper() and len(name) > 1}
    named = {term for page in context.pages for term in page.named}
    acronyms = {name for name in acronyms if not named.intersection(terms_of(name.lower()))}
    return bool(acronyms) and not acronyms <= {
        word
        for each in context.shown
        for text in (each.passage.text, each.passage.further)
        for word in _NAME.findall(text)
    }


def _capitals(question: str) -> list[str]:
    """The words with a capital or a digit, but the first.

    Where most words are written so, as in a headline, it tells nothing: then none.
    """
    spoken = _NAME.findall(question)
    capitals = [word for word in spoken[1:] if word[0].isupper() or word[0].isdigit()]
    return [] if len(capitals) * 2 > len(spoken) else capitals


def _names(question: str) -> frozenset[str]:
    """The terms of those words."""
    return frozenset(
        base(t) for name in _capitals(question) for w in words(name) for t in terms_of(w)
    )
