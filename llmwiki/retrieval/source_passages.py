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


def source_passages(sources: SourceIndex, terms: Sequence[AskedTerm]) -> list[Passage]:
    """The passages of sources that hold most of the terms, best first; ties by place."""
    if not sources.passages:
        return []
    listed = list(dict.fromkeys(base(term.text) for term in terms))
    telling = [term for term in listed if term not in asking_terms()] or listed
    forms = {form: term for term in telling[:ASKED] for form in forms_of(term)}
    counts: dict[str, dict[tuple[int, int], int]] = {}
    for form, found in sources.postings(forms).items():
        held = counts.setdefault(forms[form], {})
        for source, at, count in found:
            held[source, at] = held.get((source, at), 0) + count
    usual = max(sources.words // sources.passages, 1)
    scores: dict[tuple[int, int], int] = {}
    for term in sorted(counts):
        weight = idf(sources.passages, len(counts[term]))
        for key, count in counts[term].items():
            scores[key] = scores.get(key, 0) + int(weight * count * (K1 + 1) / (count + K1))
    rough = sorted(scores, key=lambda key: (-scores[key], key))[: 4 * MOST]
    ranked = []
    for number, at in rough:
        row, span = sources.passage(number, at)
        length = 1 - B + B * span.words / usual
        score = int(scores[number, at] / max(length, 0.7))
        ranked.append((-score, row.path, span.first, number, row, span))
    ranked.sort(key=lambda each: each[:3])
    return [_passage(row, span, sources.lines(number)) for *_, number, row, span in ranked[:MOST]]


def _passage(row: SourceRow, span: SourceSpan, lines: Sequence[str]) -> Passage:
    text = " ".join(" ".join(lines[span.first - 1 : span.last]).split())
    above = lines[span.heading - 1].strip("# ") if span.heading else ""
    name = safe_name(stem_of(row.page))
    return Passage(
        path=row.page,
        title=row.path,
        kind="source",
        text=f"{above}: {text}" if above else text,
        line=span.first,
        handle=f"[[{name}#L{span.first}-L{span.last}]]",
        last=span.last,
    )
