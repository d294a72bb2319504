"""Edges that a model or an agent has found, kept under the git directory.

One line of JSON for each reading of a page; the last one of a page counts. Derived data: it can
be made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.git.store.private import common_files, decoded, encoded

if TYPE_CHECKING:
    from llmwiki.git.repository import Repository

FILE = "graph/edges.jsonl"
"""Below `llmwiki/` of the git directory; all work trees share it."""
_SCHEMA = "llmwiki.reading/1"
STALE = 4
SPARE = 1000
"""The file is written anew when it has more lines than so many for each page and this many more."""


class InferredEdge(NamedTuple):
    """One edge out of the page that was read."""

    target: str
    """Path of the other page."""
    label: str
    """What it is to it, in a few words."""
    confidence: float
    why: str


class PageReading(NamedTuple):
    """What one reading of a page gave."""

    path: str
    oid: str
    """Blob id of the page that was read."""
    by: str
    """The model's id, or `agent`."""
    edges: tuple[InferredEdge, ...]


def readings(repo: Repository) -> dict[str, PageReading]:
    """The last reading of each page, by path. Lines that are cut or foreign are passed over."""
    return dict(_each(common_files(repo).read(FILE) or b""))


def _each(data: bytes) -> Iterator[tuple[str, PageReading]]:
    for line in data.splitlines():
        reading = decoded(line, _SCHEMA, _reading)
        if reading is not None:
            yield reading.path, reading


def _reading(data: Mapping[str, Any]) -> PageReading:
    rows = [(str(to), str(label), float(sure), str(why)) for to, label, sure, why in data["edges"]]
    # JSON here may hold NaN.
    edges = tuple(InferredEdge(*row) for row in rows if 0 <= row[2] <= 1)
    return PageReading(str(data["path"]), str(data["oid"]), str(data["by"]), edges)


def keep(repo: Repository, found: Iterable[PageReading]) -> None:
    """Adds readings, each in place of an earlier one of its page. Raises StateError."""
    files = common_files(repo)
    added = [_line(reading) for reading in found]
    if not added:
        return
    files.append(FILE, b"".join(added))
    data = files.read(FILE) or b""
    held = dict(_each(data))
    if data.count(b"\n") > STALE * len(held) + SPARE:
        files.write(FILE, b"".join(_line(held[path]) for path in sorted(held)))


def _line(reading: PageReading) -> bytes:
    # A line that a crash had cut would swallow the one behind it.
    return b"\n" + encoded(_SCHEMA, reading._asdict()) + b"\n"


def unread(held: Mapping[str, PageReading], oids: Mapping[str, str]) -> list[str]:
    """The pages that are new or have changed since they were read, sorted."""
    return sorted(path for path, oid in oids.items() if path not in held or held[path].oid != oid)
