"""The converting process: confines itself, reads one document from stdin, answers on stdout.

Run by file name with `-P -s`, never imported by the product. In: one line of JSON
(`task`: convert or draw, `converter`, `memory`, `seconds`, `cap` or `pages`), then the document's
bytes. Out: one line of JSON (`status`: ok, input or policy), then the text in UTF-8, or the
pictures one after the other, whose sizes the line tells.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2]))

from llmwiki.core.errors import InputError, PolicyError, WikiError
from llmwiki.sources.conversion_limits import tidy
from llmwiki.sources.converters.numbered_text_writer import Gathered
from llmwiki.sources.formats import converter_named
from llmwiki.sources.sandbox import confine

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType


def main() -> None:
    """Convert what stands on stdin; every outcome is an answer on stdout."""
    sys.excepthook = _answer_crash
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    request = json.loads(sys.stdin.buffer.readline())
    converter = converter_named(request["converter"])
    drawing = request["task"] == "draw"
    try:
        # Libraries in C are opened before the right to open any is given up.
        work = _function(converter.drawing if drawing else converter.reader)
        confine(memory=request["memory"], seconds=request["seconds"])
        data = sys.stdin.buffer.read()
        if drawing:
            _answer_pictures(work(data, request["pages"]))
        else:
            out = Gathered(request["cap"])
            work(data, out)
            tool = "+".join([*out.libraries, f"llmwiki-{converter.name}/{converter.version}"])
            head = {"status": "ok", "tool": tool, "unread": out.unread, "bare": out.bare}
            _answer(head, tidy(out.text()).encode())
    except WikiError as error:
        status = "policy" if isinstance(error, PolicyError) else "input"
        _answer({"status": status, "what": error.what, "fix": error.fix})


def _function(named: str) -> Any:
    module, _, name = named.partition(".")
    try:
        return getattr(importlib.import_module(f"llmwiki.sources.converters.{module}"), name)
    except ModuleNotFoundError as error:
        raise InputError(
            f"reading it needs {error.name}, which is not installed",
            fix="Install it: pip install 'git-llmwiki[documents]'",
        ) from error


def _answer_pictures(drawn: Iterable[tuple[bytes, int, int]]) -> None:
    kept = list(drawn)
    sizes = [[len(data), width, height] for data, width, height in kept]
    _answer({"status": "ok", "pictures": sizes}, b"".join(data for data, _, _ in kept))


def _answer(head: dict[str, object], body: bytes = b"") -> None:
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + body)
    sys.stdout.buffer.flush()


def _answer_crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """The process's last words: libraries raise all sorts of things on broken files."""
    del trace
    if issubclass(kind, MemoryError):
        _answer({"status": "policy", "what": "reading it takes too much memory", "fix": ""})
        return
    what = (
        "it is nested too deeply"
        if issubclass(kind, RecursionError)
        else (f"{kind.__name__}: {str(error)[:200]}")
    )
    _answer({"status": "input", "what": f"it cannot be read ({what})", "fix": ""})


if __name__ == "__main__":
    main()
