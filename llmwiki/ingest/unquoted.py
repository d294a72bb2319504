"""Stretches of a document from which a reading has quoted nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from llmwiki.core.document import Document
from llmwiki.core.language.scripts import count_cjk
from llmwiki.ingest.extraction.schema import SourceQuestion
from llmwiki.ingest.reading import VerifiedClaim
from llmwiki.ingest.report import UnquotedStretch
from llmwiki.pages.lines import closes, fence, heading, is_blank
from llmwiki.sources.document import first_quotable

LEAST = 400
"""Characters of prose in a stretch that is worth telling: more than one quote may hold. Those of
Chinese, Japanese and Korean count twice."""

_REFERENCE = re.compile(
    r"\s*+(?:\[[^\[\]]+\]:|\.\. (?:\[[^\[\]]+\]|_[^:]+:)|(?:[-*]\s++)?<?https?://\S+$)"
)
"""A definition of a link or of a note, or an address alone."""


def unquoted(
    document: Document,
    claims: Sequence[VerifiedClaim],
    questions: Sequence[SourceQuestion],
    first: int = 1,
    last: int = 0,
) -> list[UnquotedStretch]:
    """The stretches of prose from which nothing was quoted or asked, in order; of these lines only,
    where a `last` one is given.

    Headings, tables, code, references and what has no letters are no prose, and end no stretch.
    """
    quoted = {
        line
        for claim in claims
        for e in (*claim.evidence, *claim.repeats)
        for line in range(e.first, e.last + 1)
    }
    for question in questions:
        first_line, last_line = question.lines or (1, 0)
        quoted.update(range(first_line, min(last_line, len(document.lines)) + 1))
    found: list[UnquotedStretch] = []
    open_: list[tuple[int, int]] = []
    for number, size in _prose(document):
        if number < first or number > (last or number):
            continue
        if number in quoted:
            _close(open_, found)
        elif size:
            open_.append((number, size))
    _close(open_, found)
    return found


def _close(open_: list[tuple[int, int]], found: list[UnquotedStretch]) -> None:
    characters = sum(size for _number, size in open_)
    if characters >= LEAST:
        found.append(UnquotedStretch(open_[0][0], open_[-1][0], characters))
    open_.clear()


def _prose(document: Document) -> Iterator[tuple[int, int]]:
    """Each line's number with the characters of its prose; 0: it is none."""
    first, mark = first_quotable(document), ""
    for number, line in enumerate(document.lines, start=1):
        if number < first:
            continue
        if mark:
            mark = "" if closes(line, mark) else mark
            yield number, 0
            continue
        mark = fence(line)
        is_prose = not mark and not is_blank(line) and heading(line) is None
        is_prose = is_prose and not line.lstrip().startswith("|")
        is_prose = (
            is_prose and _REFERENCE.match(line) is None and any(sign.isalpha() for sign in line)
        )
        yield number, len(line.strip()) + count_cjk(line) if is_prose else 0
