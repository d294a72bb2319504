"""Pixels made ready for a reader: opaque, of a size that can be read, encoded anew.

Runs in the converting process only, with Pillow.
"""

from __future__ import annotations

import io
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

LONG_EDGE = 2_000
"""Pixels of the longer side. The Messages API takes no more where a request holds more than 20
images. tesseract 5.3 reads pages of A4 in 8 to 10 points from 1,568 up to 3,508 pixels equally
well (0.1 to 0.4 % of Japanese characters wrong), and the fewer the faster."""
MAX_FILE = 3_900_000
"""Bytes of one encoded picture: the Messages API takes 5 MiB of base64, four characters for
three bytes."""
TALL = 2.0
"""Longer side to shorter; beyond, a picture is cut into parts instead of made smaller, which
would leave its letters a few pixels high. Pages and photographs stay below, screenshots of whole
web pages do not."""

_QUALITIES = (90, 75, 50)
"""Of JPEG: at the first, text shows no loss; the others only serve to fit noise into MAX_FILE."""
_COLOURLESS = 16
"""Steps of 256 that the channels may differ in a picture that is kept as grey."""
_EDGE = 24
"""Steps of 256 between neighbouring pixels that are a stroke, and not the noise of JPEG."""


@dataclass(frozen=True, slots=True)
class RasterPicture:
    """An encoded picture, PNG or JPEG, and its size in pixels."""

    data: bytes
    width: int
    height: int


def target(width: int, height: int) -> tuple[int, int]:
    """The size in which a picture of this size is read; never larger than it is."""
    long, short = max(width, height), min(width, height)
    scale = min(1.0, LONG_EDGE / (short if long > TALL * short else long))
    return max(1, round(width * scale)), max(1, round(height * scale))


def plain(image: Image) -> Image:
    """The same picture in a mode that can be scaled: L, RGB, or RGBA if it is transparent."""
    if image.has_transparency_data:
        return image if image.mode == "RGBA" else image.convert("RGBA")
    if image.mode.startswith("I"):
        # Sixteen bits a pixel, which Pillow would cut off above 255.
        return image.convert("F").point(lambda value: value * (1 / 256)).convert("L")
    if image.mode in ("1", "L"):
        return image.convert("L")
    return image if image.mode == "RGB" else image.convert("RGB")


def parts(image: Image) -> Iterator[Image]:
    """The picture in pieces of at most LONG_EDGE, cut where they tear no line of text."""
    from PIL.Image import Transpose

    if image.width > image.height > 0 and image.width > LONG_EDGE:
        for piece in parts(image.transpose(Transpose.TRANSPOSE)):
            yield piece.transpose(Transpose.TRANSPOSE)
        return
    start = 0
    while image.height - start > LONG_EDGE:
        middle = start + LONG_EDGE // 2
        stop = middle + _calmest(image.crop((0, middle, image.width, start + LONG_EDGE)))
        yield image.crop((0, start, image.width, stop))
        start = stop
    yield image.crop((0, start, image.width, image.height))


def _calmest(strip: Image) -> int:
    """The row in the middle of the longest run of rows along which the least is drawn.

    Rows that cross the lines of a table, or the edge of a column, are never quite empty.
    """
    from PIL import ImageChops
    from PIL.Image import Resampling

    grey = _opaque(strip).convert("L")
    width, height = grey.size
    if width < 2:
        return height
    changes = ImageChops.difference(
        grey.crop((1, 0, width, height)), grey.crop((0, 0, width - 1, height))
    )
    column = _above(_EDGE, changes).convert("F").resize((1, height), Resampling.BOX)
    ink = array("f", column.tobytes())
    least = min(ink)
    best, run = (0, height), 0
    for row, value in enumerate(ink):
        run = run + 1 if value == least else 0
        best = max(best, (run, row + 1 - run // 2))
    return best[1]


def encode(image: Image) -> RasterPicture:
    """The picture over white as the smaller of PNG and JPEG, at most MAX_FILE.

    Nothing but pixels is written: no profile, comment or other data of the original.
    """
    image = _grey(_opaque(image))
    image.info = {}
    data = _saved(image, "PNG")
    for quality in _QUALITIES:
        data = min(data, _saved(image, "JPEG", quality=quality, subsampling=0), key=len)
        if len(data) <= MAX_FILE:
            break
    return RasterPicture(data, image.width, image.height)


def _opaque(image: Image) -> Image:
    if image.mode != "RGBA":
        return image.copy()
    from PIL import Image as Images

    white = Images.new("RGB", image.size, "white")
    white.paste(image, mask=image.getchannel("A"))
    return white


def _grey(image: Image) -> Image:
    from PIL import ImageChops

    if image.mode == "L":
        return image
    red, green, blue = image.split()
    for other in (green, blue):
        if _above(_COLOURLESS, ImageChops.difference(red, other)).getbbox():
            return image
    return image.convert("L")


def _above(steps: int, image: Image) -> Image:
    """White where the picture, in mode L, has more than so many steps; else black."""
    return image.point([255 * (step > steps) for step in range(256)])


def _saved(image: Image, kind: str, **options: int) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
