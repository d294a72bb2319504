"""The line of a page that shows best why it was found."""

from __future__ import annotations

from collections.abc import Mapping

from llmwiki.language.tokens import count_terms
from llmwiki.retrieval.passages import Passage, passages


def best_passage(path: str, title: str, text: str, weights: Mapping[str, int]) -> Passage | None:
    """The passage that holds the most of the question, the first where several do.

    `weights` is search term to how much it tells. None for a page without prose.
    """
    best, most = None, -1
    for passage in passages(path, title, text):
        counts, _ = count_terms(passage.text)
        held = sum(weight for term, weight in weights.items() if term in counts)
        if held > most:
            best, most = passage, held
    return best
