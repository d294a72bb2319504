"""Which paths below raw/ are sources, and how their names are spelled.

Names that a person sees as one Unicode spells in two ways (`é` as one character, or as a letter and
an accent). What is committed is spelled in normal form C.
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from llmwiki.core.quick_to_load import lazy_pattern

RAW = "raw"
TEXT_DIR = "raw/.text"
RESERVED = frozenset({"brand", "skills"})
"""Folders directly below raw/ that people keep for voice and skills; never sources."""

_CONTROL = lazy_pattern("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TEMPORARY = lazy_pattern(
    r"""
      .*~                       # backups of editors
    | ~\$.*                     # owner files of office programs
    | \#.*\#                    # auto-saves of Emacs
    | .*\.(sw[a-z]|tmp|temp|bak|part|partial|crdownload|opdownload|download|filepart|aria2)
    | .*___jb_(tmp|old)___      # JetBrains
    | thumbs\.db | desktop\.ini | icon\r
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_source(path: str) -> bool:
    """Whether `path`, relative to the wiki's root and POSIX, names a source.

    True for files below raw/ that are not in raw/.text/, raw/brand/ or raw/skills/ (in any
    case: on a case-insensitive disk `raw/Brand` is the same folder), not hidden at any level
    (which leaves out `.gitkeep`, `.DS_Store` and nested `.git` folders), and not temporary
    files of editors, browsers or desktops. The file need not exist.
    """
    parts = path.split("/")
    if len(parts) < 2 or parts[0] != RAW or not is_plain_name(path):
        return False
    below = parts[1:]
    if len(below) > 1 and unicodedata.normalize("NFC", below[0]).casefold() in RESERVED:
        return False
    if any(not part or part.startswith(".") for part in below):
        return False
    return not _TEMPORARY.fullmatch(below[-1])


def is_plain_name(path: str) -> bool:
    """Whether a path can be written in a commit message and a page: UTF-8, no controls."""
    return not _CONTROL.search(path)


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
