"""The passages of the sources themselves that bear on a question, beside those of pages.

BM25 over the passages of `index.source_index`, with the rarity of a word among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from llmwiki.language.inflections import base, forms_of
from llmwiki.pages.names import stem_of
from llmwiki.retrieval.passage import Passage, safe_name
from llmwiki.retrieval.question_words import asking_terms
from llmwiki.retrieval.score import idf

if TYPE_CHECKING:
    from llmwiki.index.source_index import SourceIndex, SourceRow, SourceSpan

MOST = 24
"""Passages of sources for one question at most."""
ASKED = 24
"""Terms of a question that are looked up, the rarest on pages first."""
K1 = 1.2
B = 0.4


class AskedTerm(Protocol):
    """A term of a question."""

    @property
    def text(self) -> str: ...  # noqa: D102


def source_passages(
    sources: SourceIndex, terms: Sequence[AskedTerm], most: int = MOST
) -> list[Passage]:
    """The passages of sources that hold most of the terms, best first; ties by place."""
    if not sources.passages:
        return []
    listed = list(dict.fromkeys(base(term.text) for term in terms))
    telling = [term for term in listed if term not in asking_terms()] or listed
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
    rough = sorted(scores, key=lambda place: (-scores[place], place))[: 4 * most]
    ranked = []
    for place in rough:
        row, span = sources.passage(place)
        length = 1 - B + B * span.words / usual
        score = int(scores[place] / max(length, 0.7))
        ranked.append((-score, row.path, span.first, place, row, span))
    ranked.sort(key=lambda each: each[:3])
    return [_passage(row, span, sources.lines(place)) for *_, place, row, span in ranked[:most]]


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
