"""The pages a text may be about, as they are shown to whoever extracts from it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence, Set
from itertools import zip_longest

from llmwiki.core.candidate import CandidateClaim, PageCandidate
from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.core.text import fold
from llmwiki.index.corpus import Corpus
from llmwiki.language.tokens import STOP_WORDS
from llmwiki.pages.page import Claim, Page
from llmwiki.retrieval.rank import rank
from llmwiki.retrieval.weights import BOUNDS

MOST_NEAR = 8
"""Pages that are shown although the text does not name them: the nearest ones. More of them took
half of the room of a job and were of no use to its reader."""
CLAIMS_SHOWN = 8
"""Claims of a page that are shown for their words, and as many again that fill a slot."""

_WORD = re.compile(r"\w+(?:[-.+#'/]\w+)*[+#]*")


def words_in(text: str) -> Counter[str]:
    """The words of a text, folded, with how often each stands there."""
    return Counter(_WORD.findall(fold(text)))


def in_common(text: str, words: Collection[str]) -> int:
    """How many distinct words of a text are among `words`."""
    return sum(1 for word in set(_WORD.findall(fold(text))) if word in words)


def nearest(corpus: Corpus, text: str, limit: int) -> tuple[str, ...]:
    """The entity and concept pages that a text leads to by its words and their links, best first.

    Of a long text the words that it says most often ask.
    """
    counts = words_in(text)
    asked = [word for word in counts if word not in STOP_WORDS and len(word) > 1]
    asked.sort(key=lambda word: (-counts[word], word))
    question = " ".join(asked[: BOUNDS.looked_up])
    ranking = rank(corpus, question, limit=limit, kinds=frozenset(SUBJECTS))
    return tuple(hit.card.path for hit in ranking.hits)


def candidates(
    text: str,
    named: Collection[str],
    near: Sequence[str],
    read: Callable[[str], Page | None],
    *,
    limit: int,
) -> tuple[PageCandidate, ...]:
    """The pages that a text names or is near to, as they are shown to whoever extracts.

    `named` are the pages with a name in the text, `near` those that retrieval finds for it, best
    first. Those come first that are high in both orders; ties by path.
    """
    pages = {path: page for path in sorted({*named, *near}) if (page := read(path)) is not None}
    plain, words = fold(text), words_in(text)
    counts = {
        path: sum(plain.count(fold(name)) for name in (pages[path].title, *pages[path].aliases))
        for path in named
        if path in pages
    }
    most_named = sorted(counts, key=lambda path: (-counts[path], path))
    order = _merged(most_named, [path for path in near[:MOST_NEAR] if path in pages])
    return tuple(_candidate(pages[path], words.keys()) for path in order[:limit])


def _merged(*orders: Sequence[str]) -> list[str]:
    """Several orders as one: by the sum of the reciprocal ranks, in millionths."""
    scores: Counter[str] = Counter()
    for order in orders:
        for rank_, path in enumerate(order):
            scores[path] += 1_000_000 // (rank_ + 5)
    return sorted(scores, key=lambda path: (-scores[path], path))


def _candidate(page: Page, words: Set[str]) -> PageCandidate:
    standing = [claim for claim in page.claims if claim.successor is None]
    standing.sort(key=lambda claim: (-in_common(claim.text, words), claim.id))
    keyed = [claim for claim in standing if claim.slot][:CLAIMS_SHOWN]
    others = [claim for claim in standing if not claim.slot][:CLAIMS_SHOWN]
    shown = (claim for pair in zip_longest(keyed, others) for claim in pair if claim)
    return PageCandidate(
        path=page.path,
        title=page.title,
        aliases=page.aliases,
        description=page.description,
        lead=page.lead if page.lead_is_tools else "",
        keys=tuple(sorted({claim.slot[0] for claim in standing if claim.slot})),
        claims=tuple(map(_shown, shown)),
    )


def _shown(claim: Claim) -> CandidateClaim:
    return CandidateClaim(claim.id, claim.text, *(claim.slot or ()))
