"""Pages of a PDF as pictures to be read, with pypdfium2. Runs in the converting process only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.sources.converters.extra import missing
from llmwiki.sources.converters.raster import LONG_EDGE, RasterPicture, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pypdfium2 import PdfPage

MAX_DPI = 300
"""What scanners make of text; a card or label is not blown up beyond."""
_POINTS = 72
"""To the inch."""


def load() -> Callable[[bytes, Sequence[int]], Iterator[RasterPicture]]:
    """`draw`, with its libraries opened. Raises InputError where they are not installed."""
    try:
        import pypdfium2
        from PIL import JpegImagePlugin, PngImagePlugin
    except ImportError as error:
        raise missing() from error
    del pypdfium2, JpegImagePlugin, PngImagePlugin
    return draw


def draw(data: bytes, pages: Sequence[int]) -> Iterator[RasterPicture]:
    """These pages, counted from 1, each as a viewer shows it, its longer side LONG_EDGE at most.

    Raises InputError for a file or a page that cannot be opened.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
        for number in pages:
            if number > len(document):
                raise InputError(f"the PDF is broken: page {number} cannot be drawn")
            yield _drawn(document[number - 1])
    except pypdfium2.PdfiumError as error:
        raise InputError(
            f"the PDF is broken ({error})", fix="Open it in a viewer, print it to a new PDF."
        ) from error


def _drawn(page: PdfPage) -> RasterPicture:
    long = max(1.0, *page.get_size())
    bitmap = page.render(scale=min(LONG_EDGE / long, MAX_DPI / _POINTS), rev_byteorder=True)
    return encode(bitmap.to_pil().convert("RGB"))
