"""The parts of a question: the clauses of a long sentence, its years, the sides of a comparison.

Each part gets its share of a context, so that one side cannot crowd out the other. Found by the
words that join them alone; a question without such words has no parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import dropwhile

from llmwiki.core.language.search_terms import STOP_WORDS, words
from llmwiki.core.quick_to_load import lazy_pattern

MOST = 4
"""Parts of a question at most."""
LONGEST = 600
"""Characters of the longest question that is taken apart."""
SIDE = 3
"""Words of the longest side of a comparison."""

_JOINTS = frozenset(("and", "or", "versus", "vs", "vs.", "than"))
"""Words between two sides."""
_JOINED = re.compile(
    r" (?:(?:differs?|different|compared?) (?:from|to|with)|instead of"
    r"|(?:rather|more|less|\w{3,}er) than) ",
    re.IGNORECASE,
)
"""Words that stand for one of them."""
_LISTED = "alike both between compare contrast difference differ either same than versus vs vs."
_COMPARES = frozenset(_LISTED.split())
"""Words of a question that compares."""
_CLAUSES = re.compile(
    r"\? |; |[。？]|"
    r",? (?:and|but|or) (?=(?:also )?(?:how|what|which|why|when|where|who|whose|whom|is|are|was"
    r"|were|does|do|did|can|could|should|must|will|under|for|by|in|to) )"
    r"|, (?=(?:how|what|which|why|when|where|who|whose) )",
    re.IGNORECASE,
)
_WITHOUT_VERB = re.compile(r"(?:also )?(?:under|for|by|in|to) ", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_POINTS_BACK = lazy_pattern(
    r"\b(?:it|its|they|their|them|this|that|these|those|one|each|both|there)\b", re.IGNORECASE
)
_NAMES = lazy_pattern(r"(?<=\S )[A-Z][\w.+#-]*(?: [A-Z0-9][\w.+#-]*)*")


def parts_of(question: str) -> tuple[str, ...]:
    """The parts of a question, each a question by itself; none where it has but one."""
    if len(question) > LONGEST:
        return ()
    question = " ".join(question.split())
    clauses = [part.strip() for part in _CLAUSES.split(question)]
    clauses = [part for part in clauses if _says(part)]
    if 1 < len(clauses) <= MOST:
        first, *others = clauses
        return (first, *(_completed(part, first) for part in others))
    years = tuple(dict.fromkeys(_YEAR.findall(question)))
    if 1 < len(years) <= MOST:
        return tuple(_but(question, (y for y in years if y != year)) for year in years)
    sides = _sides(question)
    return tuple(_but(question, (other for other in sides if other != one)) for one in sides)


def _sides(question: str) -> tuple[str, ...]:
    """The names of the two sides of a comparison: words around a joint that have one in common,
    `green tea and black tea`; where a question says that it compares, single words."""
    plain = _JOINED.sub(" versus ", question.rstrip(" ?.!"))
    spoken = plain.split(" ")
    joints = _JOINTS | {"with", "to"} if spoken[0].lower() == "compare" else _JOINTS
    compares = not _COMPARES.isdisjoint(plain.lower().split(" "))
    for at, word in enumerate(spoken):
        if word.lower() not in joints:
            continue
        behind = list(dropwhile(lambda other: other.lower() in STOP_WORDS, spoken[at + 1 :]))
        for size in range(min(SIDE, at, len(behind)), 0, -1):
            mine, theirs = spoken[at - size : at], behind[:size]
            pairs = zip(map(str.lower, mine), map(str.lower, theirs), strict=True)
            are_alike = any(one == other and one not in STOP_WORDS for one, other in pairs)
            sides = " ".join(mine), " ".join(theirs)
            if (are_alike or (compares and size == 1)) and all(map(_says, sides)):
                return sides if mine != theirs else ()
    return ()


def _but(question: str, names: Iterable[str]) -> str:
    """A question without some names."""
    for name in names:
        question = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", question, count=1)
    return " ".join(question.split())


def _completed(clause: str, first: str) -> str:
    """A clause with what the first one says and it leaves out: the names that it points back to;
    all but names and times where it has no verb or hardly a word of its own."""
    own = [word for word in words(clause) if word not in STOP_WORDS and not word.isdigit()]
    if _WITHOUT_VERB.match(clause) or not own:
        said = _YEAR.sub("", first if _NAMES.search(clause) is None else _NAMES.sub("", first))
        return f"{' '.join(said.split())} {clause}"
    if _POINTS_BACK.search(clause) or not _NAMES.search(clause):
        return f"{clause} {' '.join(_NAMES.findall(first))}".strip()
    return clause


def _says(part: str) -> bool:
    return any(word not in STOP_WORDS for word in words(part))
