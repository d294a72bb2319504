"""Names that a person sees as one, and that Unicode spells in two ways (`é` as one character, or
as a letter and an accent). What is committed is spelled in normal form C."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path


def composed(path: str) -> str:
    """A path in normal form C: as it is committed, whatever the disk has."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def as_on_disk(place: Path) -> Path:
    """`place` as the disk spells it; itself where it exists so, or where nothing has that name."""
    if str(place).isascii() or os.path.lexists(place):
        return place
    folder = as_on_disk(place.parent)
    if os.path.lexists(folder / place.name):
        return folder / place.name
    try:
        names = sorted(child.name for child in folder.iterdir())
    except OSError:
        return place
    found = [name for name in names if composed(name) == composed(place.name)]
    return folder / found[0] if found else place
