"""From bytes to text: one way for all formats, whether they say what their encoding is or not."""

from __future__ import annotations

import codecs
import re

from llmwiki.core.errors import InputError
from llmwiki.core.quick_to_load import lazy_pattern

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAME = lazy_pattern(
    r"(?:iso[-_]?8859-|windows-|cp-?)\d{1,5}|koi8-[ru]|(?:x-)?s(?:hift)?[-_]?jis|euc[-_](?:jp|kr|cn)"
    r"|iso-2022-(?:jp|kr)|gbk|gb2312|gb18030|big5(?:-hkscs)?|utf-?8|utf-16(?:[-_]?[lb]e)?"
    r"|latin-?1|macintosh|(?:us-)?ascii|tis-620"
)
"""Encodings of text, as documents and servers name them; other codecs of Python are none."""
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
}
"""What browsers read under these names (WHATWG Encoding Standard, §4.2)."""
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*+=\s*+["']?\s*+([\w.:-]{1,40})""", re.IGNORECASE
)
_TO_JAPANESE = (b"\x1b$B", b"\x1b$@")
"""What switches a text of 7 bits to Japanese in ISO-2022-JP."""
_KANA = lazy_pattern("[ぁ-ヶ]")

_OF_FEW = frozenset("ÐðÝýÞþ")
"""Letters of Icelandic, whose bytes are more often the ğ, ı and ş of Turkish in Windows-1254."""


def decoded(data: bytes) -> str:
    """The text of bytes that say nothing of their encoding, without a byte order mark.

    By that mark, else UTF-16 by its zeros, UTF-8, Japanese by its kana, Windows-1252. The last
    fits nearly any bytes, so it is taken only for text that is mostly ASCII and whose other
    characters look like letters between letters or marks. Raises InputError for anything else,
    for binary bytes and texts without a visible character.
    """
    text = _told(data)
    if b"\0" in data if text is None else "\0" in text:
        raise InputError("it is not text", fix="Check that its extension is right.")
    if text is None:
        raise InputError(
            "its encoding cannot be told",
            fix="Save it as UTF-8, for instance with `iconv -f WINDOWS-1252 -t UTF-8`.",
        )
    if not text.strip():
        raise InputError("it is empty", fix="Check that it is complete.")
    return text


def decoded_as(data: bytes, name: str) -> str | None:
    """The text in the encoding of that name; None where it is none, or not the right one."""
    codec = _codec(name)
    try:
        return data.decode(codec) if codec else None
    except ValueError:
        return None


def decoded_somehow(data: bytes, name: str) -> str:
    """The text as browsers read it, which refuse nothing: `name` is what it says of itself."""
    marked = any(data.startswith(mark) for mark, _ in _MARKS)
    text = None if marked else decoded_as(data, name)
    text = _told(data) if text is None else text
    return data.decode(_codec(name) or "cp1252", "replace") if text is None else text


def decoded_html(data: bytes) -> str:
    """The text of a page: by byte order mark, else by the declaration in it, else UTF-8, else
    Windows-1252; as browsers do."""
    declared = _DECLARED.search(data[:4096])
    name = declared[1].decode("ascii", "replace") if declared else ""
    # Whose declaration is read as ASCII is not UTF-16.
    return decoded_somehow(data, "utf-8" if name.lower().startswith("utf-16") else name)


def _codec(name: str) -> str:
    """Python's name of an encoding; empty for none of text."""
    if not _NAME.fullmatch(name.lower()):
        return ""
    try:
        known = codecs.lookup(name.lower().removeprefix("x-")).name
    except LookupError:
        return ""
    return _SUPERSETS.get(known, known)


def _told(data: bytes) -> str | None:
    marked = next(((len(mark), name) for mark, name in _MARKS if data.startswith(mark)), None)
    size, name = marked or (0, _utf16_by_zeros(data[:4096]))
    if not name and any(mark in data for mark in _TO_JAPANESE):
        name = "iso-2022-jp"
    try:
        return data[size:].decode(name or "utf-8")
    except UnicodeDecodeError:
        return None if marked else _japanese(data) or _western(data)


def _utf16_by_zeros(start: bytes) -> str:
    """UTF-16 without a mark: at least 9 in 10 of the odd bytes (or of the even ones) are zero."""
    pairs = len(start) // 2
    if pairs < 2:
        return ""
    even, odd = start[: 2 * pairs : 2].count(0), start[1 : 2 * pairs : 2].count(0)
    if odd >= 0.9 * pairs and not even:
        return "utf-16-le"
    return "utf-16-be" if even >= 0.9 * pairs and not odd else ""


def _japanese(data: bytes) -> str | None:
    for encoding in ("euc_jp", "cp932"):
        text = data.decode(encoding, "replace")
        foreign = sum(not character.isascii() for character in text)
        if "\ufffd" not in text and 4 * len(_KANA.findall(text)) > foreign:
            return text
    return None


def _western(data: bytes) -> str | None:
    text = data.decode("cp1252", "replace")
    other = [char for char in text if char > "\x7f"]
    latin = [char for char in other if "À" <= char <= "ÿ" and char not in _OF_FEW]
    letters = len(latin) + sum(char in "ŠšŒœŽžŸ–—‘’“”…€°§«»£©® " for char in other)
    is_one = len(other) <= 0.2 * len(text) and letters >= 0.9 * len(other)
    return text if is_one and "\ufffd" not in text else None
