"""Sentences in which the words of documents and people are kept apart from ours.

Who prints a sentence decides how such words are made safe: cleaned on a terminal, in code in
Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from llmwiki.core.claim_attributes import BY_NAME
from llmwiki.core.text import cut, normalise
from llmwiki.pages.page import Claim

LONGEST = 1_200
"""Characters of one text of others that are shown."""


class Said(NamedTuple):
    """Words that are not ours."""

    text: str


Words = tuple["str | Said", ...]
_STANCES = {
    each: each for each in BY_NAME["stance"].values
} | {"rejected": "denied"}  # fmt: skip
_BEFORE = frozenset({"stance", "speaker"})
_OF_NOTES = frozenset({"kind", "on", "session", "turn"})
"""Attributes of a note that say how it came to memory."""


def spoken(words: Words) -> str:
    """A sentence as plain text on one line; each text of others is cut where it is very long."""
    return "".join(
        word if isinstance(word, str) else cut(normalise(word.text), LONGEST) for word in words
    )


def qualified(claim: Claim) -> Words:
    """A claim with all that changes what it means: `denied (Bob): The crane fails (scope: in
    frost; load = 80 t)`."""
    text: Words = (*_before(claim), Said(claim.text))
    behind = list(_behind(claim))
    if not behind:
        return text
    joined = [word for words in behind for word in ("; ", *words)][1:]
    return (*text, " (", *joined, ")")


def _before(claim: Claim) -> Words:
    stance, speaker = (claim.attribute(name) or "" for name in ("stance", "speaker"))
    held: Words = (_STANCES.get(stance, Said(stance)),) if stance else ()
    if not speaker:
        return (*held, ": ") if held else ()
    return (*held, " (", Said(speaker), "): ") if held else (Said(speaker), ": ")


def _behind(claim: Claim) -> Iterator[Words]:
    is_note = claim.id.startswith("n-")
    for name, op, value in claim.attributes:
        if op == "=":
            yield Said(name), " = ", Said(value)
        elif name in _BEFORE or "#^" in value or (is_note and name in _OF_NOTES):
            continue
        elif (name, value) != ("told by", "person"):
            yield (f"{name}: " if name in BY_NAME else Said(name + ": ")), Said(value)
