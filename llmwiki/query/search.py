"""A search: the pages and sources in which words stand, best first, each with its best passage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.core.language.search_terms import terms_of, words
from llmwiki.core.language.word_forms import base
from llmwiki.core.question_text import as_question
from llmwiki.core.secrets import redacted
from llmwiki.index.lookups import RESOURCE, TAG
from llmwiki.index.names_and_words import title_key
from llmwiki.index.source_index import is_drawn, is_heading
from llmwiki.pages.page_file_names import namesakes
from llmwiki.query.retrieval.best_passages import READ, found_passages
from llmwiki.query.retrieval.passage import Passage, marked
from llmwiki.query.retrieval.passage_score import ScoredPassage, Scorer
from llmwiki.query.retrieval.plain_inline_text import lines_shown
from llmwiki.query.retrieval.rank_pages import rank
from llmwiki.query.retrieval.read_and_score_passages import PassageReader
from llmwiki.query.retrieval.search_result import WORD, SearchResult, SearchRow, excerpt
from llmwiki.query.retrieval.search_words import (
    SearchWords,
    filled,
    holds,
    search_words,
    spaced,
    standing,
)
from llmwiki.query.retrieval.source_passages import source_passages
from llmwiki.query.retrieval.split_page_in_passages import MAX_PASSAGE
from llmwiki.query.retrieval.weights import SCALE
from llmwiki.query.sources_beside_pages import sources_beside

if TYPE_CHECKING:
    from llmwiki.index.lookups import Card, Corpus
    from llmwiki.index.open_index import Index
    from llmwiki.index.source_index import SourceIndex
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.query.retrieval.rank_pages import Ranking

PAGE = 0.1
"""Worth of the best page's rank beside the best passage, where that holds all words."""
LINKED = 12.0
"""The same where it holds none of them (measured on two sets of questions that need two pages:
recall@5 0.57 and 0.78 with 0, 0.64 and 0.90 with 3, 0.69 and 0.93 with 12; words of one document
are found as before)."""
TITLE = 0.5
"""Worth of all words in a page's title, where the best passage is worth 1: of a long log some line
has the words of any search."""
LEAST = 0.1
"""Below this part of the best score a page is left out: it holds some word by chance."""
CODE = 2 * SCALE
"""Worth of a passage with all codes of a search as they were typed: before all others."""
AS_TYPED = SCALE // 2
"""Worth of a passage that holds all words as they were typed, and not in other forms."""
SOURCES = 120
"""Passages of sources that are looked at, or `OF_ONE` for each page that is asked for."""
OF_ONE = 6
"""Passages of one source, so that a long one leaves room for others; where as much is asked for
word by word, all of them."""
LOOKED_AT = 300_000
"""Characters of a page that are looked through: a longer one is found by its beginning and its rank
(a page of 9.5 MB took 100 s, measured)."""
OTHERS = 6
"""Passages of a page among which the second one that is shown is looked for."""
FURTHER = 400
"""Characters of that second one."""
_COLON = (":", "：")
REACH = 12
"""Lines that are shown of what a line with a colon introduces, at most."""
_MACHINE = ("[^", "> - c-")
"""How lines of a page begin that no person reads."""


def search(
    wiki: OpenWiki,
    words: str,
    *,
    limit: int = 10,
    at: str | None = None,
    as_of: str | None = None,
) -> SearchResult:
    """The pages that words, names or a question lead to, best first; no model is called.

    At most `limit` pages, in the commit `at`, or as the day `as_of` (`2026-11-01`, UTC) left the
    wiki; None: as it is. Raises InputError where there are no words, for no such commit, and for
    what is no day, or one before the first commit.
    """
    typed = as_question(words, "search green tea")
    wiki, at = wiki.as_of(as_of, at)
    with wiki.index(at) as index, sources_beside(wiki, index, at) as sources:
        return _found(index, sources, typed, limit)


