"""A fetched page as a source: the file it is kept in, and what of it is kept."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from llmwiki.core.errors import InputError
from llmwiki.core.text import sha256_hex
from llmwiki.sources.encodings import decoded_as
from llmwiki.sources.formats import CONVERTERS, MARKDOWN, converter_for, is_read
from llmwiki.sources.raw_paths import RAW

if TYPE_CHECKING:
    from llmwiki.sources.web.allowed_address import WebAddress
    from llmwiki.sources.web.fetch import FetchedPage

FOLDER = f"{RAW}/web"
"""Where pages of the web are kept."""
_MOST = 80
"""Characters of a name that are taken from the address."""
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_UNTOLD = frozenset({"", "application/octet-stream", "binary/octet-stream"})
"""Types by which a server says that it does not know."""


def page_path(address: WebAddress, page: FetchedPage, *, is_taken: bool = False) -> str:
    """The file below raw/ of the page at an address: its host, and what its path says.

    With `is_taken`, where another address has that file already, a part of the hash of this address
    stands in the name too. Raises InputError for a page of a kind that is not read.
    """
    ending = _ending(address, page)
    words = unicodedata.normalize("NFC", unquote(address.path)).lower()
    known = PurePosixPath(words).suffix if is_read(words) else ""
    slug = re.sub(r"[^\w.-]+|_+", "-", words.removesuffix(known)).strip("-.")
    host = re.sub(r"[^\w.]+", "-", address.place).strip("-.")
    name = unicodedata.normalize("NFC", f"{host}-{slug}"[:_MOST]).strip("-.")
    if is_taken or address.query:
        name += f"-{address_hash(address.url)}"
    return f"{FOLDER}/{name}.{ending}"


def address_hash(url: str) -> str:
    """What tells an address from others in the name of a file: 8 hexadecimal digits."""
    return sha256_hex(url.encode())[:8]


def page_bytes(path: str, page: FetchedPage) -> bytes:
    """What is kept of a page: its bytes. Plain text of another encoding, which the server names, is
    kept as UTF-8, for nothing in the file would say what it is."""
    if converter_for(path, page.data) is not None:
        return page.data
    text = decoded_as(page.data, page.charset)
    return page.data if text is None else text.encode()


def _ending(address: WebAddress, page: FetchedPage) -> str:
    """The ending that the file gets. Raises InputError for a kind that is not read."""
    ending = PurePosixPath(address.path).suffix.lower().removeprefix(".")
    if page.media_type in _HTML:
        return "html"
    converter = next((c for c in CONVERTERS if c.media_type == page.media_type), None)
    if converter is not None:
        return ending if ending in converter.extensions else converter.name
    if page.media_type == "text/markdown":
        return ending if ending in MARKDOWN else "md"
    if page.media_type in _UNTOLD or page.media_type.startswith("text/"):
        if ending and is_read(f"page.{ending}"):
            return ending
        told = converter_for(f"{FOLDER}/page", page.data)
        if told is not None:
            return told.name
        if page.media_type or b"\0" not in page.data:
            return "txt"
    raise InputError(
        f"the server says that this is {page.media_type or 'binary'}, and that is not read",
        where=address.url,
        fix="`wiki ingest --help` names the endings of those that are, .html among them.",
    )
