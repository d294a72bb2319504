"""Text cut to a length, in scripts with blanks and without."""

from __future__ import annotations

MARK = " …"


def cut(text: str, limit: int) -> str:
    """A text of one line in at most `limit` characters; a longer one ends in ` …`.

    Cut at a blank where one is near, else anywhere: Chinese and Japanese have none.
    """
    if len(text) <= limit:
        return text
    kept = text[: limit - len(MARK)]
    blank = text[: limit - len(MARK) + 1].rfind(" ")
    return (kept[:blank] if blank > limit // 2 else kept).rstrip() + MARK
