"""Two texts compared word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MOST = 1_500
"""Words of both texts together up to which they are compared; the time grows with their product."""


class DiffPiece(NamedTuple):
    """A run of words that both texts have, or one of them."""

    mark: Literal["=", "-", "+"]
    text: str


def word_diff(before: str, after: str) -> list[DiffPiece]:
    """The pieces in which two texts agree and differ; of long texts the whole of each."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) + len(new) > _MOST:
        return [piece for piece in (DiffPiece("-", before), DiffPiece("+", after)) if piece.text]
    found: list[DiffPiece] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(DiffPiece("=", "".join(old[a:b])))
            continue
        for piece in (DiffPiece("-", "".join(old[a:b])), DiffPiece("+", "".join(new[c:d]))):
            if piece.text:
                found.append(piece)
    return found
