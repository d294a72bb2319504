"""Bytes of a text format as characters, where the format itself does not name its encoding."""

from __future__ import annotations

import codecs

from llmwiki.core.errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAVE_AS_UTF8 = "Save it as UTF-8, for instance with `iconv -f SHIFT_JIS -t UTF-8`."


def decoded(data: bytes) -> str:
    """The text: by byte order mark, else UTF-8, else UTF-16 by its zeros, else Windows-1252.

    Windows-1252 fits nearly any bytes, so it is taken only for text that is mostly ASCII and
    whose other characters look like letters between letters or marks. Line ends become LF.
    Raises InputError for anything else, binary bytes and texts without a visible character.
    """
    text = _text(data).replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise InputError("it is binary, not text", fix="Check that its extension is right.")
    if not text.strip():
        raise InputError("it is empty", fix="Check that it is complete.")
    return text


def _text(data: bytes) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], name)
    if name := _utf16_by_zeros(data[:4096]):
        return _strict(data, name)
    try:
        return data.decode()
    except UnicodeDecodeError:
        pass
    text = _strict(data, "cp1252")
    if not _is_western(text):
        raise InputError("its encoding cannot be told", fix=_SAVE_AS_UTF8)
    return text


def _strict(data: bytes, name: str) -> str:
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        raise InputError(
            f"its encoding cannot be told: byte {error.start} is not {name}", fix=_SAVE_AS_UTF8
        ) from error


def _utf16_by_zeros(start: bytes) -> str:
    """UTF-16 without a mark: at least 9 in 10 of the odd bytes (or of the even ones) are zero."""
    pairs = len(start) // 2
    if pairs < 2:
        return ""
    even, odd = start[: 2 * pairs : 2].count(0), start[1 : 2 * pairs : 2].count(0)
    if odd >= 0.9 * pairs and not even:
        return "utf-16-le"
    return "utf-16-be" if even >= 0.9 * pairs and not odd else ""


def _is_western(text: str) -> bool:
    other = [char for char in text if char > "\x7f"]
    letters = sum("À" <= char <= "ÿ" or char in "ŠšŒœŽžŸ–—‘’“”…€°§«»£©® " for char in other)
    return len(other) <= 0.2 * len(text) and letters >= 0.9 * len(other)
