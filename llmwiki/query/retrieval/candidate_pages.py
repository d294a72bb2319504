"""The pages a text may be about, as they are shown to whoever extracts from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from sys import intern
from types import MappingProxyType

from llmwiki.core.document import CandidateClaim, PageCandidate
from llmwiki.core.language.search_terms import STOP_WORDS, terms, terms_of, words
from llmwiki.core.text import fold
from llmwiki.index.lookups import Corpus
from llmwiki.pages.page import Claim, Page
from llmwiki.query.retrieval.word_scores import best, idf, score_words

FLOOR = 1_500
"""Likeness from which a statement is about what the text is about. Of pages of unrelated documents
one in 500 reaches it, of those of one document two in three (measured)."""
TOUCHES = 500
"""Likeness below which the two share a word or two by chance. Where the words of the page's title
stand in the text too, it lets in one in 400 and three in four."""
_PLACE = 400
"""Characters from which a place ends at the next end of a line."""
_FEW = 4
"""Places of a text so short that no word of it is an everyday one."""


class TextLikeness:
    """Likeness to the places of one text: paragraphs, or so many lines of a long one."""

    def __init__(self, text: str) -> None:
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        count = 0
        for count, place in enumerate(_places(text), start=1):
            for term in _telling(place):
                self._places[term].append(count)
        most = max(_FEW, count // 2)
        self._everyday = {term for term, places in self._places.items() if len(places) > most}

    def of(self, statement: str, floor: int = 0) -> int:
        """The terms that the statement has in common with the place that has most of them, squared
        and divided by all its terms; in thousandths. 0, which is quicker, where it is no `floor`.

        A term of more than half of all places does not count.
        """
        telling = [term for term in _telling(statement) if term not in self._everyday]
        held = [self._places[term] for term in telling if term in self._places]
        if not held or 1_000 * len(held) ** 2 // len(telling) < floor:
            return 0
        shared = Counter(place for places in held for place in places)
        return 1_000 * max(shared.values()) ** 2 // len(telling)

    def names(self, name: str) -> bool:
        """Whether all words of a name stand in the text, wherever."""
        telling = _telling(name)
        return bool(telling) and all(term in self._places for term in telling)

    def at_once(self, name: str) -> int:
        """At how many places all words of a name of several words stand, whatever their order."""
        places = [set(self._places.get(term, ())) for term in set(_telling(name)) - STOP_WORDS]
        return len(set.intersection(*places)) if len(places) > 1 else 0


@lru_cache(maxsize=1 << 14)
def _telling(text: str) -> tuple[str, ...]:
    """The terms of a place or of a statement; pages that many documents tell of come again."""
    return tuple(intern(term) for term in terms(text) if len(term) > 1)


def _places(text: str) -> Iterator[str]:
    held, size = list[str](), 0
    for line in (*text.split("\n"), ""):
        if held and (size >= _PLACE or not line.strip()):
            yield "\n".join(held)
            held, size = [], 0
        if line.strip():
            held.append(line)
            size += len(line)


MOST_NEAR = 8
"""Pages that are shown although the text does not name them: the nearest ones that say something
like it. More of them took half of the room of a job and were of no use to its reader."""
MOST_LOOKED_AT = 2 * MOST_NEAR
"""Nearest pages that are looked at for that."""
OF_KIN = 1_000
"""Likeness from which a page of the nearest document is shown."""
OFTEN, MOST_SHARED = 3, 2
"""How often a text says a word of a title, and of how many pages' names that word is at most, for
it to name the page in part."""
FEW_PAGES, RARE = 5, 30
"""Pages that say a word which stands in a text once and shall bring a title with it: so many at
most, or one in so many."""
CLAIMS_SHOWN = 15
"""Claims that are shown of all pages together because they are like the text."""
MOST_KEYS = 16
"""Slots of a page that are shown with the claim that fills each."""

MOST_TERMS, MOST_POSTINGS = 64, 2_000
"""Terms of a text by which pages are looked for, and how many pages all of them together may stand
on: the work is the same in a wiki of any size."""


def nearest(corpus: Corpus, text: str, limit: int) -> list[str]:
    """The pages of every kind that a text leads to by its words, best first, as many as `limit`.

    Those of its words ask that it says often and few pages hold.
    """
    counts = Counter(term for word in words(text) for term in terms_of(word))
    held = corpus.frequencies(term for term in counts if len(term) > 1)
    weights = {term: counts[term] * idf(corpus.pages, df) for term, df in held.items()}
    asked = sorted(weights, key=lambda term: (-weights[term], term))[:MOST_TERMS]
    asked.sort(key=lambda term: (held[term], term))
    spent = accumulate(held[term] for term in asked)
    few = [term for term, so_far in zip(asked, spent, strict=True) if so_far <= MOST_POSTINGS]
    scores = score_words(corpus, few or asked[:1], ()).total
    paths = corpus.paths_of(best(scores, limit))
    order = sorted((-scores[doc], path) for doc, path in paths.items())
    return [path for _, path in order[:limit]]


def candidates(
    text: str,
    named: Collection[str],
    near: Sequence[str],
    read: Callable[[Collection[str]], Mapping[str, Page]],
    *,
    limit: int,
    partly: Mapping[str, int] = MappingProxyType({}),
    kin: Sequence[str] = (),
    unread: Sequence[str] = (),
) -> tuple[PageCandidate, ...]:
    """The pages that a text names or is near to, as they are shown to whoever extracts.

    `named` are the pages with a name in the text, `partly` those of which it says a distinctive
    word so many times (`partly_named`), `near` those that retrieval finds for it, best first: of
    these, the ones of which a claim or the description is like a place of the text, for which less
    is enough where the words of a name stand all over it, and for `kin`, the pages of the document
    that is most like it. Those come first that are high in all orders; ties by path. `unread` are
    pages of documents that no model has read, as `near`: what they say stands on no other page.
    """
    near, unread, kin = near[:MOST_LOOKED_AT], unread[:MOST_NEAR], kin[:MOST_LOOKED_AT]
    pages = read({*named, *partly, *near, *kin, *unread})
    plain, likeness = fold(text), TextLikeness(text)
    counts = {
        path: sum(plain.count(fold(name)) for name in (pages[path].title, *pages[path].aliases))
        for path in named
        if path in pages
    }
    counts |= {path: max(n, counts.get(path, 0)) for path, n in partly.items() if path in pages}
    most_named = sorted(counts, key=lambda path: (-counts[path], path))
    like = [path for path in near if path in pages and _is_like(pages[path], likeness)]
    said = [path for path in unread if path in pages and _is_like(pages[path], likeness)]
    same = [path for path in kin if path in pages and _is_like(pages[path], likeness, OF_KIN)]
    order = dict.fromkeys([*_merged(most_named, [*like[:MOST_NEAR], *said]), *same])
    shown = list(islice(order, limit))
    about = {p for p in shown if p in counts or p in said or _is_about(pages[p], likeness)}
    alike = _alike([(pages[path], TOUCHES if path in about else FLOOR) for path in shown], likeness)
    return tuple(_candidate(pages[path], path in about, alike, likeness) for path in shown)


def partly_named(
    text: str, pages: Mapping[str, Sequence[str]], named: Collection[str] = ()
) -> dict[str, int]:
    """The pages, but those that are `named` anyway, of which a text says all words of a name at one
    place, or a distinctive word of one at least `OFTEN` times, with how often: those first of which
    it says all words, then the most named. A word of at most `MOST_SHARED` pages is distinctive.

    `pages` has the names of each page.
    """
    likeness = TextLikeness(text)
    counts = Counter(term for word in words(text) for term in terms_of(word))
    asked = {path: {t for name in names for t in terms(name)} for path, names in pages.items()}
    shared = Counter(term for each in asked.values() for term in each)
    whole: dict[str, int] = {}
    part: dict[str, int] = {}
    for path, names in pages.items():
        if path in named:
            continue
        whole[path] = max(map(likeness.at_once, names))
        telling = (t for t in asked[path] if shared[t] <= MOST_SHARED and len(t) > 3)
        part[path] = max((counts[t] for t in telling), default=0)
    said = {path: max(whole[path], part[path]) for path in whole}
    said = {path: count for path, count in said.items() if whole[path] or count >= OFTEN}
    order = sorted(said, key=lambda path: (not whole[path], -said[path], path))
    return {path: said[path] for path in order[:MOST_NEAR]}


def touched(text: str, pages: Mapping[str, Sequence[str]], corpus: Corpus) -> set[str]:
    """The pages of which a distinctive word of a name stands in a text: one of at most
    `MOST_SHARED` pages' names, that few pages say."""
    said = {term for word in words(text) for term in terms_of(word)}
    asked = {path: {t for name in names for t in terms(name)} for path, names in pages.items()}
    shared = Counter(term for each in asked.values() for term in each)
    held = corpus.frequencies(term for term in shared if term in said and len(term) > 2)
    most = max(FEW_PAGES, corpus.pages // RARE)
    telling = {t for t, pages in held.items() if pages <= most and shared[t] <= MOST_SHARED}
    return {path for path, each in asked.items() if each & telling}


def _is_like(page: Page, likeness: TextLikeness, floor: int = FLOOR) -> bool:
    said = (page.description, *(claim.text for claim in _standing(page)))
    floor = TOUCHES if any(map(likeness.names, (page.title, *page.aliases))) else floor
    return any(likeness.of(text, floor) >= floor for text in said)


def _standing(page: Page) -> list[Claim]:
    return [claim for claim in page.claims if claim.successor is None]


def _merged(*orders: Sequence[str]) -> list[str]:
    """Several orders as one: by the sum of the reciprocal ranks, in millionths."""
    scores: Counter[str] = Counter()
    for order in orders:
        for rank_, path in enumerate(order):
            scores[path] += 1_000_000 // (rank_ + 5)
    return sorted(scores, key=lambda path: (-scores[path], path))


def _is_about(page: Page, likeness: TextLikeness) -> bool:
    return any(map(likeness.names, (page.title, *page.aliases)))


def _alike(pages: Sequence[tuple[Page, int]], likeness: TextLikeness) -> dict[str, int]:
    """The claims that are most like the text, by id, with how much: each page comes with the floor
    for its own. Those that fill a slot are shown in any case."""
    scores = {
        claim.id: score
        for page, floor in pages
        for claim in _standing(page)
        if not claim.slot and (score := likeness.of(claim.text, floor)) >= floor
    }
    best = sorted(scores, key=lambda ident: (-scores[ident], ident))
    return {ident: scores[ident] for ident in best[:CLAIMS_SHOWN]}


def _candidate(
    page: Page, is_about: bool, alike: Mapping[str, int], likeness: TextLikeness
) -> PageCandidate:
    claims = [claim for claim in _standing(page) if claim.id in alike]
    claims.sort(key=lambda claim: (-alike[claim.id], claim.id))
    return PageCandidate(
        path=page.path,
        title=page.title,
        aliases=page.aliases,
        description=page.description,
        lead=page.lead if page.lead_is_tools else "",
        keys=_latest(page, likeness)[:MOST_KEYS] if is_about else (),
        claims=tuple(CandidateClaim(claim.id, claim.text) for claim in claims),
    )


def _latest(page: Page, likeness: TextLikeness) -> tuple[CandidateClaim, ...]:
    """For each slot of a page the claim with its latest value, first those like the text."""
    latest: dict[str, tuple[str, CandidateClaim]] = {}
    for claim in _standing(page):
        if claim.slot:
            key, value = claim.slot
            shown = (page.date_of(claim), CandidateClaim(claim.id, claim.text, key, value))
            latest[fold(key)] = max(latest.get(fold(key), shown), shown)
    order = sorted(latest, key=lambda key: (-likeness.of(latest[key][1].text), key))
    return tuple(latest[key][1] for key in order)
