"""Sources with what is quoted from them, and where a claim comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup, escape
from starlette.responses import Response

from llmwiki.app.show.page_html import shown
from llmwiki.changes.diff_lines import plain_lines
from llmwiki.core.text import normalise
from llmwiki.interfaces.web.site import asked, named, number, of_commit, of_head

if TYPE_CHECKING:
    from starlette.requests import Request

    from llmwiki.app.public_types import ReaderSource, SourceQuote
    from llmwiki.interfaces.web.site import Site

LINES = 1_500
"""Lines of a source that are shown at once."""
_LONGEST_LINE = 20_000
"""Characters of a line that are shown."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a source as it is shown."""

    number: int
    text: Markup
    """With what is quoted in it marked."""
    is_asked: bool
    """Whether the quote that is asked for stands in it."""
    claims: tuple[SourceQuote, ...]
    """Quotes that begin in it."""
    is_quoted: bool


@of_commit
def source(site: Site, request: Request, at: str | None) -> Response:
    """A source as numbered text, beside the claim whose quote is asked for."""
    reading = site.wiki.read_source(named(request), at=at)
    of_claim = [each for each in reading.quotes if each.claim.id == asked(request, "claim")]
    which = number(request, "quote")
    chosen = next(
        (each for each in of_claim if each.claim.evidence.index(each.evidence) + 1 == which),
        of_claim[0] if of_claim else None,
    )
    total = len(reading.document.lines)
    first = number(request, "from") or (chosen.evidence.first - LINES // 2 if chosen else 1)
    # The first line of a converted text says how it was made.
    begin = 2 if reading.document.text_path else 1
    first = max(begin, min(first, total - LINES + 1))
    last = min(total, first + LINES - 1)
    return site.page(
        request,
        "source.html",
        reading=reading,
        chosen=chosen,
        siblings=of_claim,
        lines=list(_lines(reading, chosen, first, last)),
        begin=begin,
        first=first,
        last=last,
        total=total,
        window=LINES,
        is_pdf=reading.document.path.lower().endswith(".pdf"),
    )


def _lines(
    reading: ReaderSource, chosen: SourceQuote | None, first: int, last: int
) -> Iterator[SourceLine]:
    begins: dict[int, list[SourceQuote]] = {}
    quoted: set[int] = set()
    for each in reading.quotes:
        begins.setdefault(each.evidence.first, []).append(each)
        if each.evidence.first and each.evidence.last - each.evidence.first <= LINES:
            quoted.update(range(each.evidence.first, each.evidence.last + 1))
    marks = _marks(reading.document.lines, chosen)
    for place in range(first, last + 1):
        text = reading.document.lines[place - 1]
        yield SourceLine(
            place,
            _marked(text, marks.get(place)),
            chosen is not None and chosen.evidence.first <= place <= chosen.evidence.last,
            tuple(begins.get(place, ())),
            place in quoted,
        )


def _marks(lines: Sequence[str], chosen: SourceQuote | None) -> dict[int, tuple[int, int]]:
    """For each line of a quote the part of it that is quoted, as far as it is found word for word.

    Quotes are normalised, lines are not: what is compared are the characters without blanks.
    """
    if chosen is None or not chosen.evidence.first:
        return {}
    numbers = range(chosen.evidence.first, min(chosen.evidence.last, len(lines)) + 1)
    letters = [
        (number, place, char)
        for number in numbers
        for place, char in enumerate(lines[number - 1][:_LONGEST_LINE])
        if not char.isspace()
    ]
    wanted = "".join(normalise(chosen.evidence.quote).split())
    at = "".join(char for _number, _place, char in letters).find(wanted)
    if at < 0 or not wanted:
        return {number: (0, len(lines[number - 1])) for number in numbers}
    found: dict[int, tuple[int, int]] = {}
    for row, place, _char in letters[at : at + len(wanted)]:
        start, _end = found.get(row, (place, place))
        found[row] = (start, place + 1)
    return found


def _marked(text: str, mark: tuple[int, int] | None) -> Markup:
    cut = text[:_LONGEST_LINE] + ("…" if len(text) > _LONGEST_LINE else "")
    if mark is None:
        return escape(shown(cut))
    before, within, behind = cut[: mark[0]], cut[mark[0] : mark[1]], cut[mark[1] :]
    return Markup("{}<mark>{}</mark>{}").format(shown(before), shown(within), shown(behind))


@of_commit
def file(site: Site, request: Request, at: str | None) -> Response:
    """The file of a source as it lies in the repository: a PDF to be shown, all else to be kept."""
    name, data = site.wiki.source_bytes(named(request), at=at)
    is_pdf = data.startswith(b"%PDF-") and name.lower().endswith(".pdf")
    how = "inline" if is_pdf else "attachment"
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._- ") else "_" for c in name)
    whole = quote(name, errors="replace")
    headers = {
        "content-disposition": f"{how}; filename=\"{plain}\"; filename*=UTF-8''{whole}",
        # A browser shows a PDF in a page of its own, which it must be allowed to style.
        "content-security-policy": "frame-ancestors 'none'" if is_pdf else "sandbox",
    }
    kind = "application/pdf" if is_pdf else "application/octet-stream"
    return Response(data, media_type=kind, headers=headers)


@of_head
def why(site: Site, request: Request) -> Response:
    """Where a claim comes from, and what became of it."""
    what = named(request, "what")
    found = site.wiki.why(what)
    return site.page(request, "why.html", found=found, what=what, plain_lines=plain_lines)
