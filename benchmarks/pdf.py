"""PDF files written by hand: the same bytes for the same objects every time (ISO 32000-1)."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"


def stream(data: bytes, extra: bytes = b"") -> bytes:
    """A stream object as it is, with further entries in its dictionary."""
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(data), extra, data)


def packed(data: bytes, extra: bytes = b"") -> bytes:
    """A stream object that is deflated."""
    return stream(zlib.compress(data, 9), b"/Filter/FlateDecode" + extra)


def shown(lines: Sequence[str]) -> bytes:
    """Page content that shows these lines below each other."""
    parts = []
    for line in lines:
        text = line.encode("cp1252", "replace")
        for mark in (b"\\", b"(", b")"):
            text = text.replace(mark, b"\\" + mark)
        parts.append(b"(%s) Tj T*" % text)
    return b"BT /F1 10 Tf 12 TL 50 790 Td %s ET" % b" ".join(parts)


def objects(bodies: Sequence[bytes]) -> bytes:
    """A file of these objects, numbered from 1; the first is the catalogue."""
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n")
    starts = []
    for number, body in enumerate(bodies, start=1):
        starts.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % start for start in starts))
    out.write(b"trailer\n<</Size %d/Root 1 0 R>>\n" % (len(bodies) + 1))
    out.write(b"startxref\n%d\n%%%%EOF\n" % table)
    return out.getvalue()


def pages(contents: Sequence[bytes], *, repeat_first: int = 1, more: Sequence[bytes] = ()) -> bytes:
    """A file with a page for each content stream, the first of them so many times.

    The font is object 3, page n is object 2 + 2n, and `more` are the objects after the last
    page's; every page can show the form `/X1`, the first of those.
    """
    last = 3 + 2 * len(contents)
    numbers = [4] * (repeat_first - 1) + [4 + 2 * n for n in range(len(contents))]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    forms = b"/XObject<</X1 %d 0 R>>" % (last + 1) if more else b""
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(numbers)),
        FONT,
    ]
    for n, content in enumerate(contents):
        bodies += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>%s>>>>" % (5 + 2 * n, forms),
            content,
        ]
    return objects([*bodies, *more])
