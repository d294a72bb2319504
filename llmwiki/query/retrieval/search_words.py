"""What somebody types to search: words, "phrases", codes, beginnings of words, and restrictions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from llmwiki.core.language.search_terms import fold_words, is_cjk, terms_of, words
from llmwiki.core.language.word_forms import base, forms_of
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.query.retrieval.weights import BOUNDS
from llmwiki.query.retrieval.word_scores import question_terms

if TYPE_CHECKING:
    from llmwiki.index.lookups import Corpus
    from llmwiki.index.source_index import SourceIndex

_PART = re.compile(
    r"""(?P<key>path|type|tag):(?:"(?P<quoted>[^"]*)"|(?P<value>\S+))"""
    r"""|["“](?P<phrase>[^"“”]+)["”]|(?P<word>\S+)""",
    re.IGNORECASE,
)
_AROUND = "'‘’\"“”([{<?!,;:…"
_BEHIND = "'‘’\"“”]}>?!,;:.…"
_CODE = re.compile(r"\w[^\w\s'’]+\w|[^\w\s'’]\Z|\A[.@#]\w")
_IN_NUMBER = re.compile(r"(?<=\d),(?=\d)")
MOST_WORDS = 20
"""Words of the wiki that one beginning stands for at most."""
MOST_GUESSED = 8
"""Beginnings, and slips, of one search for which the words of the wiki are gone through."""
SHORTEST = 4
"""Letters of the shortest word that another one is taken for."""
LONG = 8
"""Letters from which on two of them may be wrong."""


WordsFrom = Callable[[str], Mapping[str, int]]
"""The search terms of a wiki that begin so, each with how many pages or passages hold it."""


class SearchWords(NamedTuple):
    """A search as it was understood."""

    question: str
    """The words without signs and restrictions; beginnings are left out."""
    plain: tuple[str, ...] = ()
    """The words that are neither phrases nor codes nor beginnings."""
    phrases: tuple[str, ...] = ()
    """Folded; what is found holds them all."""
    codes: tuple[str, ...] = ()
    """Words with signs in them, such as `E.22` or `C++`, folded; as they stand, where they do."""
    beginnings: tuple[str, ...] = ()
    """Folded, of `postg*`."""
    paths: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def as_typed(self) -> tuple[str, ...]:
        """The plain words that tell something, folded."""
        return tuple(spaced(word) for word in self.plain if question_terms(word))

    def allows(self, path: str) -> bool:
        """Whether a page's path, or that of its source, is one of those asked for: by a part of
        it, or by a pattern with `*` that begins at any folder."""
        folded = path.casefold()
        return all(
            fnmatchcase(f"/{folded}", f"*/{part}") if "*" in part else part in folded
            for part in self.paths
        )


def search_words(text: str) -> SearchWords:
    """Reads what was typed; never raises."""
    asked: list[str] = []
    plain: list[str] = []
    phrases: list[str] = []
    codes: list[str] = []
    beginnings: list[str] = []
    kept: dict[str, list[str]] = {"path": [], "type": [], "tag": []}
    for part in _PART.finditer(text):
        if key := part["key"]:
            kept[key.lower()].append((part["quoted"] or part["value"] or "").casefold())
        elif phrase := part["phrase"]:
            phrases.append(spaced(phrase))
            asked.append(phrase)
        elif word := _bare(part["word"]):
            if word.endswith("*") and (parts := words(word)):
                asked += parts[:-1]
                beginnings.append(parts[-1])
                continue
            asked.append(word)
            if _CODE.search(word):
                codes.append(spaced(word))
            else:
                plain.append(word)
    return SearchWords(
        " ".join(asked),
        tuple(plain),
        tuple(filter(None, phrases)),
        tuple(filter(None, codes)),
        tuple(beginnings),
        *map(tuple, kept.values()),
    )


def _bare(word: str) -> str:
    """A word without the signs of the sentence around it."""
    word = word.lstrip(_AROUND).rstrip(_BEHIND)
    return word[:-1] if word.endswith(")") and "(" not in word else word


