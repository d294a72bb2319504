"""What a graph takes from a page's own text: the words outside links and code, its claims."""

from __future__ import annotations

import re
from collections import Counter

from llmwiki.core.text import cut
from llmwiki.language.tokens import fold_words, split_tokens, words
from llmwiki.pages.claim_head import split_head
from llmwiki.pages.ids import CLAIM_ID
from llmwiki.pages.lines import code_spans, comment_spans, without
from llmwiki.pages.scan import body_start, prose
from llmwiki.retrieval.inline import plain

CLAIM_LENGTH = 160
"""Characters of a claim that are shown."""

_CLAIM = re.compile(rf"[-*+][ \t]+(?!~~)(\S.*)[ \t]\^{CLAIM_ID}[ \t]*\r?\Z")
_CUT_OUT = (
    ("[", re.compile(r"\[(?:\[[^\[\]\n]*\]\]|\^[^\[\]\s]+\]|[^\[\]\n]*\]\([^()\n]*\))")),
    ("<", re.compile(r"<[^<>\s]*>")),
    ("://", re.compile(r"(?<!\w)\w++://\S+")),
)
"""Links and footnotes, tags, addresses; each looked for where its mark stands,
for one pattern of them all takes ten times as long."""
_HIDING = ("```", "~~~", "\n    ", "\n\t", "\n<")
"""What code blocks and HTML begin with: only then are the blocks of a text worth finding."""
_WORD = re.compile(r"\w+")


class ProseWords:
    """The words of a page's prose outside links and code, to look for names in."""

    def __init__(self, text: str) -> None:
        if any(mark in text for mark in _HIDING):
            runs = ("\n".join(text[start:end] for start, end in run) for run in prose(text))
            body = "\n".join(runs)
        else:
            body = text[body_start(text) :]
        # The bar that is left where something was cut out is a word, and parts those beside it.
        body = without(body, code_spans(body), " _ ")
        body = without(body, comment_spans(body), " _ ")
        for mark, pattern in _CUT_OUT:
            if mark in body:
                body = pattern.sub(" _ ", body)
        self._prose = body
        self._joined = f" {_folded(body)} "
        self._capitals: Counter[str] | None = None

    def times(self, name: str) -> int:
        """How often a name stands there: folded words joined by blanks.

        A single word counts where it has a capital: `Source` is a name, `source` is none.
        """
        if " " in name:
            return self._joined.count(f" {name} ")
        if self._capitals is None:
            found = _WORD.findall(self._prose)
            self._capitals = Counter(fold_words(word) for word in found if not word[0].islower())
        return self._capitals[name]


def _folded(text: str) -> str:
    """The folded words of a text, a blank between two."""
    try:
        return b" ".join(split_tokens(text)).decode()  # type: ignore[arg-type]
    except TypeError:
        # Some are not ASCII: rarer, and five times as slow.
        return " ".join(words(text))


def claim_texts(text: str, most: int) -> tuple[str, ...]:
    """The first claims that stand on a page, as they are read, cut to `CLAIM_LENGTH`."""
    found: list[str] = []
    at = text.find(" ^c-")
    while at >= 0 and len(found) < most:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        match = _CLAIM.match(text, text.rfind("\n", 0, at) + 1, end)
        if match:
            head = split_head(match[1])
            said = f"{'Denied: ' * head.is_denied}{plain(head.text)}"
            found.append(cut(said, CLAIM_LENGTH))
        at = text.find(" ^c-", end)
    return tuple(found)
