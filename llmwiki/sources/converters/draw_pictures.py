"""Images, and pages of a PDF, as pictures for a reader: opaque, of a size that can be read.

With Pillow and pypdfium2, in the converting process only.
"""

from __future__ import annotations

import io
import struct
from array import array
from typing import TYPE_CHECKING

import pypdfium2
from PIL import (
    GifImagePlugin,
    Image,
    ImageFilter,
    ImageOps,
    JpegImagePlugin,
    PngImagePlugin,
    UnidentifiedImageError,
    WebPImagePlugin,
)

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converters.from_pdf import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Loaded here, for the converting process opens no further libraries.
del GifImagePlugin, JpegImagePlugin, PngImagePlugin, WebPImagePlugin

LONG_EDGE = 2_000
"""Pixels of the longer side. The Messages API takes no more where a request holds more than 20
images."""
MAX_FILE = 3_900_000
"""Bytes of one encoded picture: the Messages API takes 5 MiB of base64, four characters for
three bytes."""
TALL = 2.0
"""Longer side to shorter; beyond, a picture is cut into parts instead of made smaller, which
would leave its letters a few pixels high. Pages and photographs stay below, screenshots of whole
web pages do not."""

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
"""Pillow's names of what is opened; its decoders of other formats are never reached."""
MAX_PIXELS = 40_000_000
"""Decoded, at four bytes each; a page of A4 at 600 dpi has 35 million. Twice that, which is what
turning or scaling takes, and the libraries fit into the memory of the converting process. A larger
JPEG is decoded in an eighth of its size or less small."""
MAX_PARTS = 20
"""Times LONG_EDGE that a tall image may be, after scaling."""
MAX_DPI = 300
"""What scanners make of text; a card or label is not blown up beyond."""
_POINTS = 72
"""To the inch."""
_QUALITIES = (90, 50)
"""Of JPEG: at the first, text shows no loss; the other only serves to fit noise into MAX_FILE."""


Raster = tuple[bytes, int, int]
"""An encoded picture, PNG or JPEG, and its size in pixels: width, height."""


def draw_image(data: bytes, pages: Sequence[int]) -> Iterator[Raster]:
    """The image upright, in its parts if it is tall; of an animation, the first frame.

    It has no pages to choose from. Raises InputError for what is broken or none of FORMATS,
    PolicyError for what is too large.
    """
    del pages
    try:
        image = _decoded(data)
        size = _target(*image.size)
        image = _plain(image)
        if size != image.size:
            image = image.resize(size, reducing_gap=3.0)
        ImageOps.exif_transpose(image, in_place=True)
        for part in _parts(image) if max(image.size) > LONG_EDGE else (image,):
            yield _encode(part)
    except (OSError, SyntaxError, ValueError, EOFError, struct.error) as error:
        raise InputError(
            f"the picture is broken ({error})", fix="Open it in a viewer and save it again."
        ) from error


def _decoded(data: bytes) -> Image.Image:
    # The bounds below take the place of Pillow's own, which warn first.
    Image.MAX_IMAGE_PIXELS = None
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError as error:
        raise InputError(
            "it is no PNG, JPEG, WebP or GIF", fix="Open it in a viewer and save it as PNG."
        ) from error
    width, height = image.size
    wanted = _target(width, height)
    image.draft(None, wanted)
    if image.width * image.height > MAX_PIXELS or max(wanted) > MAX_PARTS * LONG_EDGE:
        raise PolicyError(
            f"a picture of {width:,} × {height:,} pixels is more than is read",
            fix="Save it smaller, or cut it into several.",
        )
    image.load()
    return image


def draw_pages(data: bytes, pages: Sequence[int]) -> Iterator[Raster]:
    """These pages, counted from 1, each as a viewer shows it, its longer side LONG_EDGE at most.

    Raises InputError for a file or a page that cannot be opened.
    """
    try:
        document = pypdfium2.PdfDocument(data)
        for number in pages:
            if number > len(document):
                raise InputError(f"the PDF is broken: page {number} cannot be drawn")
            yield _drawn(document[number - 1])
    except pypdfium2.PdfiumError as error:
        raise refusal(error) from error


def _drawn(page: pypdfium2.PdfPage) -> Raster:
    long = max(1.0, *page.get_size())
    bitmap = page.render(scale=min(LONG_EDGE / long, MAX_DPI / _POINTS), rev_byteorder=True)
    return _encode(bitmap.to_pil().convert("RGB"))


def _target(width: int, height: int) -> tuple[int, int]:
    """The size in which a picture of this size is read; never larger than it is."""
    long, short = max(width, height), min(width, height)
    scale = min(1.0, LONG_EDGE / (short if long > TALL * short else long))
    return max(1, round(width * scale)), max(1, round(height * scale))


def _plain(image: Image.Image) -> Image.Image:
    """The same picture in a mode that can be scaled: L, RGB, or RGBA if it is transparent."""
    if image.has_transparency_data:
        return image if image.mode == "RGBA" else image.convert("RGBA")
    if image.mode.startswith("I"):
        # Sixteen bits a pixel, which Pillow would cut off above 255.
        return image.convert("F").point(lambda value: value * (1 / 256)).convert("L")
    if image.mode in ("1", "L"):
        return image.convert("L")
    return image if image.mode == "RGB" else image.convert("RGB")


def _parts(image: Image.Image) -> Iterator[Image.Image]:
    """The picture in pieces of at most LONG_EDGE, cut where they tear no line of text."""
    if image.width > image.height > 0 and image.width > LONG_EDGE:
        for piece in _parts(image.transpose(Image.Transpose.TRANSPOSE)):
            yield piece.transpose(Image.Transpose.TRANSPOSE)
        return
    start = 0
    while image.height - start > LONG_EDGE:
        middle = start + LONG_EDGE // 2
        stop = middle + _calmest(image.crop((0, middle, image.width, start + LONG_EDGE)))
        yield image.crop((0, start, image.width, stop))
        start = stop
    yield image.crop((0, start, image.width, image.height))


def _calmest(strip: Image.Image) -> int:
    """The row along which the least is drawn, the last of such.

    Rows that cross the lines of a table, or the edge of a column, are never quite empty.
    """
    edges = _opaque(strip).convert("L").filter(ImageFilter.FIND_EDGES).convert("F")
    ink = array("f", edges.resize((1, strip.height), Image.Resampling.BOX).tobytes())
    return min(range(1, len(ink)), key=lambda row: (round(ink[row]), -row), default=1)


def _encode(image: Image.Image) -> Raster:
    """The picture over white as the smaller of PNG and JPEG, at most MAX_FILE.

    Nothing but pixels is written: no profile, comment or other data of the original.
    """
    image = _opaque(image)
    image.info = {}
    data = _saved(image, "PNG")
    for quality in _QUALITIES:
        data = min(data, _saved(image, "JPEG", quality=quality, subsampling=0), key=len)
        if len(data) <= MAX_FILE:
            break
    return data, image.width, image.height


def _opaque(image: Image.Image) -> Image.Image:
    if image.mode != "RGBA":
        return image.copy()
    white = Image.new("RGB", image.size, "white")
    white.paste(image, mask=image.getchannel("A"))
    return white


def _saved(image: Image.Image, kind: str, **options: int) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
