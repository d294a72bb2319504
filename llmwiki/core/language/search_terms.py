"""Words as they are searched: folded, split, stemmed; Chinese, Japanese and Korean by character.

Latin words lose case and accents and are stemmed by Snowball's English stemmer
(snowballstem.org); words of one text are stop words where they only hold a sentence together.
Scripts without blanks give each character and each pair of neighbours.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache

import Stemmer

from llmwiki.core.language.scripts import CJK, HAN_BEYOND, RADICALS, REPEATED, SMALL_KANA
from llmwiki.core.quick_to_load import lazy_pattern

VERSION = 2
"""Raised whenever the same text may give other terms: an index made with another is made anew."""

STOP_WORDS = frozenset(
    """
    a about after again all also am among an and any are as at be because been before being below
    between both but by can cannot could did do does doing done down during each either else ever
    every few for from further had has have having he her here hers herself him himself his how i
    if in into is it its itself just let may me might mine more most must my myself neither no nor
    not of off on once only onto or other ought our ours out over own per s same shall she should
    since so some such t than that the their theirs them then there these they this those through
    thus to together too under until up upon us very was we were what whatever when where whether
    which while who whoever whom whose why will with within without would yes yet you your yours
    """.split()  # noqa: SIM905 - a list of 190 quoted words is no easier to read
)
"""English words that carry no subject."""

_CJK = RADICALS + REPEATED + SMALL_KANA + CJK + HAN_BEYOND
_ASCII_WORDS = re.compile(r"[a-z0-9_]+")
_MARKS = lazy_pattern("[\u0300-\u036f]")
_PUNCTUATION = lazy_pattern("[\u00a0\u00ab\u00b7\u00bb\u2010-\u2027\u2030-\u205e\u2190-\u21ff]")
_LOWER = bytes(
    ord(chr(i).lower()) if chr(i).isalnum() or chr(i) == "_" else 32 for i in range(128)
) + bytes(128)
_stem: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
MAX_WORD = 64
"""Characters of the longest word kept; longer ones are data, not words."""
MAX_KEPT = 1 << 17
"""Tokens whose terms are kept in memory at most, some 150 bytes each."""


@cache
def _words_of_any_script() -> re.Pattern[str]:
    # Compiling the ranges of CJK takes 4 ms, which a text without them need not pay.
    return re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")


@cache
def _starts_with_cjk() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]")


_GROUP = re.compile(r",\d{3}(?!\d)")
_GROUPED = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})++(?![\d])")


def _with_whole_numbers(text: str) -> str:
    """The text with 21000 behind it where it has 21,000, as a question may ask for either."""
    # What begins with the comma is found ten times as fast where there is none.
    if "," not in text or _GROUP.search(text) is None:
        return text
    whole = [found[0].replace(",", "") for found in _GROUPED.finditer(text)]
    return " ".join((text, *whole)) if whole else text


def fold_words(text: str) -> str:
    """The text without case, width and accents, numbers with commas once more without them."""
    text = _with_whole_numbers(text)
    if not text.isascii():
        text = _PUNCTUATION.sub(" ", text)
    if text.isascii():
        return text.lower()
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", plain).casefold()


def words(text: str) -> list[str]:
    """The words in order, folded: an underscore joins, a stretch of CJK is one word."""
    folded = fold_words(text)
    return (_ASCII_WORDS if folded.isascii() else _words_of_any_script()).findall(folded)


def is_cjk(word: str) -> bool:
    """Whether a word of `words` is a stretch of Chinese, Japanese or Korean."""
    return not word.isascii() and _starts_with_cjk().match(word) is not None


def tokens(text: str) -> list[str]:
    """Words in order, with CJK stretches as characters and pairs; neither stemmed nor stopped."""
    found: list[str] = []
    for word in words(text):
        if is_cjk(word):
            found.extend(_characters(word))
        else:
            found.append(word)
    return found


def _characters(stretch: str) -> list[str]:
    pairs = [stretch[i : i + 2] for i in range(len(stretch) - 1)]
    return [*stretch, *pairs]


def count_terms(text: str) -> tuple[dict[str, int], int]:
    """How often each search term stands in the text, and how many words carry one."""
    counts = Counter(map(_TERMS.__getitem__, split_tokens(text)))
    length = counts.total() - counts.pop("", 0)
    for several in [found for found in counts if " " in found]:
        count = counts.pop(several)
        for term in several.split():
            counts[term] += count
    return counts, length


class _TermsOfTokens(dict[str | bytes, str]):
    """The search terms of each token, joined by blanks: all tokens of a text are looked up without
    a step of Python for each."""

    def __missing__(self, token: str | bytes) -> str:
        if len(self) >= MAX_KEPT:
            self.clear()
        found = self[token] = " ".join(token_terms(token))
        return found


_TERMS = _TermsOfTokens()


def split_tokens(text: str) -> list[bytes] | list[bytes | str]:
    """As `tokens`, ASCII ones as bytes: splitting these takes a third of a pattern's time."""
    text = _with_whole_numbers(text)
    if not text.isascii():
        text = _PUNCTUATION.sub(" ", text)
    if text.isascii():
        return text.encode("ascii").translate(_LOWER).split()
    return [token.encode("ascii") if token.isascii() else token for token in tokens(text)]


def terms(text: str) -> list[str]:
    """The distinct search terms of a question, in the order of their first use."""
    return list(dict.fromkeys(term for word in words(text) for term in terms_of(word)))


def terms_of(word: str) -> tuple[str, ...]:
    """The search terms of one folded word: its stem, its parts, its characters; none if a stop."""
    if is_cjk(word):
        return tuple(_characters(word))
    return token_terms(word)


@lru_cache(maxsize=1 << 16)
def token_terms(token: str | bytes) -> tuple[str, ...]:
    """The search terms of one of `tokens`."""
    if isinstance(token, bytes):
        token = token.decode("ascii")
    if token in STOP_WORDS or len(token) > MAX_WORD:
        return ()
    if "_" in token:
        parts = [part for part in token.split("_") if part]
        whole = () if len(parts) < 2 else (token,)
        return (*whole, *(term for part in parts for term in token_terms(part)))
    return (_stem(token),)
