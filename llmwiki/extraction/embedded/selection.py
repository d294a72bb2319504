"""Which statements become claims, and of which subject."""

from __future__ import annotations

import re
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

MOST_CLAIMS = 160
MOST_OF_PROSE = 60
KEEP = 0.1
"""What a claim must reach."""
SPARE = -0.2
"""The same in a document that says little: any whole sentence that nothing speaks against."""
FEW_WORDS = 120
"""Words of one."""
_LISTED = -0.2
"""What an item must reach of whose list another one is worth a claim."""
_MOST_LISTED = 10
"""Items of a list that become claims."""
_MOST_BEYOND = 1.5
"""How often the budget fits into all claims, where lists are taken whole."""
SHORT = 400
"""Words of a document of which each sentence counts."""
_SHORT_PER_CLAIM = 30
_PER_CLAIM = 120
_OF_ITSELF = re.compile(
    r"(?:In )?[Tt]his (?:page|document|guide|article|note|tutorial|section|chapter|post) (?:also )?"
    r"(?:contains|covers|describes|explains|gives|holds|lists|outlines|provides|shows|tells|aims)\b"
    r"|(?:この|本)(?:ページ|文書|章|節|記事)(?:では|は)"
)
"""What tells only of what the text is about."""
_CROWDED = 0.15
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
    return min(MOST_OF_PROSE, 5 + short // _SHORT_PER_CLAIM + rest // _PER_CLAIM)


def rate(found: Sequence[DocumentStatement]) -> list[tuple[DocumentStatement, float]]:
    """The statements that may become claims, each once, with what they are worth."""
    seen: set[str] = set()
    possible: list[tuple[DocumentStatement, float]] = []
    for statement in found:
        value = REJECTED if _OF_ITSELF.match(statement.own) else score(statement)
        key = statement.text.casefold()
        if value > REJECTED and key not in seen:
            seen.add(key)
            possible.append((statement, value))
    least = KEEP if words_of(found) > FEW_WORDS else SPARE
    lists = {
        one.listed for one, value in possible if one.listed and value >= least and not one.talk
    }
    return [
        (one, value)
        for one, value in possible
        if value >= least or (one.listed in lists and value >= _LISTED)
    ]


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
    of_lists: dict[tuple[int, int], list[SelectedStatement]] = {}
    for _, one in ranked:
        if one.statement.listed and not one.statement.talk:
            of_lists.setdefault(one.statement.listed, []).append(one)
    taken: dict[int, SelectedStatement] = {}
    picked = 0
    for _, best in ranked:
        room = picked < (MOST_CLAIMS if best.statement.kind == "verse" else budget)
        if (
            not room
            or best.statement.order in taken
            or (best.statement.kind != "verse" and len(taken) > budget * _MOST_BEYOND)
        ):
            continue
        # Of a list not only one item: the others hold as much.
        together = of_lists.get(best.statement.listed or (-1, -1), [])[:_MOST_LISTED]
        new = {
            one.statement.order: one
            for one in [best, *together]
            if all(map(stands, one.statement.evidence))
        }
        picked += bool(new)
        taken |= new
    return _settle([taken[order] for order in sorted(taken)], subjects)


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
