"""Converting a document, or drawing its pictures, in a process of its own, within limits."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmwiki.core.document import Picture
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import normalise
from llmwiki.sources.converted import ConvertedText, UnreadPicture
from llmwiki.sources.sandbox import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.sources.converted import SourceLimits
    from llmwiki.sources.formats import Converter

_CHILD = Path(__file__).with_name("convert_child.py")
_SAVE_AGAIN = "Open it in its own program and save it again, or ingest its text."
_HEAD = 1 << 20
"""Bytes that the answer's first line may have: it numbers the pages that are pictures."""
_MOST_DRAWN = 256 << 20
"""Bytes of all the pictures one process may answer with."""


def convert(converter: Converter, data: bytes, path: str, limits: SourceLimits) -> ConvertedText:
    """The text of `data`; `path` is only for messages.

    Raises InputError when the document is broken or unreadable, PolicyError when a limit of
    time, memory or size stopped the conversion. The process and all it started are gone when
    this returns.
    """
    cap = limits.text_cap(len(data))
    request = {"task": "convert", "converter": converter.name, "cap": cap}
    head, body = _ask(request, data, path, limits, cap, f"more than {cap:,} bytes of text")
    unread = tuple(UnreadPicture(line, page) for line, page in head["unread"])
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
    if outcome.starved:
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
