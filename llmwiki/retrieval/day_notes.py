"""Notes on the pages of days, which the calendar has put together and not a subject.

Two things that pages of a subject need not know: a word says more of a note the fewer notes hold
it, however many days do; and what answers a question often stands beside the note that has its
words, as it does where each is a page of its own (`numbered_parts`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from llmwiki.core.page_kinds import DAILY
from llmwiki.retrieval.passage import Passage
from llmwiki.retrieval.passage_reader import PassageReader, ScoredPassage
from llmwiki.retrieval.passage_score import Scorer
from llmwiki.retrieval.weights import RECIPE


def weighed(
    reader: PassageReader,
    scorer: Scorer,
    found: Sequence[ScoredPassage],
    ranks: Mapping[str, int],
) -> list[ScoredPassage]:
    """Some passages, the notes of days among them scored by how rare words are among such notes.

    Counted are the notes of the pages that were read; `ranks` are what `PassageReader.page` took.
    """
    days = {path: count for path, count in reader.statements.items() if path.startswith(DAILY)}
    held = Counter(term for each in found if _is_of_day(each.passage) for term in each.score.own)
    if not held:
        return list(found)
    among_notes = scorer.among(held, sum(days.values()))
    return [
        each._replace(
            score=among_notes.score(each.passage, each.score.terms, ranks.get(each.passage.path, 0))
        )
        if _is_of_day(each.passage)
        else each
        for each in found
    ]


def told_beside(reader: PassageReader, found: Sequence[ScoredPassage]) -> list[int]:
    """What each of these passages gains by the notes before and after it on the page of a day.

    A note lends the more the nearer it comes to the best one: of what only has a word or two the
    neighbours are no answer.
    """
    best = max((each.score.total for each in found), default=0) or 1
    lent = {
        (each.passage.path, each.passage.line): each.score.total * each.score.total // best
        for each in found
        if _is_of_day(each.passage)
    }
    orders = {path: reader.note_lines(path) for path in sorted({path for path, _ in lent})}
    places = {(p, line): at for p, lines in orders.items() for at, line in enumerate(lines)}
    gains = []
    for each in found:
        gain, path = 0, each.passage.path
        at = places.get((path, each.passage.line))
        if at is not None and _is_of_day(each.passage):
            lines, weight = orders[path], RECIPE.beside
            for distance in range(1, RECIPE.beside_reach + 1):
                for other in (at - distance, at + distance):
                    if 0 <= other < len(lines):
                        gain += int(weight * lent.get((path, lines[other]), 0))
                weight *= RECIPE.beside_fade
        gains.append(gain)
    return gains


def _is_of_day(passage: Passage) -> bool:
    return passage.kind == "note" and passage.path.startswith(DAILY)