def _found(corpus: Index, sources: SourceIndex | None, typed: str, limit: int) -> SearchResult:
    """What was typed, looked up in one moment of the wiki."""
    asked = search_words(typed)
    keep = _restriction(corpus, asked)
    known = partial(standing, corpus, sources)

    def words_from(beginning: str) -> Mapping[str, int]:
        found = sources.words_from(beginning) if sources else {}
        for term, pages in corpus.words_from(beginning).items():
            found[term] = found.get(term, 0) + pages
        return found

    def beginning(card: Card) -> str:
        return corpus.read(card)[:LOOKED_AT]

    question, instead, nowhere = filled(asked, known, words_from)
    ranking = rank(corpus, question, limit=max(limit, READ), keep=keep)
    terms = frozenset(base(term.text) for term in ranking.terms)
    scorer = Scorer(question, ranking.terms, corpus.pages)
    reader = PassageReader(corpus, scorer, beginning, sources)
    hits = {
        hit.card.path: (hit.card, hit.score)
        for hit in ranking.hits
        # What is left of a retracted source is found by its tag.
        if asked.tags or not hit.card.is_retracted
    }
    most = max(SOURCES, OF_ONE * limit)
    of_one = most if asked.phrases or asked.codes else OF_ONE
    lines: list[Passage] = []
    if sources is not None:
        lines = source_passages(sources, ranking.terms, most, of_one, asked.as_typed)
    found = [
        each
        for each in found_passages(reader, scorer, hits, lines)
        if keep is None or keep(reader.cards[each.passage.path])
    ]
    found, as_typed = _as_they_stand(asked, found)
    best = _best(found, reader)
    if not asked.phrases and not (asked.codes and best and not asked.plain):
        lines_of_pages = {
            path: line
            for path, (card, _) in hits.items()
            if path not in best and (line := _line(card, reader, scorer))
        }
        best.update(lines_of_pages)
        as_typed |= _as_they_stand(asked, lines_of_pages.values())[1]
    reasons = {hit.card.path: hit.reasons for hit in ranking.hits}
    by_rank = _by_rank(best, ranking, reader, _page_worth(scorer, found))
    most = max((each.score for each in best.values()), default=0)
    worth = {
        path: {
            "passage": best[path].score,
            "page": by_rank[path],
            "title": int(TITLE * _titled(reader.cards[path], scorer) * most) // SCALE,
        }
        for path in best
    }
    least = max((sum(parts.values()) for parts in worth.values()), default=0) * LEAST
    pages = []
    for path, parts in worth.items():
        passage, card = best[path].passage, reader.cards[path]
        if path in as_typed:
            parts["as typed"] = CODE
        pages.append(SearchRow(card, sum(parts.values()), parts, passage, reasons.get(path, ())))
    name = title_key(question)
    named = {
        each.path
        for each in pages
        if name and name in {title_key(n) for n in (each.card.title, *each.card.aliases)}
    }
    pages.sort(key=lambda each: (each.path not in named, -each.score, each.path))
    kept = []
    others = _others(found, best)
    for page in [each for each in pages if each.score >= least or each.path in named][:limit]:
        first, *behind = [
            _narrowed(reader.located(each), scorer, asked, sources) if sources else each
            for each in (page.passage, *others.get(page.path, ()))
        ]
        passages = [first, *(each for each in behind if not each.struck)]
        shown = [excerpt(redacted(each.text), terms, MAX_PASSAGE) for each in passages]
        further = _further(shown, scorer)
        text = f"{shown[0]} … {excerpt(further, terms, FURTHER)}" if further else shown[0]
        kept.append(page._replace(passage=passages[0]._replace(text=text)))
    spelled = {word: _spelled(near, kept) for word, near in instead.items()}
    marks = namesakes((page.path, page.title) for page in kept)
    rows = tuple(page._replace(mark=marks.get(page.path)) for page in kept)
    return SearchResult(typed, rows, ranking, corpus.pages, terms, spelled, nowhere)


def _restriction(corpus: Corpus, asked: SearchWords) -> Callable[[Card], bool] | None:
    """Which pages may be found; None: all."""
    wanted = frozenset(asked.types)
    if not (wanted or asked.paths or asked.tags):
        return None
    tagged = [
        {doc for name, docs in corpus.below(TAG) if _is_below(name, tag) for doc in docs}
        for tag in asked.tags
    ]
    sources: dict[int, str] = {}
    if asked.paths:
        sources = {doc: path for path, docs in corpus.below(RESOURCE) for doc in docs}

    def allowed(card: Card) -> bool:
        return (
            (not wanted or card.type in wanted)
            and all(card.doc in docs for docs in tagged)
            and (asked.allows(card.path) or asked.allows(sources.get(card.doc, "")))
        )

    return allowed


