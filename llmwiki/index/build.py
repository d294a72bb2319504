"""A whole index at once: pages are read by as many processes as there are cores, written by one."""

from __future__ import annotations

import json
import marshal
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, zip_longest
from pathlib import Path

from llmwiki.core.errors import InternalError
from llmwiki.index.page_row import IndexRow, PageVersion, row_of
from llmwiki.index.put import count_all, put_new
from llmwiki.index.worktree_scan import Found
from llmwiki.repo.git import OWN_GROUP
from llmwiki.repo.sweep import read_file
from llmwiki.repo.trees import object_id
from llmwiki.repo.worktree import Folders

PORTION = 500
"""Pages that are handed over and written together: some 10 kB each in memory."""
ALONE_BELOW = 400
"""Pages from which on a second process, about 70 ms to start, is worth it; measured."""
_CACHE_KIB = 65_536
_GATHERED = 32 << 20
"""Bytes of the full text that are held while a whole index is made; SQLite would hold a million."""


def build(db: sqlite3.Connection, root: Path, found: Sequence[Found], object_format: str) -> None:
    """Index these files in a database with empty tables that nobody else sees.

    What else belongs into it (the commit, the folders) is for the caller to add.
    """
    db.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
    # Words are gathered in memory: what is written once leaves no free pages.
    db.execute("INSERT INTO text (text, rank) VALUES ('hashsize', ?)", (_GATHERED,))
    db.execute("BEGIN")
    first = 1
    for rows in _rows(root, found, object_format):
        put_new(db, first, rows)
        first += len(rows)
    count_all(db)
    db.execute("INSERT INTO text (text, rank) VALUES ('hashsize', ?)", (1 << 20,))
    db.execute("COMMIT")


def _rows(root: Path, found: Sequence[Found], object_format: str) -> Iterator[list[IndexRow]]:
    """The rows of all pages, in portions."""
    helpers = min((os.cpu_count() or 1) - 1, 3) if len(found) >= ALONE_BELOW else 0
    if not helpers:
        yield from _made(root, found, object_format)
        return
    with ExitStack() as stack:
        started: list[subprocess.Popen[bytes]] = []
        for share in (found[number::helpers] for number in range(helpers)):
            started.append(stack.enter_context(start_helper(root, share, object_format)))
            stack.callback(started[-1].kill)
        for portion in chain(*zip_longest(*map(_told, started))):
            if portion is not None:
                yield portion


def _made(root: Path, found: Sequence[Found], object_format: str) -> Iterator[list[IndexRow]]:
    """Rows of the pages as they are on the disk; one that is gone meanwhile is left out."""
    with Folders(root) as folders:
        for start in range(0, len(found), PORTION):
            rows = []
            for path, mtime, size, inode in found[start : start + PORTION]:
                read = read_file(folders, path)
                if read is not None:
                    oid = object_id("blob", read.data, object_format)
                    rows.append(row_of(PageVersion(path, oid, read.data, mtime, size, inode)))
            yield rows


def start_helper(root: Path, share: Sequence[Found], object_format: str) -> subprocess.Popen[bytes]:
    """A process that makes rows of its share of the pages and writes them to its output."""
    process = subprocess.Popen(
        # -P: nothing of the folder we stand in is imported.
        [sys.executable, "-P", "-c", "from llmwiki.index.build import help_build; help_build()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Signals are for the process that began it, which ends it without a word.
        process_group=OWN_GROUP,
    )
    assert process.stdin is not None
    request = {"root": str(root), "share": share, "format": object_format}
    with process.stdin as pipe:
        pipe.write(json.dumps(request).encode())
    return process


def _told(helper: subprocess.Popen[bytes]) -> Iterator[list[IndexRow]]:
    """What a helper writes."""
    assert helper.stdout is not None
    while True:
        try:
            portion = marshal.load(helper.stdout)
        except (EOFError, ValueError, TypeError):
            ended = helper.wait()
            raise InternalError(f"a helper that indexes pages ended with {ended}") from None
        if not portion:
            return
        yield [IndexRow(*row) for row in portion]


def help_build() -> None:
    """What a helper process does."""
    request = json.load(sys.stdin.buffer)
    out = sys.stdout.buffer
    for rows in _made(Path(request["root"]), request["share"], request["format"]):
        if rows:
            marshal.dump([tuple(row) for row in rows], out)
    marshal.dump([], out)
    out.flush()
