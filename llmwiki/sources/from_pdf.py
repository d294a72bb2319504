"""PDF to text with pypdf. Runs in the converting process only."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import Converted, tidy

if TYPE_CHECKING:
    import pypdf


def convert(data: bytes, cap: int) -> Converted:
    """The text layer of a PDF, each page after a line `[page N]` (N counts from 1).

    `cap` bounds the characters gathered. Raises InputError when the file is broken, encrypted,
    without pages or without text, PolicyError when it unpacks to too much.
    """
    import pypdf
    from pypdf.errors import LimitReachedError, PyPdfError

    try:
        parts = _pages(pypdf.PdfReader(io.BytesIO(data), strict=False), cap)
    except LimitReachedError as error:
        raise PolicyError(
            f"the PDF unpacks to more than is read ({error})",
            fix="If you trust it, print it to a new PDF and ingest that.",
        ) from error
    except PyPdfError as error:
        raise InputError(
            f"the PDF is broken ({error})", fix="Open it in a viewer, print it to a new PDF."
        ) from error
    if not parts:
        raise InputError("the PDF has no pages", fix="Check that the file is complete.")
    if not any(parts):
        raise InputError(
            "the PDF has no text layer: its pages are pictures, as a scanner makes them",
            fix="Run a text recognition over it, such as `ocrmypdf in.pdf out.pdf`, and ingest "
            "the result.",
        )
    text = "\n\n".join(
        f"[page {number}]\n{part}".rstrip() for number, part in enumerate(parts, start=1)
    )
    return Converted(text, f"pypdf/{pypdf.__version__}")


def _pages(reader: pypdf.PdfReader, cap: int) -> list[str]:
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
    parts: list[str] = []
    size = 0
    for page in reader.pages:
        parts.append(tidy(page.extract_text()))
        size += len(parts[-1])
        if size > cap:
            raise PolicyError(
                f"the PDF gives more than {cap:,} characters of text",
                fix="Split it into smaller files.",
            )
    return parts