def spaced(text: str) -> str:
    """A text folded, in one line with single blanks."""
    return " ".join(fold_words(text).split())


def holds(folded: str, wanted: str) -> bool:
    """Whether a `spaced` text has some words as they stand: at the borders of words, which scripts
    without blanks do not show."""
    at = folded.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before, behind = folded[at - 1 : at], folded[end : end + 1]
        if not (_are_one_word(before, wanted[0]) or _are_one_word(wanted[-1], behind)):
            return True
        at = folded.find(wanted, at + 1)
    return False


def _are_one_word(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word, as far as one can see."""
    return left.isalnum() and right.isalnum() and not (is_cjk(left) or is_cjk(right))


def standing(corpus: Corpus, sources: SourceIndex | None, terms: Iterable[str]) -> set[str]:
    """Those of some terms that stand anywhere, in whatever form: on a page or in a source."""
    asked = list(terms)
    forms = {form for term in asked for form in forms_of(term)}
    found = {base(form) for form in corpus.frequencies(forms)}
    if sources is not None:
        found.update(map(base, sources.postings(forms)))
    return {term for term in asked if base(term) in found}


class FilledSearch(NamedTuple):
    """A search with words of the wiki in it."""

    question: str
    """With words of the wiki for beginnings and slips."""
    instead: Mapping[str, str]
    """Words that stand nowhere, each with the term that is looked for in its place."""
    nowhere: tuple[str, ...]
    """The other words that stand nowhere, as they were typed."""


def filled(
    asked: SearchWords, known: Callable[[Iterable[str]], Set[str]], words_from: WordsFrom
) -> FilledSearch:
    """Puts in words of the wiki; `known` gives those of some terms that stand anywhere."""
    listed = asked.question.split()
    terms = {
        word: question_terms(_IN_NUMBER.sub("", word))
        for word in list(dict.fromkeys(listed))[: BOUNDS.looked_up]
    }
    stand = known([form for found in terms.values() for each in found for form in forms_of(each)])
    missing = [
        word
        for word, found in terms.items()
        if any(stand.isdisjoint(forms_of(term)) for term in found)
    ]
    slips = [word for word in missing if word in asked.plain and len(terms[word]) == 1]
    near = {word: _near(terms[word][0], words_from) for word in slips[:MOST_GUESSED]}
    begun = {each: _begun(each, words_from) for each in sorted({*asked.beginnings})[:MOST_GUESSED]}
    further = [term for found in begun.values() for term in found]
    # The words of a wiki may be those of pages that are gone.
    stand = known([*filter(None, near.values()), *further])
    instead = {word: term for word, term in near.items() if term and term in stand}
    return FilledSearch(
        " ".join((*(instead.get(word, word) for word in listed), *further)),
        instead,
        (
            *dict.fromkeys(_bare(word) for word in missing if word not in instead),
            *(f"{each}*" for each, found in begun.items() if stand.isdisjoint(found)),
        ),
    )


def _begun(beginning: str, words_from: WordsFrom) -> Sequence[str]:
    found = words_from(beginning)
    return sorted(sorted(found, key=lambda term: (-found[term], term))[:MOST_WORDS])


def _near(term: str, words_from: WordsFrom) -> str | None:
    """The word of the wiki that a term is probably a slip of: the most frequent of the nearest."""
    if len(term) < SHORTEST or not term.isalpha() or terms_of(term) == ():
        return None
    most = 2 if len(term) >= LONG else 1
    found = words_from(term[0])
    near = (
        (steps, -count, other)
        for other, count in found.items()
        if abs(len(other) - len(term)) <= most
        and other.isalpha()
        and (steps := _steps(term, other, most)) <= most
    )
    return min(near, default=(0, 0, None))[2]


def _steps(one: str, other: str, most: int) -> int:
    """Letters to put in, take out, change, or swap with their neighbour, to make one of the other;
    above `most` any number above it (Damerau 1964)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        last, before, row = before, row, [i]
        for j, wanted in enumerate(other, start=1):
            best = min(row[-1] + 1, before[j] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                best = min(best, last[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            break
    return row[-1] if len(row) == len(other) + 1 else most + 1
