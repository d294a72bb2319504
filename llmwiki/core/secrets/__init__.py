"""Keys and passwords in text, found before a model or a commit sees them. Pure.

`tokens` finds secrets by their shape, `carriers` places where only a secret can stand, `named`
values behind names and in columns below them; `values` tells a secret from a placeholder. All read
the text as `plain` gives it. Tables of patterns are imported by the functions that need them: most
commands read no page that could hold a secret.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from llmwiki.core.errors import PolicyError
from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.core.secrets.text_without_disguise import PlainText, hides, plain
from llmwiki.core.text import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MARKER = "[REDACTED_SECRET]"
"""What stands for a secret in messages and in what a model is shown."""


class Secret(NamedTuple):
    """One secret in a text. It does not hold the secret itself, so it may be printed."""

    kind: str
    """What found it: `github-token`, or `assignment` for a value behind a name."""
    line: int
    """From 1, LF counted."""
    preview: str
    """Its first characters, at most 4 and a quarter of it, and its length."""
    digest: str
    """First 16 hexadecimal digits of its SHA-256: what `--allow-secret` takes."""


def scan(text: str, *, allowed: Collection[str] = ()) -> tuple[Secret, ...]:
    """The secrets of a text in the order they stand in, save those whose digest is `allowed`.

    Placeholders are not secrets: whatever says EXAMPLE (as the keys of AWS's documentation do),
    `your-…`, `xxxx`, `${…}`, words such as `changeme`; nor are digests, UUIDs without the name of
    a key, paths or terms. The digest is of the secret without what hides it (see `PlainText`).
    """
    found: list[Secret] = []
    line, seen = 1, 0
    read = plain(text)
    for start, end, kind in _spans(read):
        first, _ = read.original(start, end)
        line += text.count("\n", seen, first)
        seen = first
        secret = _describe(kind, line, read.text[start:end])
        if secret.digest not in allowed:
            found.append(secret)
    return tuple(found)


def redacted(text: str) -> str:
    """The text with every secret replaced by MARKER."""
    if not may_hold(text):
        return text
    parts: list[str] = []
    last = 0
    read = plain(text)
    for start, end, _ in _spans(read):
        first, behind = read.original(start, end)
        parts += [text[last:first], MARKER]
        last = behind
    return "".join([*parts, text[last:]])


def refuse(
    texts: Iterable[str],
    *,
    allowed: Collection[str],
    what: str,
    where: str = "",
    fix: str = "Take it out, or run it again with {allow}",
) -> None:
    """Raises PolicyError where one of the texts holds a secret; `what` names them: `the answer`.

    The message tells kind, line and beginning of each, never the secret; in `fix` the options that
    allow all of them take the place of `{allow}`.
    """
    found: dict[str, Secret] = {}
    for text in texts:
        for each in scan(text, allowed=allowed):
            found.setdefault(each.digest, each)
    if found:
        told = [f"{each.kind} in line {each.line} ({each.preview})" for each in found.values()]
        many = f"{len(found)} secrets" if len(found) > 1 else "a secret"
        raise PolicyError(
            f"{what} holds what looks like {many}: {'; '.join(told)}",
            where=where,
            fix=fix.replace("{allow}", " ".join(f"--allow-secret {each}" for each in found)),
        )


_OWN_ID = lazy_pattern(
    r"[^\^]*\^[cn]-[0-9a-z]{10}\W*|[0-9a-f]{64}\W*|llmwiki[a-z-]*/[0-9.]++\W*|\W*sha256\W*"
    r"|[a-z]-[0-9a-f]{8}\W*",
    re.DOTALL,
)
"""What every page has: ids of claims, sources and blocks, digests, versions."""
_SHORT = 6
"""Characters of a password, at least (`looks_like_a_secret.MIN_STATED`)."""
_LONG = 16
"""Characters of a token that is recognised by its shape, at least."""
_RUN = re.compile(r"[A-Za-z0-9_+/=-]{16}")
_MIXED = re.compile(r"[0-9A-Z](?:(?<=[0-9])|[^A-Z ]*[A-Z][^A-Z ]*[A-Z])")
_BESIDE = lazy_pattern(r"[A-Za-z][^A-Za-z0-9]*+[0-9]|[0-9][^A-Za-z0-9]*+[A-Za-z]")
_IN_ADDRESS = re.compile(r"://[^\s/@]{0,400}@")
_OF_A_DATABASE = re.compile(r":(?:\d{2,5}|\*):[\w*-]{1,60}:")


def may_hold(text: str) -> bool:
    """Whether a scan is worth its time: most pages have no word that could be a secret. Quick.

    A secret has a digit or several capitals, and is a run of sixteen characters or more, or has
    letters beside digits and stands behind a word that `named` or `carriers` know. Passwords of
    letters alone count in addresses only.
    """
    if hides(text):
        text = plain(text).text
    if "-----BEGIN" in text or ("@" in text and _IN_ADDRESS.search(text)):
        return True
    words = [word for word in text.split() if len(word) >= _SHORT]
    # Asked of all at once first: on many pages that is the end of it.
    if not _MIXED.search(" ".join(words)):
        return False
    words = [word for word in words if _MIXED.search(word) and not _OWN_ID.fullmatch(word)]
    if any(_RUN.search(word) for word in words):
        return True
    words = [word for word in words if _BESIDE.search(word)]
    if not words:
        return False
    from llmwiki.core.secrets.looks_like_a_secret import is_said, is_term

    if all(len(word) < _LONG and is_term(word) and not is_said(word) for word in words):
        return False
    lowered = text.encode(errors="replace").lower()
    return any(hint in lowered for hint in _hints()) or _OF_A_DATABASE.search(text) is not None


@cache
def _hints() -> tuple[bytes, ...]:
    """Words that a password stands behind. As bytes, which are searched faster."""
    from llmwiki.core.secrets import commands_and_addresses, named_values

    words = {*named_values.HINTS, *commands_and_addresses.HINTS}
    return tuple(
        sorted(
            form.encode()
            for word in words
            # What holds another of them is found with that.
            if not any(other in word for other in words if other != word)
            # Bytes are lowered as ASCII only: Пароль.
            for form in {word, word.capitalize() if not word[0].isascii() else word}
        )
    )


def _describe(kind: str, line: int, value: str) -> Secret:
    shown = value[: min(4, len(value) // 4)] if kind != "private-key" else ""
    digest = sha256_hex(value.encode(errors="surrogatepass"))[:16]
    return Secret(kind, line, f"{shown}… ({len(value)} characters)", digest)


def _spans(read: PlainText) -> list[tuple[int, int, str]]:
    """Start, end and kind of each secret, in order; those that overlap are one."""
    from llmwiki.core.secrets import commands_and_addresses, key_shapes, named_values

    text = read.text
    lowered = text.lower()
    if len(lowered) != len(text):
        # One letter, İ, becomes two; places in both texts have to agree.
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    names = list(named_values.names(text, lowered))
    found = [
        *key_shapes.find((*key_shapes.SHAPES, *commands_and_addresses.CARRIERS), text, lowered)
    ]
    found += [*named_values.find(text, names), *named_values.find_in_columns(text, names)]
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, kind))
    return merged
