"""Hostile pages and messages: HTML, PDF and e-mail that are small and cost much."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from benchmarks.pdf import objects, packed, pages, shown, stream


def _parts(levels: int) -> bytes:
    """A message of parts within parts."""
    head = "Content-Type: multipart/mixed; boundary=b{0}\n\n--b{0}\n"
    return ("From: a@example.org\n" + "".join(map(head.format, range(levels)))).encode()


def _forms(levels: int) -> bytes:
    """A page that shows a form that shows the next one ten times, and so on."""
    forms = [
        stream(
            b"/X1 Do " * 10,
            b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X1 %d 0 R>>>>"
            % (6 + n + 1),
        )
        for n in range(levels)
    ]
    last = stream(
        shown(["ha"]),
        b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F1 3 0 R>>>>",
    )
    return pages([stream(b"/X1 Do")], more=[*forms, last])


def _itself() -> bytes:
    """A page that shows a form that shows itself."""
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X1 6 0 R>>>>"
    return pages([stream(b"/X1 Do")], more=[stream(b"/X1 Do " * 3, form)])


def _font(table: bytes, content: bytes) -> bytes:
    """A page in a font whose codes are mapped to characters by `table`."""
    return objects(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
            b"<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R"
            b"/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A>>]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>>>",
            stream(content),
            packed(table),
        ]
    )


_RANGES = (
    b"1 begincodespacerange <0000> <ffff> endcodespacerange\n"
    + b"100 beginbfrange\n"
    + b"<00000000> <ffffffff> <0041>\n" * 100
    + b"endbfrange\n"
)


def _tree(depth: int) -> bytes:
    """Pages in a tree in which every node names the next one ten times."""
    nodes = [
        b"<</Type/Pages/Count 99999999/Kids[%s]>>" % (b"%d 0 R " % (n + 3) * 10)
        for n in range(depth)
    ]
    page = b"<</Type/Page/MediaBox[0 0 9 9]>>"
    return objects([b"<</Type/Catalog/Pages 2 0 R>>", *nodes, page])


def _circle() -> bytes:
    """A tree of pages that leads back to its root."""
    return objects([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>"])


def _filters(count: int) -> bytes:
    """Content that is packed so many times over."""
    data = b" " * 100_000_000
    for _ in range(count):
        data = zlib.compress(data, 9)
    return pages([stream(data, b"/Filter[%s]" % (b"/FlateDecode" * count))])


BOMBS: dict[str, Callable[[], bytes]] = {
    "deep.html": lambda: b"<body>" + b"<div>" * 1_000_000 + b"text",
    "inline.html": lambda: b"<b><i>" * 500_000 + b"text",
    "tables.html": lambda: b"<table><tr><td>" * 40_000 + b"text",
    "elements.html": lambda: b"<p>ab</p>" * 2_000_000,
    "small-elements.html": lambda: b"<p>ab</p>" * 200_000,
    "line.html": lambda: b"<p>" + b"word " * 10_000_000,
    "entities.html": lambda: b"<p>" + b"&amp;" * 1_000_000,
    "breaks.html": lambda: b"<p>" + b"a<br>" * 350_000,
    "lists.html": lambda: b"<ul>" + b"<li><a href=x>a</a>" * 100_000,
    "nested-lists.html": lambda: b"<ul><li>a" * 95 + b"<p>text</p>" * 150_000,
    "hidden.html": lambda: b"<body>" + b"<b hidden></b>some words" * 800_000,
    "attributes.html": lambda: (
        b"<p " + b"".join(b"a%d=1 " % n for n in range(1_500_000)) + b">text"
    ),
    "comments.html": lambda: b"<!--" * 4_000_000,
    "stream.pdf": lambda: pages([packed(b" " * 300_000_000)]),
    "filters.pdf": lambda: _filters(12),
    "brackets.pdf": lambda: pages([packed(b"[" * 50_000_000)]),
    "parentheses.pdf": lambda: pages([packed(b"(" * 50_000_000)]),
    "shared.pdf": lambda: pages([packed(shown(["x" * 70] * 50_000))], repeat_first=3_000),
    "blank.pdf": lambda: pages([packed(b"0 0 m " * 300_000)], repeat_first=3_000),
    "forms.pdf": lambda: _forms(9),
    "itself.pdf": _itself,
    "ranges.pdf": lambda: _font(_RANGES, shown(["text"])),
    "codes.pdf": lambda: _font(
        b"".join(b"1 beginbfrange <0000> <ffff> <0041> endbfrange\n" for _ in range(3_000)),
        shown(["text"]),
    ),
    "tree.pdf": lambda: _tree(12),
    "circle.pdf": _circle,
    "xref.pdf": lambda: b"%PDF-1.7\nxref\n0 9999999999\n" + b"0000000000 65535 f \n" * 4_000_000,
    "endless.pdf": lambda: b"%PDF-1.7\n" + b"1 0 obj\n" * 5_000_000 + b"startxref\n9\n%%EOF\n",
    "parts.eml": lambda: _parts(100_000),
    "messages.eml": lambda: (
        b"From: a@example.org\n" + b"Content-Type: message/rfc822\n\n" * 100_000
    ),
    "many-parts.eml": lambda: (
        b"From: a@example.org\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\n\n" * 5_000_000
    ),
    "addresses.eml": lambda: (
        b"From: a@example.org\nTo: " + b"Ada <a@example.org>, " * 200_000 + b"\n\na"
    ),
    "comments.eml": lambda: b"From: a@example.org\nTo: " + b"(" * 500_000 + b"\n\na",
    "words.eml": lambda: b"From: a@example.org\nSubject: " + b"=?utf-8?q?a?= " * 300_000 + b"\n\na",
    "parameters.eml": lambda: (
        b"From: a@example.org\nContent-Type: text/plain; "
        + b"; ".join(b"a*%d=b" % n for n in range(100_000))
        + b"\n\na"
    ),
    "headers.eml": lambda: b"From: a@example.org\n" + b"X: a\n" * 5_000_000 + b"\na",
    "page.eml": lambda: (
        b"From: a@example.org\nContent-Type: text/html\n\n" + b"<div>" * 1_000_000 + b"a"
    ),
}
"""Makers of the files, by name."""
