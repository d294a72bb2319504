"""Mailboxes (.mbox): where each message lies, and its bytes.

The default format of RFC 4155, appendix A: a message begins with a separator line, `From `,
sender and time, at the start of the file or after an empty line, and ends with an empty line.
Read as mboxrd, the variant in which no line of a message is lost: writers put a `>` before lines
that begin with `From ` or with `>`s and `From `, and here one is taken off. `Content-Length`
says nothing: programs that change a message forget to change it.

Everything is read line by line, so that a mailbox may be larger than memory, and with plain reads,
since a mapped file that a mail program cuts meanwhile ends the process.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import sha256_hex
from llmwiki.sources.files import open_regular, too_large, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from pathlib import Path

    from llmwiki.sources.converted import SourceLimits

MAX_MESSAGES = 100_000
"""Separator lines of one mailbox. Each message is a commit; more is an archive, not a source."""

_LONGEST = 1 << 16
"""Bytes of a line that are read at once."""
_HEADER = 1 << 16
"""Bytes in which a message's `Date:` is looked for."""
_SEPARATOR = 1_000
"""Bytes of the longest separator line, and how many at its end hold its time."""
_LONGEST_TIME = 100

_TIME = re.compile(
    rb"""
    \b (?: Mon|Tue|Wed|Thu|Fri|Sat|Sun ) ,? [ ]+
    (?: [A-Z][a-z]{2} [ ]+ \d{1,2} [ ]+ \d{1,2}:\d\d(?::\d\d)? (?: [ ]+ \S+ )? [ ]+ \d{4}
      | \d{1,2} [ ]+ [A-Z][a-z]{2} [ ]+ \d{4} [ ]+ \d{1,2}:\d\d(?::\d\d)? )
    (?: [ ]+ \S+ )? (?: [ ]+ remote [ ]+ from [ ]+ \S+ )? [ ]* \Z
    """,
    re.VERBOSE,
)
"""The end of a separator line: a time as asctime writes it (as RFC 4155 asks) or as a `Date:`
does, with or without a zone, and the host that UUCP adds. Sentences end otherwise."""
_ESCAPED = re.compile(rb">+From ")
_HEADER_END = re.compile(rb"\n\r?\n")
_DATE = re.compile(rb"\nDate:[ \t]*(?:\r?\n[ \t]+)?([^\r\n]{1,200})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MailMessage:
    """One message of a mailbox; its bytes are those an .eml file of it has."""

    start: int
    """Where it begins in the mailbox, in bytes: after the separator line."""
    end: int
    """Where it ends, before the empty line that parts it from the next."""
    size: int
    """Bytes, without what marks lines that begin with `From `."""
    sha256: str
    """Of those bytes, 64 hexadecimal digits."""
    date: str
    """The day of its `Date:` header in UTC, YYYY-MM-DD; `undated` without one."""

    @property
    def name(self) -> str:
        """Its file name, the same wherever in a mailbox it lies."""
        return f"{self.date}-{self.sha256[:8]}.eml"


def is_mailbox(path: str) -> bool:
    """Whether this is the name of a mailbox: many sources, each of which needs its own file."""
    return PurePosixPath(path).suffix.lower() == ".mbox"


def begins_as_mailbox(data: bytes) -> bool:
    """Whether the first line of these bytes is the separator line of a mailbox."""
    return _separates(b"".join(data[:2048].partition(b"\n")[:2]))


def messages(file: Path) -> list[MailMessage]:
    """The messages of a mailbox in their order, those of the same bytes once.

    A last message that was cut is one; a separator line that nothing follows is none. Raises
    InputError when the file is empty, is no mailbox or holds no message, and as `read_bytes`
    does; PolicyError for more than MAX_MESSAGES.
    """
    with open_regular(file) as stream:
        try:
            found = (
                _message(stream, start, end) for start, end in _spans(stream, file) if start < end
            )
            first = {message.sha256: message for message in reversed(list(found))}
        except OSError as error:
            raise unreadable(str(file), error) from error
    if not first:
        raise InputError(
            "the mailbox holds no message", where=str(file), fix="Check that it is complete."
        )
    return sorted(first.values(), key=lambda message: message.start)


def read_message(file: Path, message: MailMessage, limits: SourceLimits) -> bytes:
    """The bytes of one message. Raises PolicyError for one that is larger than `limits` allow,
    InputError where the mailbox has changed since it was split, and as `read_bytes` does."""
    if message.size > limits.max_bytes:
        raise too_large(f"{file}, byte {message.start}", message.size, limits.max_bytes)
    with open_regular(file) as stream:
        try:
            data = b"".join(_unescaped(stream, message.start, message.end))
        except OSError as error:
            raise unreadable(str(file), error) from error
    if sha256_hex(data) != message.sha256:
        raise InputError(
            "the mailbox was changed while it was read",
            where=str(file),
            fix="Wait until the mail program is done with it, and run the same command again.",
        )
    return data


def _spans(stream: BufferedReader, file: Path) -> Iterator[tuple[int, int]]:
    """Where the messages lie: from behind a separator line to before the next."""
    size = stream.seek(0, 2)
    if not size:
        raise InputError("the mailbox is empty", where=str(file))
    lines: list[tuple[int, int]] = []
    for line in _separators(stream, size):
        lines.append(line)
        if len(lines) > MAX_MESSAGES:
            raise PolicyError(
                f"the mailbox holds more than {MAX_MESSAGES:,} messages",
                where=str(file),
                fix="Divide it in the mail program, for instance into one mailbox a year.",
            )
    if not lines or _holds_text(stream, lines[0][0]):
        raise InputError(
            "it is no mailbox: it does not begin with a separator line",
            where=str(file),
            fix="Such a line is `From SENDER Mon Sep 17 00:00:00 2001`. Export it again as mbox, "
            "or, if it is one message, name it .eml.",
        )
    for (_, start), (following, _) in pairwise([*lines, (size, size)]):
        yield start, _without_empty_line(stream, following)


def _holds_text(stream: BufferedReader, end: int) -> bool:
    """Whether anything but a few empty lines stands before `end`."""
    stream.seek(0)
    return end > 1000 or bool(stream.read(end).strip())


def _without_empty_line(stream: BufferedReader, end: int) -> int:
    stream.seek(end - 3)
    tail = stream.read(3)
    return end - (2 if tail == b"\n\r\n" else 1 if tail.endswith(b"\n\n") else 0)


def _separators(stream: BufferedReader, size: int) -> Iterator[tuple[int, int]]:
    """Where each separator line begins, and where what follows it does."""
    # The start of the file counts as after an empty line.
    at, is_apart = 0, True
    for line in _lines(stream, 0, size):
        if is_apart and _separates(line):
            yield at, at + len(line)
        is_apart = line in (b"\n", b"\r\n")
        at += len(line)


def _separates(line: bytes) -> bool:
    bare = line.rstrip(b"\r\n")
    is_one = line.startswith(b"From ") and line.endswith(b"\n") and len(line) <= _SEPARATOR
    return is_one and _TIME.search(bare[-_LONGEST_TIME:]) is not None


def _message(stream: BufferedReader, start: int, end: int) -> MailMessage:
    digest = hashlib.sha256()
    size, head = 0, b""
    for line in _unescaped(stream, start, end):
        if size < _HEADER:
            head += line
        digest.update(line)
        size += len(line)
    return MailMessage(start, end, size, digest.hexdigest(), _day(head[:_HEADER]))


def _day(beginning: bytes) -> str:
    header = b"\n" + beginning
    end = _HEADER_END.search(header)
    date = _DATE.search(header, 0, end.start() if end else len(header))
    return day_of(date[1].decode("ascii", "replace") if date else "")


def _unescaped(stream: BufferedReader, start: int, end: int) -> Iterator[bytes]:
    """The bytes of a message in lines, one `>` less where a line was marked."""
    begins = True
    for line in _lines(stream, start, end):
        yield line[1:] if begins and _ESCAPED.match(line) else line
        begins = line.endswith(b"\n")


def _lines(stream: BufferedReader, start: int, end: int) -> Iterator[bytes]:
    """These bytes in lines; one of more than _LONGEST bytes in pieces."""
    stream.seek(start)
    while start < end and (line := stream.readline(min(_LONGEST, end - start))):
        start += len(line)
        yield line


def sent(text: str) -> datetime | None:
    """The time a `Date:` header tells, with its zone where it tells one; None for no date.

    RFC 5322 writes a time of unknown zone as `-0000`: such a time has no zone here either.
    """
    # Takes 10 ms to load, which only mail is worth.
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None


def day_of(text: str) -> str:
    """The day in UTC, as YYYY-MM-DD; `undated` for what is no date."""
    time = sent(text)
    if time is None:
        return "undated"
    try:
        return (time.astimezone(UTC) if time.tzinfo else time).date().isoformat()
    except OverflowError:
        # Midnight of the first or last day of the calendar, moved out of it by its zone.
        return "undated"
