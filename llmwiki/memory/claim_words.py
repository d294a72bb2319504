"""The pages in whose claims a name may stand: from the index, and for what it lacks from memory."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.index.base import storable
from llmwiki.index.corpus import WORD
from llmwiki.language.tokens import terms
from llmwiki.memory.overlay import Overlay
from llmwiki.pages.ids import CLAIM_ID

_CLAIM = lazy_pattern(rf"^[-*+][ \t].*[ \t]\^{CLAIM_ID}[ \t\r]*$", re.MULTILINE)
_BITS = 2048
"""Of the signature of a page's claims: some hundred words fill a tenth of it."""
_KEPT = 20_000
"""Signatures that are kept, 300 bytes each."""


class ClaimWords:
    """Which pages have the words of a name among those of their claims; it may name too many."""

    def __init__(self, read: Callable[[Sequence[str]], Sequence[bytes]]) -> None:
        """`read` gives the bytes of blobs by their ids."""
        self._read = read
        self._signed: dict[str, int] = {}
        """Blob id of a page to the signature of its claims."""

    def pages(self, view: Overlay, names: Iterable[str]) -> set[str]:
        """The paths of the pages of a view that may hold one of the names in a claim.

        A name without a search term is held by none.
        """
        wanted = [found for name in names if (found := terms(name))]
        held = {path: page.oid for path, page in view.over().items() if page is not None}
        below = {
            path
            for group in wanted
            for path in view.base.together(storable(WORD + term for term in group))
        }
        self._sign(held.values())
        masks = [_signature(group) for group in wanted]
        own = {
            path
            for path, oid in held.items()
            if any(self._signed[oid] & mask == mask for mask in masks)
        }
        return own.union(below - view.over().keys())

    def _sign(self, oids: Collection[str]) -> None:
        if len(self._signed) > _KEPT:
            self._signed.clear()
        missing = sorted(set(oids) - self._signed.keys())
        for oid, data in zip(missing, self._read(missing), strict=True):
            said = _CLAIM.findall(data.decode("utf-8", "replace"))
            self._signed[oid] = _signature(terms("\n".join(said)))


def _signature(words: Iterable[str]) -> int:
    bits = 0
    for word in words:
        bits |= 1 << zlib.crc32(word.encode("utf-8", "replace")) % _BITS
    return bits
