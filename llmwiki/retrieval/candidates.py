"""The pages a text names, as they are shown to whoever extracts from it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

from llmwiki.core.candidate import PageCandidate
from llmwiki.core.text import fold
from llmwiki.pages.page import Page

CLAIMS_SHOWN = 8

_WORD = re.compile(r"\w+(?:[-.+#'/]\w+)*[+#]*")


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
