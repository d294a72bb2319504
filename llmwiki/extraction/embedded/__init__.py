"""The embedded extractor: a source read by rules, without a model or a network.

Every claim is the document's own words; what it can not read it leaves out. The rules in plain
words, their limits and what was measured: docs/offline-extractor.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.extraction.schema import Extraction


def extract(
    document: Document, known: Sequence[str] = (), *, first: int = 1, last: int | None = None
) -> Extraction:
    """Read lines `first` to `last` (from 1, inclusive; None: to the end) of a document.

    `known` are titles and aliases of pages the wiki has: a mention of one makes it a subject
    under that spelling. The answer counts as the whole document (segment 1 of 1). Deterministic,
    and about linear in the length of the text; any text is taken, none raises.
    """
    from llmwiki.extraction.embedded.assembly import assemble

    return assemble(document, known, first, len(document.lines) if last is None else last)
