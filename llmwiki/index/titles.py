"""Titles of pages as the index file has them, at once and without what other questions need."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

_APPLICATION_ID = 0x6C6D7769
"""As in `index.schema`, which loads the stemmer."""


def titles_in(file: Path, beginning: str) -> list[tuple[str, str]]:
    """Title and kind of the pages whose title begins so, whatever the case, sorted.

    The file is read as it lies: it may be behind. Nothing where there is none that fits.
    """
    if not file.is_file():
        return []
    start = beginning.casefold()
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            if db.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
                return []
            rows = db.execute(*_asked(beginning)).fetchall()
    except sqlite3.Error:
        return []
    found = {(title, kind) for title, kind in rows if title.casefold().startswith(start)}
    return sorted(found, key=lambda row: (row[0].casefold(), row))


def _asked(beginning: str) -> tuple[str, tuple[str, ...]]:
    """The question to SQLite, which knows the case of ASCII alone; the rest is sorted out after."""
    if not beginning.isascii():
        return "SELECT title, type FROM page", ()
    plain = re.sub(r"([%_\\])", r"\\\1", beginning)
    return "SELECT title, type FROM page WHERE title LIKE ? ESCAPE '\\'", (f"{plain}%",)
