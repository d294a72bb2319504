"""The passages of the sources themselves that bear on a question, beside those of pages.

BM25 over the passages of `index.source_index`, with the rarity of a word among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from llmwiki.core.language.word_forms import base, forms_of
from llmwiki.index.source_index import source_of
from llmwiki.pages.page_file_names import stem_of
from llmwiki.query.retrieval.passage import Passage, safe_name
from llmwiki.query.retrieval.question_words import asking_among
from llmwiki.query.retrieval.search_words import holds, spaced
from llmwiki.query.retrieval.word_scores import idf

if TYPE_CHECKING:
    from llmwiki.index.source_index import SourceIndex, SourceRow, SourceSpan
    from llmwiki.query.retrieval.word_scores import Term

MOST = 24
"""Passages of sources for one question at most."""
ASKED = 24
"""Terms of a question that are looked up, the rarest on pages first."""
K1 = 1.2
B = 0.4


def source_passages(
    sources: SourceIndex,
    terms: Sequence[Term],
    most: int = MOST,
    of_one: int = MOST,
    typed: Sequence[str] = (),
) -> list[Passage]:
    """The passages of sources that hold most of the terms, best first; ties by place.

    `most` in all, and `of_one` source at most. Of four times as many those come first that hold
    all the words `typed` (folded) as they stand.
    """
    if not sources.passages:
        return []
    listed = list(dict.fromkeys(base(term.text) for term in terms))
    only_ask = asking_among(listed)
    telling = [term for term in listed if term not in only_ask] or listed
    forms = {form: term for term in telling[:ASKED] for form in forms_of(term)}
    counts: dict[str, dict[int, int]] = {}
    for form, found in sources.postings(forms).items():
        held = counts.setdefault(forms[form], found)
        if held is not found:
            for place, count in found.items():
                held[place] = held.get(place, 0) + count
    usual = max(sources.words // sources.passages, 1)
    scores: dict[int, int] = {}
    for term in sorted(counts):
        weight = idf(sources.passages, len(counts[term]))
        worth = {n: int(weight * n * (K1 + 1) / (n + K1)) for n in set(counts[term].values())}
        for place, count in counts[term].items():
            scores[place] = scores.get(place, 0) + worth[count]
    # Numbers of sources tell when they came: of many that tie, they must decide nothing.
    ranks = sources.ranks if len(scores) > 4 * most else {}
    by_score = sorted(scores, key=lambda at: (-scores[at], ranks.get(source_of(at), 0), at))
    rough = _portion(by_score, 4 * most, 4 * of_one)
    spans = {place: sources.passage(place) for place in rough}

    def order(place: int) -> tuple[bool, int, str, int]:
        row, span = spans[place]
        length = 1 - B + B * span.words / usual
        worth = int(scores[place] / max(length, 0.7))
        return not has_typed(place, span), -worth, row.path, span.first

    def has_typed(place: int, span: SourceSpan) -> bool:
        if not typed:
            return True
        folded = spaced("\n".join(sources.lines(place)[span.first - 1 : span.last]))
        return all(holds(folded, word) for word in typed)

    kept = _portion(sorted(rough, key=order), most, of_one)
    return [_passage(*spans[place], sources.lines(place)) for place in kept]


def _portion(places: Iterable[int], most: int, of_one: int) -> list[int]:
    """The first places, `most` in all and `of_one` source at most."""
    taken: Counter[int] = Counter()
    kept: list[int] = []
    for place in places:
        number = source_of(place)
        if len(kept) < most and taken[number] < of_one:
            taken[number] += 1
            kept.append(place)
    return kept


def _passage(row: SourceRow, span: SourceSpan, lines: Sequence[str]) -> Passage:
    text = " ".join(" ".join(lines[span.first - 1 : span.last]).split())
    above = lines[span.heading - 1].strip("# ") if span.heading else ""
    name = safe_name(stem_of(row.page))
    between = lines[span.heading : span.first - 1]
    is_first = span.heading and not any(line.strip() for line in between)
    first = span.heading if is_first else span.first
    return Passage(
        path=row.page,
        title=row.path,
        kind="source",
        text=f"{above}: {text}" if above else text,
        line=first,
        handle=f"[[{name}#L{first}-L{span.last}]]",
        last=span.last,
    )
