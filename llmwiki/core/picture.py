"""A picture that is to be read: encoded pixels, and where in the source they stand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture, encoded anew by the converting process: none of a source's own bytes."""

    label: str
    """Its place: `page 3` of a PDF, `part 2` of a tall image, "" when it is the whole source."""
    media_type: str
    """`image/png` or `image/jpeg`."""
    data: bytes
    """The file, at most 5 MB, which is what the Messages API takes."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
