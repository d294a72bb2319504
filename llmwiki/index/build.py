"""A whole index at once, by as many processes as there are cores."""

from __future__ import annotations

import gc
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from llmwiki.core.errors import InternalError
from llmwiki.index import file
from llmwiki.index.segment import IndexSegment, Version
from llmwiki.index.worktree_scan import Found
from llmwiki.repo.git import OWN_GROUP
from llmwiki.repo.sweep import read_file
from llmwiki.repo.trees import object_id
from llmwiki.repo.worktree import Folders

SEGMENT_PAGES = 25_000
"""Pages of one segment at most: bounds the memory of building one (about 8 kB a page)."""
ALONE_BELOW = 400
"""Pages from which on a second process, about 70 ms to start, is worth it; measured."""


def versions(root: Path, found: Sequence[Found], object_format: str) -> Iterator[Version]:
    """The pages as they are on the disk; one that is gone meanwhile is left out."""
    with Folders(root) as folders:
        for path, mtime, size, inode in found:
            read = read_file(folders, path)
            if read is not None:
                oid = object_id("blob", read.data, object_format)
                yield Version(path, oid, read.data, mtime, size, inode)


def build(new: Path, root: Path, found: Sequence[Found], object_format: str) -> sqlite3.Connection:
    """Make an index of these files at `new`, which must not exist; it is left open.

    Pages are numbered in the order of `found`. What else belongs into the file (the commit, the
    folders) is for the caller to add.
    """
    db = file.make(new)
    helpers: list[tuple[subprocess.Popen[bytes], Path]] = []
    try:
        mine, *others = _shares(_parts(found))
        for number, share in enumerate(others, start=1):
            part = new.with_name(f"{new.name}-{number}")
            helpers.append((_start(part, root, share, object_format), part))
        _write(db, root, mine, object_format)
        for process, part in helpers:
            if process.wait():
                raise InternalError(f"a helper that indexes pages ended with {process.returncode}")
            _take(db, part)
    except BaseException:
        db.close()
        raise
    finally:
        for process, part in helpers:
            process.kill()
            process.wait()
            part.unlink(missing_ok=True)
    return db


Part = tuple[int, int, Sequence[Found]]
"""Number of the segment, number of its first page, its files."""


def _parts(found: Sequence[Found]) -> list[Part]:
    cores = 1 if len(found) < ALONE_BELOW else os.cpu_count() or 1
    count = max(1, -(-len(found) // SEGMENT_PAGES))
    count += -count % min(cores, 4)
    size = max(1, -(-len(found) // count))
    return [
        (number, first + 1, found[first : first + size])
        for number, first in enumerate(range(0, len(found), size), start=1)
    ]


def _shares(parts: list[Part]) -> list[list[Part]]:
    """Parts of like size for each process, ours first."""
    workers = max(1, min(os.cpu_count() or 1, 4, len(parts)))
    return [parts[k::workers] for k in range(workers)]


def _write(db: sqlite3.Connection, root: Path, parts: Sequence[Part], object_format: str) -> None:
    with _no_collection():
        _write_parts(db, root, parts, object_format)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the cyclic collector: it would walk through all postings again and again.

    Nothing here is a cycle. At 5,000 pages it took two thirds of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _write_parts(
    db: sqlite3.Connection, root: Path, parts: Sequence[Part], object_format: str
) -> None:
    for number, first, found in parts:
        segment = IndexSegment(first)
        for version in versions(root, found, object_format):
            segment.add(version)
        db.execute("BEGIN")
        segment.write(db, number)
        db.execute("COMMIT")


def _start(
    part: Path, root: Path, share: list[Part], object_format: str
) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        # -P: nothing of the folder we stand in is imported.
        [sys.executable, "-P", "-c", "from llmwiki.index.build import help_build; help_build()"],
        stdin=subprocess.PIPE,
        # Signals are for the process that began it, which ends it without a word.
        process_group=OWN_GROUP,
    )
    assert process.stdin is not None
    request = {"part": str(part), "root": str(root), "share": share, "format": object_format}
    with process.stdin as pipe:
        pipe.write(json.dumps(request).encode())
    return process


def help_build() -> None:
    """What a helper process does: index its share into a file of its own."""
    request = json.load(sys.stdin.buffer)
    db = file.make(Path(request["part"]))
    _write(db, Path(request["root"]), request["share"], request["format"])
    db.close()


def _take(db: sqlite3.Connection, part: Path) -> None:
    db.execute("ATTACH ? AS part", (str(part),))
    db.execute("BEGIN")
    for table in ("page", "segment", "posting"):
        db.execute(f"INSERT INTO {table} SELECT * FROM part.{table}")
    db.execute(
        "INSERT INTO tally SELECT * FROM part.tally WHERE true "
        "ON CONFLICT (kind, key) DO UPDATE SET count = tally.count + excluded.count"
    )
    db.execute("COMMIT")
    db.execute("DETACH part")
