"""Converting a document in a process of its own, within limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import normalise
from llmwiki.sources.converted import Converted

if TYPE_CHECKING:
    from llmwiki.sources.formats import Converter
    from llmwiki.sources.limits import Limits

_CHILD = Path(__file__).with_name("convert_child.py")
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
"""All the child gets: no keys, and the same order of sets every time."""
_SAVE_AGAIN = "Open it in its own program and save it again, or ingest its text."
_HEAD = 4_096
"""Bytes that the answer's first line may have."""


def convert(converter: Converter, data: bytes, path: str, limits: Limits) -> Converted:
    """The text of `data`; `path` is only for messages.

    Raises InputError when the document is broken or unreadable, PolicyError when a limit of
    time, memory or size stopped the conversion. The process and all it started are gone when
    this returns.
    """
    cap = limits.text_cap(len(data))
    request = {
        "converter": converter.name,
        "memory": limits.memory,
        "seconds": limits.seconds,
        "cap": cap,
    }
    late = threading.Event()
    with subprocess.Popen(
        [sys.executable, "-P", "-s", str(_CHILD)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_ENVIRONMENT,
        cwd="/",
        start_new_session=True,
    ) as process:

        def stop() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(limits.seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            answer = _talk(process, json.dumps(request).encode() + b"\n", data, cap + _HEAD)
        finally:
            timer.cancel()
            _kill(process)
    if late.is_set() or process.returncode == -signal.SIGXCPU:
        raise PolicyError(
            f"reading it takes more than {limits.seconds:g} seconds",
            where=path,
            fix="Split it, or ingest the text alone.",
        )
    return _read_answer(answer, process.returncode, path, cap)


def _talk(process: subprocess.Popen[bytes], head: bytes, data: bytes, most: int) -> bytes:
    """The child reads all before it answers, so writing first cannot lock up."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.write(head)
        process.stdin.write(data)
    with suppress(BrokenPipeError):
        process.stdin.close()
    answer = process.stdout.read(most + 1)
    if len(answer) <= most:
        # Its own end tells a crash from an answer; the timer still watches.
        process.wait()
    return answer


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _read_answer(answer: bytes, status: int | None, path: str, cap: int) -> Converted:
    head, _, body = answer.partition(b"\n")
    if len(body) > cap:
        raise PolicyError(
            f"it gives more than {cap:,} bytes of text", where=path, fix="Split the document."
        )
    if status == -signal.SIGKILL:
        # Not by us: that is how a system that runs out of memory ends processes.
        raise PolicyError("reading it takes too much memory", where=path, fix=_SAVE_AGAIN)
    reply = json.loads(head) if head else {"status": "ok"}
    if reply["status"] == "ok":
        if status != 0 or not head:
            raise InputError(
                f"it is broken: its converter crashed (status {status})",
                where=path,
                fix=_SAVE_AGAIN,
            )
        return Converted(body.decode(), reply["tool"])
    kind = PolicyError if reply["status"] == "policy" else InputError
    # Libraries put bytes of the document into their messages.
    raise kind(normalise(reply["what"]), where=path, fix=reply["fix"] or _SAVE_AGAIN)
