"""Text of others between two lines of a prompt that it can neither close nor imitate."""

from __future__ import annotations

from llmwiki.core.text import sha256_hex

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
