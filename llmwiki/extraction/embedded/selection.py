"""Which subjects a document gets, which statements become claims, and whose they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llmwiki.extraction.embedded.candidates import SubjectCandidate, SubjectCandidates
from llmwiki.extraction.embedded.judging import KEEP, REJECTED, SPARE, score
from llmwiki.extraction.embedded.markdown import Outline
from llmwiki.extraction.embedded.mentions import NameMatcher
from llmwiki.extraction.embedded.statements import DocumentStatement, StatementEvidence, weight_of
from llmwiki.extraction.embedded.subjects import subject_of

LEAST_CLAIMS = 8
MOST_CLAIMS = 160
WORDS_PER_CLAIM = 55
MOST_SUBJECTS = 40
CLAIMS_PER_SUBJECT = 4
ROWS_PER_TABLE = 14
FIGURE_ROWS_PER_TABLE = 5
"""Rows of figures alone: a few show what the table holds; the table itself is in the source."""
_TOPIC_WORDS = 8
SINGLES = 0.18
"""Share of the subjects that may own one claim only: definitions of high standing."""


@dataclass(frozen=True, slots=True)
class SelectedStatement:
    """A statement that becomes a claim of a subject."""

    statement: DocumentStatement
    owner: SubjectCandidate
    value: float
    direct: bool
    """Whether the sentence itself is about the subject, not only its section."""


@dataclass(slots=True)
class _Placed:
    """A statement with the subjects it could belong to, nearest first."""

    statement: DocumentStatement
    value: float
    options: list[SubjectCandidate]
    direct: SubjectCandidate | None
    at: int = 0

    @property
    def owner(self) -> SubjectCandidate:
        return self.options[self.at]


def claim_budget(words: int) -> int:
    """How many claims a document of that many words may give (CJK: two characters a word)."""
    return max(LEAST_CLAIMS, min(MOST_CLAIMS, 12 + words // WORDS_PER_CLAIM))


def choose(
    outline: Outline,
    found: Sequence[DocumentStatement],
    candidates: SubjectCandidates,
    main: SubjectCandidate,
    stands: Callable[[StatementEvidence], bool],
) -> list[SelectedStatement]:
    """The claims of the document, each with its subject, in reading order.

    `stands` tells whether a quote is in the lines it names; a statement is taken only then.
    """
    words = sum(weight_of(statement.own) for statement in found)
    budget = claim_budget(words)
    least = max(2, min(LEAST_CLAIMS, words // 20))
    placed = _place(outline, found, candidates, main)
    good = [one for one in placed if one.value >= KEEP[one.statement.kind]]
    if len(good) < least:
        good = sorted(placed, key=lambda one: (-one.value, one.statement.order))
        good = sorted(good[:least], key=lambda one: one.statement.order)
    _settle(good, main, max(2, budget // CLAIMS_PER_SUBJECT))
    picked = _pick(good, budget, stands)
    _settle(picked, main, MOST_SUBJECTS)
    return [
        SelectedStatement(one.statement, one.owner, one.value, one.direct is one.owner)
        for one in picked
    ]


def _place(
    outline: Outline,
    found: Sequence[DocumentStatement],
    candidates: SubjectCandidates,
    main: SubjectCandidate,
) -> list[_Placed]:
    placed: list[_Placed] = []
    seen: set[str] = set()
    names = NameMatcher(candidates.by_key)
    for statement in found:
        value = score(statement)
        if value <= REJECTED or value < SPARE:
            continue
        key = statement.text.casefold()
        if key in seen:
            continue
        seen.add(key)
        direct = subject_of(candidates, statement)
        if statement.text != statement.own and not statement.label:
            direct = None
        options = [direct] if direct is not None else []
        at: int | None = statement.section
        while at:
            named = candidates.of_section.get(at)
            if named is not None:
                options.append(candidates.by_key[named])
            at = outline.sections[at].parent
        if all(option is main for option in options) and statement.kind != "row":
            options = [] if direct is None else options
            options.extend(_mentioned(statement, candidates, names, main))
        options.append(main)
        if direct is not None:
            value += 0.7
        placed.append(_Placed(statement, value, _unique(options), direct))
    return placed


def _mentioned(
    statement: DocumentStatement,
    candidates: SubjectCandidates,
    names: NameMatcher,
    main: SubjectCandidate,
) -> list[SubjectCandidate]:
    """The first candidate that the first words of a sentence name, if they do not name `main`."""
    named = {
        found.key: found
        for key in names.mentioned(" ".join(statement.own.split()[:_TOPIC_WORDS]))
        if (found := candidates.by_key[key]).weight >= 1.0
    }
    return [] if main.key in named else list(named.values())[:1]


def _unique(options: list[SubjectCandidate]) -> list[SubjectCandidate]:
    kept: list[SubjectCandidate] = []
    for option in options:
        if all(option is not other for other in kept):
            kept.append(option)
    return kept


def _settle(placed: list[_Placed], main: SubjectCandidate, most: int) -> None:
    """Fold subjects with too little to say into the next one up, until all have enough."""
    owned = _owned(placed)
    for _ in range(6):
        weak = sorted(
            (c for c in _owners(placed) if c is not main and len(owned[c.key]) < c.needs),
            key=lambda c: (c.weight, c.key),
        )
        weak = [c for c in weak if not c.known]
        singles = [c for c in weak if c.explained]
        allowed = int((len(owned) - len(weak)) * SINGLES)
        spared = {c.key for c in singles[max(0, len(singles) - allowed) :]} if allowed else set()
        dropped = [c for c in weak if c.key not in spared]
        if not dropped:
            break
        for candidate in dropped:
            if len(owned[candidate.key]) < candidate.needs:
                _fold_up(candidate, owned)
    while len([key for key in owned if owned[key]]) > min(most, MOST_SUBJECTS):
        rest = [c for c in _owners(placed) if c is not main]
        if not rest:
            break
        _fold_up(min(rest, key=lambda c: (_standing(c, len(owned[c.key])), c.key)), owned)


def _standing(candidate: SubjectCandidate, claims: int) -> float:
    return candidate.weight + min(claims, 8) * 0.35 + (1.0 if candidate.known else 0.0)


def _owners(placed: Sequence[_Placed]) -> list[SubjectCandidate]:
    return list({one.owner.key: one.owner for one in placed}.values())


def _owned(placed: Sequence[_Placed]) -> dict[str, list[_Placed]]:
    owned: dict[str, list[_Placed]] = {}
    for one in placed:
        owned.setdefault(one.owner.key, []).append(one)
    return owned


def _fold_up(candidate: SubjectCandidate, owned: dict[str, list[_Placed]]) -> None:
    """Give the candidate's statements to their next subject that still owns something."""
    for one in owned.pop(candidate.key, []):
        while one.at + 1 < len(one.options):
            one.at += 1
            if owned.get(one.owner.key) or one.at + 1 == len(one.options):
                break
        owned.setdefault(one.owner.key, []).append(one)


