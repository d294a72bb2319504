"""The line of a page that shows best why it was found."""

from __future__ import annotations

from collections.abc import Mapping

from llmwiki.language.tokens import split_tokens, token_terms
from llmwiki.retrieval.passages import Passage, passages

READ = 300_000
"""Characters of a page that are looked through: a longer one is shown by its beginning (a page of
9.5 MB took 100 s, measured)."""


def best_passage(path: str, title: str, text: str, weights: Mapping[str, int]) -> Passage | None:
    """The passage that holds the most of the question, the first where several do.

    `weights` is search term to how much it tells. None for a page without prose; of a page longer
    than `READ` its beginning counts.
    """
    best, most = None, -1
    asked: dict[str | bytes, frozenset[str]] = {}
    for passage in passages(path, title, text[:READ]):
        tokens: set[str | bytes] = set(split_tokens(passage.text))
        for token in tokens - asked.keys():
            asked[token] = frozenset(token_terms(token)).intersection(weights)
        held = sum(weights[term] for term in set().union(*map(asked.__getitem__, tokens)))
        if held > most:
            best, most = passage, held
    return best
