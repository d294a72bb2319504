"""How much of a PDF's page pictures cover, told by pypdf without decoding one.

Runs in the converting process only.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pypdf

Matrix = tuple[float, float, float, float, float, float]
"""a b c d e f of ISO 32000-1, 8.3.3."""

_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)
_DEEPEST = 8
"""Forms within forms that are followed; more never stand between a page and its scan."""


def coverage(page: pypdf.PageObject) -> float:
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


def _pictures(holder: Any, contents: Any, matrix: Matrix, depth: int) -> Iterator[Matrix]:
    """Where the pictures of a page or form stand: the unit square that each fills, transformed."""
    from pypdf.generic import ContentStream

    objects = holder.get("/Resources", {}).get_object().get("/XObject", {}).get_object()
    if contents is None or not objects or depth > _DEEPEST:
        return
    kept: list[Matrix] = []
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


def _matrix(values: Any) -> Matrix:
    a, b, c, d, e, f = (float(value) for value in values)
    return (a, b, c, d, e, f)


def _times(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    across = (a * p + b * r, c * p + d * r, e * p + f * r + t)
    up = (a * q + b * s, c * q + d * s, e * q + f * s + u)
    return (across[0], up[0], across[1], up[1], across[2], up[2])


def _shown(matrix: Matrix, left: float, bottom: float, right: float, top: float) -> float:
    """The area of the transformed unit square, as far as it can lie on the page."""
    a, b, c, d, e, f = matrix
    across = [e, e + a, e + c, e + a + c]
    up = [f, f + b, f + d, f + b + d]
    width = min(max(across), right) - max(min(across), left)
    height = min(max(up), top) - max(min(up), bottom)
    area = abs(a * d - b * c)
    return min(area, max(0.0, width) * max(0.0, height)) if math.isfinite(area) else 0.0
