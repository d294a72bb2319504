"""PDF to text with pypdf. Runs in the converting process only."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import NOT_READ, ConvertedText, UnreadPicture, tidy
from llmwiki.sources.converters.pdf_lines import whole_lines
from llmwiki.sources.converters.pdf_pictures import coverage
from llmwiki.sources.converters.pdf_text import page_text

if TYPE_CHECKING:
    import pypdf

VERSION = "llmwiki-pdf/1"
"""Raised with every change of the text that a PDF gives beyond what its library says."""
SCAN_TEXT = 50
"""Visible characters; a stamp or a page number over a scan has fewer, a page of text more."""
SCAN_COVER = 0.5
"""Share of a page; scans fill it, and figures leave room for a text."""


@dataclass(frozen=True, slots=True)
class _Page:
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
        pages.append(_Page(text, few and coverage(page) > SCAN_COVER))
        size += len(text)
        if size > cap:
            raise PolicyError(
                f"the PDF gives more than {cap:,} characters of text",
                fix="Split it into smaller files.",
            )
    texts = whole_lines([page.text for page in pages])
    return [replace(page, text=text) for page, text in zip(pages, texts, strict=True)]