def _is_below(name: str, tag: str) -> bool:
    """Whether a page's tag is that one, or one below it: `tea/green` is below `tea`."""
    return f"{name.casefold()}/".startswith(f"{tag.removeprefix('#')}/")


def _titled(card: Card, scorer: Scorer) -> int:
    """How much of what was asked the title or an alias of a page holds, in millionths."""
    return max(scorer.share(scorer.held(name)) for name in (card.title, *card.aliases))


def _as_they_stand(
    asked: SearchWords, found: Iterable[ScoredPassage]
) -> tuple[list[ScoredPassage], set[str]]:
    """The passages that hold the phrases, and the pages of those that hold all that was asked as it
    was typed, which come before those with other forms of it.

    Passages with the codes come first, and alone where nothing else was asked for; then those with
    every word as it was typed.
    """
    plain = asked.as_typed
    kept, coded = [], []
    pages = set()
    for each in found:
        own = spaced(each.passage.text)
        whole = f"{own} {spaced(each.passage.further)}"
        if not all(holds(whole, phrase) for phrase in asked.phrases):
            continue
        typed = sum(holds(own, word) for word in plain)
        scored = each.gaining("as typed", AS_TYPED * typed // max(len(plain), 1))
        has_codes = all(holds(whole, code) for code in asked.codes)
        is_typed = has_codes and typed == len(plain)
        if is_typed:
            pages.add(each.passage.path)
        if asked.codes and has_codes:
            is_own = all(holds(own, code) for code in asked.codes)
            scored = scored.gaining("code", CODE if is_own else CODE // 2)
            coded.append((not is_typed, scored))
        kept.append((not is_typed, scored))
    ranked = kept if asked.plain or not coded else coded
    ranked.sort(key=lambda each: (each[0], each[1].order))
    return [scored for _, scored in ranked], pages


def _best(found: Iterable[ScoredPassage], reader: PassageReader) -> dict[str, ScoredPassage]:
    """The best passage of each page; lines of a source that a better claim quotes count once."""
    best: dict[str, ScoredPassage] = {}
    quoted: dict[str, set[int]] = {}
    for each in found:
        passage = each.passage
        if passage.path in best:
            continue
        lines = range(passage.line, passage.last + 1)
        if passage.kind == "source":
            held = quoted.get(passage.title, set())
            if 2 * sum(line in held for line in lines) > len(lines):
                continue
        passage = reader.located(passage)
        best[passage.path] = each._replace(passage=passage)
        for source, first, last in passage.places:
            quoted.setdefault(source, set()).update(range(first, last + 1))
    return best


def _others(
    found: Iterable[ScoredPassage], best: Mapping[str, ScoredPassage]
) -> dict[str, list[Passage]]:
    """The next passages of each page, best first."""
    others: dict[str, list[Passage]] = {}
    for each in found:
        path = each.passage.path
        held = others.setdefault(path, [])
        is_other = path in best and each.passage.line != best[path].passage.line
        if is_other and each.passage.kind not in {"lead", "description"} and len(held) < OTHERS:
            held.append(each.passage)
    return others


def _further(shown: Sequence[str], scorer: Scorer) -> str:
    """Of the next passages of a page that which adds most to the words of the first, else the
    best one; empty where none says more."""
    first = scorer.held(shown[0])
    said = "".join(words(shown[0]))
    fresh = [
        each for each in shown[1:] if (own := "".join(words(each))) not in said and said not in own
    ]
    best = max(fresh, key=lambda each: scorer.share(scorer.held(each) - first), default="")
    return best if scorer.held(best) else ""


def _line(card: Card, reader: PassageReader, scorer: Scorer) -> ScoredPassage | None:
    """The line of a page that holds most of the words, where no passage does: of code, or of
    frontmatter; the page itself where it was reached by its names and links alone."""
    shown = [each for each in reader.page(card, 0) if each.own]
    if shown:
        return max(shown, key=lambda each: (each.score, -each.passage.line))
    title = scorer.held(" · ".join((card.title, *card.aliases)))
    text = reader.text(card)
    # Mostly none holds a word: then one look at the whole text says so.
    lines = lines_shown(text) if scorer.held(text) else ()
    held, number, line = min(
        (
            (-len(scorer.held(line)), number, line)
            for number, line in lines
            if not line.startswith(_MACHINE) or number == 1
        ),
        default=(0, 1, ""),
    )
    if not held and not title and len(text) < LOOKED_AT:
        return None
    text, number = (line.strip(), number) if held else (card.description, 0)
    passage = Passage(card.path, card.title, "line", text, number, reader.handle(card))
    return scorer.score(passage, title, 0)


def _page_worth(scorer: Scorer, found: Iterable[ScoredPassage]) -> int:
    """What the rank of the best page is worth beside the best passage, in millionths of that.

    Where one passage holds all that was asked, next to nothing; where none does, the answer stands
    on pages that lead to each other, which only the ranking of pages finds.
    """
    lacking = SCALE - max((scorer.share(each.own) for each in found), default=0)
    return int(PAGE * SCALE + LINKED * lacking)


def _by_rank(
    best: Mapping[str, ScoredPassage], ranking: Ranking, reader: PassageReader, worth: int
) -> dict[str, int]:
    """What the rank of each page adds to its best passage."""
    most = max((each.score for each in best.values()), default=0) or 1
    top = max((hit.score for hit in ranking.hits), default=0) or 1
    shares = {hit.card.path: hit.score * SCALE // top for hit in ranking.hits}
    for path, each in best.items():
        if reader.cards[path].type == "source":
            # Its own page tells only a part of it: the ranking of pages knows it too little.
            shares[path] = max(shares.get(path, 0), each.score * SCALE // most)
    whole = most * worth // SCALE
    return {path: whole * shares.get(path, 0) // SCALE for path in best}


def _narrowed(
    passage: Passage, scorer: Scorer, asked: SearchWords, sources: SourceIndex
) -> Passage:
    """Of lines of a source the paragraph of the one that holds most, or their heading with its
    first paragraph."""
    if passage.kind != "source":
        return passage
    lines = sources.lines_of(passage.path)
    exact = (*asked.phrases, *asked.codes, *asked.as_typed)

    def held(number: int) -> tuple[int, int, bool, int]:
        line = lines[number - 1]
        folded = spaced(line)
        as_typed = sum(holds(folded, each) for each in exact)
        return as_typed, len(scorer.held(line)), not line.startswith("#"), -number

    best = max(range(passage.line, passage.last + 1), key=held)
    if not held(best)[0]:
        # It was found by other forms of the words, or by its heading.
        above = next((n for n in range(passage.line, 0, -1) if is_heading(lines, n)), best)
        best = max(best, above, key=held)
    first = last = best
    end = passage.last
    if is_heading(lines, best):
        under = best + (best < len(lines) and is_drawn(lines[best]))
        below = next((n for n in range(under + 1, len(lines) + 1) if lines[n - 1].strip()), best)
        last, end = (best, end) if is_heading(lines, below) else (below, len(lines))
    while passage.line < first <= passage.last and lines[first - 2].strip():
        first -= 1
    while passage.line <= last < end and lines[last].strip():
        last += 1
    if lines[last - 1].rstrip().endswith(_COLON):
        # What it introduces is what is looked for.
        last = next((n for n in range(last + 1, len(lines) + 1) if lines[n - 1].strip()), last)
        while last < min(len(lines), best + REACH) and lines[last].strip():
            last += 1
    shown = (line for line in lines[first - 1 : last] if not is_drawn(line))
    text = " ".join(" ".join(shown).split())
    return marked(passage._replace(line=first, last=last), text)._replace(
        text=text, line=best, last=best
    )


def _spelled(term: str, pages: Iterable[SearchRow]) -> str:
    """A search term as the pages found write it."""
    spelled = (word for each in pages for word in WORD.findall(each.passage.text))
    return next((word for word in spelled if term in map(base, terms_of(word.lower()))), term)
