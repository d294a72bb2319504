"""Acronyms and what they stand for, where the letters match."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llmwiki.language.plurals import word_set

_SHORT = r"[A-Z][A-Za-z0-9&.-]{1,9}"
_AFTER = re.compile(rf"[(（]\s*[\"“]?(?P<short>{_SHORT})[\"”]?\s*[)）;,；]")
_BEFORE = re.compile(rf"(?<![\w-])(?P<short>{_SHORT})\s*[(（](?P<long>[^()（）\n]{{4,90}})[)）]")
_STANDS = re.compile(
    rf"(?<![\w-])(?P<short>{_SHORT})\s+(?:stands\s+for|is\s+short\s+for|\(?short\s+for|means|"
    r"is\s+an\s+acronym\s+for|abbreviates)\s+(?P<long>[^.,;()\n]{4,90})"
)
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
_LINKS = word_set("of and the for in to on a an with by or at from & de la des")


@dataclass(frozen=True, slots=True)
class Expansion:
    """An acronym and its long form, as the document writes them."""

    short: str
    long: str


def _is_acronym(short: str) -> bool:
    capitals = sum(1 for character in short if character.isupper())
    return capitals >= 2 and not short.isdigit() and capitals * 2 >= len(short.rstrip("s"))


def match_before(short: str, text: str) -> str:
    """The words at the end of `text` that `short` abbreviates; empty when the letters differ.

    After Schwartz and Hearst (2003), stricter: every letter starts a word or a part of one, and
    only linking words may go unnamed.
    """
    letters = [c.casefold() for c in short.removesuffix("s") if c.isalnum()]
    words = list(_WORD.finditer(text))[-2 * len(letters) - 2 :]
    at = len(letters) - 1
    for index in range(len(words) - 1, -1, -1):
        word = words[index][0]
        folded = word.casefold()
        taken = _take(letters, at, word)
        if taken == 0:
            if folded in _LINKS and at < len(letters) - 1:
                continue
            return ""
        at -= taken
        if at < 0:
            return text[words[index].start() : words[-1].end()]
    return ""


def _take(letters: list[str], at: int, word: str) -> int:
    """How many letters, up to `at`, the word stands for: its initial and inner capitals."""
    heads = [word[0].casefold(), *(c.casefold() for c in word[1:] if c.isupper())]
    if word.isupper():
        heads = list(word.casefold())
    for count in range(min(len(heads), at + 1), 0, -1):
        if letters[at - count + 1 : at + 1] == heads[:count]:
            return count
    return 0


def expansions(text: str) -> list[Expansion]:
    """The acronyms explained in a plain text, each with its long form, in order."""
    found: list[Expansion] = []
    if "(" in text or "（" in text:
        for match in _AFTER.finditer(text):
            short = match["short"].rstrip(".-")
            if not _is_acronym(short):
                continue
            before = text[max(0, match.start() - 120) : match.start()].rstrip(" \"”'*")
            long = match_before(short, re.split(r"[.;:!?,()（）。、]", before)[-1])
            if long:
                found.append(Expansion(short, long))
        found.extend(_explained(text, _BEFORE))
    if " for " in text or "means" in text or "abbreviates" in text:
        found.extend(_explained(text, _STANDS))
    return [one for one in found if len(one.long.split()) > 1 or "-" in one.long]


def _explained(text: str, pattern: re.Pattern[str]) -> list[Expansion]:
    found: list[Expansion] = []
    for match in pattern.finditer(text):
        short = match["short"].rstrip(".-")
        if not _is_acronym(short):
            continue
        words = list(_WORD.finditer(match["long"]))
        for end in range(1, min(len(words), 9) + 1):
            head = match["long"][: words[end - 1].end()]
            if match_before(short, head).strip() == head.strip() and head.strip():
                found.append(Expansion(short, head.strip()))
                break
    return found
