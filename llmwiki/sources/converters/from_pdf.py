"""PDF to text with pypdf. Runs in the converting process only."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import NOT_READ, ConvertedText, UnreadPicture, tidy
from llmwiki.sources.converters.pdf_text import page_text, whole_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pypdf

VERSION = "llmwiki-pdf/1"
"""Raised with every change of the text that a PDF gives beyond what its library says."""
SCAN_TEXT = 50
"""Visible characters; a stamp or a page number over a scan has fewer, a page of text more."""
SCAN_COVER = 0.5
"""Share of a page; scans fill it, and figures leave room for a text."""


_Matrix = tuple[float, float, float, float, float, float]
"""a b c d e f of ISO 32000-1, 8.3.3."""

_IDENTITY: _Matrix = (1, 0, 0, 1, 0, 0)
_DEEPEST = 8
"""Forms within forms that are followed; more never stand between a page and its scan."""


class _Page(NamedTuple):
    text: str
    scan: bool


def convert(data: bytes, cap: int) -> ConvertedText:
    """The text layer of a PDF, each page after a line `[page N]` (N counts from 1).

    A page that is a scan ends in a line NOT_READ. `cap` bounds the characters gathered. Raises
    InputError when the file is broken, encrypted, without pages or without text and scans,
    PolicyError when it unpacks to too much.
    """
    import pypdf
    from pypdf.errors import LimitReachedError, PyPdfError

    try:
        pages = _pages(pypdf.PdfReader(io.BytesIO(data), strict=False), cap)
    except LimitReachedError as error:
        raise PolicyError(
            f"the PDF unpacks to more than is read ({error})",
            fix="If you trust it, print it to a new PDF and ingest that.",
        ) from error
    except PyPdfError as error:
        raise InputError(
            f"the PDF is broken ({error})", fix="Open it in a viewer, print it to a new PDF."
        ) from error
    if not pages:
        raise InputError("the PDF has no pages", fix="Check that the file is complete.")
    if not any(page.text or page.scan for page in pages):
        raise InputError(
            "the PDF has no text layer, and no pictures that fill its pages",
            fix="If a viewer shows text, run a text recognition over it, such as `ocrmypdf "
            "--force-ocr in.pdf out.pdf`, and ingest the result.",
        )
    return _joined(pages, f"pypdf/{pypdf.__version__}+{VERSION}")


def _joined(pages: list[_Page], tool: str) -> ConvertedText:
    lines: list[str] = []
    unread: list[UnreadPicture] = []
    for number, page in enumerate(pages, start=1):
        if lines:
            lines.append("")
        lines.append(f"[page {number}]")
        if text := tidy(page.text):
            lines += text.split("\n")
        if page.scan:
            lines.append(NOT_READ)
            unread.append(UnreadPicture(len(lines), number))
    bare = all(page.scan or not page.text for page in pages)
    return ConvertedText("\n".join(lines), tool, tuple(unread), bare)


def _pages(reader: pypdf.PdfReader, cap: int) -> list[_Page]:
    from pypdf.errors import DependencyError

    if reader.is_encrypted:
        # Many files are encrypted with an empty password, only to forbid printing.
        try:
            opened = bool(reader.decrypt(""))
        except DependencyError:
            opened = False
        if not opened:
            raise InputError(
                "the PDF is encrypted", fix="Save a copy without a password, and ingest that."
            )
    pages: list[_Page] = []
    size = 0
    for page in reader.pages:
        text = tidy(page_text(page))
        few = len("".join(text.split())) < SCAN_TEXT
        pages.append(_Page(text, few and _coverage(page) > SCAN_COVER))
        size += len(text)
        if size > cap:
            raise PolicyError(
                f"the PDF gives more than {cap:,} characters of text",
                fix="Split it into smaller files.",
            )
    texts = whole_lines([page.text for page in pages])
    return [page._replace(text=text) for page, text in zip(pages, texts, strict=True)]


# --- how much of a page pictures cover ---------------------------------------------------------


def _coverage(page: pypdf.PageObject) -> float:
    """The share of the page that its pictures cover, from 0 to 1; overlaps count twice.

    Scanners write a page as one picture, as strips, or as layers, so the sum is what tells. A
    page whose drawing cannot be followed has none. Pictures within the drawing itself do not count:
    they are for small ones (ISO 32000-1, 8.9.7).
    """
    from pypdf.errors import PyPdfError

    try:
        box = page.cropbox
        left, bottom, right, top = (float(side) for side in (*box.lower_left, *box.upper_right))
        whole = (right - left) * (top - bottom)
        if not (math.isfinite(whole) and whole > 0):
            return 0.0
        covered = 0.0
        for matrix in _pictures(page, page.get_contents(), _IDENTITY, 0):
            covered += _shown(matrix, left, bottom, right, top)
            if covered >= whole:
                break
    except (PyPdfError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # Values of a broken file may be of any type; text is what counts there.
        return 0.0
    return min(1.0, covered / whole)


def _pictures(holder: Any, contents: Any, matrix: _Matrix, depth: int) -> Iterator[_Matrix]:
    """Where the pictures of a page or form stand: the unit square that each fills, transformed."""
    from pypdf.generic import ContentStream

    objects = holder.get("/Resources", {}).get_object().get("/XObject", {}).get_object()
    if contents is None or not objects or depth > _DEEPEST:
        return
    kept: list[_Matrix] = []
    for operands, operator in ContentStream(contents, holder.indirect_reference.pdf).operations:
        if operator == b"q":
            kept.append(matrix)
        elif operator == b"Q" and kept:
            matrix = kept.pop()
        elif operator == b"cm":
            matrix = _times(_matrix(operands), matrix)
        elif operator == b"Do":
            drawn = objects[operands[0]].get_object()
            if drawn.get("/Subtype") == "/Image":
                yield matrix
            elif drawn.get("/Subtype") == "/Form":
                inner = _times(_matrix(drawn.get("/Matrix", _IDENTITY)), matrix)
                yield from _pictures(drawn, drawn, inner, depth + 1)


def _matrix(values: Any) -> _Matrix:
    a, b, c, d, e, f = (float(value) for value in values)
    return (a, b, c, d, e, f)


def _times(first: _Matrix, then: _Matrix) -> _Matrix:
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    across = (a * p + b * r, c * p + d * r, e * p + f * r + t)
    up = (a * q + b * s, c * q + d * s, e * q + f * s + u)
    return (across[0], up[0], across[1], up[1], across[2], up[2])


def _shown(matrix: _Matrix, left: float, bottom: float, right: float, top: float) -> float:
    """The area of the transformed unit square, as far as it can lie on the page."""
    a, b, c, d, e, f = matrix
    across = [e, e + a, e + c, e + a + c]
    up = [f, f + b, f + d, f + b + d]
    width = min(max(across), right) - max(min(across), left)
    height = min(max(up), top) - max(min(up), bottom)
    area = abs(a * d - b * c)
    return min(area, max(0.0, width) * max(0.0, height)) if math.isfinite(area) else 0.0
