"""JSON objects that are kept below the git directory: jobs that wait, answers that were given.

Each names its schema. One that is cut, damaged or of another schema counts as absent: what is kept
here can be asked for again, and nobody is stopped by it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from llmwiki.store.private import PrivateFiles

_Value = TypeVar("_Value")
Reader = Callable[[dict[str, Any]], _Value]
"""Makes the value of an object; whatever it raises for one of another shape makes it absent."""

_FOREIGN = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class RecordFolder:
    """The records of one schema in a folder of private files, each by a name of its own."""

    files: PrivateFiles
    folder: str
    schema: str

    def put(self, name: str, data: Mapping[str, object]) -> None:
        """Keeps a record durably, in place of an earlier one. Raises StateError."""
        self.files.write(self._file(name), encoded(self.schema, data))

    def get(self, name: str, read: Reader[_Value]) -> _Value | None:
        """The record of that name; None where there is none."""
        return decoded(self.files.read(self._file(name)) or b"", self.schema, read)

    def names(self) -> tuple[str, ...]:
        """Of all its files, sorted, damaged ones included."""
        return tuple(
            name.rpartition("/")[2].removesuffix(".json")
            for name in self.files.names(self.folder)
            if name.endswith(".json")
        )

    def all(self, read: Reader[_Value]) -> Iterator[_Value]:
        """The records, in the order of their names."""
        for name in self.names():
            value = self.get(name, read)
            if value is not None:
                yield value

    def delete(self, name: str) -> None:
        """Forgets a record, if there is one."""
        self.files.delete(self._file(name))

    def path(self, name: str) -> str:
        """Where a record lies, absolute, for a command that is given its file."""
        return self.files.path(self._file(name)).absolute().as_posix()

    def _file(self, name: str) -> str:
        return f"{self.folder}/{name}.json"


def encoded(schema: str, data: Mapping[str, object]) -> bytes:
    """A record as bytes without a line break; the same data, the same bytes."""
    return json.dumps({"schema": schema, **data}, sort_keys=True).encode()


def decoded(data: bytes, schema: str, read: Reader[_Value]) -> _Value | None:
    """The value of a record; None where it is damaged or of another schema.

    One that names no schema was kept by an earlier version, and its shape decides.
    """
    with suppress(*_FOREIGN):
        record = json.loads(data)
        if record.pop("schema", schema) == schema:
            return read(record)
    return None


def remove_folder(files: PrivateFiles, folder: str) -> None:
    """Deletes the files of a folder, and the folder where nobody puts another into it meanwhile."""
    for name in files.names(folder):
        files.delete(name)
    with suppress(OSError):
        files.path(folder).rmdir()


def drop_oldest(files: PrivateFiles, folder: str, most: int) -> None:
    """Deletes the folders in a folder that are longest untouched, all but the last one, until the
    files of those that stay have at most `most` bytes together."""
    size = 0
    with suppress(FileNotFoundError):
        places = [p for p in files.path(folder).iterdir() if p.is_dir() and not p.is_symlink()]
        places.sort(key=lambda place: (place.stat().st_mtime_ns, place.name), reverse=True)
        for place in places:
            held = [
                files.path(name).stat().st_size for name in files.names(f"{folder}/{place.name}")
            ]
            if size and size + sum(held) > most:
                remove_folder(files, f"{folder}/{place.name}")
            size += sum(held)
