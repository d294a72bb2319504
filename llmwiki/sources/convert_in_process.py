"""Converting a document, or drawing its pictures, in a process of its own, within limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.core.document import Picture
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import normalise
from llmwiki.sources.conversion_limits import ConvertedText, UnreadPicture

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llmwiki.sources.conversion_limits import SourceLimits
    from llmwiki.sources.formats import Converter

_CHILD = Path(__file__).with_name("convert_child.py")
_SAVE_AGAIN = "Open it in its own program and save it again, or ingest its text."
_HEAD = 1 << 20
"""Bytes that the answer's first line may have: it numbers the pages that are pictures."""
_MOST_DRAWN = 256 << 20
"""Bytes of all the pictures one process may answer with."""


_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
"""All that a process gets: no keys, and the same order of sets every time."""


def convert(converter: Converter, data: bytes, path: str, limits: SourceLimits) -> ConvertedText:
    """The text of `data`; `path` is only for messages.

    Raises InputError when the document is broken or unreadable, PolicyError when a limit of
    time, memory or size stopped the conversion. The process and all it started are gone when
    this returns.
    """
    cap = limits.text_cap(len(data))
    request = {"task": "convert", "converter": converter.name, "cap": cap}
    head, body = _ask(request, data, path, limits, cap, f"more than {cap:,} bytes of text")
    unread = tuple(UnreadPicture(*place) for place in head["unread"])
    return ConvertedText(body.decode(), head["tool"], unread, head["bare"])


def draw(
    converter: Converter, data: bytes, pages: Sequence[int], path: str, limits: SourceLimits
) -> list[Picture]:
    """The pictures of these pages of a PDF, or with no pages those of an image, in order.

    Raises what `convert` does, and InputError where the libraries that draw are missing.
    """
    request = {"task": "draw", "converter": converter.name, "pages": list(pages)}
    more = "larger pictures than are read"
    head, body = _ask(request, data, path, limits, _MOST_DRAWN, more)
    drawn = head["pictures"]
    labels = [f"page {page}" for page in pages] or _parts(len(drawn))
    pictures: list[Picture] = []
    start = 0
    for label, (size, width, height) in zip(labels, drawn, strict=True):
        encoded = body[start : start + size]
        media_type = "image/png" if encoded.startswith(b"\x89PNG") else "image/jpeg"
        pictures.append(Picture(label, media_type, encoded, width, height))
        start += size
    return pictures


def _parts(count: int) -> list[str]:
    return [""] if count == 1 else [f"part {number}" for number in range(1, count + 1)]


def _ask(
    request: dict[str, Any], data: bytes, path: str, limits: SourceLimits, cap: int, more: str
) -> tuple[dict[str, Any], bytes]:
    """The head and body of the child's answer, of at most `cap` bytes; `more` says what passed."""
    request |= {"memory": limits.memory, "seconds": limits.seconds}
    outcome = run(
        [sys.executable, "-P", "-s", str(_CHILD)],
        (json.dumps(request).encode() + b"\n", data),
        most=cap + _HEAD,
        seconds=limits.seconds,
    )
    if outcome.late:
        raise PolicyError(
            f"reading it takes more than {limits.seconds:g} seconds",
            where=path,
            fix="Split it, or ingest the text alone.",
        )
    head, _, body = outcome.answer.partition(b"\n")
    if len(body) > cap or len(outcome.answer) > cap + _HEAD:
        raise PolicyError(f"it gives {more}", where=path, fix="Split the document.")
    # So a system that runs out of memory ends processes, or libraries in C themselves.
    if outcome.status in (-signal.SIGKILL, -signal.SIGABRT):
        raise PolicyError("reading it takes too much memory", where=path, fix=_SAVE_AGAIN)
    reply = json.loads(head) if head else {"status": "ok"}
    if reply["status"] == "ok":
        if outcome.status != 0 or not head:
            raise InputError(
                f"it is broken: its converter crashed (status {outcome.status})",
                where=path,
                fix=_SAVE_AGAIN,
            )
        return reply, body
    kind = PolicyError if reply["status"] == "policy" else InputError
    # Libraries put bytes of the document into their messages.
    raise kind(normalise(reply["what"]), where=path, fix=reply["fix"] or _SAVE_AGAIN)


# --- the process ------------------------------------------------------------------------------


class ProcessOutcome(NamedTuple):
    """What a process left behind."""

    answer: bytes
    """Its output; longer than what was allowed when it was stopped for that."""
    status: int | None
    """Its exit code, negative for the signal that ended it."""
    late: bool
    """Whether it was stopped because its time was up."""


def run(
    command: Sequence[str],
    pieces: Iterable[bytes],
    *,
    most: int,
    seconds: float,
) -> ProcessOutcome:
    """Give `pieces` to the program on stdin and take at most `most` bytes from its stdout.

    The program has to read all before it answers. It and all it started are gone when this
    returns.
    """
    late = threading.Event()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_ENVIRONMENT,
        cwd="/",
        start_new_session=True,
    ) as process:

        def kill(*, is_late: bool = False) -> None:
            if process.returncode is None:
                if is_late:
                    late.set()
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(seconds, kill, kwargs={"is_late": True})
        timer.daemon = True
        timer.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError), process.stdin as stdin:
                stdin.writelines(pieces)
            answer = process.stdout.read(most + 1)
            if len(answer) <= most:
                # Its own end tells a crash from an answer; the timer still watches.
                process.wait()
        finally:
            timer.cancel()
            kill()
    late_or_spent = late.is_set() or process.returncode == -signal.SIGXCPU
    return ProcessOutcome(answer, process.returncode, late_or_spent)
