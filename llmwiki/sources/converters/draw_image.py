"""An image file as pictures to be read, with Pillow. Runs in the converting process only."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converters.extra import missing
from llmwiki.sources.converters.raster import LONG_EDGE, RasterPicture, encode, parts, plain, target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
"""Pillow's names of what is opened; its decoders of other formats are never reached."""
MAX_PIXELS = 40_000_000
"""Decoded, at four bytes each; a page of A4 at 600 dpi has 35 million. Twice that, which is what
turning or scaling takes, and the libraries fit into the memory of the converting process."""
MAX_DECLARED = 200_000_000
"""Of a JPEG, which is decoded in an eighth of its size or less small: cameras reach this."""
MAX_PARTS = 20
"""Times LONG_EDGE that a tall image may be, after scaling."""


def load() -> Callable[[bytes, Sequence[int]], Iterator[RasterPicture]]:
    """`draw`, with its libraries opened. Raises InputError where they are not installed."""
    try:
        from PIL import GifImagePlugin, JpegImagePlugin, PngImagePlugin, WebPImagePlugin
    except ImportError as error:
        raise missing() from error
    del GifImagePlugin, JpegImagePlugin, PngImagePlugin, WebPImagePlugin
    return draw


def draw(data: bytes, pages: Sequence[int]) -> Iterator[RasterPicture]:
    """The image upright, in its parts if it is tall; of an animation, the first frame.

    It has no pages to choose from. Raises InputError for what is broken or none of FORMATS,
    PolicyError for what is too large.
    """
    del pages
    from PIL import ImageOps

    try:
        image = _decoded(data)
        size = target(*image.size)
        image = plain(image)
        if size != image.size:
            image = image.resize(size, reducing_gap=3.0)
        ImageOps.exif_transpose(image, in_place=True)
        for part in parts(image) if max(image.size) > LONG_EDGE else (image,):
            yield encode(part)
    except (OSError, SyntaxError, ValueError, EOFError, struct.error) as error:
        raise InputError(
            f"the picture is broken ({error})", fix="Open it in a viewer and save it again."
        ) from error


def _decoded(data: bytes) -> Image:
    from PIL import Image, UnidentifiedImageError

    # The bounds below take the place of Pillow's own, which warn first.
    Image.MAX_IMAGE_PIXELS = None
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError as error:
        raise InputError(
            "it is no PNG, JPEG, WebP or GIF", fix="Open it in a viewer and save it as PNG."
        ) from error
    width, height = image.size
    wanted = target(width, height)
    if width * height <= MAX_DECLARED:
        image.draft(None, wanted)
    if image.width * image.height > MAX_PIXELS or max(wanted) > MAX_PARTS * LONG_EDGE:
        raise PolicyError(
            f"a picture of {width:,} × {height:,} pixels is more than is read",
            fix="Save it smaller, or cut it into several.",
        )
    image.load()
    return image
