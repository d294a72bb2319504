"""The titles and aliases that stand in a text: found without a model, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.text import fold
from llmwiki.index.lookup import Lookup
from llmwiki.language.scripts import CJK

MAX_WORDS = 6
"""Words of the longest name that is looked for."""

_WORD = re.compile(r"\w+(?:[-.+#'/]\w+)*[+#]*")
_CJK = lazy_pattern(f"[{CJK}]{{2,12}}")
_MAX_CJK = 12
_AT_ONCE = 4096
"""Runs of words that are looked up together."""


def mentioned(text: str, names: Lookup) -> tuple[str, ...]:
    """The titles and aliases that occur in a text as whole words, sorted; case does not count.

    Tries each run of up to six words of the text, so its cost grows with the text and not with
    the wiki.
    """
    lines = [_WORD.findall(fold(line)) for line in text.split("\n")]
    opens = names.opens({word for line in lines for word in line})
    found: set[str] = set()
    asked: set[str] = set()
    for line, words in zip(text.split("\n"), lines, strict=True):
        for start, word in enumerate(words):
            if word in opens:
                asked.update(_runs(words[start : start + MAX_WORDS]))
        for stretch in _CJK.findall(line):
            asked.update(_pieces(fold(stretch)))
        if len(asked) > _AT_ONCE:
            found |= names.titled(asked)
            asked.clear()
    return tuple(sorted(found | names.titled(asked)))


def _runs(words: list[str]) -> Iterator[str]:
    """The first word, the first two, and so on."""
    return accumulate(words, "{} {}".format)


def _pieces(text: str) -> Iterator[str]:
    """Every part of a stretch of CJK that may be a name."""
    for start in range(len(text)):
        for end in range(start + 2, min(start + _MAX_CJK, len(text)) + 1):
            yield text[start:end]
