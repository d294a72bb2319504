"""Ranges of characters by script, to stand between the brackets of a pattern."""

from __future__ import annotations

from llmwiki.core.quick_to_load import lazy_pattern

RADICALS = "\u2e80-\u2fdf"
STOPS = "\u3000-\u3004"
"""The ideographic space, comma and full stop."""
MARKS = "\u3005-\u303f"
"""Brackets and marks of Chinese and Japanese."""
REPEATED = "\u3005-\u3007"
"""Of these marks those that stand in words: repetition, closing, zero."""
KANA = "\u3040-\u30ff"
SMALL_KANA = "\u31f0-\u31ff"
FULL_WIDTH = "\uff00-\uffef"
"""Latin letters, digits and marks as wide as ideographs, and half-width kana."""
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
HAN_COMPATIBLE = "\uf900-\ufaff"
HAN_BEYOND = "\U00020000-\U0003ffff"
HANGUL = "\uac00-\ud7af"

CJK = KANA + HAN + HANGUL + HAN_COMPATIBLE
"""The characters of Chinese, Japanese and Korean that text is written in today."""

RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
"""Hebrew, Arabic and their neighbours, and their presentation forms."""

_CJK = lazy_pattern(f"[{CJK}]")


def count_cjk(text: str) -> int:
    """How many characters of a text are Chinese, Japanese or Korean."""
    return 0 if text.isascii() else len(_CJK.findall(text))


def splits_word(text: str, at: int) -> bool:
    """Whether a cut before `at` falls inside a word of a script that parts words by blanks."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    return left.isalnum() and right.isalnum() and not (_CJK.match(left) or _CJK.match(right))
