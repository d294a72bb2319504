"""Which statements become claims, and of which subject."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llmwiki.extraction.embedded.judging import REJECTED, score
from llmwiki.extraction.embedded.shape import weight_of
from llmwiki.extraction.embedded.statements import DocumentStatement, StatementEvidence
from llmwiki.extraction.embedded.subjects import (
    LEAST_CLAIMS,
    SubjectCandidate,
    SubjectCandidates,
    subject_of,
)
from llmwiki.language.tokens import terms

MOST_CLAIMS = 160
MOST_OF_PROSE = 60
KEEP = 0.4
"""What a claim must reach."""
SPARE = 0.0
"""The same in a document that says little: any whole sentence that nothing speaks against."""
FEW_WORDS = 120
"""Words of one."""
_NEARLY = -0.2
"""What the first ones must reach where none reaches that."""
_FEW = 2
"""Claims of a document in which none reaches as much, and some nearly do."""
SHORT = 400
"""Words of a document of which each sentence counts."""
_SHORT_PER_CLAIM = 30
_PER_CLAIM = 120
_CROWDED = 0.15
"""What each further claim of one section counts less, so that all parts of a text are heard."""
_OWNED = 0.3
"""What a claim counts more that is about something that may have a page."""
_CENTRAL = 0.6
"""What the sentence counts more whose words the document uses most."""


@dataclass(frozen=True, slots=True)
class SelectedStatement:
    """A statement that becomes a claim of a subject."""

    statement: DocumentStatement
    owner: SubjectCandidate
    value: float
    direct: bool
    """Whether the sentence itself is about the subject, not only its document."""


def claim_budget(words: int) -> int:
    """How many claims a document of that many words may give (CJK: two characters a word)."""
    short, rest = min(words, SHORT), max(0, words - SHORT)
    return min(MOST_OF_PROSE, 5 + short // _SHORT_PER_CLAIM + rest // _PER_CLAIM)


def rate(found: Sequence[DocumentStatement]) -> list[tuple[DocumentStatement, float]]:
    """The statements that may become claims, each once, with what they are worth."""
    seen: set[str] = set()
    possible: list[tuple[DocumentStatement, float]] = []
    for statement in found:
        value = score(statement)
        key = statement.text.casefold()
        if value > REJECTED and key not in seen:
            seen.add(key)
            possible.append((statement, value))
    central = _centrality([one for one, _ in possible])
    rated = [
        (one, value + _CENTRAL * share)
        for (one, value), share in zip(possible, central, strict=True)
    ]
    least = KEEP if words_of(found) > FEW_WORDS else SPARE
    kept = [(one, value) for one, value in rated if value >= least]
    return kept or [(one, value) for one, value in rated if value >= _NEARLY][:_FEW]


def _centrality(found: Sequence[DocumentStatement]) -> list[float]:
    """How much each statement is made of the words that many of them share, by rank from 0 to 1.

    The weight of a word is how many statements hold it; the sum over a statement's words is
    divided by the root of their number. So it nears the cosine to the centroid of the document
    (Radev and others, Centroid-based summarization of multiple documents, 2004).
    """
    held = [terms(one.own) for one in found]
    shared = Counter(term for each in held for term in each)
    weights = [sum(shared[term] - 1 for term in each) / math.sqrt(len(each) or 1) for each in held]
    order = sorted(range(len(found)), key=lambda at: (weights[at], -at))
    ranks = [0.0] * len(found)
    for rank, at in enumerate(order):
        ranks[at] = (rank + 1) / len(found)
    return ranks


def choose(
    rated: Sequence[tuple[DocumentStatement, float]],
    words: int,
    subjects: SubjectCandidates,
    stands: Callable[[StatementEvidence], bool],
) -> list[SelectedStatement]:
    """The best claims of a document of so many words, each with its subject, in reading order.

    `stands` tells whether a quote is in the lines it names; a statement is taken only then.
    """
    per_section: Counter[int] = Counter()
    ranked: list[tuple[float, SelectedStatement]] = []
    for statement, value in sorted(rated, key=lambda one: (-one[1], one[0].order)):
        owner = subject_of(subjects, statement)
        crowded = 0.0 if statement.kind == "verse" else _CROWDED
        worth = value - crowded * per_section[statement.section] + (_OWNED if owner else 0.0)
        per_section[statement.section] += 1
        one = SelectedStatement(statement, owner or subjects.document, value, owner is not None)
        ranked.append((worth, one))
    ranked.sort(key=lambda one: (-one[0], one[1].statement.order))
    budget = claim_budget(words)
    taken: list[SelectedStatement] = []
    for _, one in ranked:
        room = len(taken) < (MOST_CLAIMS if one.statement.kind == "verse" else budget)
        if room and all(map(stands, one.statement.evidence)):
            taken.append(one)
    taken.sort(key=lambda one: one.statement.order)
    return _settle(taken, subjects)


def _settle(
    taken: Sequence[SelectedStatement], subjects: SubjectCandidates
) -> list[SelectedStatement]:
    """The claims of subjects that have too few go to the document, unless the wiki knows them."""
    owned: Counter[str] = Counter()
    for one in taken:
        told = one.statement.definition is not None or bool(one.owner.aliases)
        several = told and one.statement.sentences > 1
        owned[one.owner.key] += LEAST_CLAIMS if several else 1
    return [
        one
        if one.owner.known or owned[one.owner.key] >= LEAST_CLAIMS
        else SelectedStatement(one.statement, subjects.document, one.value, False)
        for one in taken
    ]


def words_of(found: Sequence[DocumentStatement]) -> int:
    """The length of all statements, in words."""
    return sum(weight_of(statement.own) for statement in found)
