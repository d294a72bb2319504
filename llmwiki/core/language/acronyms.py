"""Which short form stands for which long one, judged by the initials of the words alone."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice, product

from llmwiki.core.language.name_keys import folded_key
from llmwiki.core.language.word_forms import word_set
from llmwiki.core.text import normalise

MIN_LETTERS = 3
"""Two initials fit too many names to mean one of them."""

_SMALL = word_set(
    """
    a an and as at by for from in into of on or per the to under via with
    """
)
_COMPOUNDS = {"hypertext": "ht", "extensible": "x", "metadata": "md"}
_SHAPE = re.compile(r"[^\W\d_][^\W_]{1,9}")
_BLANK = re.compile(r"\s+")
_CHUNK = re.compile(r"[A-Z][a-z]*")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_TAIL = re.compile(r"(.*[^\d\s-]|.*\d[\s-]|[\s-])[\s-]++v?(\d++(?:\.\d++)*[a-z]?)")
_BRACKET = re.compile(r"(.*\S)\s*+[(（]([^()（）]++)[)）]")
_NUMERONYM = re.compile(r"([a-z])(\d{1,2})([a-z])")
_REPEATED = re.compile(r"([a-z])([2-4])(?=[a-z])|([a-z])([2-4])\Z")

_TWO_LETTERS = {
    "ai": "artificial intelligence", "ml": "machine learning", "rl": "reinforcement learning",
    "dl": "deep learning", "un": "United Nations", "eu": "European Union", "uk": "United Kingdom",
    "us": "United States", "vr": "virtual reality", "ar": "augmented reality",
    "ui": "user interface", "ux": "user experience", "os": "operating system",
    "db": "database", "qa": "question answering",
}  # fmt: skip
"""The two-letter short forms that mean one thing wherever they stand, `us` in capitals only."""


def is_acronym(name: str) -> bool:
    """Whether a name looks like a short form: 2 to 8 letters and digits, most of them capitals."""
    plain = _bare(name)
    capitals = sum(1 for c in plain if c.isupper())
    is_short = _SHAPE.fullmatch(plain) is not None and len(plain) <= 8 and plain.isascii()
    is_loud = capitals >= 2 and capitals * 2 >= len(plain)
    return is_short and (is_loud or _NUMERONYM.fullmatch(plain.lower()) is not None)


def acronym_key(name: str) -> str:
    """A short form as it is looked up: lower case, without dots and plural; "" for a long name."""
    return _bare(name).lower() if is_acronym(name) else ""


def acronyms_of(name: str) -> frozenset[str]:
    """Every short form that the initials of a name allow, at most 64, in lower case.

    Small words count or do not (`IoT`, `NASA`), a hyphenated word counts once or by its parts,
    inner capitals count (`HyperText`).
    """
    words = _BLANK.split(normalise(name).replace("/", " "))
    if len(words) > 12:
        return frozenset()
    choices: list[tuple[str, ...]] = []
    for word in words:
        parts = _WORD.findall(word)
        if not parts:
            continue
        initials = "".join(_initials(part) for part in parts).lower()
        first = parts[0][0].lower()
        if word.lower() in _SMALL:
            choices.append(("", first))
        else:
            choices.append(tuple(dict.fromkeys((initials, first))))
    if all(len(choice[0]) < 2 for choice in choices) and (
        sum(1 for choice in choices if choice[0]) < 2
    ):
        return frozenset()
    made = map("".join, islice(product(*choices), 64))
    return frozenset(short for short in made if len(short) > 1)


def usual_name(short: str) -> str:
    """What two letters, in lower case, mean wherever they stand; empty: no one thing."""
    return _TWO_LETTERS.get(short, "")


def is_acronym_pair(a: str, b: str) -> bool:
    """Whether one name is the short form of the other: `GPT-4`, `Generative Pre-trained … 4`."""
    return _is_short_of(a, b) or _is_short_of(b, a)


def split_acronym(name: str) -> tuple[str, str] | None:
    """(long, short) of a name that gives both: `Retrieval-Augmented Generation (RAG)`."""
    match = _BRACKET.fullmatch(normalise(name))
    if match is None:
        return None
    if _is_short_of(match[2], match[1], least=2):
        return match[1], match[2]
    if _is_short_of(match[1], match[2], least=2):
        return match[2], match[1]
    return None


def _is_short_of(short: str, long: str, *, least: int = MIN_LETTERS) -> bool:
    short, short_tail = _tail(short)
    long, long_tail = _tail(long)
    if short_tail != long_tail or not is_acronym(short) or is_acronym(long):
        return False
    key = acronym_key(short)
    if key in _TWO_LETTERS and folded_key(long) == folded_key(_TWO_LETTERS[key]):
        return True
    if len(key) < least:
        return False
    if numeronym := _NUMERONYM.fullmatch(key):
        word = folded_key(long)
        if word.isalpha() and (word[0], word[-1], len(word)) == (
            numeronym[1],
            numeronym[3],
            int(numeronym[2]) + 2,
        ):
            return True
    made = acronyms_of(long)
    if _starts_words(short, long):
        return True
    return key in made or _REPEATED.sub(_repeat, key) in made


def _starts_words(short: str, long: str) -> bool:
    """Whether each capital and what follows it starts a word, in order: `LoRA`, `ViT`."""
    chunks = _CHUNK.findall(short)
    words = [w for w in _words(long) if w.lower() not in _SMALL]
    return (
        1 < len(chunks) == len(words)
        and "".join(chunks) == short
        and all(w.lower().startswith(c.lower()) for c, w in zip(chunks, words, strict=True))
    )


def _repeat(match: re.Match[str]) -> str:
    return (match[1] or match[3]) * int(match[2] or match[4])


def _tail(name: str) -> tuple[str, str]:
    """A name without the version at its end, and that version."""
    match = _TAIL.fullmatch(normalise(name))
    return (match[1], match[2]) if match else (normalise(name), "")


def _bare(name: str) -> str:
    plain = unicodedata.normalize("NFKC", normalise(name)).replace(".", "")
    plain = re.sub(r"(?<=\w)[-/&](?=\w)", "", plain) if len(plain) <= 9 else plain
    return plain[:-1] if re.fullmatch(r"[A-Z][A-Z0-9]*[A-Z]s", plain) else plain


def _words(name: str) -> list[str]:
    return _WORD.findall(normalise(name))


def _initials(word: str) -> str:
    if word.lower() in _COMPOUNDS:
        return _COMPOUNDS[word.lower()]
    if word.isupper() or word.isdigit():
        return word[0]
    return word[0] + "".join(c for c in word[1:] if c.isupper())
