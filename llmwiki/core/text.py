"""Text as data: one normal form for what is stored, one folded form for what is compared.

Of a text that is looked at sign by sign the length is bounded, so that no page or source may hold a
command: what is longer is cut for looking, never refused and never lost.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from llmwiki.core.quick_to_load import lazy_pattern

LONGEST_NAME = 500
"""Characters of a title, alias or tag that tell names apart; the rest counts as a whole. Titles of
books and papers stay below 300."""

_Row = TypeVar("_Row")

MOST_NESTED = 100
"""Quotations and lists inside one another; what opens deeper is text, as to most renderers, whose
bound this is (`maxNesting` of markdown-it). Each is looked at for each line."""

MOST_DIGITS = 18
"""Digits of a number that is counted with, so that it fits 64 bits; Python itself refuses to read
more than 4300 (`sys.set_int_max_str_digits`)."""


CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
"""Lower-case Crockford base32: digits and letters without i, l, o, u (crockford.com/base32)."""

DROPPED = lazy_pattern("[\ud800-\udfff\ufeff\u200b\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""What goes from text that is stored or shown: it has no shape of its own and turns what has."""
UNSAFE = lazy_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff]"
)
"""What moves a cursor, changes direction, or is no character; tabs and line feeds are none."""
_BLANKS = lazy_pattern(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")

_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        "\u2026": "...",
        "\u00ad": "",
        "\u200c": "",
        "\u200d": "",
        "\u2060": "",
    }
)

BYTES_PER_TOKEN = 3
"""Of UTF-8: low for English (about 4), high for Chinese; an estimate that errs on the safe side."""


def normalise(text: str) -> str:
    """The form in which text from a model, a source or a person is stored as data.

    Surrogates, U+FEFF, U+200B, bidirectional controls (U+202A to E, U+2066 to 9) and tag
    characters go; each run of white space and control characters becomes one blank; the ends are
    trimmed. What is left may be empty: callers refuse that.
    """
    if text.isprintable():
        # No blank but U+0020 is printable, and nothing of what is dropped.
        return " ".join(text.split())
    return _BLANKS.sub(" ", DROPPED.sub("", text)).strip(" ")


def is_text(name: str) -> bool:
    """Whether a name, such as one of a file, is UTF-8."""
    return name.isascii() or name.encode("utf-8", "replace").decode() == name


def cut(text: str, length: int) -> str:
    """At most `length` characters of a text; a longer one ends in `…`: at a blank where one is
    near, else anywhere, for Chinese and Japanese have none."""
    if len(text) <= length:
        return text
    blank = text.rfind(" ", 0, length - 1)
    if blank > length // 2:
        return f"{text[:blank].rstrip()} …"
    return f"{text[: length - 1].rstrip()}…"


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 page`, `2 pages`; `plural` where an s does not make it."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def listed(words: Sequence[str]) -> str:
    """Words as a list: `a, b and c`; empty for none."""
    return ", ".join(words[:-1]) + f" and {words[-1]}" if len(words) > 1 else "".join(words)


def packed(
    rows: Iterable[_Row], size: Callable[[_Row], int], room: int, most: int | None = None
) -> Iterator[list[_Row]]:
    """Rows in their order, in lists whose sizes come to `room` and that have `most` rows at most;
    a row that is larger stands alone. Rows are taken as far as lists are."""
    held: list[_Row] = []
    total = 0
    for row in rows:
        cost = size(row)
        if held and (len(held) == most or total + cost > room):
            yield held
            held, total = [], 0
        held.append(row)
        total += cost
    if held:
        yield held


def nearest(word: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The known words that a misspelt one may mean, the most alike first."""
    import difflib

    return difflib.get_close_matches(word, list(dict.fromkeys(known)), n=most)


def fold(text: str) -> str:
    """The form in which quotes and claims are compared: NFKC, one quote and dash, blanks, case."""
    if text.isascii():
        return normalise(text).lower()
    plain = unicodedata.normalize("NFKC", normalise(text).translate(_TYPOGRAPHY))
    return normalise(plain.translate(_TYPOGRAPHY)).casefold()


def tokens_of(size: int) -> int:
    """An estimate of the tokens in so many bytes of UTF-8."""
    return -(-size // BYTES_PER_TOKEN)


def digest32(parts: tuple[str, ...], length: int = 10) -> str:
    """`length` characters of lower-case Crockford base32 of the SHA-256 of `parts`.

    Parts are joined by NUL, which normalised text cannot hold, so two lists never collide by
    concatenation. At most 51 characters (256 bits in groups of five).
    """
    import hashlib

    number = int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest(), "big")
    return "".join(CROCKFORD[(number >> (251 - 5 * i)) & 31] for i in range(length))


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of bytes, as 64 lower-case hexadecimal digits."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def fold_quote(text: str) -> str:
    """The form in which a quote is looked for in a text: like `fold`, but case counts."""
    if text.isascii():
        return normalise(text)
    plain = unicodedata.normalize("NFKC", normalise(text).translate(_TYPOGRAPHY))
    return normalise(plain.translate(_TYPOGRAPHY))


NAMED = 16
"""Hexadecimal digits of the hash that names a fence."""


def fence(name: str, text: str) -> str:
    """`text` between `<<<name hash` and `hash name>>>`; no line break behind the second.

    The hash is taken of the text, so that nobody can write the closing line into it beforehand;
    should it be there all the same, another hash is taken. A text whose last line is ended gets
    no blank line before the closing one. Pure.
    """
    salt = 0
    while True:
        token = sha256_hex(f"{salt}\0{name}\0{text}".encode("utf-8", "replace"))[:NAMED]
        if token not in text:
            return f"<<<{name} {token}\n{text.removesuffix(chr(10))}\n{token} {name}>>>"
        salt += 1
