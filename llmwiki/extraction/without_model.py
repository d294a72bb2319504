"""A source read without a model or a network: the document's own words, chosen by rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.extraction.schema import Extraction


def read_without_model(
    document: Document, known: Sequence[str] = (), *, first: int = 1
) -> Extraction:
    """Read a document from line `first` (from 1) to its end.

    `known` are titles and aliases of pages the wiki has. The answer counts as the whole document
    (segment 1 of 1). Deterministic, and about linear in the length of the text; any text is taken,
    none raises.
    """
    from llmwiki.extraction.embedded import extract

    return extract(document, known, first=first)
