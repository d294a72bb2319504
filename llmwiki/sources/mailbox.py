"""Mailboxes (.mbox): the messages in one.

The default format of RFC 4155, appendix A: a message begins with a separator line, `From `,
sender and time, at the start of the file or after an empty line, and ends with an empty line.
Read as mboxrd, the variant in which no line of a message is lost: writers put a `>` before lines
that begin with `From ` or with `>`s and `From `, and here one is taken off. `Content-Length`
says nothing: programs that change a message forget to change it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import sha256_hex
from llmwiki.sources.converted import SourceLimits
from llmwiki.sources.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_BYTES = 256 << 20
"""Of one mailbox, which is held in memory."""
MAX_MESSAGES = 100_000
"""Separator lines of one mailbox. Each message is a commit; more is an archive, not a source."""

_LINE = re.compile(rb"^From [^\n]*\n", re.MULTILINE)
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
_ESCAPED = re.compile(rb"^>(?=>*+From )", re.MULTILINE)
_HEADER_END = re.compile(rb"\n\r?\n")
_DATE = re.compile(rb"\nDate:[ \t]*(?:\r?\n[ \t]+)?([^\r\n]{1,200})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MailMessage:
    """One message of a mailbox."""

    data: bytes = field(repr=False)
    """Those that an .eml file of it has."""
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
    does; PolicyError for more than MAX_BYTES or MAX_MESSAGES.
    """
    try:
        data = read_bytes(file, SourceLimits(max_bytes=MAX_BYTES))
    except PolicyError as error:
        raise _too_much(file, f"has more than {MAX_BYTES:,} bytes") from error
    if not data:
        raise InputError("the mailbox is empty", where=str(file))
    lines = list(_separators(data))
    if len(lines) > MAX_MESSAGES:
        raise _too_much(file, f"holds more than {MAX_MESSAGES:,} messages")
    if not lines or data[: lines[0][0]].strip():
        raise InputError(
            "it is no mailbox: it does not begin with a separator line",
            where=str(file),
            fix="Such a line is `From SENDER Mon Sep 17 00:00:00 2001`. Export it again as mbox, "
            "or, if it is one message, name it .eml.",
        )
    ends = pairwise([*lines, (len(data), len(data))])
    held = (_without_empty_line(data[start:end]) for (_, start), (end, _) in ends)
    found = {each: _message(each) for each in dict.fromkeys(held) if each}
    if not found:
        raise InputError(
            "the mailbox holds no message", where=str(file), fix="Check that it is complete."
        )
    return list(found.values())


def _too_much(file: Path, what: str) -> PolicyError:
    return PolicyError(
        f"the mailbox {what}",
        where=str(file),
        fix="Divide it in the mail program, for instance into one mailbox a year.",
    )


def _separators(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each separator line begins, and where what follows it does."""
    for found in _LINE.finditer(data):
        before = data[max(0, found.start() - 3) : found.start()]
        # The start of the file counts as after an empty line.
        is_apart = before.endswith((b"\n\n", b"\n\r\n")) or before in (b"", b"\n", b"\r\n")
        if is_apart and _separates(found[0]):
            yield found.span()


def _separates(line: bytes) -> bool:
    bare = line.rstrip(b"\r\n")
    is_one = line.startswith(b"From ") and line.endswith(b"\n") and len(line) <= _SEPARATOR
    return is_one and _TIME.search(bare[-_LONGEST_TIME:]) is not None


def _without_empty_line(data: bytes) -> bytes:
    if data == b"\r\n" or data.endswith(b"\n\r\n"):
        return data[:-2]
    return data[:-1] if data == b"\n" or data.endswith(b"\n\n") else data


def _message(marked: bytes) -> MailMessage:
    data = _ESCAPED.sub(b"", marked)
    header = b"\n" + data[:_HEADER]
    end = _HEADER_END.search(header)
    date = _DATE.search(header, 0, end.start() if end else len(header))
    day = day_of(date[1].decode("ascii", "replace") if date else "")
    return MailMessage(data, sha256_hex(data), day)


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
