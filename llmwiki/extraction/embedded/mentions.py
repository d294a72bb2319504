"""Which of many names a running text mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from llmwiki.extraction.embedded.names import fold_name, has_cjk
from llmwiki.language.plurals import singular

_JOINING = r"[$./'’&-]{0,8}+"
"""Signs inside a name; bounded, for each of a row of them would look for the end of all."""
_TOKEN = re.compile(rf"[\w$](?:(?:{_JOINING}[\w+])++(?:{_JOINING}\))?|{_JOINING}\))|\w")


class NameMatcher:
    """Keys of names, ready to be looked for in running text."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = frozenset(keys)
        self.longest: dict[str, int] = {}
        """First word of a key to the most words such a key has."""
        self.wide: dict[str, list[str]] = {}
        """CJK keys by their first two characters: those words have no blanks around."""
        for key in sorted(self.keys):
            words = key.split()
            if not words:
                continue
            head = singular(words[0])
            self.longest[head] = max(self.longest.get(head, 0), len(words))
            if has_cjk(key):
                self.wide.setdefault(key[:2], []).append(key)

    def mentioned(self, text: str) -> list[str]:
        """Keys of the names that `text` mentions, the longest at each place, in order."""
        words = [word.strip("\"'“”‘’") for word in _TOKEN.findall(text)]
        found: dict[str, None] = {}
        at = 0
        while at < len(words):
            head = singular(words[at].casefold().removesuffix("()").split("-")[0])
            for size in range(min(self.longest.get(head, 0), len(words) - at), 0, -1):
                key = fold_name(" ".join(words[at : at + size]))
                if key in self.keys and not (size == 1 and words[at].islower() and len(key) < 4):
                    found[key] = None
                    at += size - 1
                    break
            at += 1
        if self.wide and has_cjk(text):
            found.update(dict.fromkeys(self._wide(text.casefold())))
        return list(found)

    def _wide(self, folded: str) -> list[str]:
        return [
            key
            for start in range(len(folded) - 1)
            for key in self.wide.get(folded[start : start + 2], ())
            if folded.startswith(key, start)
        ]
