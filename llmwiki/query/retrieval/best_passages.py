"""The passages of the best pages for a question, and the lines of sources, with their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from llmwiki.core.page_and_note_kinds import DAILY
from llmwiki.index.page_facts_record import is_catalogue
from llmwiki.query.retrieval.passage import Passage, place
from llmwiki.query.retrieval.passage_score import ScoredPassage, Scorer
from llmwiki.query.retrieval.rank_pages import beside
from llmwiki.query.retrieval.read_and_score_passages import PassageReader
from llmwiki.query.retrieval.source_passages import source_passages
from llmwiki.query.retrieval.weights import SCALE

if TYPE_CHECKING:
    from llmwiki.index.lookups import Card
    from llmwiki.index.source_index import SourceIndex
    from llmwiki.query.retrieval.rank_pages import Ranking, SearchHit

READ = 30
"""Pages that are read for a question at most, the two sides of contradictions aside."""
TOLD_APART = 400
"""Best passages among which the words of the very best ones count too, and notes lend."""
READ_FOR_PART = 8
"""Pages that are read for one part of a question at most."""


def hits_of(ranking: Ranking, parts: Sequence[tuple[str, Ranking]]) -> dict[str, tuple[Card, int]]:
    """The pages to read by path, with their score in the ranking of the whole question."""
    found = {hit.card.path: (hit.card, hit.score) for hit in _telling(ranking)[:READ]}
    for _, ranked in parts:
        for hit in _telling(ranked)[:READ_FOR_PART]:
            found.setdefault(hit.card.path, (hit.card, 0))
    return found


def _telling(ranking: Ranking) -> list[SearchHit]:
    """The pages of a ranking that say something of their own."""
    return [
        hit for hit in ranking.hits if not (is_catalogue(hit.card.path) or hit.card.is_retracted)
    ]


def source_lines(
    sources: SourceIndex, ranking: Ranking, parts: Sequence[tuple[str, Ranking]]
) -> list[Passage]:
    """The lines of sources that bear on the question or on one of its parts, so many for each."""
    found: dict[tuple[str, int, str], Passage] = {}
    for ranked in (ranking, *(ranked for _, ranked in parts)):
        found.update((place(each), each) for each in source_passages(sources, ranked.terms))
    return list(found.values())


def found_passages(
    reader: PassageReader,
    scorer: Scorer,
    hits: Mapping[str, tuple[Card, int]],
    lines: Sequence[Passage],
) -> list[ScoredPassage]:
    """The passages of those pages that bear on the question, best first."""
    best = max((score for _, score in hits.values()), default=0) or 1
    ranks = {path: score * SCALE // best for path, (_, score) in hits.items()}
    reader.name([card for card, _ in hits.values()])
    found: list[ScoredPassage] = []
    for card, _ in hits.values():
        found += [e for e in reader.page(card, ranks[card.path]) if reader.bears(e, card)]
    found = weighed(reader, scorer, found, ranks)
    found += reader.adopt(lines)
    found.sort(key=lambda each: each.order)
    best_ones = found[:TOLD_APART]
    gains = scorer.feedback(best_ones)
    best_ones = [e.gaining("feedback", gain) for e, gain in zip(best_ones, gains, strict=True)]
    gains = told_beside(reader, best_ones)
    best_ones = [e.gaining("beside", gain) for e, gain in zip(best_ones, gains, strict=True)]
    return sorted((*best_ones, *found[TOLD_APART:]), key=lambda each: each.order)


def weighed(
    reader: PassageReader,
    scorer: Scorer,
    found: Sequence[ScoredPassage],
    ranks: Mapping[str, int],
) -> list[ScoredPassage]:
    """Some passages, the notes of days among them scored by how rare words are among such notes:
    the calendar has put them together, and not a subject.

    Counted are the notes of the pages that were read; `ranks` are what `PassageReader.page` took.
    """
    days = {path: count for path, count in reader.statements.items() if path.startswith(DAILY)}
    held = Counter(term for each in found if _is_of_day(each.passage) for term in each.own)
    if not held:
        return list(found)
    among_notes = scorer.among(held, sum(days.values()))
    return [
        among_notes.score(each.passage, each.terms, ranks.get(each.passage.path, 0))
        if _is_of_day(each.passage)
        else each
        for each in found
    ]


def told_beside(reader: PassageReader, found: Sequence[ScoredPassage]) -> list[int]:
    """What each of these passages gains by the notes before and after it on the page of a day.

    A note lends the more the nearer it comes to the best one: of what only has a word or two the
    neighbours are no answer.
    """
    best = max((each.score for each in found), default=0) or 1
    lent = {
        (each.passage.path, each.passage.line): each.score * each.score // best
        for each in found
        if _is_of_day(each.passage)
    }
    paths = sorted({path for path, _ in lent})
    gains = beside(lent, ([(p, line) for line in reader.note_lines(p)] for p in paths))
    return [
        gains.get((each.passage.path, each.passage.line), 0) if _is_of_day(each.passage) else 0
        for each in found
    ]


def _is_of_day(passage: Passage) -> bool:
    return passage.kind == "note" and passage.path.startswith(DAILY)
