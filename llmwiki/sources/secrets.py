"""Keys and passwords in text, found before a model or a commit sees them."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.sources.secret_rules import ASSIGNMENT, ASSIGNMENT_HINTS, RULES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

MARKER = "[REDACTED_SECRET]"
"""What stands for a secret in messages and transcripts."""

MIN_ENTROPY = 3.3
"""Bits a character (Shannon, over the value itself) below which `name = value` is a word."""

_PLACEHOLDER = re.compile(
    r"example|sample|dummy|placeholder|change[_-]?me|redacted|your[_-]|x{6,}|\*{3,}|\.{3}|…"
    r"|<|\$\{|\{\{|%\(",
    re.IGNORECASE,
)
_FILLER = re.compile(r"replace|insert|foobar|0{8,}|1234567|abcdef", re.IGNORECASE)
"""What stands for a value in documentation, where no known prefix says that it is a real one."""
_NO_SECRET_NAME = re.compile(
    r"sha|hash|digest|checksum|finger|public|etag|idempot|tokeni[sz]|page[_-]?token|next|csrf",
    re.IGNORECASE,
)
_PLAIN_PASSWORD = re.compile(
    r"(?:\$\w+|\{\w+\}|%\w+%|pass(?:word|wd)?|pwd|secret|user(?:name)?|token|admin|hunter2)",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"""
      [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}     # UUID
    | (?:sha|md)\d+[-:=].*                                              # digest that says so
    | [A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+(?:\(.*)?    # a.b.c in code
    | [\w.-]*/[\w./-]*\.[a-z]{1,5}                                    # path
    | /[\w.-]+(?:/[\w.-]+)+                                          # path from the root
    | v?\d+(?:[.:_-]\d+)+\w*                                          # version, date, time
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORDS = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+|\d{1,4})(?:[_.+/=-]+(?:[A-Z]?[a-z]+|[A-Z]+|\d{1,4}))*")


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret in a text. It does not hold the secret itself, so it may be printed."""

    kind: str
    """The rule that found it: `github-token`, or `assignment` for a random-looking value."""
    line: int
    """From 1, LF counted."""
    preview: str
    """Its first characters, at most 4 and a quarter of it, and its length."""
    digest: str
    """First 16 hexadecimal digits of its SHA-256: what `--allow-secret` takes."""


def scan(text: str, *, allowed: Collection[str] = ()) -> tuple[Secret, ...]:
    """The secrets of a text in the order they stand in, save those whose digest is `allowed`.

    Known shapes of tokens (see `secret_rules`), and values that look random behind a name such
    as `api_key =`. Placeholders are not secrets: whatever says EXAMPLE (as the keys of AWS's
    documentation do), `your-…`, `xxxx`, `${…}`; nor are digests, UUIDs, paths or words.
    """
    found: list[Secret] = []
    line, seen = 1, 0
    for start, end, kind in _spans(text):
        line += text.count("\n", seen, start)
        seen = start
        secret = _describe(kind, line, text[start:end])
        if secret.digest not in allowed:
            found.append(secret)
    return tuple(found)


def redacted(text: str) -> str:
    """The text with every secret replaced by MARKER."""
    parts: list[str] = []
    last = 0
    for start, end, _ in _spans(text):
        parts += [text[last:start], MARKER]
        last = end
    return "".join([*parts, text[last:]])


def _describe(kind: str, line: int, value: str) -> Secret:
    shown = value[: min(4, len(value) // 4)] if kind != "private-key" else ""
    digest = hashlib.sha256(value.encode(errors="surrogatepass")).hexdigest()[:16]
    return Secret(kind, line, f"{shown}… ({len(value)} characters)", digest)


def _spans(text: str) -> list[tuple[int, int, str]]:
    """Start, end and kind of each secret, in order; those that overlap are one."""
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(_candidates(text), key=lambda span: span[0]):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, kind))
    return merged


def _candidates(text: str) -> Iterator[tuple[int, int, str]]:
    lowered = text.lower()
    for rule in RULES:
        if not any(hint in lowered for hint in rule.hints):
            continue
        for match in rule.pattern.finditer(text):
            group = "s" if "s" in rule.pattern.groupindex else 0
            if not _is_placeholder(match[group], rule.kind):
                yield (*match.span(group), rule.kind)
    if any(hint in lowered for hint in ASSIGNMENT_HINTS):
        for match in ASSIGNMENT.finditer(text):
            if not _NO_SECRET_NAME.search(match["name"]) and _looks_random(match["s"]):
                yield (*match.span("s"), "assignment")


def _is_placeholder(value: str, kind: str) -> bool:
    if kind in ("private-key", "putty-key"):
        return "..." in value or "…" in value
    if kind in ("url-password", "connection-password") and _PLAIN_PASSWORD.fullmatch(value):
        return True
    return _PLACEHOLDER.search(value) is not None or len(set(value)) < 5


def _looks_random(value: str) -> bool:
    """Letters and digits mixed beyond what words, names and identifiers do."""
    value = value.rstrip(".,;:!?*")
    if len(value) < 12 or _IDENTIFIER.fullmatch(value):
        return False
    if _PLACEHOLDER.search(value) or _FILLER.search(value):
        return False
    has_both = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    if not has_both or _WORDS.fullmatch(value):
        return False
    return entropy(value) >= MIN_ENTROPY


def entropy(value: str) -> float:
    """Shannon's entropy of the characters of `value`, in bits a character."""
    total = len(value)
    return -sum(
        count / total * math.log2(count / total) for _, count in sorted(Counter(value).items())
    )
