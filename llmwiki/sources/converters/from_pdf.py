"""PDF to text with pypdfium2. Runs in the converting process only."""

from __future__ import annotations

import math
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from llmwiki.core.errors import InputError
from llmwiki.sources.converted import tidy
from llmwiki.sources.converters.pdf_text import page_text, whole_lines
from llmwiki.sources.converters.writing import Gathered

SCAN_TEXT = 50
"""Visible characters; a stamp or a page number over a scan has fewer, a page of text more."""
SCAN_COVER = 0.5
"""Share of a page; scans fill it, and figures leave room for a text."""
_DEEPEST = 8
"""Forms within forms that are followed; more never stand between a page and its scan."""


class _Page(NamedTuple):
    text: str
    scan: bool


def convert(data: bytes, out: Gathered) -> None:
    """The text layer of a PDF, each page after a line `[page N]` (N counts from 1).

    A page that is a scan ends in a line NOT_READ. Raises InputError when the file is broken,
    encrypted, without pages or without text and scans, PolicyError past the cap.
    """
    out.libraries.append(f"pypdfium2/{pypdfium2.PYPDFIUM_INFO.version}")
    try:
        pages = _pages(pypdfium2.PdfDocument(data), out)
    except pypdfium2.PdfiumError as error:
        raise refusal(error) from error
    if not any(page.text or page.scan for page in pages):
        raise InputError(
            "the PDF has no text layer, and no pictures that fill its pages",
            fix="If a viewer shows text, run a text recognition over it, such as `ocrmypdf "
            "--force-ocr in.pdf out.pdf`, and ingest the result.",
        )
    for number, page in enumerate(pages, start=1):
        out.part()
        out.add(f"[page {number}]")
        if text := tidy(page.text):
            out.add(text)
        if page.scan:
            out.picture(number)
    out.bare = all(page.scan or not page.text for page in pages)


def refusal(error: pypdfium2.PdfiumError) -> InputError:
    """The refusal of a file that the library cannot open."""
    if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return InputError(
            "the PDF is encrypted", fix="Save a copy without a password, and ingest that."
        )
    if error.err_code == pdfium.FPDF_ERR_SUCCESS:
        return InputError("the PDF has no pages", fix="Check that the file is complete.")
    return InputError(
        f"the PDF is broken ({error})", fix="Open it in a viewer, print it to a new PDF."
    )


def _pages(document: pypdfium2.PdfDocument, out: Gathered) -> list[_Page]:
    pages: list[_Page] = []
    size = 0
    for at in range(len(document)):
        page = document[at]
        text = tidy(page_text(page))
        few = len("".join(text.split())) < SCAN_TEXT
        pages.append(_Page(text, few and _coverage(page) > SCAN_COVER))
        page.close()
        size += len(text)
        out.expect(size)
    texts = whole_lines([page.text for page in pages])
    return [page._replace(text=text) for page, text in zip(pages, texts, strict=True)]


def _coverage(page: pypdfium2.PdfPage) -> float:
    """The share of the page that its pictures cover; overlaps count twice.

    Scanners write a page as one picture, as strips, or as layers, so the sum is what tells.
    """
    left, bottom, right, top = page.get_cropbox()
    whole = (right - left) * (top - bottom)
    covered = 0.0
    for picture in page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=_DEEPEST):
        corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
        at: pypdfium2.PdfObject | None = picture
        while at is not None:
            matrix = at.get_matrix()
            corners = [matrix.on_point(*corner) for corner in corners]
            at = at.container
        across, up = zip(*corners, strict=True)
        width = min(max(across), right) - max(min(across), left)
        height = min(max(up), top) - max(min(up), bottom)
        area = max(0.0, width) * max(0.0, height)
        covered += area if math.isfinite(area) else 0.0
    return covered / whole if whole > 0 else 0.0
