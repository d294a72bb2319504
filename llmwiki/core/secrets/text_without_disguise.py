"""A text as the scan reads it: nothing in it that cannot be seen, and no second spelling."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern

_UNSEEN = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""Unicode's Default_Ignorable_Code_Point, as a class of characters."""
_STYLED = "\uff01-\uff5e\U0001d400-\U0001d7ff"
# One class first, so that the search may skip what is in none.
_OTHERWISE = lazy_pattern(
    rf"[&\\\\{_UNSEEN}{_STYLED}]"
    r"(?:(?<=&)(?P<entity>#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
    r"|(?<=\\)(?P<escaped>[!-/:-@\[-`{-~])|(?<![&\\]))"
)
_HIDING = lazy_pattern(f"[{_UNSEEN}{_STYLED}]")
_IS_STYLED = lazy_pattern(f"[{_STYLED}]")


class PlainText(NamedTuple):
    """Without characters that show nothing; full-width and styled letters as ASCII; entities of
    HTML and escapes by backslash (Markdown, JSON, a shell) as what they stand for."""

    text: str
    starts: tuple[int, ...]
    """Where each piece begins in `text`."""
    origins: tuple[tuple[int, int], ...]
    """Where it begins and ends in the original."""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]`, which is not empty, stands in the original."""
        if not self.starts:
            return start, end
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _origin(self, at: int) -> tuple[int, int]:
        """Beginning and end, in the original, of what the character at `at` was made of."""
        piece = bisect_right(self.starts, at) - 1
        first, last = self.origins[piece]
        length = (
            self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        ) - self.starts[piece]
        if length == last - first:
            return first + at - self.starts[piece], first + at - self.starts[piece] + 1
        return first, last


def hides(text: str) -> bool:
    """Whether a text has characters that show nothing or are styled."""
    return _HIDING.search(text) is not None


def plain(text: str) -> PlainText:
    """Reads `text`; one pass."""
    if _OTHERWISE.search(text) is None:
        return PlainText(text, (), ())
    parts: list[str] = []
    starts: list[int] = []
    origins: list[tuple[int, int]] = []
    length = last = 0

    def add(part: str, first: int, end: int) -> None:
        nonlocal length
        if part:
            parts.append(part)
            starts.append(length)
            origins.append((first, end))
            length += len(part)

    for match in _OTHERWISE.finditer(text):
        add(text[last : match.start()], last, match.start())
        add(_meant(match), match.start(), match.end())
        last = match.end()
    add(text[last:], last, len(text))
    return PlainText("".join(parts), tuple(starts), tuple(origins))


def _meant(match: re.Match[str]) -> str:
    if match["escaped"]:
        return match["escaped"]
    if match["entity"]:
        # Its table of two thousand names is for the few texts that write one.
        from html import unescape

        return unescape(match[0])
    return unicodedata.normalize("NFKC", match[0]) if _IS_STYLED.match(match[0]) else ""
