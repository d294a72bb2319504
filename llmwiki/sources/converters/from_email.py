"""E-mail messages (.eml) to text with Python's own reader. Runs in the converting process only."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from datetime import datetime
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime

from llmwiki.core.errors import InputError
from llmwiki.sources.converters.numbered_text_writer import Gathered
from llmwiki.sources.encodings import decoded_somehow

_PEOPLE = ("From", "To", "Cc")
MAX_PEOPLE = 1_000
"""Characters of a line of addresses."""
_ENCLOSED = "message/rfc822"
_HEADER_END = re.compile(rb"\r?\n\r?\n")


def convert(data: bytes, out: Gathered) -> None:
    """`# subject`, `From:`, `To:`, `Cc:` and `Date:` lines, the text, and attachments by name.

    Of alternatives the plain text is preferred to the HTML. A message that is enclosed in this
    one follows `[enclosed message]` in the same form; other attachments are named and not read.
    Raises InputError for what is no message.
    """
    if data.startswith(b"From ") and b"\n\nFrom " in data:
        raise InputError(
            "it is a mailbox, not one message",
            fix="`git mailsplit -oFOLDER MAILBOX` parts it into messages; ingest their folder.",
        )
    policy = email.policy.EmailPolicy(header_factory=_headers())
    message = email.message_from_bytes(_in_utf8(data), policy=policy)
    if not any(name in message for name in ("From", "To", "Date", "Subject", "Message-ID")):
        raise InputError(
            "it is no e-mail message: it has none of their headers",
            fix="Save the message from the mail program as .eml.",
        )
    assert isinstance(message, EmailMessage)
    for line in _head(message):
        out.add(line)
    for text in _texts(message):
        out.part()
        out.add(text)
    out.part()
    for part in message.walk():
        if name := _attachment(part):
            out.add(name)


def _headers() -> HeaderRegistry:
    """Headers that are shown count as text: the parser of addresses fails on some that are sent."""
    headers = HeaderRegistry()
    for name in (*_PEOPLE, "Date"):
        del headers.registry[name.lower()]
    return headers


def _in_utf8(data: bytes) -> bytes:
    """The message, its header as UTF-8 where it is raw text of another encoding."""
    end = _HEADER_END.search(data)
    header = data[: end.start()] if end else data
    text = decoded_somehow(header, "")
    return text.encode() + data[len(header) :]


def _head(message: EmailMessage, mark: str = "#") -> list[str]:
    subject = _header(message, "Subject")
    lines = [f"{mark} {subject}"] if subject else []
    for name in _PEOPLE:
        if people := _header(message, name):
            lines.append(f"{name}: {people[:MAX_PEOPLE]}")
    date = _header(message, "Date")
    if date:
        time = _sent(date)
        lines.append(f"Date: {time.isoformat(' ', 'minutes') if time else date[:100]}")
    return lines


def _sent(text: str) -> datetime | None:
    """The time a `Date:` header tells, with its zone where it tells one; None for no date."""
    try:
        return parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None


def _header(message: EmailMessage, name: str) -> str:
    return " ".join(str(message.get(name, "")).split())


def _texts(part: Message) -> Iterator[str]:
    """The texts of a message in their order: of its parts, one of each set of alternatives."""
    kind = part.get_content_type()
    children = [child for child in _children(part) if _is_text(child)]
    if kind == _ENCLOSED:
        for child in children:
            assert isinstance(child, EmailMessage)
            yield "\n".join(["[enclosed message]", *_head(child, "##")])
            yield from _texts(child)
    elif kind == "multipart/alternative" and children:
        plain = [child for child in children if child.get_content_type() == "text/plain"]
        given = (list(_texts(child)) for child in (*plain, *reversed(children)))
        yield from next((texts for texts in given if texts), [])
    elif children:
        for child in children:
            yield from _texts(child)
    elif text := _text(part):
        yield text


def _children(part: Message) -> list[Message]:
    held = part.get_payload()
    return [child for child in held if not isinstance(child, str)] if part.is_multipart() else []


def _is_text(part: Message) -> bool:
    """Whether a part is for reading where it stands: enclosed messages are, files are not."""
    if part.is_multipart():
        return True
    kind = part.get_content_type()
    is_file = part.get_filename() or part.get_content_disposition() == "attachment"
    return kind in ("text/plain", "text/html") and not is_file


def _text(part: Message) -> str:
    """The text of a part; a multipart whose parts cannot be told apart is text as it stands."""
    raw = part.get_payload(decode=True)
    if not isinstance(raw, bytes) or part.get_content_maintype() not in ("text", "multipart"):
        return ""
    text = decoded_somehow(raw, part.get_content_charset() or "")
    if part.get_content_type() == "text/html":
        return _from_html(text)
    return text.strip("\n") if text.strip() else ""


def _from_html(text: str) -> str:
    from llmwiki.sources.converters.html_elements import drop_hidden, parse
    from llmwiki.sources.converters.html_text import visible_text

    # The mark at its start overrules what the page itself says of its encoding.
    tree = parse(text.encode("utf-8-sig"))
    drop_hidden(tree)
    return visible_text(tree)


def _attachment(part: Message) -> str:
    if part.is_multipart():
        return ""
    name = " ".join((part.get_filename() or "").split())[:200]
    if not name and part.get_content_disposition() != "attachment":
        return ""
    kind = part.get_content_type()
    return f"[attachment: {name or 'without a name'}, {kind}]"
