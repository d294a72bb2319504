"""Which statements become claims, and of which subject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llmwiki.extraction.embedded.judging import KEEP, SPARE, score
from llmwiki.extraction.embedded.statements import DocumentStatement, StatementEvidence, weight_of
from llmwiki.extraction.embedded.subjects import (
    LEAST_CLAIMS,
    SubjectCandidate,
    SubjectCandidates,
    subject_of,
)

MOST_CLAIMS = 160
MOST_OF_PROSE = 60
FEW = 120
"""Words of a document that says little."""
SHORT = 400
"""Words of a document of which each sentence counts."""
_SHORT_PER_CLAIM = 40
_PER_CLAIM = 120
_CROWDED = 0.2
"""What each further claim of one section counts less, so that all parts of a text are heard."""


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
    return min(MOST_OF_PROSE, 4 + short // _SHORT_PER_CLAIM + rest // _PER_CLAIM)


def rate(found: Sequence[DocumentStatement], words: int) -> list[tuple[DocumentStatement, float]]:
    """The statements that may become claims, each once, with what they are worth.

    `words` is the length of all of them.
    """
    least = KEEP if words > FEW else SPARE
    seen: set[str] = set()
    rated: list[tuple[DocumentStatement, float]] = []
    for statement in found:
        value = score(statement)
        key = statement.text.casefold()
        if value >= least and key not in seen:
            seen.add(key)
            rated.append((statement, value))
    return rated


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
        worth = value - crowded * per_section[statement.section]
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
        owned[one.owner.key] += one.statement.sentences
    return [
        one
        if one.owner.known or owned[one.owner.key] >= LEAST_CLAIMS
        else SelectedStatement(one.statement, subjects.document, one.value, False)
        for one in taken
    ]


def words_of(found: Sequence[DocumentStatement]) -> int:
    """The length of all statements, in words."""
    return sum(weight_of(statement.own) for statement in found)
