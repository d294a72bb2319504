"""Documents converted in this process: all but what confines and ends the converting one.

A process for each document takes half a second, most of it to load what reads the format. What
the process may do, and what it costs, is tested with the product's own `read_document`.
"""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from llmwiki.core.document import Document, Picture
from llmwiki.sources import convert_child, pictures, read_source
from llmwiki.sources.convert_in_process import ProcessOutcome

_ONE = threading.Lock()
"""One conversion at a time, for each takes the streams."""


def read_document(path: str, data: bytes, **more: Any) -> Document:
    """As that of `llmwiki.sources.read_source`."""
    with in_process():
        return read_source.read_document(path, data, **more)


def pictures_of(path: str, data: bytes, **more: Any) -> list[Picture]:
    """As that of `llmwiki.sources.pictures`, all of them."""
    with in_process():
        return list(pictures.pictures_of(path, data, **more))


@contextmanager
def in_process() -> Iterator[None]:
    """Converts here whatever is converted meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("llmwiki.sources.convert_in_process.run", _run)
        patch.setattr(convert_child, "confine", lambda **_limits: None)
        yield


def _run(
    command: Sequence[str], pieces: Iterable[bytes], *, most: int, seconds: float
) -> ProcessOutcome:
    """What the converting process answers to these pieces, by its own `main`."""
    out, status = io.BytesIO(), 0
    streams = {"stdin": io.BytesIO(b"".join(pieces)), "stdout": out}
    ours = SimpleNamespace(**{name: SimpleNamespace(buffer=b) for name, b in streams.items()})
    with (
        _ONE,
        _modules_as_found(),
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
    ):
        patch.setattr(convert_child, "sys", ours)
        patch.setattr(logging.root.manager, "disable", logging.root.manager.disable)
        try:
            convert_child.main()
        except Exception as error:  # noqa: BLE001 - libraries raise all sorts of things
            ours.excepthook(type(error), error, error.__traceback__)
            status = 1
    return ProcessOutcome(out.getvalue()[: most + 1], status, late=False)


@contextmanager
def _modules_as_found() -> Iterator[None]:
    """Lets be imported again what a converter forbids to its process by a module that is None."""
    before = {name for name, module in sys.modules.items() if module is None}
    try:
        yield
    finally:
        for name in [n for n, module in sys.modules.items() if module is None and n not in before]:
            del sys.modules[name]


_MEASURE = """
import json, resource, sys, time
from llmwiki.core.errors import WikiError
from llmwiki.sources.read_source import read_document
from llmwiki.sources.pictures import pictures_of
for name in sys.argv[2:]:
    data, start = open(name, "rb").read(), time.monotonic()
    path, code, what = "raw/" + name.rpartition("/")[2], 0, ""
    try:
        list(pictures_of(path, data)) if sys.argv[1] else read_document(path, data)
    except WikiError as error:
        code, what = error.exit_code, str(error)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps([path, code, what, time.monotonic() - start, used.ru_maxrss]))
"""


def ends_within_bounds(
    folder: Path, files: Mapping[str, Callable[[], bytes]], *, pictures_only: bool = False
) -> dict[str, tuple[int, str]]:
    """Name to exit code and message of reading each, one after the other in a process: a minute
    and half a GiB suffice for each; `pictures_only`: of drawing its pictures."""
    for name, make in files.items():
        (folder / name).write_bytes(make())
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, "1" * pictures_only, *(str(folder / n) for n in files)],
        capture_output=True,
        check=True,
        timeout=100 * len(files),
    )
    found = {}
    for path, code, what, seconds, kib in map(json.loads, done.stdout.splitlines()):
        assert seconds <= 60, path
        assert kib <= 512 * 1024 or sys.platform != "linux", path
        found[path.removeprefix("raw/")] = code, what
    return found
