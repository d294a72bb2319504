"""Pages whose names stand in a text: found without a model, in time linear in the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

from llmwiki.core.candidate import PageCandidate
from llmwiki.core.text import fold
from llmwiki.index.lookup import Lookup
from llmwiki.language.scripts import CJK
from llmwiki.pages.page import Page

MAX_WORDS = 6
"""Words of the longest name that is looked for."""

CLAIMS_SHOWN = 8

_WORD = re.compile(r"\w+(?:[-.+#'/]\w+)*[+#]*")
_CJK = re.compile(f"[{CJK}]{{2,12}}")
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


def candidates(
    text: str, described: Mapping[str, str], read: Callable[[str], Page | None], *, limit: int
) -> tuple[PageCandidate, ...]:
    """The pages among `described` (path to description) as they are shown to whoever extracts.

    Most often named first, then by path; each with its claims that share most words with the
    text.
    """
    plain = fold(text)
    words = Counter(_WORD.findall(plain))
    shown: list[tuple[int, str, PageCandidate]] = []
    for path in sorted(described):
        page = read(path)
        if page is None:
            continue
        weight = sum(plain.count(fold(name)) for name in (page.title, *page.aliases))
        standing = [claim for claim in page.claims if claim.successor is None]
        ranked = sorted(
            standing,
            key=lambda c: (-sum(1 for w in set(_WORD.findall(fold(c.text))) if w in words), c.id),
        )
        keys = sorted({claim.slot[0] for claim in standing if claim.slot})
        shown.append(
            (
                -weight,
                path,
                PageCandidate(
                    path=path,
                    title=page.title,
                    aliases=page.aliases,
                    description=described[path],
                    lead=page.lead if page.lead_is_tools else "",
                    keys=tuple(keys),
                    claims=tuple((c.id, c.text) for c in ranked[:CLAIMS_SHOWN]),
                ),
            )
        )
    return tuple(
        candidate for _weight, _path, candidate in sorted(shown, key=lambda s: s[:2])[:limit]
    )