def _pick(
    placed: list[_Placed], budget: int, stands: Callable[[StatementEvidence], bool]
) -> list[_Placed]:
    """Two claims for each subject first, then the best of the rest, within the budget."""
    ranked = sorted(placed, key=lambda one: (-_worth(one), one.statement.order))
    taken: dict[int, _Placed] = {}
    rows: Counter[int] = Counter()
    count: Counter[str] = Counter()
    share = max(6, budget // 3)
    for limit in (2, share, budget):
        for one in ranked:
            statement = one.statement
            if len(taken) >= budget or statement.order in taken:
                continue
            if count[one.owner.key] >= limit:
                continue
            most = FIGURE_ROWS_PER_TABLE if statement.figures else ROWS_PER_TABLE
            if statement.table and rows[statement.table] >= most:
                continue
            if not all(map(stands, statement.evidence)):
                continue
            taken[statement.order] = one
            rows[statement.table] += 1
            count[one.owner.key] += 1
    return [taken[order] for order in sorted(taken)]


def _worth(one: _Placed) -> float:
    definition = one.statement.definition
    own = definition is not None and definition.strength >= 2 and one.direct is one.owner
    value = one.value + (0.4 if one.statement.labelled else 0.0)
    return value + (1.0 if own else 0.0) + (0.3 if one.direct is one.owner else 0.0)
