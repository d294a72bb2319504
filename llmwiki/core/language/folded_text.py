"""A numbered text in one piece, in which quotes are looked for whatever their white space."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from llmwiki.core.language.scripts import splits_word
from llmwiki.core.text import fold_quote

MOST_HITS = 1000


class FoldedText:
    """The folded lines of a text, and in which of them an offset lies; made in O(text)."""

    def __init__(self, folded: Sequence[str], skip: int) -> None:
        """`folded` are the lines as `fold_quote` has them; the first `skip` hold no quote."""
        starts: list[int] = []
        pieces: list[str] = []
        at = 0
        for index, line in enumerate(folded):
            starts.append(at)
            if line and index >= skip:
                pieces.append(line)
                at += len(line) + 1
        self._starts = starts
        self._whole = " ".join(pieces) + " "

    @classmethod
    def of(cls, lines: Sequence[str], skip: int = 0) -> FoldedText:
        """The text of lines that are not folded yet."""
        return cls([*map(fold_quote, lines)], skip)

    def hits(self, quote: str, most: int = MOST_HITS) -> list[tuple[int, int]]:
        """The first and last line, from 1, of each place where a quote stands, at most so many."""
        wanted = fold_quote(quote)
        spans: list[tuple[int, int]] = []
        at = self._whole.find(wanted) if wanted else -1
        while at >= 0 and len(spans) < most:
            end = at + len(wanted)
            if not (splits_word(self._whole, at) or splits_word(self._whole, end)):
                spans.append((self._line_at(at), self._line_at(end - 1)))
            at = self._whole.find(wanted, at + 1)
        return spans

    def _line_at(self, offset: int) -> int:
        return bisect_right(self._starts, offset)
