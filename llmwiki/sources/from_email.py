"""E-mail messages (.eml) to text with Python's own reader. Runs in the converting process only."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import llmwiki
from llmwiki.core.errors import InputError
from llmwiki.sources.converted import Converted, tidy
from llmwiki.sources.gather import Gathered

if TYPE_CHECKING:
    from email.message import Message

_PEOPLE = ("From", "To", "Cc")
MAX_PEOPLE = 1_000
"""Characters of a line of addresses."""


def convert(data: bytes, cap: int) -> Converted:
    """`# subject`, `From:`, `To:`, `Cc:` and `Date:` lines, the text, and attachments by name.

    The plain text is preferred to the HTML. Attachments, attached messages too, are named and
    not read. `cap` bounds the characters gathered. Raises InputError for what is no message.
    """
    message = email.message_from_bytes(data, policy=email.policy.default)
    if not any(name in message for name in ("From", "To", "Date", "Subject", "Message-ID")):
        raise InputError(
            "it is no e-mail message: it has none of their headers",
            fix="Save the message from the mail program as .eml.",
        )
    assert isinstance(message, EmailMessage)
    out = Gathered(cap)
    for line in _head(message):
        out.add(line)
    text = _text(message)
    if text:
        out.part()
        out.add(text)
    out.part()
    for part in message.walk():
        if name := _attachment(part):
            out.add(name)
    return Converted(out.text(), f"llmwiki-email/{llmwiki.__version__}")


def _head(message: EmailMessage) -> list[str]:
    subject = _header(message, "Subject")
    lines = [f"# {subject}"] if subject else []
    for name in _PEOPLE:
        if people := _header(message, name):
            lines.append(f"{name}: {people[:MAX_PEOPLE]}")
    date = _header(message, "Date")
    if date:
        try:
            lines.append(f"Date: {parsedate_to_datetime(date).isoformat(' ', 'minutes')}")
        except ValueError:
            lines.append(f"Date: {date[:100]}")
    return lines


def _header(message: EmailMessage, name: str) -> str:
    return " ".join(str(message.get(name, "")).split())


def _text(message: EmailMessage) -> str:
    for kind in ("plain", "html"):
        body = message.get_body(preferencelist=(kind,))
        if body is not None and (text := _decoded(body)).strip():
            return _from_html(text) if kind == "html" else text.strip("\n")
    return ""


def _decoded(body: Message) -> str:
    raw = body.get_payload(decode=True)
    if not isinstance(raw, bytes):
        return ""
    for charset in (body.get_content_charset() or "utf-8", "utf-8"):
        try:
            return raw.decode(charset)
        except (LookupError, UnicodeDecodeError):
            continue
    return raw.decode("cp1252", "replace")


def _from_html(text: str) -> str:
    from llmwiki.sources.html_text import visible_text
    from llmwiki.sources.html_tree import drop_hidden, parse

    # The mark at its start overrules what the page itself says of its encoding.
    tree = parse(text.encode("utf-8-sig"))
    drop_hidden(tree)
    return tidy(visible_text(tree))


def _attachment(part: Message) -> str:
    if part.is_multipart() and part.get_content_type() != "message/rfc822":
        return ""
    name = " ".join((part.get_filename() or "").split())[:200]
    if not name and part.get_content_disposition() != "attachment":
        return ""
    kind = part.get_content_type()
    return f"[attachment: {name or 'without a name'}, {kind}]"
