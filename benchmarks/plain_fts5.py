"""The pages of a wiki in one FTS5 table of SQLite, made plainly: what an index is compared with.

usage: python -m benchmarks.plain_fts5 ROOT FILE
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path


def main(root: Path, file: Path) -> None:
    """Indexes path, file name and text of all pages."""
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as db:
        db.execute(
            "CREATE VIRTUAL TABLE page USING fts5(path UNINDEXED, title, text,"
            " tokenize='porter unicode61')"
        )
        with db:
            for path in sorted((root / "wiki").glob("*/*.md")):
                text = path.read_text("utf-8", "replace")
                db.execute("INSERT INTO page VALUES (?, ?, ?)", (str(path), path.stem, text))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
