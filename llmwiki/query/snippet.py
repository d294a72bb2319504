"""The line of a page that shows best why it was found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from llmwiki.language.tokens import split_tokens, token_terms
from llmwiki.retrieval.passages import Passage, passages_of

if TYPE_CHECKING:
    from llmwiki.index.corpus import Card

READ = 300_000
"""Characters of a page that are looked through: a longer one is shown by its beginning (a page of
9.5 MB took 100 s, measured)."""


class Snippets:
    """The passages that show best why pages were found, for one question."""

    def __init__(self, weights: Mapping[str, int]) -> None:
        """`weights` is search term to how much it tells."""
        self._weights = weights
        self._seen: set[str | bytes] = set()
        """Words that were met."""
        self._firsts = frozenset(ord(term[0]) for term in weights if term)
        """How a word may begin that carries a term: stemming leaves the first letter as it is."""
        self._asked: dict[str | bytes, frozenset[str]] = {}
        """Those of them that carry a term of the question, with these terms."""

    def best(self, card: Card, read: Callable[[Card], str]) -> Passage | None:
        """The passage that holds the most of the question, the first where several do.

        None for a page without prose; of one longer than `READ` its beginning counts.
        """
        best, most = None, -1
        for passage in passages_of(card, lambda card: read(card)[:READ]):
            held = self._held(passage.text)
            if held > most:
                best, most = passage, held
        return best

    def _held(self, text: str) -> int:
        """By weight, how much of the question the words of a text carry."""
        tokens: set[str | bytes] = set(split_tokens(text))
        new: Collection[str | bytes] = tokens - self._seen
        if text.isascii() and "_" not in text:
            firsts = self._firsts
            new = [token for token in new if token[0] in firsts]
        for token in new:
            if found := self._weights.keys() & token_terms(token):
                self._asked[token] = frozenset(found)
        self._seen |= tokens
        asked = tokens & self._asked.keys()
        if not asked:
            return 0
        return sum(self._weights[t] for t in set().union(*map(self._asked.__getitem__, asked)))
